// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/gaussian_law.hpp"

#include <algorithm>
#include <cmath>

#include "hockeystick/gaussian.hpp"
#include "normal_tails.hpp"

namespace hockeystick {
namespace {

using detail::log_normal_tail_upper;
using detail::normal_tails;
using detail::NormalTails;

// The x at which the remove loss equals `loss`: -inf at and below its infimum log(1 - q).
double threshold(const SubsampledGaussian& law, double loss) {
    const double variance = law.noise_multiplier * law.noise_multiplier;
    if (law.sampling_rate == 1.0) return variance * loss + 0.5;
    const double excess = std::expm1(loss) / law.sampling_rate;
    if (excess <= -1.0) return -k_infinity;
    if (std::isinf(excess)) return variance * (loss - std::log(law.sampling_rate)) + 0.5;
    return variance * std::log1p(excess) + 0.5;
}

TailMasses remove_tail_masses(const SubsampledGaussian& law, double loss) {
    const double x = threshold(law, loss);
    if (std::isinf(x)) {
        return x < 0.0 ? TailMasses{0.0, 1.0, 0.0, 1.0, 0.0} : TailMasses{1.0, 0.0, 1.0, 0.0, 0.0};
    }
    const double z_without = x / law.noise_multiplier;
    const double z_with = (x - 1.0) / law.noise_multiplier;
    const NormalTails without = normal_tails(z_without);
    const NormalTails with = normal_tails(z_with);
    const double q = law.sampling_rate;
    // Arguments carry three roundings, each worth z^2 in a tail; erfc, the mixture and the halving another eight.
    const double z_squared = std::max(z_without * z_without, z_with * z_with);
    const double relative_error = k_unit_roundoff * (8.0 + 3.0 * z_squared);
    return {(1.0 - q) * without.below + q * with.below, (1.0 - q) * without.above + q * with.above, without.below,
            without.above, relative_error};
}

double log_tilted_remove(const SubsampledGaussian& law, double loss, double theta) {
    const double x = threshold(law, loss);
    if (std::isinf(x)) return x > 0.0 ? -k_infinity : k_infinity;
    const double variance = law.noise_multiplier * law.noise_multiplier;
    // e^L / r falls in x, so above the threshold e^L <= r e^{loss - L0}; then complete the square.
    const double base_loss = (x - 0.5) / variance;
    const double order = 1.0 + theta;
    return order * (loss - base_loss) + theta * order / (2.0 * variance) +
           log_normal_tail_upper((x - order) / law.noise_multiplier);
}

double log_tilted_add(const SubsampledGaussian& law, double loss, double theta) {
    const double x = threshold(law, -loss);
    if (x == -k_infinity) return -k_infinity;
    const double variance = law.noise_multiplier * law.noise_multiplier;
    // L is at most -log(1 - q), and at most -log q - L0: two bounds, the smaller serves.
    const double shifted = -theta * std::log(law.sampling_rate) + theta * (1.0 + theta) / (2.0 * variance) +
                           log_normal_tail_upper(-(x + theta) / law.noise_multiplier);
    if (law.sampling_rate == 1.0) return shifted;
    const double bounded = -theta * std::log1p(-law.sampling_rate) + log_normal_tail_upper(-x / law.noise_multiplier);
    return std::min(shifted, bounded);
}

}  // namespace

GaussianLaw::GaussianLaw(const SubsampledGaussian& release, Direction direction)
    : release_(release), direction_(direction) {}

TailMasses GaussianLaw::tails(double loss) const {
    if (direction_ == Direction::remove) return remove_tail_masses(release_, loss);
    // The add loss is minus the remove loss, with P and Q exchanged.
    const TailMasses mirrored = remove_tail_masses(release_, -loss);
    return {mirrored.q_above, mirrored.q_below, mirrored.p_above, mirrored.p_below, mirrored.relative_error};
}

double GaussianLaw::least_loss() const {
    return direction_ == Direction::remove ? std::log1p(-release_.sampling_rate) : -k_infinity;
}

double GaussianLaw::greatest_loss() const {
    return direction_ == Direction::add ? -std::log1p(-release_.sampling_rate) : k_infinity;
}

double GaussianLaw::log_tilted_mass_above_upper(double loss, double theta) const {
    return direction_ == Direction::remove ? log_tilted_remove(release_, loss, theta)
                                           : log_tilted_add(release_, loss, theta);
}

double GaussianLaw::log_tilted_mass_below_upper(double loss, double theta) const {
    return direction_ == Direction::remove ? log_tilted_add(release_, -loss, theta)
                                           : log_tilted_remove(release_, -loss, theta);
}

// A subsampled release is a mixture of releases that the plain one dominates.
double GaussianLaw::gaussian_mu() const { return 1.0 / release_.noise_multiplier * (1.0 + 2.0 * k_unit_roundoff); }

Interval GaussianLaw::log_delta_bounds(double epsilon) const {
    return subsampled_log_delta_bounds(epsilon, release_, direction_);
}

std::vector<LawTerm> laws_of(std::span<const Term> terms, Direction direction) {
    std::vector<LawTerm> laws;
    for (const Term& term : terms) laws.push_back({std::make_shared<GaussianLaw>(term.law, direction), term.count});
    return laws;
}

std::vector<std::vector<LawTerm>> laws_of(std::span<const Term> terms, std::span<const Direction> directions) {
    std::vector<std::vector<LawTerm>> laws;
    for (const Direction direction : directions) laws.push_back(laws_of(terms, direction));
    return laws;
}

}  // namespace hockeystick
