// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hockeystick/loss_law.hpp"

namespace hockeystick {

// A loss law as others keep it: P mass on the uniform lattice step * (first + i), and the mass at infinity.
struct LossPmf {
    double step;
    std::int64_t first;
    std::vector<double> masses;
    double infinity_mass;
};

// Connect-the-Dots of one release on the uniform lattice: dominates it. Mass above the lattice, at most `negligible`,
// is counted as infinite.
LossPmf pessimistic_pmf(const LossLaw& law, double step, double negligible);

// The law that connects certified points of a profile: log_delta_upper[i] bounds log delta at step * (first + i), of
// any law, composed ones included. The points' greatest convex minorant in e^epsilon still bounds a profile, which is
// convex, and so does its piecewise linear interpolation, whose law has a mass at every corner, all below the first
// point moved up to it and the last delta at infinity. Rounded up mass by mass: the total may exceed 1 by 32u a point.
LossPmf connected_pmf(double step, std::int64_t first, std::span<const double> log_delta_upper);

// Upper bound on the epsilon at which `count` copies of the pmf (taken as exact) have delta e^{log_delta}: one tilt at
// the saddle, one pair of transforms, every error of compose.hpp and profile.hpp added. +inf where log_delta is below
// the composed mass at infinity. With `least` > 0 the larger of that and `least`: of several directions, one that
// Chernoff's bound shows to have no larger epsilon than another is not composed.
double pmf_epsilon_upper(double step, std::int64_t first, std::span<const double> masses, double infinity_mass,
                         std::uint64_t count, double log_delta, double least = 0.0);

}  // namespace hockeystick
