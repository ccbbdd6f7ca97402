// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hockeystick/loss_law.hpp"

namespace hockeystick {

// The finite losses of a law on the lattice step * Z, exponentially tilted and normalised: the P mass at index i is
// weight * e^{log_mass - theta * i * step}. Tilting keeps relative accuracy where the answer lies, however small it is.
// Where the lattice is laid through the law's own atoms it is shifted: the loss at index i is i * step + offset, the
// offset known up to the roundings of those atoms. The tilt does not see it; it is added when the answer is read.
struct TiltedAtoms {
    std::vector<std::int64_t> index;  // increasing
    std::vector<double> weight;       // non-negative, sums to 1 up to rounding
    double log_mass = 0.0;
    Interval offset{0.0, 0.0};
    // The ledger, in units of tilted mass: what lies above the last atom (counted as if it all were infinite), and a
    // bound on the sum of absolute rounding errors of the weights that is not already rounded outward.
    double truncated = 0.0;
    double rounding = 0.0;
};

struct DotsRequest {
    double theta;              // tilt, >= 0
    double step;               // lattice step, > 0
    double log_mass_estimate;  // log E_P[e^{theta L}], any rough value: it only scales the stopping rules
    double negligible;         // tilted mass that may be left outside the lattice at either end
    double offset = 0.0;       // the lattice is offset + step * Z
    bool graded = true;        // false: every point of the lattice
};

// Connect-the-Dots on a graded sub-lattice of step * Z (steps double where the tilted density is thin).
//
// pessimistic: dominates the law. Every cell (l, u] sends its mass to its ends so that P and Q mass are both kept:
//   up-share (P - e^l Q) / (1 - e^{-(u - l)}), formed from cell masses by the smaller tail, never from differences of
//   delta. Cell masses and up-shares are rounded up by their error bounds. Mass below the lattice moves up to its first
//   atom; mass above it is `truncated`.
// optimistic: dominated by the law. Outcomes are merged (a post-processing) into groups centred on lattice points, and
//   neighbours lend each other the little that makes every group's ratio P/Q at least e^{lattice point}; rounded down.
//   Mass below the lattice is dropped.
// A law of finitely many atoms is split atom by atom: exact where they are lattice points.
// Both conserve P and Q mass up to rounding, so their error is second order: a variance of about +h^2/6 and -h^2/12 a
// release. Cost: a few thousand evaluations of the law's tails, whatever the step.
struct DotsPair {
    TiltedAtoms pessimistic;
    TiltedAtoms optimistic;
};

DotsPair connect_the_dots(const LossLaw& law, const DotsRequest& request);

// Coarsening by the integer factor `factor` of a contiguous tilted law (weights[i] at index first + i, lattice `step`),
// dominating and dominated like the above. Exact but for rounding, which is added to the ledger.
TiltedAtoms coarsen_pessimistic(std::span<const double> weights, std::int64_t first, double theta, double step,
                                std::int64_t factor);
TiltedAtoms coarsen_optimistic(std::span<const double> weights, std::int64_t first, double theta, double step,
                               std::int64_t factor);

}  // namespace hockeystick
