// SPDX-License-Identifier: Apache-2.0
// Arrays across the border without a copy: spans in, vectors moved out.
//
//   m.def("f", [](const Array<double>& x) { ... }, py::arg("x").noconvert());
//
// noconvert() makes a list, an integer, a float32 or a strided array a TypeError instead of a silent copy.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "hockeystick/loss_law.hpp"

namespace hockeystick::bindings {

template <class T>
using Array = pybind11::array_t<T, pybind11::array::c_style>;

// A view of a one-dimensional array; valid while the array lives, also with the GIL released.
// Throws std::invalid_argument (ValueError) for another number of dimensions.
template <class T>
std::span<const T> as_span(const Array<T>& array, const char* name) {
    if (array.ndim() != 1) {
        throw std::invalid_argument(std::string(name) + " must be one-dimensional, got " +
                                    std::to_string(array.ndim()) + " dimensions");
    }
    return {array.data(), static_cast<std::size_t>(array.size())};
}

// Hands the vector's own memory to a NumPy array, which frees it through a capsule.
template <class T>
Array<T> as_array(std::vector<T>&& values) {
    auto owner = std::make_unique<std::vector<T>>(std::move(values));
    const auto size = static_cast<pybind11::ssize_t>(owner->size());
    T* const data = owner->data();
    const pybind11::capsule capsule(owner.get(), [](void* pointer) { delete static_cast<std::vector<T>*>(pointer); });
    owner.release();
    return Array<T>({size}, {static_cast<pybind11::ssize_t>(sizeof(T))}, data, capsule);
}

// Certified brackets as the pair (lower, upper) of NumPy arrays.
inline std::pair<Array<double>, Array<double>> as_columns(std::span<const Interval> intervals) {
    std::vector<double> lower(intervals.size());
    std::vector<double> upper(intervals.size());
    for (std::size_t i = 0; i < intervals.size(); ++i) {
        lower[i] = intervals[i].lower;
        upper[i] = intervals[i].upper;
    }
    return {as_array(std::move(lower)), as_array(std::move(upper))};
}

}  // namespace hockeystick::bindings
