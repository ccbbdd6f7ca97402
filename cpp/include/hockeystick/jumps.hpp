// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hockeystick/loss_law.hpp"

namespace hockeystick {

// epsilon(delta) of many copies of one law where it is reached by one or a few rare large losses, "jumps", on top of
// the sum of the small ones. There one tilt serves badly: under it the outcomes that matter are a valley between the
// small losses and the end of the law, and the rounding of a transform is relative to both.
//
// The law is put on a lattice from above and from below (dots.hpp; outcomes beyond a cap, far less likely than delta,
// at infinity in the first and at the cap in the second). Each lattice law is then cut in two measures at a loss of
// about half of epsilon, the core G and the jumps J, and exactly
//   delta_{(G + J)^T}(eps) = sum_k binomial(T, k) delta_{G^{T - k} J^k}(eps).
// Every k is composed under its own saddle, so that its errors are relative to the masses between the cut and the cap.
//
// Guarantee: lower <= truth <= upper, log_delta <= 0. Error terms:
//   the lattice                   second order in the step, above and below
//   the cap                       upper: 1 - (1 - P(L > cap))^T, added
//   windows, rounding, noise      of every k: its ledger (profile.hpp), with the roundings of moving to its own tilt
//   k that matter little          upper: the Chernoff bound C(theta) e^{K(theta) - theta eps} from its own atoms
//   k beyond k_most_jumps         upper: binomial(T, k + 1) J^{k + 1} max(1, G + J)^T, the chance of as many jumps
//   binomials, sums               64 u of every logarithm
// The width is at most tolerance * upper where the engine can reach it: the caller must look. [0, +inf] where nothing
// was found. Cost: one pair of transforms for each k that matters, some tens of milliseconds on a coarse lattice, a
// second or two on the finest. `known_upper`, an upper bound on epsilon that is known already, only guides the search.
Interval jump_epsilon_bounds(const LawTerm& term, double log_delta, double tolerance, double known_upper);

}  // namespace hockeystick
