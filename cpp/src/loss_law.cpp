// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/loss_law.hpp"

#include <algorithm>
#include <cmath>

namespace hockeystick {
namespace {

constexpr double k_inverse_sqrt_2 = 0.70710678118654752440;

// The x at which the remove loss equals `loss`: -inf at and below its infimum log(1 - q).
double threshold(const SubsampledGaussian& law, double loss) {
    const double variance = law.noise_multiplier * law.noise_multiplier;
    if (law.sampling_rate == 1.0) return variance * loss + 0.5;
    const double excess = std::expm1(loss) / law.sampling_rate;
    if (excess <= -1.0) return -k_infinity;
    if (std::isinf(excess)) return variance * (loss - std::log(law.sampling_rate)) + 0.5;
    return variance * std::log1p(excess) + 0.5;
}

struct NormalTails {
    double below;
    double above;
};

// The smaller side by erfc, the larger by complement, so both keep their relative accuracy.
NormalTails normal_tails(double z) {
    const double small = 0.5 * std::erfc(std::fabs(z) * k_inverse_sqrt_2);
    return z >= 0.0 ? NormalTails{1.0 - small, small} : NormalTails{small, 1.0 - small};
}

// Upper bound on log Phi(-t).
double log_normal_tail_upper(double t) { return t > 0.0 ? -0.5 * t * t - 0.69314718055994531 : 0.0; }

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

TailMasses tail_masses(const SubsampledGaussian& law, Direction direction, double loss) {
    if (direction == Direction::remove) return remove_tail_masses(law, loss);
    // The add loss is minus the remove loss, with P and Q exchanged.
    const TailMasses mirrored = remove_tail_masses(law, -loss);
    return {mirrored.q_above, mirrored.q_below, mirrored.p_above, mirrored.p_below, mirrored.relative_error};
}

double least_loss(const SubsampledGaussian& law, Direction direction) {
    return direction == Direction::remove ? std::log1p(-law.sampling_rate) : -k_infinity;
}

double greatest_loss(const SubsampledGaussian& law, Direction direction) {
    return direction == Direction::add ? -std::log1p(-law.sampling_rate) : k_infinity;
}

double probability_cap(const SubsampledGaussian& law, Direction direction, double log_probability) {
    constexpr double least_log = -600.0;
    if (log_probability < least_log) return k_infinity;
    const double probability = std::exp(log_probability);
    double low = 0.0, high = 1e-12;
    while (tail_masses(law, direction, high).p_above > probability && high < 1e12) {
        low = high;
        high *= 2.0;
    }
    for (int step = 0; step < 8; ++step) {
        const double middle = 0.5 * (low + high);
        (tail_masses(law, direction, middle).p_above > probability ? low : high) = middle;
    }
    return high;
}

double log_tilted_mass_above_upper(const SubsampledGaussian& law, Direction direction, double loss, double theta) {
    return direction == Direction::remove ? log_tilted_remove(law, loss, theta) : log_tilted_add(law, loss, theta);
}

}  // namespace hockeystick
