// SPDX-License-Identifier: Apache-2.0
#pragma once

// The hot loops behind the bounds of the inner rule and of the decay: sums over nodes of a Poisson-subsampled Gaussian
// on the line Im x = angle sigma^2. There the likelihood ratio 1 - q + q r turns by
//   phase = arg(1 - p + p e^{i angle}) >= 0 and changes its modulus by e^{shrink}, shrink = log|1 - p + p e^{i angle}|
//   <= 0,
// p = q r / (1 - q + q r) the posterior, which rises with x. Arrays are padded to a multiple of k_lanes. Every sum is
// of positive terms, each right to some tens of units of roundoff times 1 + its exponent. Pure functions, no threads.

#include <cstddef>
#include <span>

#include "hockeystick/contour_kernel.hpp"

namespace hockeystick::contour {

struct StripShape {
    double power;      // s of M(z) = E_N0[e^{s l}], real part
    double frequency;  // |Im s|
    double angle;      // in (0, pi)
};

// log sum_j e^{log_mass + frequency phase + power shrink}: an estimate of the mass on the line from points on it.
double log_strip_sum(std::span<const double> log_mass, std::span<const double> posterior, const StripShape& shape);

// Upper bound on the log of the integral over the line from the first to the last of `count` nodes of weight
// e^{log_weight + tilt loss - log_moment} and distance step: each cell counts its largest value, which the log of the
// density, curving downwards by at most (1 - power p (1 - p) / variance) / variance, exceeds between the nodes by an
// eighth of that times step^2. power is 1 + tilt or -tilt.
struct CellNodes {
    NodeArrays arrays;
    std::span<const double> posterior;
    std::size_t count;
    double step;
    double variance;
};
double log_cell_sum(const CellNodes& nodes, double tilt, double log_moment, const StripShape& shape);

// sum_j weights[j] (1 - e^{power shrink - frequency phase}), relative error 1e-13 where all terms have one sign.
double strip_loss(std::span<const double> weights, std::span<const double> posterior, const StripShape& shape);

}  // namespace hockeystick::contour
