// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

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
// steps = 1 is the release itself. Throws std::invalid_argument for steps = 0 and for too few cells, accuracy_error
// where nothing is left on a grid. No threads.
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

// Random allocation, k of t, from below: the record enters a subset of `participations` releases, drawn uniformly,
//   P = mean over the subsets S of prod_{i in S} P0 x prod_{i not in S} Q0,  Q = Q0^t.
// Processing the outcomes cannot add to any divergence, and the law of a sum over the releases is a convolution of
// P0's k times and Q0's t - k times, against Q0's t times. The sum is that of the losses on a Poisson sample of rate
// k / t, rounded to a lattice of 4096 points that stops at its last: direct sums of positive terms.
// Guarantee: dominated, in both directions. Errors: none but rounding, t times the law's own and 2 log2(t) sums of a
// lattice; masses below k_underflow are left out. Any lattice is valid, a coarse one costs width. Laws: as above where
// ratios are beyond doubles, and a law that tells nothing where the errors have grown beyond 1e-3. Throws
// std::invalid_argument unless 1 <= participations <= steps. Cost: 4 log2(t) sums of 8 million products.
RatioLaw subset_ratio_lower(const RatioLaw& one, std::uint64_t steps, std::uint64_t participations);
AllocationLaws subset_laws_lower(const LawHandle& base, std::uint64_t steps, std::uint64_t participations,
                                 std::size_t cells);

// Upper bounds on the Renyi divergences D(P||Q) of one epoch, 1 of t, the direction remove, from upper bounds on those
// of one release at the orders 2, 3, ... Whole moments of the mean are exact, a power of a power series with positive
// coefficients, E[Y^k] = k! [x^k] (sum_j E[r^j] x^j / j!)^steps / steps^k; the logarithm of a moment is convex in the
// order, so that between whole orders its chord is an upper bound: within 1 / (4 order^2) of itself as a rule, but up
// to 2 times too large below 2. Roundings are added. +inf at orders beyond the last one given. Cost: orders^2
// log2(steps) exponentials.
std::vector<double> allocation_renyi_upper(std::span<const double> divergences, std::uint64_t steps,
                                           std::span<const double> orders);

}  // namespace hockeystick
