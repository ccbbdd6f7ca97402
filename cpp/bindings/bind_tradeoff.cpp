// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/tradeoff.hpp"

#include <pybind11/pybind11.h>

#include "arrays.hpp"
#include "curves.hpp"
#include "hockeystick/conjugate.hpp"
#include "hockeystick/refine.hpp"

namespace py = pybind11;

namespace {

using namespace hockeystick;
using bindings::Array;
using bindings::as_array;
using bindings::as_span;
using bindings::CurveColumns;
using bindings::ProfileColumns;

py::tuple columns(Envelope&& curve) {
    return py::make_tuple(as_array(std::move(curve.epsilon)), as_array(std::move(curve.log_delta)),
                          as_array(std::move(curve.log_complement)), as_array(std::move(curve.log_alpha)),
                          as_array(std::move(curve.log_beta)), as_array(std::move(curve.log_tpr)));
}

py::tuple envelope(const ProfileColumns& profile, bool linear, Envelope (*make)(const ProfilePoints&)) {
    const ProfilePoints points = bindings::as_profile(profile, linear);
    Envelope curve;
    {
        const py::gil_scoped_release nogil;
        curve = make(points);
    }
    return columns(std::move(curve));
}

py::tuple points_on(const CurveColumns& columns, int side, const Array<double>& at,
                    OperatingPoints (*read)(const EnvelopeView&, std::span<const double>)) {
    const EnvelopeView curve = bindings::as_curve(columns, side);
    const auto view = as_span(at, "at");
    OperatingPoints points;
    {
        const py::gil_scoped_release nogil;
        points = read(curve, view);
    }
    return py::make_tuple(as_array(std::move(points.log_beta)), as_array(std::move(points.log_tpr)));
}

Array<double> values_on(const CurveColumns& columns, int side, const Array<double>& at,
                        std::vector<double> (*read)(const EnvelopeView&, std::span<const double>)) {
    const EnvelopeView curve = bindings::as_curve(columns, side);
    const auto view = as_span(at, "at");
    std::vector<double> values;
    {
        const py::gil_scoped_release nogil;
        values = read(curve, view);
    }
    return as_array(std::move(values));
}

using Refinement = std::vector<double> (*)(const ProfilePoints&, const EnvelopeView&, const EnvelopeView&, double,
                                           double);

Array<double> refinement(const ProfileColumns& profile, const CurveColumns& lower, const CurveColumns& upper,
                         double log_floor, double tolerance, Refinement find) {
    const ProfilePoints points = bindings::as_profile(profile, false);
    const EnvelopeView below = bindings::as_curve(lower, 0);
    const EnvelopeView above = bindings::as_curve(upper, 1);
    std::vector<double> epsilons;
    {
        const py::gil_scoped_release nogil;
        epsilons = find(points, below, above, log_floor, tolerance);
    }
    return as_array(std::move(epsilons));
}

}  // namespace

void bind_tradeoff(py::module_& m) {
    m.def(
        "tradeoff_lower",
        [](const ProfileColumns& profile, bool linear) { return envelope(profile, linear, lower_envelope); },
        py::arg("profile"), py::arg("linear"),
        "Lines and corners of a certified lower trade-off curve: (epsilon, log_delta, log_complement, log_alpha, "
        "log_beta, log_tpr).");
    m.def(
        "tradeoff_upper",
        [](const ProfileColumns& profile, bool linear) { return envelope(profile, linear, upper_envelope); },
        py::arg("profile"), py::arg("linear"), "The same of an upper curve.");
    m.def(
        "tradeoff_points",
        [](const CurveColumns& curve, int side, const Array<double>& at) {
            return points_on(curve, side, at, operating_points_at);
        },
        py::arg("curve"), py::arg("side"), py::arg("at").noconvert(),
        "(log beta, log tpr) of a curve at every alpha; side 0 lower, 1 upper.");
    m.def(
        "tradeoff_points_at_log",
        [](const CurveColumns& curve, int side, const Array<double>& at) {
            return points_on(curve, side, at, operating_points_at_log);
        },
        py::arg("curve"), py::arg("side"), py::arg("at").noconvert(), "The same at every log alpha.");
    m.def(
        "tradeoff_log_gains",
        [](const CurveColumns& curve, int side, const Array<double>& at) {
            return values_on(curve, side, at, log_gains_at);
        },
        py::arg("curve"), py::arg("side"), py::arg("at").noconvert(),
        "log(TPR - FPR) at every log alpha up to the diagonal: upper bounds for side 0, lower bounds for side 1.");
    m.def(
        "tradeoff_log_deltas",
        [](const CurveColumns& curve, int side, const Array<double>& at) {
            return values_on(curve, side, at, curve_log_deltas);
        },
        py::arg("curve"), py::arg("side"), py::arg("at").noconvert(),
        "log delta at every epsilon: upper bounds for side 0, lower bounds for side 1.");
    m.def(
        "tradeoff_epsilons",
        [](const CurveColumns& curve, int side, const Array<double>& at) {
            return values_on(curve, side, at, curve_epsilons);
        },
        py::arg("curve"), py::arg("side"), py::arg("at").noconvert(),
        "epsilon at every log delta: upper bounds for side 0, lower bounds for side 1.");
    m.def(
        "curve_refinement",
        [](const ProfileColumns& profile, const CurveColumns& lower, const CurveColumns& upper, double log_floor,
           double tolerance) { return refinement(profile, lower, upper, log_floor, tolerance, curve_refinement); },
        py::arg("profile"), py::arg("lower"), py::arg("upper"), py::arg("log_floor"), py::arg("tolerance"),
        "Epsilons at which the profile would narrow the curve's bracket; empty when it is as narrow as asked for.");
    m.def(
        "mu_refinement",
        [](const ProfileColumns& profile, const CurveColumns& lower, const CurveColumns& upper, double log_floor,
           double tolerance) { return refinement(profile, lower, upper, log_floor, tolerance, mu_refinement); },
        py::arg("profile"), py::arg("lower"), py::arg("upper"), py::arg("log_floor"), py::arg("tolerance"),
        "The same for the bracket of mu above the floor.");
    m.def(
        "mu_given_delta0_refinement",
        [](const ProfileColumns& profile, const CurveColumns& lower, const CurveColumns& upper, double log_delta0,
           double tolerance) {
            return refinement(profile, lower, upper, log_delta0, tolerance, mu_given_delta0_refinement);
        },
        py::arg("profile"), py::arg("lower"), py::arg("upper"), py::arg("log_delta0"), py::arg("tolerance"),
        "The same for mu with delta0 of mass set apart.");
}
