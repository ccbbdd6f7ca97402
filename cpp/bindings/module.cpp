// SPDX-License-Identifier: Apache-2.0
// Table of contents of the Python module _core: one bind_<stem>.cpp per concept, nothing else.
#include <pybind11/pybind11.h>

#include "hockeystick/error.hpp"

namespace py = pybind11;

void bind_gaussian(py::module_& m);
void bind_gdp(py::module_& m);
void bind_tradeoff(py::module_& m);
void bind_roc(py::module_& m);
void bind_tabulated(py::module_& m);
void bind_binomial(py::module_& m);
void bind_loss_law(py::module_& m);
void bind_allocation(py::module_& m);
void bind_fft_engine(py::module_& m);
void bind_pmf(py::module_& m);
void bind_contour(py::module_& m);
void bind_renyi(py::module_& m);

// The core keeps no state, so free-threaded interpreters need no lock.
PYBIND11_MODULE(_core, m, py::mod_gil_not_used()) {
    m.doc() = "Numerical core of hockeystick: stateless functions on float64 arrays.";
    auto error = py::register_exception<hockeystick::accuracy_error>(m, "AccuracyError", PyExc_ArithmeticError);
    error.attr("__module__") = "hockeystick";
    error.attr("__doc__") =
        "A bracket as narrow as asked for cannot be certified; the message says what could be reached.";
    m.attr("__version__") = HOCKEYSTICK_VERSION;
    bind_gaussian(m);
    bind_gdp(m);
    bind_tradeoff(m);
    bind_roc(m);
    bind_tabulated(m);
    bind_binomial(m);
    bind_loss_law(m);
    bind_allocation(m);
    bind_fft_engine(m);
    bind_pmf(m);
    bind_contour(m);
    bind_renyi(m);
}
