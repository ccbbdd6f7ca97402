// SPDX-License-Identifier: Apache-2.0
#pragma once

// A mechanism as the contour engine sees it: M(z) = E_P[e^{zL}] as a finite sum of weighted losses, sum_j w_j e^{z
// l_j}, with a bound on what the sum leaves out. For a Poisson-subsampled Gaussian the nodes are those of the trapezoid
// rule on the axis x of the noise, P = N(0, sigma^2) or the mixture, and l(x) = log(1 - q + q e^{(2x - 1) / (2
// sigma^2)}):
//   remove: M(z) = E_N0[e^{s l}], s = 1 + z;   add: M(z) = E_N0[e^{s l}], s = -z.
// z = tilt + i frequency. The nodes serve any tilt, but the errors below are small only in the range they were made
// for. Immutable after construction; const members may run on any thread. u = 2^-53.

#include <cstddef>
#include <vector>

#include "hockeystick/contour_kernel.hpp"
#include "hockeystick/loss_law.hpp"
#include "hockeystick/strip_kernel.hpp"

namespace hockeystick::contour {

// What nodes are made for.
struct NodeDemand {
    double tilt;        // the tilt of the contour
    double tilt_lower;  // tilts at which M is needed on the real axis to a few digits
    double tilt_upper;
    double frequency;             // largest |Im z|
    double log_moment;            // estimate of K(tilt)
    double log_relative_error;    // of M(z), relative to M(tilt)
    double ceiling = k_infinity;  // outcomes x from it, or from somewhere beyond it, on are left out of the measure,
                                  // with what probability is the caller's to bound: log_mass_beyond
};

// log P(x > ceiling) of one release.
double log_mass_beyond(const SubsampledGaussian& law, Direction direction, double ceiling);

// K = log M and its derivatives at a real tilt, estimates: right up to inner_error and rounding.
struct Moment {
    double value;
    double first;
    double second;
};

// Bounds on the rounding error of a Moment (value, first) and of a tilted second moment sum w (l - K')^2 (second): the
// error of sum_j w_j (e^{iy} - 1 - iy) that comes from weights and losses is at most second * t^2 / 2.
struct MomentError {
    double value;
    double first;
    double second;
};

class SubsampledNodes {
public:
    // 0 < q < 1. Throws accuracy_error when more than 50 000 nodes would be needed.
    SubsampledNodes(SubsampledGaussian law, Direction direction, const NodeDemand& demand);

    std::size_t size() const { return size_; }
    NodeArrays arrays() const { return {log_weight_, loss_, weight_, reverse_excess_}; }

    Moment moment(double tilt) const;
    MomentError rounding(double tilt, const Moment& at) const;

    // Bound on |sum_j w_j e^{z l_j} - M(z)| / M(tilt) for |Im z| <= frequency, with the identities M(0) = M(-1) = 1
    // used as the kernel uses them: the rule itself (optimised strip), the tails left out, the identities. +inf where
    // the range of nodes does not serve the tilt.
    double inner_error(double tilt, double frequency, const Moment& at) const;
    // inner_error on the real axis, without the identities: for a bound on M(tilt) where nothing cancels.
    double real_error(double tilt, const Moment& at) const;

    // Upper bound on log |M(tilt + it) / M(tilt)| for every t >= frequency, by moving the x axis into the complex
    // plane. certified = false leaves out the error of its own sum: an estimate, for nodes not made for this.
    double log_decay(double tilt, double frequency, const Moment& at, bool certified) const;

private:
    double tilt_power(double tilt) const { return direction_ == Direction::remove ? 1.0 + tilt : -tilt; }
    double log_likelihood(double x) const;
    double log_density(double x, double power) const;
    double posterior(double x) const;
    struct MassPoints {
        std::vector<double> log_mass;
        std::vector<double> posterior;
    };
    MassPoints mass_points(double left, double right, const NodeDemand& demand, double log_least) const;
    void choose_step(const NodeDemand& demand);
    void choose_range(const NodeDemand& demand);
    double valley(double ceiling, double power) const;
    void fill();

    double log_rule_error(double half_width, double log_mass) const;
    double log_base_error() const;
    double log_right_tail(double power, double x) const;
    double log_right_segment(double power, double from, double to, int depth) const;
    double log_tilted_right_tail(double power, double x) const;
    double log_left_tail(double power, double x) const;
    struct Strip {
        double power;
        double frequency;
        double angle;   // half width / sigma^2
        double widest;  // log of the largest |.|^power
        StripShape shape() const { return {power, frequency, angle}; }
    };
    Strip strip_at(double tilt, double frequency, double half_width) const;
    double log_cell(const Strip& strip, double largest, double width, double p_left, double p_right) const;
    double log_outside_mass(const Strip& strip, double log_enough) const;
    double log_inside_mass(const Strip& strip, double tilt, double log_moment) const;
    double log_edges(const Strip& strip) const;
    double log_strip_mass(double tilt, double frequency, double half_width, double log_moment) const;

    SubsampledGaussian law_;
    Direction direction_;
    double variance_;          // sigma^2
    double step_ = 0.0;        // of the trapezoid rule in x
    double half_width_ = 0.0;  // strip for the inner rule that the step was chosen with
    double first_x_ = 0.0;     // nodes at 1/2 + (first_index_ + j) step_
    long long first_index_ = 0;
    bool truncated_ = false;  // the measure ends at a ceiling, half a step beyond the last node
    std::size_t size_ = 0;    // without padding
    std::vector<double> log_weight_, loss_, weight_, reverse_excess_;
    std::vector<double> weight_error_, loss_error_, posterior_;
};

}  // namespace hockeystick::contour
