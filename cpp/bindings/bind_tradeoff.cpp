// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/tradeoff.hpp"

#include <pybind11/pybind11.h>

#include "arrays.hpp"
#include "curves.hpp"

namespace py = pybind11;

namespace {

using namespace hockeystick;
using bindings::Array;
using bindings::as_array;
using bindings::as_span;

py::tuple columns(Envelope&& curve) {
    return py::make_tuple(as_array(std::move(curve.epsilon)), as_array(std::move(curve.log_delta)),
                          as_array(std::move(curve.log_complement)), as_array(std::move(curve.log_alpha)),
                          as_array(std::move(curve.log_beta)), as_array(std::move(curve.log_tpr)));
}

py::tuple envelope(const Array<double>& epsilon, const Array<double>& upper, const Array<double>& lower,
                   Envelope (*make)(const ProfilePoints&)) {
    const ProfilePoints points = bindings::as_profile(epsilon, upper, lower);
    Envelope curve;
    {
        const py::gil_scoped_release nogil;
        curve = make(points);
    }
    return columns(std::move(curve));
}

py::tuple points_on(const EnvelopeView& curve, const Array<double>& at,
                    OperatingPoints (*read)(const EnvelopeView&, std::span<const double>)) {
    const auto view = as_span(at, "at");
    OperatingPoints points;
    {
        const py::gil_scoped_release nogil;
        points = read(curve, view);
    }
    return py::make_tuple(as_array(std::move(points.log_beta)), as_array(std::move(points.log_tpr)));
}

}  // namespace

void bind_tradeoff(py::module_& m) {
    m.def(
        "tradeoff_lower",
        [](const Array<double>& epsilon, const Array<double>& upper, const Array<double>& lower) {
            return envelope(epsilon, upper, lower, lower_envelope);
        },
        py::arg("epsilon").noconvert(), py::arg("log_delta_upper").noconvert(), py::arg("log_delta_lower").noconvert(),
        "Lines and corners of a certified lower trade-off curve: (epsilon, log_delta, log_complement, log_alpha, "
        "log_beta, log_tpr).");
    m.def(
        "tradeoff_upper",
        [](const Array<double>& epsilon, const Array<double>& upper, const Array<double>& lower) {
            return envelope(epsilon, upper, lower, upper_envelope);
        },
        py::arg("epsilon").noconvert(), py::arg("log_delta_upper").noconvert(), py::arg("log_delta_lower").noconvert(),
        "The same of an upper curve.");
    m.def(
        "tradeoff_points",
        [](const bindings::CurveColumns& curve, int side, const Array<double>& at) {
            return points_on(bindings::as_curve(curve, side), at, operating_points_at);
        },
        py::arg("curve"), py::arg("side"), py::arg("at").noconvert(),
        "(log beta, log tpr) of a curve at every alpha; side 0 lower, 1 upper.");
    m.def(
        "tradeoff_points_at_log",
        [](const bindings::CurveColumns& curve, int side, const Array<double>& at) {
            return points_on(bindings::as_curve(curve, side), at, operating_points_at_log);
        },
        py::arg("curve"), py::arg("side"), py::arg("at").noconvert(), "The same at every log alpha.");
}
