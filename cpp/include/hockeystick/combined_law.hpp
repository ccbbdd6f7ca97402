// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hockeystick/loss_law.hpp"

namespace hockeystick {

// Laws made of laws. Tails, support and masses at infinity follow from those of the parts, with their relative errors;
// nothing is inverted numerically. A law of finitely many atoms stays one (atoms_law.hpp).

// The pair (Q, P): the other direction of a release. Of a reversed law, the law itself.
LawHandle reversed_law(const LawHandle& base);

// One of the laws, drawn with these weights, the choice being seen by the adversary: delta = sum weight_i delta_i.
// Weights are positive and sum to 1 up to rounding.
LawHandle mixture_law(const std::vector<LawHandle>& laws, const std::vector<double>& weights);

// The pointwise maximum of the profiles, which is convex: parallel composition on disjoint parts. At every loss the
// tails are those of the larger profile; where profiles cross there is an atom.
LawHandle maximum_law(const std::vector<LawHandle>& laws);

}  // namespace hockeystick
