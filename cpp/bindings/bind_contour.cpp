// SPDX-License-Identifier: Apache-2.0
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <utility>
#include <vector>

#include "arrays.hpp"
#include "hockeystick/contour.hpp"
#include "terms.hpp"

namespace py = pybind11;
using hockeystick::bindings::Array;
using hockeystick::bindings::as_columns;
using hockeystick::bindings::as_directions;
using hockeystick::bindings::as_span;
using hockeystick::bindings::as_terms;

void bind_contour(py::module_& m) {
    m.def(
        "contour_epsilon_bounds",
        [](const Array<double>& noise, const Array<double>& rates, const Array<std::uint64_t>& counts,
           const std::vector<int>& directions, double log_delta, double tolerance) {
            const auto terms = as_terms(noise, rates, counts);
            const auto asked = as_directions(directions);
            const py::gil_scoped_release nogil;
            const hockeystick::Interval bounds =
                hockeystick::contour_epsilon_bounds(terms, asked, log_delta, tolerance);
            return std::pair(bounds.lower, bounds.upper);
        },
        py::arg("noise_multipliers").noconvert(), py::arg("sampling_rates").noconvert(), py::arg("counts").noconvert(),
        py::arg("directions"), py::arg("log_delta"), py::arg("tolerance"),
        "Certified (lower, upper) epsilon of the largest direction at log_delta by the contour engine.");
    m.def(
        "contour_log_delta_bounds",
        [](const Array<double>& noise, const Array<double>& rates, const Array<std::uint64_t>& counts,
           const std::vector<int>& directions, const Array<double>& epsilons, double tolerance) {
            const auto terms = as_terms(noise, rates, counts);
            const auto asked = as_directions(directions);
            const auto points = as_span(epsilons, "epsilons");
            std::vector<hockeystick::Interval> bounds;
            {
                const py::gil_scoped_release nogil;
                bounds = hockeystick::contour_log_delta_bounds(terms, asked, points, tolerance);
            }
            return as_columns(bounds);
        },
        py::arg("noise_multipliers").noconvert(), py::arg("sampling_rates").noconvert(), py::arg("counts").noconvert(),
        py::arg("directions"), py::arg("epsilons").noconvert(), py::arg("tolerance"),
        "Certified (lower, upper) log delta of the largest direction at epsilons by the contour engine.");
}
