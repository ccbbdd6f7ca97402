// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

namespace hockeystick {

// remove: (P, Q) = (with the record, without it); add: the reverse.
enum class Direction { remove, add };

// One Poisson-subsampled Gaussian release of unit sensitivity; sampling_rate = 1 is the plain Gaussian.
// remove: P = (1-q) N(0, s^2) + q N(1, s^2), Q = N(0, s^2), loss L(x) = log(1 - q + q e^{(2x-1)/(2 s^2)}).
struct SubsampledGaussian {
    double noise_multiplier;
    double sampling_rate;
};

// count copies of one release; a composition is a span of these.
struct Term {
    SubsampledGaussian law;
    std::uint64_t count;
};

// A certified bracket: lower <= truth <= upper.
struct Interval {
    double lower;
    double upper;
};

inline constexpr double k_infinity = std::numeric_limits<double>::infinity();
inline constexpr double k_unit_roundoff = std::numeric_limits<double>::epsilon() / 2;

// P and Q on either side of one loss. Both sides are formed without cancellation, so each is right to
// `relative_error`; differences of the smaller side give cell masses whose absolute error is that fraction of it.
struct TailMasses {
    double p_below;  // P(L <= loss)
    double p_above;  // P(L > loss)
    double q_below;  // Q(L <= loss)
    double q_above;  // Q(L > loss)
    double relative_error;
};

// Domain: any real loss. The threshold in x is one floating-point number for P and Q alike; it stands for a loss
// within a few units of roundoff of the one asked for, which moves mass between neighbouring cells by O(roundoff^2)
// of their width and is covered by the outward rounding of the cells (dots.hpp).
TailMasses tail_masses(const SubsampledGaussian& law, Direction direction, double loss);

// Essential infimum and supremum of L; -inf and +inf where there is none.
double least_loss(const SubsampledGaussian& law, Direction direction);
double greatest_loss(const SubsampledGaussian& law, Direction direction);

// A loss beyond which P has at most the probability e^{log_probability} (within a few percent of the least such loss);
// +inf where doubles do not reach it. Outcomes beyond it matter to no delta that is far larger, but would take over a
// strongly tilted law.
double probability_cap(const SubsampledGaussian& law, Direction direction, double log_probability);

// Upper bound on log E_P[e^{theta L}; L > loss], theta >= 0. Exact but for a factor of at most the relative
// weight of the no-record branch at `loss` and the Mills-ratio slack of e^{-t^2/2}/2 over the normal tail.
double log_tilted_mass_above_upper(const SubsampledGaussian& law, Direction direction, double loss, double theta);

}  // namespace hockeystick
