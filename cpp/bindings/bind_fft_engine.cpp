// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/fft_engine.hpp"

#include "hockeystick/limits.hpp"
#include "laws.hpp"
#include "released.hpp"

namespace py = pybind11;
using hockeystick::bindings::Array;
using hockeystick::bindings::as_directions_of;
using hockeystick::bindings::PythonLaw;

using LawLists = std::vector<std::vector<PythonLaw>>;

void bind_fft_engine(py::module_& m) {
    m.def(
        "fft_epsilon_bounds",
        [](const LawLists& laws, const Array<std::uint64_t>& counts, double log_delta, double tolerance) {
            const auto directions = as_directions_of(laws, counts);
            const hockeystick::bindings::Released nogil;
            const auto bounds = hockeystick::fft_epsilon_bounds(directions, log_delta, tolerance);
            return std::pair(bounds.lower, bounds.upper);
        },
        py::arg("laws"), py::arg("counts").noconvert(), py::arg("log_delta"), py::arg("tolerance"),
        "Certified (lower, upper) of the largest direction's epsilon at log_delta by the fft engine.");
    m.def(
        "fft_log_delta_bounds",
        [](const LawLists& laws, const Array<std::uint64_t>& counts, const Array<double>& epsilons, double tolerance) {
            const auto directions = as_directions_of(laws, counts);
            const auto points = hockeystick::bindings::as_span(epsilons, "epsilons");
            std::vector<hockeystick::Interval> bounds;
            {
                const hockeystick::bindings::Released nogil;
                bounds = hockeystick::fft_log_delta_bounds(directions, points, tolerance);
            }
            return hockeystick::bindings::as_columns(bounds);
        },
        py::arg("laws"), py::arg("counts").noconvert(), py::arg("epsilons").noconvert(), py::arg("tolerance"),
        "Certified (lower, upper) of the largest direction's log delta at increasing epsilons by the fft engine.");
    m.def(
        "pure_epsilon_bounds",
        [](const LawLists& laws, const Array<std::uint64_t>& counts) {
            const auto bounds = hockeystick::pure_epsilon_bounds(as_directions_of(laws, counts));
            return std::pair(bounds.lower, bounds.upper);
        },
        py::arg("laws"), py::arg("counts").noconvert(), "Certified (lower, upper) of the epsilon at delta = 0.");
    m.def(
        "log_infinity_mass_bounds",
        [](const std::vector<PythonLaw>& laws, const Array<std::uint64_t>& counts) {
            const auto bounds = hockeystick::log_infinity_mass(as_directions_of({laws}, counts).front());
            return std::pair(bounds.lower, bounds.upper);
        },
        py::arg("laws"), py::arg("counts").noconvert(),
        "Certified (lower, upper) of the log of the composed mass at infinity of one direction.");
}
