// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "hockeystick/loss_law.hpp"
#include "hockeystick/release_nodes.hpp"

namespace hockeystick::contour {

// A release of bounded loss with a density, Laplace noise or bounded range, perhaps on a Poisson sample
// (ExponentialLoss): its two atoms as they are, and Gauss-Legendre nodes in the loss l0 before sampling for the
// density,
//   int density e^{-l0 / 2} (1 - q + q e^{l0})^s dl0,   s = 1 + z (remove) or -z (add).
// The integrand is analytic for |Im l0| < pi (for q = 1 everywhere), so the rule converges exponentially.
class ExponentialNodes final : public ReleaseNodes {
public:
    // Throws accuracy_error when more nodes would be needed than the rules have.
    ExponentialNodes(const ExponentialLoss& law, const NodeDemand& demand);

    double inner_error(double tilt, double frequency, const Moment& at) const override;
    double real_error(double tilt, const Moment& at) const override;
    // On the nodes up to the frequency where the density's part has fallen to a small share (log_transform_bound);
    // beyond, the atoms' share and the density's total variation over t.
    double log_decay(double tilt, double frequency, const Moment& at, bool certified) const override;

private:
    double power(double tilt) const { return law_.reversed ? -tilt : 1.0 + tilt; }
    double loss(double base_loss) const;
    double log_density(double base_loss, double tilt) const;
    double log_ellipse(double log_rho, double tilt, double frequency) const;
    // What the rule needs of the integrand at z = tilt + it, |t| <= frequency, whatever its order: log rho, and the log
    // of the largest modulus, of a few ellipses.
    struct Ellipse {
        double log_rho;
        double largest;
    };
    using Ellipses = std::array<Ellipse, 5>;
    Ellipses ellipses(double tilt, double frequency) const;
    double log_rule_error(const Ellipses& ellipses) const;
    // What bounds |M(tilt + it)| for large t, relative to e^{log_moment}: atoms, and of the density what is cut off at
    // its left end plus the variation of the rest over t, for several cuts.
    static constexpr std::size_t k_cuts = 8;
    struct Tail {
        double atoms;
        std::array<double, k_cuts> cut, variation;
    };
    Tail tail(double tilt, double log_moment) const;
    static double log_beyond(const Tail& tail, double frequency);
    double log_density_mass_lower(double tilt) const;
    double log_moment_lower(double tilt) const;
    double far_frequency(double tilt) const;
    void fill(std::size_t which);

    ExponentialLoss law_;
    std::size_t order_ = 0;    // nodes of the rule
    double longest_ = 0.0;     // frequency that the nodes are made for
    double base_error_ = 0.0;  // of the sums for M(0) and M(-1)
};

}  // namespace hockeystick::contour
