// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/merge.hpp"

#include <algorithm>
#include <cmath>

#include "hockeystick/interrupt.hpp"
#include "hockeystick/loss_law.hpp"

namespace hockeystick {
namespace {

// Balanced to this many roundings of the group's own mass: more than what one move can introduce.
constexpr double k_margin = 16.0 * k_unit_roundoff;

// Partners are looked for among so many neighbours; one or two serve, unless rounding is all there is to trade, and
// then a search through all groups from each would never end.
constexpr std::size_t k_reach = 256;

// The factors that carry a group's p and f from its own loss to another: e^{theta d} and e^{(theta + 1) d}.
struct Carry {
    double p;
    double f;
};

Carry carry(const Groups& groups, std::size_t from, std::size_t to) {
    const double distance = static_cast<double>(groups.index[to] - groups.index[from]) * groups.step;
    const double tilt = std::exp(groups.theta * distance);
    return {tilt, tilt * std::exp(distance)};
}

double margin(const Groups& groups, std::size_t i) { return k_margin * (groups.p[i] + groups.f[i]); }

void move_fraction(Groups& groups, std::size_t from, std::size_t to, const Carry& factors, double fraction) {
    groups.p[to] += fraction * factors.p * groups.p[from];
    groups.f[to] += fraction * factors.f * groups.f[from];
    groups.p[from] *= 1.0 - fraction;
    groups.f[from] *= 1.0 - fraction;
}

// P mass short of its label: take from above, the nearest group first.
void borrow_from_above(Groups& groups, std::size_t i) {
    const std::size_t end = std::min(groups.p.size(), i + 1 + k_reach);
    for (std::size_t j = i + 1; j < end; ++j) {
        const double deficit = groups.f[i] + margin(groups, i) - groups.p[i];
        if (!(deficit > 0.0)) return;
        if (groups.p[j] <= 0.0) continue;
        const Carry factors = carry(groups, j, i);
        const double gain = factors.p * groups.p[j] - factors.f * groups.f[j];
        if (gain <= 0.0) continue;
        move_fraction(groups, j, i, factors, std::min(1.0, deficit / gain * (1.0 + k_margin)));
    }
}

// P mass beyond its label would be rounded down: spend it on groups below, the nearest first.
void lend_to_below(Groups& groups, std::size_t i) {
    const std::size_t end = i > k_reach ? i - k_reach : 0;
    for (std::size_t j = i; j-- > end;) {
        const double surplus = groups.p[i] - groups.f[i] - 2.0 * margin(groups, i);
        if (!(surplus > 0.0)) return;
        if (groups.f[j] <= 0.0) continue;
        const Carry factors = carry(groups, j, i);
        // So far below that a ratio of e^709 could not pay for it.
        if (!std::isfinite(factors.f)) return;
        const double loss = factors.f * groups.f[j] - factors.p * groups.p[j];
        if (loss <= 0.0) continue;
        move_fraction(groups, j, i, factors, std::min(1.0, surplus / loss * (1.0 - k_margin)));
    }
}

void merge_down(Groups& groups, std::size_t i) { move_fraction(groups, i, i - 1, carry(groups, i, i - 1), 1.0); }

}  // namespace

void balance(Groups& groups) {
    const std::size_t size = groups.p.size();
    for (std::size_t i = 0; i < size; ++i) {
        poll();
        if (groups.p[i] < groups.f[i] + margin(groups, i)) borrow_from_above(groups, i);
    }
    for (std::size_t i = size; i-- > 0;) {
        if (groups.p[i] >= groups.f[i]) continue;
        if (i > 0) {
            merge_down(groups, i);
        } else {
            groups.p[0] = groups.f[0] = 0.0;
        }
    }
    for (std::size_t i = size; i-- > 0;) {
        poll();
        if (groups.p[i] > groups.f[i] + 2.0 * margin(groups, i)) lend_to_below(groups, i);
    }
}

}  // namespace hockeystick
