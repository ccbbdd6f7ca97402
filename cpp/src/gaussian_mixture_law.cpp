// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/gaussian_mixture_law.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "hockeystick/atoms_law.hpp"
#include "hockeystick/gaussian_law.hpp"
#include "hockeystick/sampled_law.hpp"
#include "normal_tails.hpp"

namespace hockeystick {
namespace {

using detail::log_normal_tail_upper;
using detail::normal_tails;
using detail::NormalTails;

constexpr int k_most_steps = 100;

// All shifts positive, in units of the noise.
class GaussianMixtureLaw final : public LossLaw {
public:
    GaussianMixtureLaw(std::vector<double> shifts, std::vector<double> probabilities)
        : shifts_(std::move(shifts)),
          probabilities_(std::move(probabilities)),
          greatest_shift_(*std::max_element(shifts_.begin(), shifts_.end())) {}

    TailMasses tails(double loss) const override;
    double least_loss() const override { return -k_infinity; }
    double greatest_loss() const override { return k_infinity; }
    double gaussian_mu() const override { return greatest_shift_ * (1.0 + 4.0 * k_unit_roundoff); }

    // e^L over the likelihood ratio of the greatest shift falls in x.
    double log_tilted_mass_above_upper(double loss, double theta) const override {
        const double x = threshold(loss), order = 1.0 + theta, c = greatest_shift_;
        return order * (loss - c * x + 0.5 * c * c) + 0.5 * theta * order * c * c +
               log_normal_tail_upper(x - order * c);
    }
    // e^{-L} is at most that of any one part: the best of them.
    double log_tilted_mass_below_upper(double loss, double theta) const override {
        const double x = threshold(loss);
        double best = k_infinity;
        for (std::size_t j = 0; j < shifts_.size(); ++j) {
            const double c = shifts_[j];
            best = std::min(best, -theta * std::log(probabilities_[j]) + 0.5 * theta * (1.0 + theta) * c * c +
                                      log_normal_tail_upper(-(x + theta * c)));
        }
        return best;
    }

private:
    struct LossAt {
        double value;
        double slope;
    };
    LossAt loss_at(double x) const;
    double threshold(double loss) const;

    std::vector<double> shifts_;
    std::vector<double> probabilities_;
    double greatest_shift_;
};

GaussianMixtureLaw::LossAt GaussianMixtureLaw::loss_at(double x) const {
    double largest = -k_infinity;
    for (const double c : shifts_) largest = std::max(largest, c * x - 0.5 * c * c);
    double sum = 0.0, slope = 0.0;
    for (std::size_t j = 0; j < shifts_.size(); ++j) {
        const double c = shifts_[j];
        const double part = probabilities_[j] * std::exp(c * x - 0.5 * c * c - largest);
        sum += part;
        slope += part * c;
    }
    return {largest + std::log(sum), slope / sum};
}

// Newton from the right of the root of a convex increasing function stays there and falls; what rounding does to it
// near the end is bisected away.
double GaussianMixtureLaw::threshold(double loss) const {
    double low = k_infinity, high = k_infinity;
    for (std::size_t j = 0; j < shifts_.size(); ++j) {
        const double c = shifts_[j];
        low = std::min(low, (loss + 0.5 * c * c) / c);
        high = std::min(high, (loss - std::log(probabilities_[j]) + 0.5 * c * c) / c);
    }
    double x = high;
    for (int step = 0; step < k_most_steps; ++step) {
        const LossAt at = loss_at(x);
        (at.value > loss ? high : low) = x;
        double next = x - (at.value - loss) / at.slope;
        if (!(next >= low && next <= high)) next = 0.5 * (low + high);
        if (std::fabs(next - x) <= 2.0 * k_unit_roundoff * std::fabs(next)) return next;
        x = next;
    }
    return x;
}

TailMasses GaussianMixtureLaw::tails(double loss) const {
    const double x = threshold(loss);
    const NormalTails without = normal_tails(x);
    TailMasses total{0.0, 0.0, without.below, without.above, 0.0};
    double z_squared = x * x;
    for (std::size_t j = 0; j < shifts_.size(); ++j) {
        const NormalTails with = normal_tails(x - shifts_[j]);
        total.p_below += probabilities_[j] * with.below;
        total.p_above += probabilities_[j] * with.above;
        z_squared = std::max(z_squared, (x - shifts_[j]) * (x - shifts_[j]));
    }
    total.relative_error = k_unit_roundoff * (8.0 + static_cast<double>(shifts_.size()) + 3.0 * z_squared);
    return total;
}

}  // namespace

LawHandle gaussian_mixture_law(double noise_std, const std::vector<double>& shifts,
                               const std::vector<double>& probabilities) {
    const double sum = std::accumulate(probabilities.begin(), probabilities.end(), 0.0);
    const bool proper = std::all_of(probabilities.begin(), probabilities.end(), [](double p) { return p > 0.0; }) &&
                        std::all_of(shifts.begin(), shifts.end(), [](double c) { return c >= 0.0; });
    if (shifts.size() != probabilities.size() || !proper || !(std::fabs(sum - 1.0) <= 1e-9)) {
        throw std::invalid_argument("probabilities must be positive, as many as the sensitivities, and sum to 1");
    }
    std::vector<double> moved, weights;
    double rate = 0.0;
    for (std::size_t j = 0; j < shifts.size(); ++j) {
        if (shifts[j] == 0.0) continue;
        moved.push_back(shifts[j] / noise_std);
        weights.push_back(probabilities[j]);
        rate += probabilities[j];
    }
    if (moved.empty()) return atoms_law({{0.0}, {0.0}});
    for (double& weight : weights) weight /= rate;
    const bool whole = moved.size() == shifts.size();
    LawHandle base;
    if (moved.size() == 1) {
        base = std::make_shared<GaussianLaw>(SubsampledGaussian{1.0 / moved.front(), 1.0}, Direction::remove);
    } else {
        base = std::make_shared<GaussianMixtureLaw>(std::move(moved), std::move(weights));
    }
    return whole ? base : poisson_law(base, std::min(rate, 1.0));
}

}  // namespace hockeystick
