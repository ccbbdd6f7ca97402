// SPDX-License-Identifier: Apache-2.0
#include <pybind11/pybind11.h>

#include "arrays.hpp"
#include "hockeystick/gaussian.hpp"
#include "hockeystick/special.hpp"

namespace py = pybind11;

namespace {

using namespace hockeystick;
using bindings::Array;

std::pair<double, double> as_pair(const Interval& x) { return {x.lower, x.upper}; }

Direction as_direction(int direction) {
    if (direction != 0 && direction != 1) {
        throw std::invalid_argument("direction must be 0 (remove) or 1 (add), got " + std::to_string(direction));
    }
    return direction == 0 ? Direction::remove : Direction::add;
}

}  // namespace

void bind_gaussian(py::module_& m) {
    m.def("normal_quantile_of_log", normal_quantile_of_log, py::arg("log_p"),
          "x with log Phi(x) = log_p, absolute error 16u max(1, |x|).");
    m.def(
        "gaussian_log_delta_bounds",
        [](const Array<double>& epsilons, double mu) {
            const auto view = bindings::as_span(epsilons, "epsilons");
            std::vector<Interval> bounds;
            {
                const py::gil_scoped_release nogil;
                bounds = gaussian_log_delta_bounds(view, mu);
            }
            return bindings::as_columns(bounds);
        },
        py::arg("epsilons").noconvert(), py::arg("mu"), "Certified (lower, upper) of log delta of one Gaussian.");
    m.def(
        "gaussian_log_complement_bounds",
        [](const Array<double>& epsilons, double mu) {
            const auto view = bindings::as_span(epsilons, "epsilons");
            std::vector<Interval> bounds;
            {
                const py::gil_scoped_release nogil;
                bounds = gaussian_log_complement_bounds(view, mu);
            }
            return bindings::as_columns(bounds);
        },
        py::arg("epsilons").noconvert(), py::arg("mu"), "The same of log(1 - delta).");
    m.def(
        "gaussian_epsilon_bounds",
        [](double log_delta, double mu) { return as_pair(gaussian_epsilon_bounds(log_delta, mu)); },
        py::arg("log_delta"), py::arg("mu"), py::call_guard<py::gil_scoped_release>(),
        "Certified (lower, upper) of the epsilon of one Gaussian.");
    m.def(
        "subsampled_log_delta_bounds",
        [](const Array<double>& epsilons, double noise_multiplier, double sampling_rate, int direction) {
            const auto view = bindings::as_span(epsilons, "epsilons");
            const Direction way = as_direction(direction);
            std::vector<Interval> bounds;
            {
                const py::gil_scoped_release nogil;
                bounds = subsampled_log_delta_bounds(view, {noise_multiplier, sampling_rate}, way);
            }
            return bindings::as_columns(bounds);
        },
        py::arg("epsilons").noconvert(), py::arg("noise_multiplier"), py::arg("sampling_rate"), py::arg("direction"),
        "Certified (lower, upper) of log delta of one Poisson-subsampled Gaussian release.");
    m.def(
        "subsampled_epsilon_bounds",
        [](double log_delta, double noise_multiplier, double sampling_rate, int direction) {
            return as_pair(
                subsampled_epsilon_bounds(log_delta, {noise_multiplier, sampling_rate}, as_direction(direction)));
        },
        py::arg("log_delta"), py::arg("noise_multiplier"), py::arg("sampling_rate"), py::arg("direction"),
        py::call_guard<py::gil_scoped_release>(),
        "Certified (lower, upper) of the epsilon of one Poisson-subsampled Gaussian release.");
}
