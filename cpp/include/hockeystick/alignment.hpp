// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "hockeystick/loss_law.hpp"

namespace hockeystick {

// The coarsest lattice step on which every law of a composition is nothing but lattice points (each law's lattice
// shifted by an offset of its own); 0 where a law has other losses, or the laws' spacings have no common part.
double common_step(std::span<const LawTerm> terms);

// A step in [step / 2, step] at which the atoms of all laws lie close to lattice points: on them for one law, as near
// as a search over some hundreds of steps finds for several. Any step is valid, a good one keeps the optimistic dots of
// isolated atoms from falling a whole step short. The step itself where no law has isolated atoms.
double aligned_step(std::span<const LawTerm> terms, double step);

// The offset that puts the top atom of a law on the lattice, or the core of one that lies within a step all but 1e-4 of
// its Q mass; 0 where it has none in particular.
double aligned_offset(const LossLaw& law, double step);

// An offset at or just below the log ratio of all that is up to half a step above it, the core of a law with rare large
// losses. Where a step is wider than the core, optimistic dots need a label that the core's ratio just meets.
double core_offset(const LossLaw& law, double step);

}  // namespace hockeystick
