// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hockeystick/loss_law.hpp"

namespace hockeystick {

// P = sum p_j N(c_j, s^2), Q = N(0, s^2), shifts c_j >= 0, in the direction remove; the other is the reversed law.
// (Choquette-Choo, Ganesh, Haque, Steinke and Thakurta 2024.)
// L(x) = log sum p_j exp((c_j x - c_j^2 / 2) / s^2) is convex and increasing; its inverse is found by Newton's method
// from the right end of a closed-form bracket, to a unit of roundoff, so the threshold serves P and Q alike.
// A part without shift is a release on a Poisson sample of the rest, and treated as one (sampled_law.hpp).
// Throws std::invalid_argument unless the probabilities are positive, as many as the shifts, and sum to 1 to 1e-9.
LawHandle gaussian_mixture_law(double noise_std, const std::vector<double>& shifts,
                               const std::vector<double>& probabilities);

}  // namespace hockeystick
