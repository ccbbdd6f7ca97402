// SPDX-License-Identifier: Apache-2.0
#pragma once

// delta(epsilon) of a composition of subsampled Gaussians, direction remove, where epsilon is reached by one or a few
// rare large losses. Under one tilt such outcomes are a valley between the core of the law and its end, and the
// transform of the whole does not decay. So the outcomes are split by their largest jump, each part a positive measure
// with a tilt of its own (docs/contour.md, "Rare jumps"):
//   far     some jump exceeds epsilon by itself: closed form (far_outcomes.hpp)
//   levels  the largest jump lies between two edges: one contour integral each (jump_table.hpp), or Chernoff's bound
//   core    no jump beyond the lowest edge: Chernoff's bound
// Certified for every epsilon; narrow near the one it is made for. Immutable after construction.

#include <optional>
#include <vector>

#include "hockeystick/far_outcomes.hpp"
#include "hockeystick/jump_table.hpp"
#include "hockeystick/saddle.hpp"

namespace hockeystick::contour {

struct JumpsDemand {
    Interval epsilons;  // > 0: what the parts are made for
    double log_delta;   // about what delta is there
    double log_digits;  // each error term is aimed at e^{-log_digits} of it
};

class RareJumps {
public:
    // The composition must outlive it. Throws accuracy_error where some part cannot be bounded.
    RareJumps(const Composition& composition, const JumpsDemand& demand);

    Interval log_value_bounds(double epsilon) const;
    ContourTable::Estimate estimate(double epsilon) const;

    std::size_t levels() const { return tables_.size(); }

private:
    // An upper bound e^{intercept - tilt epsilon} on a part.
    struct Line {
        double intercept;
        double tilt;
    };
    void add_levels(const JumpsDemand& demand);
    bool add_level(std::span<const JumpWindows> windows, const JumpsDemand& demand, double& tilt);
    bool add_table(std::span<const JumpWindows> windows, const JumpNodes& nodes, const Saddle& saddle,
                   const JumpsDemand& demand);
    bool bound_core(std::span<const JumpWindows> windows, double tilt, double epsilon, double log_negligible);

    const Composition& composition_;
    std::optional<FarOutcomes> far_;
    std::vector<JumpTable> tables_;
    std::vector<Line> lines_;
    double log_dropped_ = -k_infinity;
};

// Estimates of what one jump alone does: log of sum T_i delta_i(epsilon), and where that is log_delta.
double log_one_jump(const Composition& composition, double epsilon);
double one_jump_epsilon(const Composition& composition, double log_delta);

}  // namespace hockeystick::contour
