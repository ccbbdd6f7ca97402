// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "hockeystick/loss_law.hpp"

namespace hockeystick {

// The larger of two directions, each composed on its own by the engine given. The direction with the larger estimate
// goes first; where Chernoff bounds show that the other cannot exceed it, the other is not composed. Certified: the
// result brackets the maximum.
using EpsilonEngine = std::function<Interval(Direction)>;
using LogDeltaEngine = std::function<std::vector<Interval>(Direction, std::span<const double>)>;

// A certified upper bound on log delta as a function of epsilon, any epsilon, that is good near the one given; empty
// where there is none. By default the Chernoff bound of dots (chernoff.hpp).
using LogDeltaBound = std::function<double(double epsilon)>;
using BoundFinder = std::function<LogDeltaBound(Direction, double epsilon)>;

// The largest loss there is, rounded up; delta vanishes from there on.
double greatest_total_loss(std::span<const Term> terms, Direction direction);

Interval largest_epsilon_bounds(std::span<const Term> terms, std::span<const Direction> directions, double log_delta,
                                const EpsilonEngine& engine);

// epsilons >= 0, increasing.
std::vector<Interval> largest_log_delta_bounds(std::span<const Term> terms, std::span<const Direction> directions,
                                               std::span<const double> epsilons, const LogDeltaEngine& engine,
                                               const BoundFinder& bounds = {});

}  // namespace hockeystick
