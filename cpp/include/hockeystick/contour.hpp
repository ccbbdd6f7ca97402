// SPDX-License-Identifier: Apache-2.0
#pragma once

// The contour engine: the composed privacy profile at a point by one contour integral of the moment generating
// function,
//   delta(epsilon) = (1 / pi) Re int_0^inf e^{Lambda(z) - z epsilon} / (z (z + 1)) dt,  z = tilt + it,
// with every error bounded: repetition of the trapezoid rule, cut-off, inner rule, Gaussian tails left out, rounding
// (docs/contour.md). Everything in the log domain, second order in the loss, so that neither T = 1e12 nor
// delta = 1e-300 costs digits. Cost: tens to hundreds of microseconds a tilt and distinct release, whatever the counts.
//
// Brackets are certified: lower <= truth <= upper. std::invalid_argument for arguments that make no sense;
// accuracy_error from contour_epsilon_bounds where the transform does not decay (few expected jumps: a composed law
// with a near-atom) or the tolerance cannot be certified, so that the caller can use the FFT engine. No state.
// Different releases are worked on by `threads` threads, with the same results for any number of them.

#include <span>
#include <vector>

#include "hockeystick/loss_law.hpp"

namespace hockeystick {

// epsilon >= 0 with delta(epsilon) = e^{log_delta}; 0 where delta(0) is no larger; +inf for log_delta = -inf.
// Width: at most tolerance * max(epsilon, 1 / |d log delta / d epsilon|), as a rule 1e-12 of epsilon.
Interval contour_epsilon_bounds(std::span<const Term> terms, Direction direction, double log_delta, double tolerance,
                                int threads = 1);

// log delta(epsilon) for any real epsilons, in any order; one tilt serves all epsilons near its saddle.
// Width: at most tolerance * max(1, |log delta|) wherever that can be certified. A point where it cannot has the best
// bracket that was reached, with its neighbours', the closed forms of limits.hpp and Chernoff's bound: no point takes
// the others with it. A negative epsilon has only its neighbours', [-inf, 0] at worst.
std::vector<Interval> contour_log_delta_bounds(std::span<const Term> terms, Direction direction,
                                               std::span<const double> epsilons, double tolerance, int threads = 1);

// The larger of the directions asked for (directions.hpp); several directions want epsilons >= 0, increasing.
Interval contour_epsilon_bounds(std::span<const Term> terms, std::span<const Direction> directions, double log_delta,
                                double tolerance, int threads = 1);
std::vector<Interval> contour_log_delta_bounds(std::span<const Term> terms, std::span<const Direction> directions,
                                               std::span<const double> epsilons, double tolerance, int threads = 1);

// Compositions of laws of any kind that there are nodes for (law_parts.hpp), one a direction: subsampled Gaussians,
// laws of atoms, Laplace and bounded range, sampled or not. accuracy_error for any other, and for compositions whose
// transform does not decay: neither a Gaussian among them nor enough densities nor one common lattice. Mass at infinity
// is part of delta; +inf is the epsilon of a delta below it. epsilons >= 0, increasing.
Interval contour_epsilon_bounds(std::span<const std::vector<LawTerm>> directions, double log_delta, double tolerance,
                                int threads = 1);
std::vector<Interval> contour_log_delta_bounds(std::span<const std::vector<LawTerm>> directions,
                                               std::span<const double> epsilons, double tolerance, int threads = 1);

}  // namespace hockeystick
