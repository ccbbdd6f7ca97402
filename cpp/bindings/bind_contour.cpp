// SPDX-License-Identifier: Apache-2.0
#include "engine.hpp"
#include "hockeystick/contour.hpp"
#include "laws.hpp"

namespace py = pybind11;
using hockeystick::bindings::Array;
using hockeystick::bindings::as_directions_of;
using hockeystick::bindings::PythonLaw;

using LawLists = std::vector<std::vector<PythonLaw>>;

void bind_contour(py::module_& m) {
    hockeystick::bindings::bind_engine<int>(m, "contour", &hockeystick::contour_epsilon_bounds,
                                            &hockeystick::contour_log_delta_bounds, py::arg("threads") = 1);
    m.def(
        "contour_law_epsilon_bounds",
        [](const LawLists& laws, const Array<std::uint64_t>& counts, double log_delta, double tolerance, int threads) {
            const auto directions = as_directions_of(laws, counts);
            const hockeystick::bindings::Released nogil;
            const auto bounds = hockeystick::contour_epsilon_bounds(directions, log_delta, tolerance, threads);
            return std::pair(bounds.lower, bounds.upper);
        },
        py::arg("laws"), py::arg("counts").noconvert(), py::arg("log_delta"), py::arg("tolerance"),
        py::arg("threads") = 1,
        "Certified (lower, upper) of the largest direction's epsilon at log_delta, laws of any kind, by the contour "
        "engine.");
    m.def(
        "contour_law_log_delta_bounds",
        [](const LawLists& laws, const Array<std::uint64_t>& counts, const Array<double>& epsilons, double tolerance,
           int threads) {
            const auto directions = as_directions_of(laws, counts);
            const auto points = hockeystick::bindings::as_span(epsilons, "epsilons");
            std::vector<hockeystick::Interval> bounds;
            {
                const hockeystick::bindings::Released nogil;
                bounds = hockeystick::contour_log_delta_bounds(directions, points, tolerance, threads);
            }
            return hockeystick::bindings::as_columns(bounds);
        },
        py::arg("laws"), py::arg("counts").noconvert(), py::arg("epsilons").noconvert(), py::arg("tolerance"),
        py::arg("threads") = 1,
        "Certified (lower, upper) of the largest direction's log delta at increasing epsilons, laws of any kind, by "
        "the contour engine.");
}
