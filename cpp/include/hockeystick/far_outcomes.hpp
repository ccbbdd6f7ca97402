// SPDX-License-Identifier: Apache-2.0
#pragma once

// What outcomes beyond an edge contribute to delta, where every such outcome, blurred, all but surely exceeds epsilon
// by itself: with "far" for at least one release whose blurred noise is beyond its edge,
//   delta_far(epsilon) = P[far] - e^epsilon Q[far] + R,   0 <= R = E_Q[(e^epsilon - e^L)_+; far],
// the first two in closed form, R by Chernoff's bound with a tilt of -1 - beta:
//   R <= C(beta) e^{(1 + beta) epsilon} E_P[e^{-(1 + beta) L}; far].

#include <span>

#include "hockeystick/saddle.hpp"
#include "hockeystick/window.hpp"

namespace hockeystick::contour {

class FarOutcomes {
public:
    // Windows that end at the edges, one a release of the composition; beta is chosen for the epsilon given, any
    // epsilon is served.
    FarOutcomes(const Composition& composition, std::span<const Window> windows, double epsilon);

    Interval log_value_bounds(double epsilon) const;
    // The closed form alone, log; -inf where it is not positive. e^epsilon Q[far] / value is its slope in epsilon.
    double log_value(double epsilon) const;
    double log_rest(double epsilon) const { return log_rest_ + slope_ * epsilon; }  // upper bound on log R
    double log_q(double epsilon) const { return log_q_ + epsilon; }

private:
    double log_p_ = 0.0, log_q_ = 0.0;  // of P[far], Q[far]
    double p_error_ = 0.0, q_error_ = 0.0;
    double log_rest_ = 0.0, slope_ = 0.0;
};

// Upper bound on log E_N0[Phi((x - window.upper) / width) e^{-beta l(x)}].
double log_far_moment(const SubsampledGaussian& law, const Window& window, double beta);
// Upper bound on log E_N0[e^{-beta l}], beta >= 0: l >= log(1 - q), and Taylor's theorem for (1 + y)^{-beta}, y = e^l -
// 1 of mean 0 and variance q^2 (e^{1 / sigma^2} - 1).
double log_reverse_moment(const SubsampledGaussian& law, double beta);

}  // namespace hockeystick::contour
