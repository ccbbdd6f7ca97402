// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace hockeystick {

// ESTIMATES t >= 0 with log(1 - Phi(t)) = log_tail for many log_tail in [-1e300, -log 2] side by side: each lane halves
// its own interval, [0, sqrt(-2 log_tail)] at first, which holds t since 1 - Phi(t) <= e^{-t^2/2} / 2; no interval is
// preset. The tail is e^{-t^2/2} times a polynomial for (1 + t) R(t), right to 2e-9 of itself, so t comes out right to
// 1e-8 max(1, t). Whoever needs a bound widens by that and settles it by the certified log_normal_cdf. 0.1 us a lane.
void estimate_tail_quantiles(std::span<const double> log_tails, std::span<double> quantiles);

}  // namespace hockeystick
