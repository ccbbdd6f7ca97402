// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hockeystick/loss_law.hpp"

namespace hockeystick {

// A release on a random sample. `base` is the pair (P0, Q0) = (with the record, without it), 0 < sampling_rate <= 1.

// Poisson sampling, direction remove: P = (1-q) Q0 + q P0, Q = Q0, so L = log(1 - q + q e^{L0}) >= log(1 - q). The
// direction add is the reversed law of this. (Zhu, Dong and Wang 2022, theorem 11.)
LawHandle poisson_law(const LawHandle& base, double sampling_rate);

// Sampling without replacement under the replace relation, sampling_rate = batch / data set: delta of `remove` for
// epsilon >= 0, of its reversal below, one symmetric law with an atom at 0. It may be composed; the larger of the two
// directions composed each on its own is not a bound, since an adversary may pick between them in every round. Throws
// std::invalid_argument where P[L > 0] + Q[L > 0] > 1: no pair has that profile.
LawHandle merged_law(const LawHandle& remove);

}  // namespace hockeystick
