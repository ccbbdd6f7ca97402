// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "hockeystick/loss_law.hpp"

namespace hockeystick {

// Certified brackets of any composition at once, in closed form: wide, but never infinite and never late. Every engine
// that may run out of memory or digits takes its bracket together with these.
//   upper: without amplification, the Gaussian of mu^2 = sum T_i / sigma_i^2 (a subsampled Gaussian is a mixture of
//          releases that it dominates);
//          epsilon is 0 from the sum of the releases' total variations on;
//   lower: any one of the releases on its own (leaving the others out is a post-processing).
// Upper bound on log delta(0): total variations of independent releases add up at most.
double log_total_variation_upper(std::span<const Term> terms);

Interval epsilon_limits(std::span<const Term> terms, Direction direction, double log_delta);
Interval log_delta_limits(std::span<const Term> terms, Direction direction, double epsilon);

// The part that two certified brackets share.
Interval both(const Interval& a, const Interval& b);

}  // namespace hockeystick
