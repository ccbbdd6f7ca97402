// SPDX-License-Identifier: Apache-2.0
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "arrays.hpp"
#include "hockeystick/fft_engine.hpp"
#include "hockeystick/profile_grid.hpp"
#include "terms.hpp"

namespace py = pybind11;
using hockeystick::bindings::Array;
using hockeystick::bindings::as_columns;
using hockeystick::bindings::as_direction;
using hockeystick::bindings::as_directions;
using hockeystick::bindings::as_span;
using hockeystick::bindings::as_terms;

void bind_fft_engine(py::module_& m) {
    m.def(
        "fft_epsilon_bounds",
        [](const Array<double>& noise, const Array<double>& rates, const Array<std::uint64_t>& counts,
           const std::vector<int>& directions, double log_delta, double tolerance) {
            const auto terms = as_terms(noise, rates, counts);
            const auto asked = as_directions(directions);
            hockeystick::Interval bounds{};
            {
                const py::gil_scoped_release nogil;
                bounds = hockeystick::fft_epsilon_bounds(terms, asked, log_delta, tolerance);
            }
            return std::pair(bounds.lower, bounds.upper);
        },
        py::arg("noise_multipliers").noconvert(), py::arg("sampling_rates").noconvert(), py::arg("counts").noconvert(),
        py::arg("directions"), py::arg("log_delta"), py::arg("tolerance"),
        "Certified (lower, upper) of the largest direction's epsilon at log_delta by the FFT engine.");
    m.def(
        "fft_log_delta_bounds",
        [](const Array<double>& noise, const Array<double>& rates, const Array<std::uint64_t>& counts,
           const std::vector<int>& directions, const Array<double>& epsilons, double tolerance) {
            const auto terms = as_terms(noise, rates, counts);
            const auto asked = as_directions(directions);
            const auto points = as_span(epsilons, "epsilons");
            std::vector<hockeystick::Interval> bounds;
            {
                const py::gil_scoped_release nogil;
                bounds = hockeystick::fft_log_delta_bounds(terms, asked, points, tolerance);
            }
            return as_columns(bounds);
        },
        py::arg("noise_multipliers").noconvert(), py::arg("sampling_rates").noconvert(), py::arg("counts").noconvert(),
        py::arg("directions"), py::arg("epsilons").noconvert(), py::arg("tolerance"),
        "Certified (lower, upper) log delta of the largest direction at increasing epsilons >= 0 by the FFT engine.");
    m.def(
        "profile_epsilons",
        [](const Array<double>& noise, const Array<double>& rates, const Array<std::uint64_t>& counts, int direction,
           double log_delta_floor, double spacing, std::size_t most) {
            const auto terms = as_terms(noise, rates, counts);
            const auto asked = as_direction(direction);
            std::vector<double> epsilons;
            {
                const py::gil_scoped_release nogil;
                epsilons = hockeystick::profile_epsilons(terms, asked, log_delta_floor, spacing, most);
            }
            return hockeystick::bindings::as_array(std::move(epsilons));
        },
        py::arg("noise_multipliers").noconvert(), py::arg("sampling_rates").noconvert(), py::arg("counts").noconvert(),
        py::arg("direction"), py::arg("log_delta_floor"), py::arg("spacing"), py::arg("most"),
        "An estimate of the epsilons at which a curve wants its profile.");
}
