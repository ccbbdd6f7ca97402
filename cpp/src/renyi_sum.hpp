// SPDX-License-Identifier: Apache-2.0
// The trapezoid sum of renyi.hpp at one order. Internal to the sources.
#pragma once

#include <optional>

#include "hockeystick/loss_law.hpp"
#include "renyi_nodes.hpp"

namespace hockeystick::detail {

// What the sum may leave out, relative to it: by the rule, and by each of its tails. Both are below its rounding unless
// a test asks for less.
struct SumAccuracy {
    double rule = 1e-16;
    double tail = 1e-16;
};

// The step in u = (2x - 1)/(2 s^2) with which the rule's relative error is below the one asked for, at a power p of r
// outside (0, 1): the order for remove, 1 - order for add. Any smaller step serves as well.
double rule_step(double noise, double power, const SumAccuracy& accuracy = {});

// Bracket of D_order from nodes of at most that step; nothing where more than 2^18 of them would be needed. Order
// finite.
std::optional<Interval> renyi_by_rule(RenyiNodes& nodes, double order, const SumAccuracy& accuracy = {});

}  // namespace hockeystick::detail
