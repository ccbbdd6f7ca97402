// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "bracket.hpp"
#include "hockeystick/gaussian.hpp"

namespace hockeystick {
namespace {

using detail::Bracket;
using detail::next_down;
using detail::next_up;

constexpr double k_u = k_unit_roundoff;
constexpr double k_least_rate = 1e-300;

// log(1 + (e^eps - 1) / a), eps >= 0, a in (0, 1]: increasing in eps and 1/a, condition at most 1; relative error 8u.
double amplified(double epsilon, double a) {
    if (epsilon <= 1.0) {
        return std::log1p(std::expm1(epsilon) / a);
    }
    return epsilon - std::log(a) + std::log1p((a - 1.0) * std::exp(-epsilon));
}

constexpr double k_amplified_error = 10.0 * k_u;

// factor * delta0(amplified(eps, a)), one end. Everything is monotone, so ends of arguments give ends of results.
double scaled_end(double epsilon, double a, double mu, bool upper) {
    const double sign = upper ? -1.0 : 1.0;
    const double base = amplified(epsilon, a) * (1.0 + sign * k_amplified_error);
    const Bracket bracket = detail::gaussian_bracket(base, mu * (1.0 - sign * 2.0 * k_u));
    const double value = std::log(a) + (upper ? bracket.delta.upper : bracket.delta.lower);
    const double slack = 4.0 * k_u * std::abs(std::log(a));
    return upper ? std::min(0.0, next_up(value + slack)) : next_down(value - slack);
}

// eps >= 0, 0 < q < 1. Remove: q delta0(log(1 + (e^eps - 1)/q)). Add: A delta0(log(1 + (e^eps - 1)/A)) with
// A = q - (1 - q)(e^eps - 1), 0 where A <= 0; increasing in A, and A is known to 8 u q.
Bracket sampled(double epsilon, const SubsampledGaussian& law, Direction direction) {
    const double q = law.sampling_rate;
    const double mu = 1.0 / law.noise_multiplier;
    double low = q;
    double high = q;
    if (direction == Direction::add) {
        const double a = q - (1.0 - q) * std::expm1(epsilon);
        high = std::min(q, a + 8.0 * k_u * q);
        low = a - 8.0 * k_u * q;
        if (high <= 0.0) {
            return detail::k_zero;
        }
    }
    const double lower = low > 0.0 ? scaled_end(epsilon, low, mu, false) : -k_infinity;
    const Interval log_delta{lower, scaled_end(epsilon, high, mu, true)};
    return {log_delta, detail::complement_of(log_delta)};
}

void check(const SubsampledGaussian& law) {
    if (!(law.noise_multiplier >= 0.0)) {
        throw std::invalid_argument("noise_multiplier must be non-negative, got " +
                                    std::to_string(law.noise_multiplier));
    }
    if (!(law.sampling_rate == 0.0 || (law.sampling_rate >= k_least_rate && law.sampling_rate <= 1.0))) {
        throw std::invalid_argument("sampling_rate must be 0 or in [1e-300, 1], got " +
                                    std::to_string(law.sampling_rate));
    }
}

Bracket subsampled(double epsilon, const SubsampledGaussian& law, Direction direction) {
    if (std::isnan(epsilon)) {
        throw std::invalid_argument("epsilon must be a number, got nan");
    }
    if (epsilon == -k_infinity || law.sampling_rate == 0.0) {
        return detail::hinge(epsilon);
    }
    if (law.sampling_rate == 1.0) {
        const double mu = 1.0 / law.noise_multiplier;
        return detail::union_of(detail::gaussian_bracket(epsilon, mu * (1.0 - 2.0 * k_u)),
                                detail::gaussian_bracket(epsilon, mu * (1.0 + 2.0 * k_u)));
    }
    if (epsilon < 0.0) {
        const Direction other = direction == Direction::add ? Direction::remove : Direction::add;
        return detail::reversed(epsilon, sampled(-epsilon, law, other));
    }
    return sampled(epsilon, law, direction);
}

}  // namespace

Interval subsampled_log_delta_bounds(double epsilon, const SubsampledGaussian& law, Direction direction) {
    check(law);
    return subsampled(epsilon, law, direction).delta;
}

Interval subsampled_epsilon_bounds(double log_delta, const SubsampledGaussian& law, Direction direction) {
    detail::check_log_delta(log_delta);
    check(law);
    const bool bounded = direction == Direction::add && law.sampling_rate < 1.0;
    const double supremum = bounded ? -std::log1p(-law.sampling_rate) : k_infinity;
    if (log_delta == -k_infinity) {
        const bool nothing = law.sampling_rate == 0.0 || law.noise_multiplier == k_infinity;
        return nothing ? Interval{0.0, 0.0}
                       : Interval{next_down(supremum * (1.0 - 4.0 * k_u)), supremum * (1.0 + 4.0 * k_u)};
    }
    const auto profile = [&](double epsilon) { return subsampled(epsilon, law, direction).delta; };
    const double guess = std::min(2.0 * supremum, detail::epsilon_guess(log_delta, 1.0 / law.noise_multiplier));
    return detail::certified_epsilon(profile, log_delta, guess);
}

std::vector<Interval> subsampled_log_delta_bounds(std::span<const double> epsilons, const SubsampledGaussian& law,
                                                  Direction direction) {
    check(law);
    std::vector<Interval> bounds(epsilons.size());
    std::ranges::transform(epsilons, bounds.begin(),
                           [&](double epsilon) { return subsampled(epsilon, law, direction).delta; });
    return bounds;
}

}  // namespace hockeystick
