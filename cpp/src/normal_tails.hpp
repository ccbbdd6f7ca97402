// SPDX-License-Identifier: Apache-2.0
// Tails of the normal law, both sides. Internal to the sources.
#pragma once

#include <cmath>

namespace hockeystick::detail {

struct NormalTails {
    double below;
    double above;
};

// The smaller side by erfc, the larger by complement, so both keep their relative accuracy.
inline NormalTails normal_tails(double z) {
    constexpr double inverse_sqrt_2 = 0.70710678118654752440;
    const double small = 0.5 * std::erfc(std::fabs(z) * inverse_sqrt_2);
    return z >= 0.0 ? NormalTails{1.0 - small, small} : NormalTails{small, 1.0 - small};
}

// Upper bound on log Phi(-t).
inline double log_normal_tail_upper(double t) { return t > 0.0 ? -0.5 * t * t - 0.69314718055994531 : 0.0; }

}  // namespace hockeystick::detail
