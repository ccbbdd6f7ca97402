// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/laplace_law.hpp"

#include <cmath>

namespace hockeystick {
namespace {

// All by one function: P(L <= l) = e^{(l - S)/2} / 2 for l in [-S, S), and Q(L > l) = e^{-(l + S)/2} / 2.
class LaplaceLaw final : public LossLaw {
public:
    explicit LaplaceLaw(double greatest) : greatest_(greatest) {}

    TailMasses tails(double loss) const override {
        const double rounding = 8.0 * k_unit_roundoff * greatest_;
        if (loss < -greatest_ - rounding) return {0.0, 1.0, 0.0, 1.0, 0.0};
        if (loss >= greatest_ - rounding) return {1.0, 0.0, 1.0, 0.0, 0.0};
        const double p_below = 0.5 * std::exp(0.5 * (loss - greatest_));
        const double q_above = 0.5 * std::exp(-0.5 * (loss + greatest_));
        // exp, its argument, the halving, and an atom that may fall on either side of its own loss.
        const double relative_error = k_unit_roundoff * (4.0 + 16.0 * greatest_);
        return {p_below, 1.0 - p_below, 1.0 - q_above, q_above, relative_error};
    }
    double least_loss() const override { return -greatest_; }
    double greatest_loss() const override { return greatest_; }
    Spacing spacing() const override { return {greatest_, 2.0 * greatest_}; }

    // The atom, and the integral of the density e^{(l - S)/2} / 4, l in (loss, S).
    double log_tilted_mass_above_upper(double loss, double theta) const override {
        if (loss >= greatest_) return -k_infinity;
        const double from = std::fmax(loss, -greatest_);
        const double between = -std::expm1(-(0.5 + theta) * (greatest_ - from)) / (1.0 + 2.0 * theta);
        const double lowest = loss < -greatest_ ? 0.5 : 0.0;  // e^{-S - 2 theta S} at most
        return theta * greatest_ + std::log(0.5 + 0.5 * between + lowest) + 1e-14 * (1.0 + theta * greatest_);
    }
    double log_tilted_mass_below_upper(double loss, double theta) const override {
        return log_tilted_mass_above_upper(just_below(-loss), theta);
    }

    std::optional<ExponentialLoss> exponential_loss() const override {
        const double density = 0.25 * std::exp(-0.5 * greatest_);
        return ExponentialLoss{greatest_, density, 0.5, k_unit_roundoff * (4.0 + greatest_)};
    }

private:
    double greatest_;
};

}  // namespace

LawHandle laplace_law(double noise_multiplier) { return std::make_shared<LaplaceLaw>(1.0 / noise_multiplier); }

}  // namespace hockeystick
