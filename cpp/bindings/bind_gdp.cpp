// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/gdp.hpp"

#include <pybind11/pybind11.h>

#include "arrays.hpp"
#include "curves.hpp"

namespace py = pybind11;

namespace {

using namespace hockeystick;
using bindings::CurveColumns;

Solver as_solver(bool bisection) { return bisection ? Solver::bisection : Solver::closed_form; }

std::pair<double, double> as_pair(const MuFit& fit) { return {fit.mu, fit.log_alpha}; }

}  // namespace

void bind_gdp(py::module_& m) {
    m.def(
        "fit_mu",
        [](const CurveColumns& curve, double log_floor, bool bisection) {
            const EnvelopeView view = bindings::as_curve(curve, 0);
            const py::gil_scoped_release nogil;
            return as_pair(fit_mu(view, log_floor, as_solver(bisection)));
        },
        py::arg("curve"), py::arg("log_floor"), py::arg("bisection"),
        "(mu, log alpha that decided it) of a lower curve above a floor; mu is an upper bound.");
    m.def(
        "fit_mu_given_delta0",
        [](const CurveColumns& curve, double log_delta0, bool bisection) {
            const EnvelopeView view = bindings::as_curve(curve, 0);
            const py::gil_scoped_release nogil;
            return as_pair(fit_mu_given_delta0(view, log_delta0, as_solver(bisection)));
        },
        py::arg("curve"), py::arg("log_delta0"), py::arg("bisection"),
        "The same with delta0 of mass set apart, for every alpha.");
    m.def(
        "fit_mu_literal",
        [](const CurveColumns& curve, bool bisection) {
            const EnvelopeView view = bindings::as_curve(curve, 0);
            const py::gil_scoped_release nogil;
            return as_pair(fit_mu_literal(view, as_solver(bisection)));
        },
        py::arg("curve"), py::arg("bisection"), "The same for every alpha.");
    m.def(
        "fit_mu_lower",
        [](const CurveColumns& lower, const CurveColumns& upper, double log_floor, double mu, double log_alpha) {
            const EnvelopeView below = bindings::as_curve(lower, 0);
            const EnvelopeView above = bindings::as_curve(upper, 1);
            const py::gil_scoped_release nogil;
            return fit_mu_lower(below, above, log_floor, {mu, log_alpha});
        },
        py::arg("lower"), py::arg("upper"), py::arg("log_floor"), py::arg("mu"), py::arg("log_alpha"),
        "Lower bound on the least mu above a floor.");
    m.def(
        "fit_mu_given_delta0_lower",
        [](const CurveColumns& lower, const CurveColumns& upper, double log_delta0, double mu, double log_alpha) {
            const EnvelopeView below = bindings::as_curve(lower, 0);
            const EnvelopeView above = bindings::as_curve(upper, 1);
            const py::gil_scoped_release nogil;
            return fit_mu_given_delta0_lower(below, above, log_delta0, {mu, log_alpha});
        },
        py::arg("lower"), py::arg("upper"), py::arg("log_delta0"), py::arg("mu"), py::arg("log_alpha"),
        "The same with delta0 of mass set apart.");
    m.def(
        "residual_upper",
        [](const CurveColumns& curve, double log_floor, double mu) {
            const EnvelopeView view = bindings::as_curve(curve, 0);
            const py::gil_scoped_release nogil;
            return residual_upper(view, log_floor, mu);
        },
        py::arg("curve"), py::arg("log_floor"), py::arg("mu"),
        "Upper bound on the true-positive rate below the floor.");
    m.def(
        "regret_bounds",
        [](const bindings::ProfileColumns& profile, bool linear, double mu) {
            const ProfilePoints points = bindings::as_profile(profile, linear);
            RegretBounds bounds{};
            {
                const py::gil_scoped_release nogil;
                bounds = regret_bounds(points, mu);
            }
            return py::make_tuple(bounds.regret.lower, bounds.regret.upper, bounds.regret_epsilon,
                                  bounds.delta_divergence.lower, bounds.delta_divergence.upper,
                                  bounds.delta_divergence_epsilon);
        },
        py::arg("profile"), py::arg("linear"), py::arg("mu"),
        "(regret lower, upper, epsilon, delta-divergence lower, upper, epsilon) for the Gaussian of mu.");
    m.def(
        "regret_refinement",
        [](const bindings::ProfileColumns& profile, bool linear, double mu, double absolute, double relative) {
            const ProfilePoints points = bindings::as_profile(profile, linear);
            std::vector<double> wanted;
            {
                const py::gil_scoped_release nogil;
                wanted = regret_refinement(points, mu, absolute, relative);
            }
            return bindings::as_array(std::move(wanted));
        },
        py::arg("profile"), py::arg("linear"), py::arg("mu"), py::arg("absolute"), py::arg("relative"),
        "Epsilons at which new points of the profile narrow the brackets of regret and delta-divergence.");
}
