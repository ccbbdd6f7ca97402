// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "hockeystick/loss_law.hpp"

// Exact confidence for a binomial proportion (Clopper and Pearson), certified against rounding.
//
// The lower limit for k successes in n trials at significance a is the p with P[Bin(n, p) >= k] = a, the upper limit
// the mirror image: 1 - lower limit for n - k successes. The tail is its first term times a sum of positive, decreasing
// terms, ended by a geometric bound; the first term comes from log factorials by Stirling's series, whose remainder is
// below its first omitted term. Every rounding and the remainder are counted upward, and the bisection keeps the end
// where the tail so bounded is at most a: the interval returned contains the exact one, and exceeds it by a relative
// 1e-14 of p plus u n log n of the log tail.
//
// Cost: some 80 tails of about 8 sqrt(n) terms each. Pure functions. trials outside [1, 1e10], successes above trials
// or a significance outside (0, 1/2] throw std::invalid_argument.

namespace hockeystick {

// Upper bound on log P[Bin(trials, p) >= successes], for p up to successes / trials.
double log_binomial_tail_upper(std::uint64_t successes, std::uint64_t trials, double p);

// Each side holds with probability at least 1 - significance.
Interval clopper_pearson(std::uint64_t successes, std::uint64_t trials, double significance);

}  // namespace hockeystick
