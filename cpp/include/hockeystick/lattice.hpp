// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hockeystick/dots.hpp"
#include "hockeystick/loss_law.hpp"

namespace hockeystick {

// Knots of a graded sub-lattice of step * Z that covers a tilted law but for a negligible part at either end, with the
// law's tails at every knot. Consecutive knots differ by powers of two; a cell of width w and tilted mass m is split
// until m w^2 is a small part of step^2, so that the graded law is nearly as good as the uniform one at a fraction of
// its evaluations.
struct Lattice {
    std::vector<std::int64_t> knots;
    std::vector<TailMasses> tails;
    double truncated;  // upper bound on the tilted, normalised mass above the last knot
};

// Where a lattice would end above: the loss beyond which the tilted mass is negligible (or the support ends).
double upper_cut(const LossLaw& law, const DotsRequest& request);

Lattice build_lattice(const LossLaw& law, const DotsRequest& request);

// Mass of a cell between two thresholds by the smaller tail, with a bound on its absolute error.
struct CellMass {
    double p;
    double p_error;
    double q;
    double q_error;
};

CellMass cell_mass(const TailMasses& lower, const TailMasses& upper);

// mass * e^exponent without overflow on the way.
double scaled_mass(double mass, double exponent);

}  // namespace hockeystick
