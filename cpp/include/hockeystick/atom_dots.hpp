// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hockeystick/dots.hpp"

namespace hockeystick {

// Dots of a law of finitely many atoms, one by one. An atom within a millionth of a step of a lattice point becomes
// that point, its distance going into the offset; both sides are then the law itself. Any other one, at v in (l, u):
//   pessimistic: the share (1 - e^{-(v - l)}) / (1 - e^{-(u - l)}) goes to u, the rest to l: P and Q mass are kept;
//   optimistic: to the nearer of l and u, then balanced (merge.hpp); where atoms are further apart than steps this is
//   first order in the step.
// Atoms at either end whose tilted mass is negligible are left out: above they count as infinite, below they move up
// (pessimistic) or are dropped (optimistic).
DotsPair split_atoms(const LossLaw& law, const DotsRequest& request);

}  // namespace hockeystick
