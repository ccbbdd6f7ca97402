// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "hockeystick/loss_law.hpp"

namespace hockeystick {

// One composition a direction of the relation.
using Directions = std::span<const std::vector<LawTerm>>;

// The larger of the directions given, each composed on its own by the engine given. The direction with the larger
// estimate goes first; where Chernoff bounds show that another cannot exceed it, that one is not composed. Certified:
// the result brackets the maximum. The engine is asked for a direction by its place in the list.
using EpsilonEngine = std::function<Interval(std::size_t)>;
using LogDeltaEngine = std::function<std::vector<Interval>(std::size_t, std::span<const double>)>;

// A certified upper bound on log delta as a function of epsilon, any epsilon, that is good near the one given; empty
// where there is none. By default the Chernoff bound of dots (chernoff.hpp).
using LogDeltaBound = std::function<double(double epsilon)>;
using BoundFinder = std::function<LogDeltaBound(std::size_t, double epsilon)>;

Interval largest_epsilon_bounds(Directions directions, double log_delta, const EpsilonEngine& engine);

// epsilons >= 0, increasing.
std::vector<Interval> largest_log_delta_bounds(Directions directions, std::span<const double> epsilons,
                                               const LogDeltaEngine& engine, const BoundFinder& bounds = {});

}  // namespace hockeystick
