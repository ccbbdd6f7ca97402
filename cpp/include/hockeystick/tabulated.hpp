// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "hockeystick/tradeoff.hpp"

// The privacy profile of a tabulated loss law, as other libraries hand one over: P masses at increasing finite losses
// and the P mass at infinity.
//   delta(eps) = p_inf + sum over l > eps of (1 - e^{eps - l}) p(l),  1 - delta(eps) = sum over l <= eps of p(l)
//                + sum over l > eps of e^{eps - l} p(l),
// each by one pass over terms that are all positive, so relative accuracy is kept at any size: an error of 8u for each
// loss passed, plus one least double for each. Only losses above eps and the masses below count: what noise e^{-l}
// would magnify at the low end of such a table is never read. Masses are taken as exact and are not renormalised; delta
// comes from those above eps and its complement from the others, so a total that misses 1 by rounding is let stand.
//
// Side: the bounds are on the profile of the table. If the table dominates a mechanism (is pessimistic), only the upper
// side is about the mechanism. Cost: 5 ns a loss. Losses that do not increase, masses outside [0, 1] or a total above 1
// by more than 1e-6 throw std::invalid_argument.

namespace hockeystick {

struct TabulatedLaw {
    std::span<const double> losses;
    std::span<const double> masses;
    double infinity_mass;
};

// The larger of the laws (one per direction) at 0 and at every positive loss of either: between these each profile is
// linear in e^eps, their maximum convex (linear for one law).
ProfileTable tabulated_profile(std::span<const TabulatedLaw> directions);

}  // namespace hockeystick
