// SPDX-License-Identifier: Apache-2.0
// Internal to the sources: the check that every reader of a profile makes.
#pragma once

#include "hockeystick/tradeoff.hpp"

namespace hockeystick::detail {

// Throws std::invalid_argument unless `points` is as tradeoff.hpp says.
void check_profile(const ProfilePoints& points);

}  // namespace hockeystick::detail
