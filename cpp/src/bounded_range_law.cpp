// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/bounded_range_law.hpp"

#include <cmath>

namespace hockeystick {
namespace {

// From the curve, P(L > l) = (1 - e^{(l - R)/2}) / (1 - e^{-R}); Q mirrors it.
class BoundedRangeLaw final : public LossLaw {
public:
    explicit BoundedRangeLaw(double range) : range_(range), scale_(-std::expm1(-range)) {}

    TailMasses tails(double loss) const override {
        if (loss <= -range_) return {0.0, 1.0, 0.0, 1.0, 0.0};
        if (loss >= range_) return {1.0, 0.0, 1.0, 0.0, 0.0};
        return {lower_tail(loss), upper_tail(loss), upper_tail(-loss), lower_tail(-loss),
                k_unit_roundoff * (12.0 + 4.0 * range_)};
    }
    double least_loss() const override { return -range_; }
    double greatest_loss() const override { return range_; }

    // The density of L under P is e^{(l - R)/2} / (2 (1 - e^{-R})).
    double log_tilted_mass_above_upper(double loss, double theta) const override {
        if (loss >= range_) return -k_infinity;
        const double rate = theta + 0.5;
        const double from = std::fmax(loss, -range_);
        const double log_integral = theta * range_ + std::log(-std::expm1(-rate * (range_ - from)) / rate);
        return log_integral - std::log(2.0 * scale_) + 1e-14 * (1.0 + theta * range_);
    }
    double log_tilted_mass_below_upper(double loss, double theta) const override {
        return log_tilted_mass_above_upper(just_below(-loss), theta);
    }

    std::optional<ExponentialLoss> exponential_loss() const override {
        const double density = 0.5 * std::exp(-0.5 * range_) / scale_;
        return ExponentialLoss{range_, density, 0.0, k_unit_roundoff * (12.0 + range_)};
    }

private:
    double upper_tail(double loss) const { return -std::expm1(0.5 * (loss - range_)) / scale_; }
    double lower_tail(double loss) const { return std::exp(-range_) * std::expm1(0.5 * (loss + range_)) / scale_; }

    double range_;
    double scale_;  // 1 - e^{-R}
};

}  // namespace

LawHandle bounded_range_law(double range) { return std::make_shared<BoundedRangeLaw>(range); }

}  // namespace hockeystick
