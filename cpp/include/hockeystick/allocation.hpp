// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "hockeystick/ratio_law.hpp"

namespace hockeystick {

// Random allocation, 1 of t: the record enters exactly one of `steps` releases, drawn uniformly and kept secret.
//   P = (1/t) sum_i Q0 x ... x P0 (at i) x ... x Q0,  Q = Q0^t,  so dP/dQ is the mean of t independent ratios under Q0
// (Feldman and Shenfeld 2025). From the ratio law of one release, the law of that mean on the same side, by repeated
// doubling: at most 2 log2(steps) sums of two independent ratios on a grid, each O(cells^2).
//
// Guarantee: dominating and dominated in the convex order, for sums of independent ratios keep that order. Errors:
//   grid: every sum is spread to the ends of its cell with its mean kept, or merged with its cell's mean (second
//   order); tails: a sum beyond the last knot is moved there, the P mass that this takes becomes singular; one below
//   the first
//     is spread between it and 0 (dominating); both are merged (dominated);
//   underflow: k_underflow of Q mass at ratio 0 and of singular P mass for every sum (dominating);
//   rounding: sums of positive terms only, so relative; `mass_error` grows like steps * cells * roundoff, `ratio_error`
//     like log(steps) * cells * roundoff.
// steps = 1 is the release itself. Throws std::invalid_argument for steps = 0 and for too few cells. No threads.
inline constexpr double k_underflow = 1e-250;
RatioLaw mean_of_ratios(const RatioLaw& one, Dominance side, std::uint64_t steps, std::size_t cells);

// One epoch of that as loss laws that compose, on one side of the truth; base is the direction remove. Where more than
// k_most_beyond of P lies at ratios beyond e^{k_most_log_ratio}, the release without amplification dominates instead,
// and a law that tells nothing is dominated.
inline constexpr double k_most_beyond = 1e-6;
struct AllocationLaws {
    LawHandle remove;
    LawHandle add;
};
AllocationLaws allocation_laws(const LawHandle& base, Dominance side, std::uint64_t steps, std::size_t cells);

}  // namespace hockeystick
