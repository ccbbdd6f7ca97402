// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace hockeystick {

// Groups of outcomes on their way to an optimistic law. Group i sits at loss l_i = index[i] * step and holds the
// measure pair (P_i, Q_i), kept as p = e^{theta l_i} P_i and f = e^{(theta + 1) l_i} Q_i in units of the tilted mass,
// so that the group's own ratio is at least e^{l_i} exactly when p >= f.
struct Groups {
    double theta;
    double step;
    std::vector<std::int64_t> index;  // increasing
    std::vector<double> p;
    std::vector<double> f;
};

// Makes p >= f in every group by mixing: a group below its ratio borrows the same fraction of P and Q from the next
// groups above, one well above its ratio from the next below, and what cannot be balanced at the top is merged
// downwards. Each move is a Markov kernel on outcomes (a post-processing), so the result is dominated by the input;
// labelling group i with loss l_i and mass p is then dominated too. Moves are about h times the slope of the log
// density, so the cost in variance is third order. Balances to a margin of some roundings, on the safe side.
void balance(Groups& groups);

}  // namespace hockeystick
