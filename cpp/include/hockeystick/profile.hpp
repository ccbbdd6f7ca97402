// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "hockeystick/compose.hpp"

namespace hockeystick {

// A composed law read as a privacy profile: delta(eps) = E_P[(1 - e^{eps - L})_+], evaluated under the tilt as
//   delta(eps) = e^{log_mass - theta eps} * sum_{s > 0} w(s) y(eps + s),  w(s) = (1 - e^{-s}) e^{-theta s},
// by suffix sums from the top of the window. Every term of the error is relative to e^{log_mass - theta eps}:
//   mass that is missing or misplaced, at most C(theta) = max w = theta^theta / (1 + theta)^{1 + theta} each
//     (upper: outside_above, truncated, rounding; lower: outside_above and outside_below, which wrap in, and rounding);
//   the noise of the transforms, ||w||_2 ||dy||_2, with ||w||_2^2 <= 1 / (2 theta (theta + 1) (2 theta + 1) step) +
//   C^2; the suffix sums, three roundings an addition; the exponent, four roundings of its terms.
// Read a pessimistic law for upper bounds and an optimistic one for lower bounds.
enum class Bound { upper, lower };

// log C(theta), at most 0; 0 for theta <= 0.
double log_largest_weight(double theta);

// The ledger at one epsilon, in natural logs of delta: what each kind of error adds to the bound.
struct ProfileLedger {
    double log_truncation;  // windows and lattices
    double log_rounding;    // special functions, exponents, transforms, powers, sums
};

// log delta at every epsilon (increasing order, any real values); -inf is a valid lower bound.
std::vector<double> log_delta_bounds(const ComposedLaw& law, Bound bound, std::span<const double> epsilons);

// Upper: the least epsilon >= 0 (up to rounding) whose delta bound is at most the target; +inf where the window or the
// error does not allow one. Lower: the greatest epsilon >= 0 whose delta bound is at least the target, else 0.
double epsilon_bound(const ComposedLaw& law, Bound bound, double log_delta);

ProfileLedger ledger_at(const ComposedLaw& law, Bound bound, double epsilon);

}  // namespace hockeystick
