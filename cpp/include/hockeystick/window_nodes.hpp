// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a window (window.hpp) keeps of one Poisson-subsampled Gaussian, direction remove, in nodes (release_nodes.hpp):
//   M(z) = E_N0[window(x) e^{(1 + z) l(x)}; x <= end],  l(x) = log(1 - q + q e^{(2x - 1) / (2 sigma^2)}),
// by the trapezoid rule in x. The measure ends half a step beyond the last node, where the window has all but vanished
// and before a large tilt would outweigh it; `log_dropped` bounds the probability of what that leaves out. A core
// (lower = -inf) has nearly all the mass and is summed to second order, a jump has little of it and is summed as it is.
// Tilts > -1. Immutable after construction; const members may run on any thread.

#include <vector>

#include "hockeystick/loss_law.hpp"
#include "hockeystick/release_nodes.hpp"
#include "hockeystick/window.hpp"

namespace hockeystick::contour {

class WindowNodes final : public ReleaseNodes {
    friend class WindowDecay;

public:
    // 0 < q < 1. The ceiling of the demand is not used; log_dropped() is aimed at log_negligible. Throws accuracy_error
    // when too many nodes would be needed.
    WindowNodes(SubsampledGaussian law, const Window& window, const NodeDemand& demand, double log_negligible);

    // Upper bound on log E_P[window; x > end].
    double log_dropped() const { return log_dropped_; }

    // The rule in a strip |Im x| <= a, a chosen for each frequency; the two ends; the left tail; the identities.
    double inner_error(double tilt, double frequency, const Moment& at) const override;
    double real_error(double tilt, const Moment& at) const override;
    // WindowDecay's; 0 for a core. Certified either way.
    double log_decay(double tilt, double frequency, const Moment& at, bool certified) const override;

private:
    double log_density(double x, double tilt) const;
    double digits_of(const NodeDemand& demand) const;
    double log_beyond(double x) const;
    void end_at_valley(const NodeDemand& demand, double enough, double upper, double log_negligible);
    void choose_range(const NodeDemand& demand, double log_negligible);
    void choose_step(const NodeDemand& demand);
    void fill();

    std::vector<double> cells(double tilt, double log_moment) const;
    double log_rule(const std::vector<double>& cell_mass, double frequency, double half_width) const;
    double log_ends(double tilt, double frequency, double half_width) const;
    double log_left_tail(double tilt) const;
    double log_base_error() const;
    double log_best_rule(double tilt, double frequency, const Moment& at) const;

    SubsampledGaussian law_;
    Window window_;
    double variance_;           // sigma^2
    double sharpness_;          // 1 / sigma^2 + 1 / width^2
    double step_ = 0.0;         // of the trapezoid rule
    double half_width_ = 0.0;   // of the strip that the step was chosen with
    double first_index_ = 0.0;  // nodes at 1/2 + (first_index_ + j) step_
    double left_ = 0.0;         // half a step before the first node
    double right_ = 0.0;        // half a step beyond the last
    double log_dropped_ = 0.0;
    double base_error_ = 0.0;                               // log: of the sums for M(0) and M(-1), of a core
    std::vector<double> posterior_left_, posterior_right_;  // at the ends of the cells
};

}  // namespace hockeystick::contour
