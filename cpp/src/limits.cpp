// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/limits.hpp"

#include <algorithm>
#include <cmath>

#include "hockeystick/gaussian.hpp"

namespace hockeystick {
namespace {

// Root of sum T_i / sigma_i^2, rounded up: three roundings a term and one a sum.
double unamplified_mu_upper(std::span<const Term> terms) {
    double square = 0.0;
    for (const Term& term : terms) {
        square += static_cast<double>(term.count) / (term.law.noise_multiplier * term.law.noise_multiplier);
    }
    return std::sqrt(square) * (1.0 + (static_cast<double>(terms.size()) + 4.0) * k_unit_roundoff);
}

}  // namespace

Interval epsilon_limits(std::span<const Term> terms, Direction direction, double log_delta) {
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
