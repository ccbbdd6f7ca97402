// SPDX-License-Identifier: Apache-2.0
// Table of contents of the Python module _core: one bind_<stem>.cpp per concept, nothing else.
#include <pybind11/pybind11.h>

#include "hockeystick/error.hpp"

namespace py = pybind11;

void bind_gaussian(py::module_& m);
void bind_gdp(py::module_& m);
void bind_tradeoff(py::module_& m);
void bind_fft_engine(py::module_& m);
void bind_contour(py::module_& m);

// The core keeps no state, so free-threaded interpreters need no lock.
PYBIND11_MODULE(_core, m, py::mod_gil_not_used()) {
    m.doc() = "Numerical core of hockeystick: stateless functions on float64 arrays.";
    py::register_exception<hockeystick::accuracy_error>(m, "AccuracyError", PyExc_ArithmeticError)
        .attr("__module__") = "hockeystick";
    bind_gaussian(m);
    bind_gdp(m);
    bind_tradeoff(m);
    bind_fft_engine(m);
    bind_contour(m);
}
