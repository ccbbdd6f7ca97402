// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hockeystick/loss_law.hpp"

namespace hockeystick {

// The dominating law of all mechanisms of bounded range R, such as the exponential mechanism (Dong, Durfee and Rogers
// 2020): delta(eps) = (e^{R/2} - e^{eps/2})^2 / (e^R - 1) for |eps| <= R, the largest of the curves of the pairs
// {t, t - R}, 0 <= t <= R. Symmetric; a density on (-R, R), no atoms.
LawHandle bounded_range_law(double range);

}  // namespace hockeystick
