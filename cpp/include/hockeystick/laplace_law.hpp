// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hockeystick/loss_law.hpp"

namespace hockeystick {

// The loss of one Laplace release of unit sensitivity and scale b: P = Lap(0, b), Q = Lap(1, b), S = 1/b.
// Symmetric: both directions are this law. Atoms P(L = S) = 1/2 and P(L = -S) = e^{-S}/2, a density between.
LawHandle laplace_law(double noise_multiplier);

}  // namespace hockeystick
