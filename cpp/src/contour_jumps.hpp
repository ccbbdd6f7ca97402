// SPDX-License-Identifier: Apache-2.0
// The two questions of the contour engine where a composition is split by its largest jump (rare_jumps.hpp). Internal
// to the sources.
#pragma once

#include <memory>

#include "contour_device.hpp"
#include "hockeystick/rare_jumps.hpp"

namespace hockeystick::contour_device {

// A bracket on epsilon(delta); [0, inf] where it cannot be had.
Attempt epsilon_by_jumps(const Composition& composition, Interval log_delta, double tolerance);

// A split made for one epsilon > 0, narrow for log delta about there; null where it cannot be had.
std::unique_ptr<const contour::RareJumps> split_at(const Composition& composition, double epsilon, double tolerance);

}  // namespace hockeystick::contour_device
