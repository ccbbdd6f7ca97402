// SPDX-License-Identifier: Apache-2.0
#pragma once

// Releases of every kind as parts of what the contour engine composes: atoms, Laplace noise and bounded range, sampled
// or not, besides (subsampled) Gaussians.

#include <cstddef>
#include <memory>
#include <span>

#include "hockeystick/loss_law.hpp"
#include "hockeystick/release_nodes.hpp"
#include "hockeystick/saddle.hpp"

namespace hockeystick::contour {

// Whether there are nodes for the law.
bool has_nodes(const LossLaw& law);

// One direction of a composition of laws. Throws accuracy_error for a law that there are no nodes for, and for
// subsampled Gaussians of both directions in one composition.
Composition make_composition(std::span<const LawTerm> terms);

// The nodes of one part. The demand's log_moment, ceiling, half_period and off_lattice are filled in here unless
// log_moment is known (not 0).
std::unique_ptr<const ReleaseNodes> make_nodes(const Composition& composition, std::size_t part, NodeDemand demand);

}  // namespace hockeystick::contour
