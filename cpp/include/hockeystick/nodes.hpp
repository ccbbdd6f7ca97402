// SPDX-License-Identifier: Apache-2.0
#pragma once

// The Poisson-subsampled Gaussian in nodes (release_nodes.hpp): those of the trapezoid rule on the axis x of the noise,
// P = N(0, sigma^2) or the mixture, and l(x) = log(1 - q + q e^{(2x - 1) / (2 sigma^2)}):
//   remove: M(z) = E_N0[e^{s l}], s = 1 + z;   add: M(z) = E_N0[e^{s l}], s = -z.
// z = tilt + i frequency. The nodes serve any tilt, but the errors below are small only in the range they were made
// for. Immutable after construction; const members may run on any thread. u = 2^-53.

#include <cstddef>
#include <vector>

#include "hockeystick/loss_law.hpp"
#include "hockeystick/release_nodes.hpp"
#include "hockeystick/strip_kernel.hpp"

namespace hockeystick::contour {

// log P(x > ceiling) of one release.
double log_mass_beyond(const SubsampledGaussian& law, Direction direction, double ceiling);

class SubsampledNodes final : public ReleaseNodes {
public:
    // 0 < q < 1. Throws accuracy_error when more than 50 000 nodes would be needed.
    SubsampledNodes(SubsampledGaussian law, Direction direction, const NodeDemand& demand);

    // The rule itself (optimised strip), the tails left out, the identities.
    double inner_error(double tilt, double frequency, const Moment& at) const override;
    double real_error(double tilt, const Moment& at) const override;
    // By moving the x axis into the complex plane.
    double log_decay(double tilt, double frequency, const Moment& at, bool certified) const override;

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
    double log_modulus_bound(double power, double angle) const;
    void fill();

    double log_rule_error(double half_width, double log_mass) const;
    double log_base_error() const;
    double log_right_tail(double power, double x) const;
    struct Knot {
        double x, loss, log_density;  // l(x), and the log of N0 e^{power l}
    };
    Knot knot(double x, double power) const;
    double log_right_segment(double power, const Knot& from, const Knot& to, double enough, int depth) const;
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
    struct DecayNodes {
        std::vector<double> weight, posterior;
        double mean_posterior = 0.0;
    };
    DecayNodes decay_nodes(double tilt, const Moment& at) const;
    double log_strip_mass(double tilt, double frequency, double half_width, double log_moment) const;

    SubsampledGaussian law_;
    Direction direction_;
    double variance_;          // sigma^2
    double step_ = 0.0;        // of the trapezoid rule in x
    double half_width_ = 0.0;  // strip for the inner rule that the step was chosen with
    double first_x_ = 0.0;     // nodes at 1/2 + (first_index_ + j) step_
    long long first_index_ = 0;
    bool truncated_ = false;  // the measure ends at a ceiling, half a step beyond the last node
    std::vector<double> posterior_;
};

}  // namespace hockeystick::contour
