// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "hockeystick/loss_law.hpp"

namespace hockeystick {

// The mass at infinity of a composition, 1 - prod (1 - p_i)^{T_i}: certified bracket of its natural log.
Interval log_infinity_mass(std::span<const LawTerm> terms);

// Certified brackets of any composition at once, in closed form: wide, but never late. Every engine that may run out of
// memory or digits takes its bracket together with these.
//   upper: without amplification, the Gaussian of mu^2 = sum mu_i^2, where every law is dominated by a Gaussian; and
//          what the sum of the greatest losses says, where those are finite; and the total variation, which is at most
//          the releases' sum or what Pinsker says: delta never exceeds it, epsilon is 0 from there on;
//   lower: any one of the releases on its own, or all plain Gaussians, which compose to one (leaving the others out is
//          a post-processing).
// epsilons >= 0, in any order.
Interval epsilon_limits(std::span<const LawTerm> terms, double log_delta);
std::vector<Interval> log_delta_limits(std::span<const LawTerm> terms, std::span<const double> epsilons);

// Upper bound on log delta(0), the total variation: those of independent releases add up at most, and it is at most the
// root of half their divergences' sum (Pinsker), which is known of subsampled Gaussians alone.
double log_total_variation_upper(std::span<const LawTerm> terms);

// The sum of the greatest finite losses, rounded up: beyond it delta is the mass at infinity.
double greatest_total_loss(std::span<const LawTerm> terms);

// The epsilon at delta = 0, the largest of the directions: the sum of the greatest losses, infinite with any mass at
// infinity. Certified.
Interval pure_epsilon_bounds(std::span<const std::vector<LawTerm>> directions);

// The part that two certified brackets share.
Interval both(const Interval& a, const Interval& b);

}  // namespace hockeystick
