// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/limits.hpp"

#include <algorithm>
#include <cmath>

#include "hockeystick/gaussian.hpp"

namespace hockeystick {
namespace {

// On the log of a sum of fewer than a thousand positive terms, each right to a few units of roundoff.
constexpr double k_sum_rounding = 1e-12;

// Root of sum T_i / sigma_i^2, rounded up: three roundings a term and one a sum.
double unamplified_mu_upper(std::span<const Term> terms) {
    double square = 0.0;
    for (const Term& term : terms) {
        square += static_cast<double>(term.count) / (term.law.noise_multiplier * term.law.noise_multiplier);
    }
    return std::sqrt(square) * (1.0 + (static_cast<double>(terms.size()) + 4.0) * k_unit_roundoff);
}

}  // namespace

double log_total_variation_upper(std::span<const Term> terms) {
    double sum = 0.0;
    for (const Term& term : terms) {
        const double log_one = subsampled_log_delta_bounds(0.0, term.law, Direction::remove).upper;
        sum += static_cast<double>(term.count) * std::exp(log_one);
    }
    return std::min(0.0, std::log(sum) + k_sum_rounding);
}

Interval epsilon_limits(std::span<const Term> terms, Direction direction, double log_delta) {
    if (log_delta >= log_total_variation_upper(terms)) return {0.0, 0.0};
    Interval limits{0.0, gaussian_epsilon_bounds(log_delta, unamplified_mu_upper(terms)).upper};
    for (const Term& term : terms) {
        limits.lower = std::max(limits.lower, subsampled_epsilon_bounds(log_delta, term.law, direction).lower);
    }
    return limits;
}

Interval log_delta_limits(std::span<const Term> terms, Direction direction, double epsilon) {
    Interval limits{-k_infinity, gaussian_log_delta_bounds(epsilon, unamplified_mu_upper(terms)).upper};
    for (const Term& term : terms) {
        limits.lower = std::max(limits.lower, subsampled_log_delta_bounds(epsilon, term.law, direction).lower);
    }
    return limits;
}

Interval both(const Interval& a, const Interval& b) { return {std::max(a.lower, b.lower), std::min(a.upper, b.upper)}; }

}  // namespace hockeystick
