// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "hockeystick/loss_law.hpp"

namespace hockeystick {

// Epsilons at which a curve wants its profile: increasing from 0, to where delta is estimated at e^{log_delta_floor},
// their distance about spacing / sqrt(theta (theta + 1)) with theta the saddle point there. The chord of delta in
// e^epsilon then lies above delta by at most a relative spacing^2 / 8 or so. Any grid is valid; this one is an ESTIMATE
// of a good one. Cost: some forty cumulants, whatever the length. At most `most` points: the spacing grows to fit.
std::vector<double> profile_epsilons(std::span<const Term> terms, Direction direction, double log_delta_floor,
                                     double spacing, std::size_t most);

}  // namespace hockeystick
