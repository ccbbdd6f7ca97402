// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/binomial.hpp"

#include <pybind11/pybind11.h>

#include <utility>

namespace py = pybind11;

void bind_binomial(py::module_& m) {
    m.def(
        "clopper_pearson",
        [](std::uint64_t successes, std::uint64_t trials, double significance) {
            const hockeystick::Interval bounds = hockeystick::clopper_pearson(successes, trials, significance);
            return std::pair{bounds.lower, bounds.upper};
        },
        py::arg("successes"), py::arg("trials"), py::arg("significance"), py::call_guard<py::gil_scoped_release>(),
        "Exact (lower, upper) limits of a proportion, each side at that significance, rounded outward.");
}
