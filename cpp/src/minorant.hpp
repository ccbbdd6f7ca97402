// SPDX-License-Identifier: Apache-2.0
// What the curve files know about profile points. Internal to the sources.
#pragma once

#include <vector>

#include "hockeystick/tradeoff.hpp"

namespace hockeystick::detail {

void check_profile(const ProfilePoints& points);

// One bound on delta at one point, with its complement.
struct Value {
    double log_delta;
    double log_complement;
};

// delta is non-increasing: upper bounds carried on to larger epsilon, lower bounds to smaller ones.
std::vector<Value> running_upper(const ProfilePoints& points);
std::vector<Value> running_lower(const ProfilePoints& points);

}  // namespace hockeystick::detail
