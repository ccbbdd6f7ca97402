// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hockeystick/loss_law.hpp"

namespace hockeystick {

// The Gaussian on a Poisson sample under the replace relation (Lebeda, Regehr, Kamath and Steinke 2025, proposition
// 13): P = (1-q) N(0, s^2) + q N(1, s^2), Q = (1-q) N(0, s^2) + q N(-1, s^2), with s the noise over the sensitivity of
// adding or removing one record. Symmetric. The threshold is x(l) = s^2 (l/2 + asinh(A sinh(l/2))), A = (1-q)/q e^{1/(2
// s^2)}, in the log domain where that overflows.
LawHandle poisson_replace_law(const SubsampledGaussian& release);

}  // namespace hockeystick
