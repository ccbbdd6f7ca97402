// SPDX-License-Identifier: Apache-2.0
#pragma once

// The contour integral of what jumps of one size contribute (jump_nodes.hpp), on its own line z = tilt + it, tilt > 0,
// with the error terms of contour_table.hpp and one more: outcomes that end beyond the nodes. Immutable after
// construction; const members may run on any thread.

#include <span>
#include <vector>

#include "hockeystick/contour_table.hpp"
#include "hockeystick/jump_nodes.hpp"
#include "hockeystick/line_kernel.hpp"

namespace hockeystick::contour {

struct JumpDemand {
    double tilt;
    double epsilon_lower;  // the range that the step is made for
    double epsilon_upper;
    double log_digits;      // each error term is aimed at e^{-log_digits} of the value
    double log_negligible;  // what may be dropped at the ends of the nodes
};

class JumpTable {
public:
    // `nodes` for the choices. Throws accuracy_error when the line would be too long.
    JumpTable(const Composition& composition, std::span<const JumpWindows> windows, const JumpNodes& nodes,
              const JumpDemand& demand);

    // Certified log of the part of delta; -inf is a valid lower bound.
    Interval log_value_bounds(double epsilon) const;
    ErrorLedger ledger(double epsilon) const;  // in units of the sum; no tiny Gaussian
    ContourTable::Estimate estimate(double epsilon) const;

    std::size_t steps() const { return line_.count; }

private:
    struct Side {
        double shift;
        double log_value_shift;
        double log_constant;
    };
    // e^E - 1 along the line: E, an upper bound on it (sum T log(1 + |J / G|)), and how much that grows by the errors
    // of J / G, by rounding and by the inner rule.
    struct Jumps {
        std::vector<double> re, im, upper, rounding, inner;
    };
    void choose_step(const JumpNodes& nodes);
    void choose_length(const JumpNodes& nodes);
    struct Share;
    Share share_of(const ReleaseNodes& nodes, double tilt) const;
    void add_release(const Composition::Part& part, const JumpWindows& windows, JumpSum& sum);
    void add_ratio(double count, const Share& core, const Share& jump);
    void finish(const JumpSum& sum);
    ErrorLedger ledger_of(const LineSums& sums, double epsilon) const;

    const Composition& composition_;
    JumpDemand demand_;
    double target_ = 0.0;  // log of the error wanted of each term
    double step_ = 0.0;
    double width_ = 0.0;
    double length_ = 0.0;
    double longest_ = 0.0;
    Side sides_[2]{};
    double value_ = 0.0;  // log of the transform at the tilt
    double mean_ = 0.0;   // of the core
    double value_error_ = 0.0, slope_error_ = 0.0, jump_error_ = 0.0;
    double log_decay_ = 0.0;
    double log_dropped_ = -k_infinity;
    double log_faded_ = -k_infinity;  // E at the end of the line, bounded
    double log_shifted_[2] = {-k_infinity, -k_infinity};
    Jumps jumps_;
    Line line_;
};

}  // namespace hockeystick::contour
