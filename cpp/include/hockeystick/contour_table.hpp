// SPDX-License-Identifier: Apache-2.0
#pragma once

// One contour: the transform of the composed loss at z = tilt + i n step, n = 0 .. N, with what is needed to bound the
// error of the sum at any epsilon near its saddle. phi does not depend on epsilon, so one table serves many.
// Immutable after construction; const members may run on any thread.

#include <optional>
#include <vector>

#include "hockeystick/line_kernel.hpp"
#include "hockeystick/loss_law.hpp"
#include "hockeystick/saddle.hpp"

namespace hockeystick::contour {

struct TableDemand {
    double tilt;
    Strip strip;
    double epsilon_lower;  // the range that the step is made for
    double epsilon_upper;
    double tau_squared;        // of the tiny Gaussian; 0 for none
    double log_digits = 34.5;  // each error term is aimed at e^{-log_digits} of the value; 34.5 is what rounding leaves
    // The log of that value at epsilon_value, where it is known, else the saddle-point estimate.
    std::optional<double> log_value = std::nullopt;
    double epsilon_value = 0.0;
};

// The error terms at one epsilon, in units of the sum: for reports and tests.
struct ErrorLedger {
    double aliasing;
    double cut_off;
    double inner_rule;
    double rounding;
    double tiny_gaussian;
};

class ContourTable {
public:
    // Throws accuracy_error when the transform does not decay within the allowed number of steps.
    ContourTable(SaddleSearch& search, const TableDemand& demand);

    // Certified log of delta less the mass at infinity (Strip::right) or of 1 - delta (Strip::middle). -inf is a valid
    // lower bound.
    Interval log_value_bounds(double epsilon) const;
    ErrorLedger ledger(double epsilon) const;

    struct Estimate {
        double log_value;
        double slope;  // d log_value / d epsilon
    };
    Estimate estimate(double epsilon) const;

    std::size_t steps() const { return line_.count; }
    std::size_t nodes() const { return node_count_; }
    double tilt() const { return demand_.tilt; }

private:
    struct Side {
        double shift;
        double log_moment_shift;
        double log_constant;
    };
    void choose_step(SaddleSearch& search);
    void choose_length(SaddleSearch& search);
    // One kind of release: log M at the tilt, its transform along the line, and bounds.
    struct Share {
        std::size_t nodes = 0;
        std::size_t summed = 0;  // of them, along the line
        Moment at{0.0, 0.0, 0.0};
        MomentError error{0.0, 0.0, 0.0};
        double second = 0.0;
        double log_decay = 0.0;
        double log_moment[2] = {0.0, 0.0};  // upper bounds at the shifted tilts
        std::vector<double> re, im, inner;
    };
    void add_releases(SaddleSearch& search);
    Share share_of(std::size_t index, double log_moment) const;
    void add_share(const Share& share, double count);
    double shift_for(SaddleSearch& search, bool right) const;
    // The sums at epsilon in units of A at `point`: epsilon itself or, on a lattice, the point above it.
    struct Place {
        LineSums sums;
        double point;
        double gap;
    };
    Place place(double epsilon) const;
    bool on_lattice() const { return composition_.lattice.step > 0.0 && demand_.tau_squared == 0.0; }
    double cut_off(double frequency, double log_decay, double gap) const;
    ErrorLedger ledger_of(const Place& at) const;
    Interval log_value_at(double epsilon) const;
    double log_scale(double epsilon) const;
    double log_scale_error(double epsilon) const;

    const Composition composition_;
    TableDemand demand_;
    double gaussian_;      // mu^2 with the tiny one
    double target_ = 0.0;  // log of the error wanted of each term
    double step_ = 0.0;
    double width_ = 0.0;
    double length_ = 0.0;    // of the line that is wanted
    std::size_t count_ = 0;  // of its points
    double longest_ = 0.0;   // the last of its frequencies
    bool whole_ = false;     // the line is the whole period of a lattice
    Side sides_[2]{};
    Moment at_{0.0, 0.0, 0.0};
    double value_error_ = 0.0, slope_error_ = 0.0, log_decay_ = 0.0;
    std::size_t node_count_ = 0;
    double copies_ = 0.0;
    Line line_;
};

}  // namespace hockeystick::contour
