// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "hockeystick/loss_law.hpp"

namespace hockeystick {

// P = N_Z(0, sigma^2), the integers weighted by e^{-x^2 / (2 sigma^2)}, against Q = P shifted by D = `shift` (Canonne,
// Kamath and Steinke 2020). L(x) = D (D - 2x) / (2 sigma^2), symmetric: both directions are this law.
// Up to sigma of some thousands a table of the outcomes (atoms_law.hpp) of probability above 1e-300; upper bounds count
// what is beyond as infinite. For wider noise the tails themselves: the normal tail at the midpoint between integers
// with two terms of the Euler-Maclaurin series, relative error below 1e-15 of the mass.
LawHandle discrete_gaussian_law(double sigma, std::int64_t shift);

}  // namespace hockeystick
