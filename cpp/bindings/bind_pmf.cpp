// SPDX-License-Identifier: Apache-2.0
#include <pybind11/pybind11.h>

#include <tuple>
#include <utility>

#include "arrays.hpp"
#include "hockeystick/pmf.hpp"
#include "laws.hpp"

namespace py = pybind11;
using hockeystick::bindings::Array;
using hockeystick::bindings::as_array;
using hockeystick::bindings::as_span;
using hockeystick::bindings::PythonLaw;

void bind_pmf(py::module_& m) {
    m.def(
        "pessimistic_pmf",
        [](const PythonLaw& law, double step, double negligible) {
            hockeystick::LossPmf pmf;
            {
                const py::gil_scoped_release nogil;
                pmf = hockeystick::pessimistic_pmf(*law, step, negligible);
            }
            return std::tuple(pmf.first, as_array(std::move(pmf.masses)), pmf.infinity_mass);
        },
        py::arg("law"), py::arg("step"), py::arg("negligible"),
        "Dominating loss law of one release on a uniform lattice: first index, masses, infinity.");
    m.def(
        "connected_pmf",
        [](double step, std::int64_t first, const Array<double>& log_delta_upper) {
            const auto view = as_span(log_delta_upper, "log_delta_upper");
            hockeystick::LossPmf pmf;
            {
                const py::gil_scoped_release nogil;
                pmf = hockeystick::connected_pmf(step, first, view);
            }
            return std::tuple(pmf.first, as_array(std::move(pmf.masses)), pmf.infinity_mass);
        },
        py::arg("step"), py::arg("first"), py::arg("log_delta_upper").noconvert(),
        "Law that dominates every profile below the points given: first index, masses, infinity.");
    m.def(
        "pmf_epsilon_upper",
        [](double step, std::int64_t first, const Array<double>& masses, double infinity_mass, std::uint64_t count,
           double log_delta, double least) {
            const auto view = as_span(masses, "masses");
            const py::gil_scoped_release nogil;
            return hockeystick::pmf_epsilon_upper(step, first, view, infinity_mass, count, log_delta, least);
        },
        py::arg("step"), py::arg("first"), py::arg("masses").noconvert(), py::arg("infinity_mass"), py::arg("count"),
        py::arg("log_delta"), py::arg("least"),
        "Upper bound on the epsilon of count copies of a loss law, or `least` if that is larger.");
}
