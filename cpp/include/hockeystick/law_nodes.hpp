// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hockeystick/loss_law.hpp"

namespace hockeystick {

// A law in some hundreds of nodes, for ESTIMATES of its cumulant: finite losses, their weights under P.
struct LawNodes {
    std::vector<double> weights;
    std::vector<double> log_weights;
    std::vector<double> losses;
};

// Any law, by its tails alone: cells that hold at most a fiftieth of P and across which no tail falls by more than a
// factor of three, each at its own loss log(P/Q); down to masses of 1e-290. Cost: some two thousand tails.
LawNodes nodes_of(const LossLaw& law);

// A subsampled Gaussian by the trapezoid rule in x, which converges exponentially; for tilts in [least, most].
LawNodes nodes_of(const SubsampledGaussian& law, Direction direction, double least, double most);

}  // namespace hockeystick
