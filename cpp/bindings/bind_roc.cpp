// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/roc.hpp"

#include <pybind11/pybind11.h>

#include "arrays.hpp"
#include "curves.hpp"

namespace py = pybind11;

namespace {

using namespace hockeystick;
using bindings::Array;
using bindings::as_array;
using bindings::as_span;

std::vector<double> as_vector(const Array<double>& array, const char* name) {
    const auto view = as_span(array, name);
    return {view.begin(), view.end()};
}

py::tuple profile(const RocPoints& tests) {
    ProfileTable table;
    {
        const py::gil_scoped_release nogil;
        table = profile_of_tests({&tests, 1});
    }
    return bindings::as_columns(std::move(table));
}

}  // namespace

void bind_roc(py::module_& m) {
    m.def(
        "profile_of_tests",
        [](const Array<double>& log_fpr, const Array<double>& log_tpr, const Array<double>& log_fnr,
           const Array<double>& log_tnr, double rounding) {
            return profile({as_vector(log_fpr, "log_fpr"), as_vector(log_tpr, "log_tpr"), as_vector(log_fnr, "log_fnr"),
                            as_vector(log_tnr, "log_tnr"), rounding});
        },
        py::arg("log_fpr").noconvert(), py::arg("log_tpr").noconvert(), py::arg("log_fnr").noconvert(),
        py::arg("log_tnr").noconvert(), py::arg("rounding"),
        "Profile columns of the symmetric convex polygon through tests; delta is linear in e^epsilon between them.");
    m.def(
        "profile_of_distributions",
        [](const Array<double>& log_p, const Array<double>& log_q) {
            return profile(likelihood_ratio_tests(as_span(log_p, "log_p"), as_span(log_q, "log_q")));
        },
        py::arg("log_p").noconvert(), py::arg("log_q").noconvert(),
        "The same for the likelihood-ratio tests of two distributions over the same outcomes.");
    m.def(
        "vertices_below_samples",
        [](const Array<double>& fpr, const Array<double>& tpr) {
            SampleVertices vertices = vertices_below_samples(as_span(fpr, "fpr"), as_span(tpr, "tpr"));
            return py::make_tuple(as_array(std::move(vertices.fpr)), as_array(std::move(vertices.tpr)));
        },
        py::arg("fpr").noconvert(), py::arg("tpr").noconvert(),
        "(fpr, tpr) of a polygon below every convex curve through the points.");
}
