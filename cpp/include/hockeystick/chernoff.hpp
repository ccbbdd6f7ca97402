// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "hockeystick/loss_law.hpp"

namespace hockeystick {

// The Chernoff bound on a composed profile, delta(eps) <= C(theta) e^{K(theta) - theta eps} with
// C = theta^theta / (1 + theta)^{1 + theta}, plus the mass at infinity, for every epsilon at
// once. K of a subsampled Gaussian is that of its Renyi divergence (renyi.hpp: some hundred nodes, good however
// small it is); of any other law, that of pessimistic dots, so that the bound holds whatever their step: a coarse one
// makes it cheap (a thousand tails a law) and hardly looser.
// It settles which of two directions is the larger without composing the other.
class ChernoffBound {
public:
    // theta > 0; any value is valid, the saddle of K(theta) - theta eps is best for that eps. Throws accuracy_error
    // where the dots would be too many (theta out of all proportion to the law).
    ChernoffBound(std::span<const LawTerm> terms, double theta);

    double log_delta_upper(double epsilon) const;
    // The epsilon >= 0 from which on the finite losses alone give at most this; +inf where there is none.
    double epsilon_upper(double log_delta) const;

private:
    double theta_;
    double intercept_;          // log C + K, rounded up
    double log_infinity_mass_;  // rounded up
};

}  // namespace hockeystick
