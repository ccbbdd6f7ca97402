// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/replace_law.hpp"

#include <algorithm>
#include <cmath>

#include "hockeystick/gaussian_law.hpp"
#include "hockeystick/special.hpp"
#include "normal_tails.hpp"

namespace hockeystick {
namespace {

using detail::log_normal_tail_upper;
using detail::normal_tails;
using detail::NormalTails;

class PoissonReplaceLaw final : public LossLaw {
public:
    explicit PoissonReplaceLaw(const SubsampledGaussian& release)
        : release_(release), variance_(release.noise_multiplier * release.noise_multiplier) {}

    TailMasses tails(double loss) const override;
    double least_loss() const override { return -k_infinity; }
    double greatest_loss() const override { return k_infinity; }
    double log_tilted_mass_above_upper(double loss, double theta) const override;
    double log_tilted_mass_below_upper(double loss, double theta) const override {
        return log_tilted_mass_above_upper(-loss, theta);
    }
    // A mixture, by the same choice on both sides, of nothing and of the plain Gaussian at distance 2.
    double gaussian_mu() const override { return 2.0 / release_.noise_multiplier * (1.0 + 2.0 * k_unit_roundoff); }

private:
    double threshold(double loss) const {
        const double half = 0.5 * std::fabs(loss);
        const double q = release_.sampling_rate;
        double swing = 0.0;
        if (half > 0.0 && q < 1.0) {
            const double log_sinh = half > 20.0 ? half - std::log(2.0) : std::log(std::sinh(half));
            const double y = std::log1p(-q) - std::log(q) + 0.5 / variance_ + log_sinh;
            swing = y < 20.0 ? std::asinh(std::exp(y)) : logaddexp(y, 0.5 * logaddexp(0.0, 2.0 * y));
        }
        return std::copysign(variance_ * (half + swing), loss);
    }

    SubsampledGaussian release_;
    double variance_;
};

TailMasses PoissonReplaceLaw::tails(double loss) const {
    const double x = threshold(loss), s = release_.noise_multiplier, q = release_.sampling_rate;
    const NormalTails without = normal_tails(x / s);
    const NormalTails right = normal_tails((x - 1.0) / s);
    const NormalTails left = normal_tails((x + 1.0) / s);
    const double z = (std::fabs(x) + 1.0) / s;
    return {(1.0 - q) * without.below + q * right.below, (1.0 - q) * without.above + q * right.above,
            (1.0 - q) * without.below + q * left.below, (1.0 - q) * without.above + q * left.above,
            k_unit_roundoff * (8.0 + 3.0 * z * z)};
}

// Two bounds, the smaller serves: L is at most the loss of adding or removing the record minus log(1 - q), and at most
// 2 x / s^2 (x >= 0), that of the release on everything. Below 0 the loss is negative.
double PoissonReplaceLaw::log_tilted_mass_above_upper(double loss, double theta) const {
    if (loss < 0.0) return logaddexp(0.0, log_tilted_mass_above_upper(0.0, theta));
    const double x = threshold(loss), s = release_.noise_multiplier, q = release_.sampling_rate;
    if (std::isinf(x)) return -k_infinity;
    const auto plain = [&](double mean, double weight) {
        return std::log(weight) + 2.0 * theta * (mean + theta) / variance_ +
               log_normal_tail_upper((x - mean - 2.0 * theta) / s);
    };
    if (q == 1.0) return plain(1.0, 1.0);
    const double whole = logaddexp(plain(0.0, 1.0 - q), plain(1.0, q));
    const double base_loss = (x - 0.5) / variance_;
    const double one_sided = base_loss > 30.0 ? base_loss + std::log(q + (1.0 - q) * std::exp(-base_loss))
                                              : std::log1p(q * std::expm1(base_loss));
    const double sampled = GaussianLaw(release_, Direction::remove).log_tilted_mass_above_upper(one_sided, theta);
    return std::min(whole, sampled - theta * std::log1p(-q));
}

}  // namespace

LawHandle poisson_replace_law(const SubsampledGaussian& release) {
    return std::make_shared<PoissonReplaceLaw>(release);
}

}  // namespace hockeystick
