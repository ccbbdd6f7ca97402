// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "hockeystick/tradeoff.hpp"

// Where a certified curve wants its next points of the profile. Any points give valid bounds, so nothing here is
// certified: these are ESTIMATES of the cells that keep a bracket wide, by branch and bound over its two sides. The
// width that a cell adds falls with the square of its length, so each open cell is cut into about sqrt(width /
// tolerance) parts. Cells are left alone where the brackets of their own ends explain the width, or where a point
// inside them did not help. Where the profile ends above the floor, points beyond its end are asked for. Empty: nothing
// to gain.
//
// Cost: 1 us a corner. Pure functions. `lower` and `upper` are the envelopes of `points`.

namespace hockeystick {

// So that log beta and log TPR of the two sides differ by at most `tolerance` times 1 + |log|, down to the floor.
std::vector<double> curve_refinement(const ProfilePoints& points, const EnvelopeView& lower, const EnvelopeView& upper,
                                     double log_floor, double tolerance);

// So that mu above the floor is known to a relative `tolerance`.
std::vector<double> mu_refinement(const ProfilePoints& points, const EnvelopeView& lower, const EnvelopeView& upper,
                                  double log_floor, double tolerance);

// So that the mu with delta0 of mass set apart is, and the profile reaches down to it.
std::vector<double> mu_given_delta0_refinement(const ProfilePoints& points, const EnvelopeView& lower,
                                               const EnvelopeView& upper, double log_delta0, double tolerance);

}  // namespace hockeystick
