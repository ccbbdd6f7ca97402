// SPDX-License-Identifier: Apache-2.0
#pragma once

// The outcomes of a composition whose largest jump is of a certain size. Every release i is split into a core G_i and
// jumps J_i (window.hpp), and
//   prod (G_i + J_i)^{T_i} - prod G_i^{T_i} = prod G_i^{T_i} (e^E - 1),  E = sum T_i log(1 + J_i / G_i),
// is the transform of a positive measure: at least one jump, none larger. Unlike the transform of the whole composition
// it decays, since J does, and its own tilt has one mode however rare jumps are (docs/contour.md, "Rare jumps").

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "hockeystick/saddle.hpp"
#include "hockeystick/window_nodes.hpp"

namespace hockeystick::contour {

// Of one kind of release. The jump's lower end is the core's upper one, and the widths are equal.
struct JumpWindows {
    Window core;
    Window jump;
};

// Sums over the releases at one real tilt, and what they give for the log of the transform above.
class JumpSum {
public:
    explicit JumpSum(const Moment& gaussian) : core_(gaussian) {}
    void add(double count, const Moment& core, const Moment& jump);

    // Of prod G^T alone, and of the whole.
    const Moment& core() const { return core_; }
    Moment total() const;
    double log_excess() const;  // log(e^E - 1)
    double growth() const;      // e^E / (e^E - 1)

private:
    Moment core_;
    double log_jumps_ = -k_infinity;  // log E
    double slope_ = 0.0;              // E' and E''
    double curve_ = 0.0;
};

// log T log(1 + e^{log_ratio}).
double log_jumps(double count, double log_ratio);
// log(e^x - 1), x = e^{log_x}.
double log_expm1_of(double log_x);
// What each window of one release may drop at its end for all together to drop e^{log_negligible}.
double log_share_of(double log_negligible, double count, std::size_t parts);

// The nodes of all releases, for searches and for bounds to some digits: what JumpTable sums along a line it makes for
// itself.
class JumpNodes {
public:
    // Best at the tilt, to some digits from 0 to reach; log_dropped() is aimed at log_negligible.
    JumpNodes(const Composition& composition, std::span<const JumpWindows> windows, double tilt, double reach,
              double log_negligible);

    double reach() const { return reach_; }
    Moment moment(double tilt) const;
    // Upper bound on log |transform(tilt + it) / transform(tilt)| for all t >= frequency, up to the errors of moments.
    std::function<double(double frequency)> log_decay(double tilt) const;

    // Certified upper bounds on the log of both transforms; +inf where the nodes do not serve the tilt.
    double log_upper(double tilt) const;
    double log_core_upper(double tilt) const;
    double log_core(double tilt) const;  // estimate
    // Upper bound on the log of the probability of what ends beyond the nodes.
    double log_dropped() const;

private:
    const Composition& composition_;
    double reach_;
    std::vector<std::unique_ptr<const WindowNodes>> core_, jump_;
};

// The tilt > 0 that minimises moment(tilt) - tilt epsilon - log tilt - log(1 + tilt); at most the nodes' reach.
Saddle jump_saddle(const JumpNodes& nodes, double epsilon, double start);

}  // namespace hockeystick::contour
