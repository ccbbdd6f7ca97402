// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/limits.hpp"

#include <algorithm>
#include <cmath>

#include "hockeystick/gaussian.hpp"
#include "hockeystick/gaussian_law.hpp"
#include "hockeystick/interrupt.hpp"
#include "hockeystick/renyi.hpp"
#include "hockeystick/special.hpp"

namespace hockeystick {
namespace {

// On the log of a sum of fewer than a thousand positive terms, each right to a few units of roundoff.
constexpr double k_sum_rounding = 1e-12;

// Root of the sum of T_i mu_i^2, rounded up: two roundings a term and one a sum.
double unamplified_mu_upper(std::span<const LawTerm> terms) {
    double square = 0.0;
    for (const LawTerm& term : terms) {
        const double mu = term.law->gaussian_mu();
        square += static_cast<double>(term.count) * mu * mu;
    }
    return std::sqrt(square) * (1.0 + (static_cast<double>(terms.size()) + 4.0) * k_unit_roundoff);
}

// The same of the plain Gaussians alone, rounded down: what they compose to, with all the others left out.
double plain_mu_lower(std::span<const LawTerm> terms) {
    double square = 0.0;
    for (const LawTerm& term : terms) {
        const auto* gaussian = dynamic_cast<const GaussianLaw*>(term.law.get());
        if (!gaussian || gaussian->release().sampling_rate < 1.0) continue;
        const double mu = 1.0 / gaussian->release().noise_multiplier;
        square += static_cast<double>(term.count) * mu * mu;
    }
    return std::sqrt(square) * (1.0 - (static_cast<double>(terms.size()) + 6.0) * k_unit_roundoff);
}

// Pinsker's inequality, delta(0) <= sqrt(KL / 2), rounded up; +inf where a law's divergence is not known in closed
// form.
double pinsker_upper(std::span<const LawTerm> terms) {
    constexpr double order = 1.0;
    double divergence = 0.0;
    for (const LawTerm& term : terms) {
        const auto* gaussian = dynamic_cast<const GaussianLaw*>(term.law.get());
        if (!gaussian) return k_infinity;
        divergence += static_cast<double>(term.count) *
                      renyi_bounds(gaussian->release(), gaussian->direction(), std::span(&order, 1))[0].upper;
    }
    return std::sqrt(0.5 * divergence) * (1.0 + (static_cast<double>(terms.size()) + 4.0) * k_unit_roundoff);
}

// log(1 - prod (1 - p)^T) of one side of the brackets; `slack` rounds outward.
double log_mass(std::span<const LawTerm> terms, double Interval::* side, double slack) {
    double log_rest = 0.0;
    for (const LawTerm& term : terms) {
        log_rest += static_cast<double>(term.count) * std::log1p(-(term.law->infinity_mass().*side));
    }
    if (log_rest == 0.0) return -k_infinity;
    return std::min(log1mexp(log_rest * (1.0 + slack)), 0.0) * (1.0 - slack);
}

}  // namespace

Interval log_infinity_mass(std::span<const LawTerm> terms) {
    const double slack = (static_cast<double>(terms.size()) + 8.0) * k_unit_roundoff;
    return {log_mass(terms, &Interval::lower, -slack), log_mass(terms, &Interval::upper, slack)};
}

double greatest_total_loss(std::span<const LawTerm> terms) {
    double total = 0.0, magnitude = 0.0;
    for (const LawTerm& term : terms) {
        const double loss = static_cast<double>(term.count) * (term.law->greatest_loss() + term.law->loss_error());
        total += loss;
        magnitude += std::fabs(loss);
    }
    return std::isinf(total) ? k_infinity
                             : total + 16.0 * k_unit_roundoff * (1.0 + static_cast<double>(terms.size())) * magnitude;
}

double log_total_variation_upper(std::span<const LawTerm> terms) {
    double sum = 0.0;
    for (const LawTerm& term : terms) {
        sum += static_cast<double>(term.count) * std::exp(term.law->log_delta_bounds(0.0).upper);
    }
    return std::min(0.0, std::log(std::min(sum, pinsker_upper(terms))) + k_sum_rounding);
}

Interval epsilon_limits(std::span<const LawTerm> terms, double log_delta) {
    const Interval infinite = log_infinity_mass(terms);
    if (log_delta >= log_total_variation_upper(terms)) return {0.0, 0.0};
    if (log_delta < infinite.lower) return {k_infinity, k_infinity};
    Interval limits{0.0, k_infinity};
    if (log_delta >= infinite.upper) {
        limits.upper = std::max(greatest_total_loss(terms), 0.0);
    }
    const double mu = unamplified_mu_upper(terms);
    if (std::isfinite(mu)) limits.upper = std::min(limits.upper, gaussian_epsilon_bounds(log_delta, mu).upper);
    if (const double plain = plain_mu_lower(terms); plain > 0.0) {
        limits.lower = gaussian_epsilon_bounds(log_delta, plain).lower;
    }
    for (const LawTerm& term : terms) {
        limits.lower = std::max(limits.lower, epsilon_bounds(*term.law, log_delta).lower);
    }
    return limits;
}

std::vector<Interval> log_delta_limits(std::span<const LawTerm> terms, std::span<const double> epsilons) {
    const Interval infinite = log_infinity_mass(terms);
    const double greatest = greatest_total_loss(terms);
    const double variation = log_total_variation_upper(terms);
    const double mu = unamplified_mu_upper(terms), plain = plain_mu_lower(terms);
    std::vector<Interval> result;
    for (const double epsilon : epsilons) {
        poll();
        if (epsilon >= greatest || infinite.lower == 0.0) {
            result.push_back(infinite);
            continue;
        }
        Interval limits{infinite.lower, variation};
        // No finite loss adds more than 1 - e^{epsilon - greatest}.
        if (std::isfinite(greatest)) {
            limits.upper = std::min(limits.upper, logaddexp(infinite.upper, log1mexp(epsilon - greatest)) + 1e-12);
        }
        if (std::isfinite(mu)) limits.upper = std::min(limits.upper, gaussian_log_delta_bounds(epsilon, mu).upper);
        if (plain > 0.0) limits.lower = std::max(limits.lower, gaussian_log_delta_bounds(epsilon, plain).lower);
        for (const LawTerm& term : terms) {
            limits.lower = std::max(limits.lower, term.law->log_delta_bounds(epsilon).lower);
        }
        result.push_back(limits);
    }
    return result;
}

Interval pure_epsilon_bounds(std::span<const std::vector<LawTerm>> directions) {
    Interval largest{0.0, 0.0};
    for (const std::vector<LawTerm>& terms : directions) {
        const Interval infinite = log_infinity_mass(terms);
        const double upper = greatest_total_loss(terms);
        double magnitude = 0.0;
        for (const LawTerm& term : terms) {
            magnitude +=
                static_cast<double>(term.count) * (std::fabs(term.law->greatest_loss()) + 2.0 * term.law->loss_error());
        }
        const double lower =
            std::isinf(upper) ? upper
                              : upper - 64.0 * k_unit_roundoff * (1.0 + static_cast<double>(terms.size())) * magnitude;
        largest.lower = std::max(largest.lower, infinite.lower > -k_infinity ? k_infinity : lower);
        largest.upper = std::max(largest.upper, infinite.upper > -k_infinity ? k_infinity : upper);
    }
    return largest;
}

Interval both(const Interval& a, const Interval& b) { return {std::max(a.lower, b.lower), std::min(a.upper, b.upper)}; }

}  // namespace hockeystick
