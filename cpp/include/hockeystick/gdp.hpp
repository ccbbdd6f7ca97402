// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "hockeystick/loss_law.hpp"
#include "hockeystick/tradeoff.hpp"

// The one number mu: the least mu with f_mu <= f, f_mu(alpha) = Phi(Phi^{-1}(1 - alpha) - mu), and what it gives away.
//
// On a segment of a piecewise linear f, f - f_mu is concave, so f_mu <= f there if it holds at both ends: mu is the
// greatest of the values m = Phi^{-1}(TPR) - Phi^{-1}(alpha) at the corners, with no search and no range. Applied to a
// certified lower curve, whose corners lie below f, with every rounding upward, mu is certified from above. A value
// from below, out of the upper curve, says how tight it is.
//
// Rounding: each m is raised by the error of its quantiles (special.hpp) and of its logs, about 40u max(1, z) with z
// the larger quantile in absolute value; where the curve is close to 1 - alpha, m is found from TPR - alpha instead,
// with relative error about 100u. Pure functions, any thread. About 0.1 us a corner (closed form), 1.5 us (bisection).

namespace hockeystick {

// Points below f: log TPR and log beta outward (upper, lower), log_gain >= log(TPR - alpha). alpha <= 1/2.
struct CurvePoints {
    std::vector<double> log_alpha;
    std::vector<double> log_beta;
    std::vector<double> log_tpr;
    std::vector<double> log_gain;
};

// The points of a lower curve that decide mu above a floor: the floor itself (or the diagonal point of f where that
// comes first), interpolated, and all corners above it.
CurvePoints points_above(const EnvelopeView& lower, double log_floor);

// The corners with delta0 of mass set apart and the rest scaled to 1: TPR' = (TPR - d0) / (1 - d0), alpha' = alpha /
// (1 - d0); nothing is left of a corner with TPR up to d0 (log_tpr -inf, which decides nothing).
CurvePoints conditioned_points(const EnvelopeView& lower, double log_delta0);

// m of each point, certified from above, in [0, inf]. Two ways that share the quantile of alpha, and near the diagonal
// its Mills ratio.
std::vector<double> implied_mus_closed_form(const CurvePoints& points);
// Vector lanes side by side halve intervals of their own to an estimate (quantile_kernel.hpp); each is then settled by
// the certified comparison, whose upper end, where f_mu <= f held with its rounding counted, is returned.
std::vector<double> implied_mus_bisection(const CurvePoints& points);

enum class Solver { closed_form, bisection };

struct MuFit {
    double mu;         // upper bound; inf where no finite one exists
    double log_alpha;  // of the point that decided it; -inf if none did
};

// Least mu with f_mu <= f wherever alpha >= floor and f >= floor: the greatest m of points_above.
MuFit fit_mu(const EnvelopeView& lower, double log_floor, Solver solver);

// Least mu with delta(eps) <= d0 + (1 - d0) Gd(eps; mu) for all eps; inf unless the profile reaches down to d0.
MuFit fit_mu_given_delta0(const EnvelopeView& lower, double log_delta0, Solver solver);

// Least mu with f_mu <= f on all of (0, 1): finite only if the profile reaches 0.
MuFit fit_mu_literal(const EnvelopeView& lower, Solver solver);

// A lower bound on the least mu of fit_mu: from points above f: at the floor, about the corner that decided, and
// along the curve.
double fit_mu_lower(const EnvelopeView& lower, const EnvelopeView& upper, double log_floor, const MuFit& fit);

// The same for fit_mu_given_delta0.
double fit_mu_given_delta0_lower(const EnvelopeView& lower, const EnvelopeView& upper, double log_delta0,
                                 const MuFit& fit);

// Upper bound on the true-positive rate at every false-positive rate up to the floor: Phi(Phi^{-1}(floor) + mu), or
// 1 - f(floor) of the curve where the floor lies beyond its diagonal point and is not covered by mu. For every eps >=
// 0, delta(eps) <= max(Gd(eps; mu), residual).
double residual_upper(const EnvelopeView& lower, double log_floor, double mu);

// regret = max over alpha of f - f_mu = max over eps >= 0 of Gd(eps; mu) - delta(eps), and delta_divergence = max of
// (Gd - delta) / (1 + e^eps); brackets, at least 0, with absolute rounding of about 1e-14 (1 + mu / 10). Lower: the
// points of the profile. Upper: Gd is convex in e^eps and delta at least the minorant of tradeoff.hpp, so in each cell
// the maximum is at its ends or at the corner (at its ends alone for Between::linear). Epsilons are those of the best
// lower end. 0.1 us a point.
struct RegretBounds {
    Interval regret;
    double regret_epsilon;
    Interval delta_divergence;
    double delta_divergence_epsilon;
};
RegretBounds regret_bounds(const ProfilePoints& points, double mu);

// Where new points of the profile narrow those brackets: cuts of the cells, and of their neighbours, at whose corner a
// gap may exceed the best one by more than absolute + relative times it, for either measure; points beyond the end
// where that is what is open. An ESTIMATE that nothing certified depends on; empty once the brackets are as narrow.
std::vector<double> regret_refinement(const ProfilePoints& points, double mu, double absolute, double relative);

}  // namespace hockeystick
