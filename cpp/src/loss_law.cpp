// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/loss_law.hpp"

#include <algorithm>
#include <cmath>

#include "bracket.hpp"
#include "hockeystick/special.hpp"

namespace hockeystick {

double just_below(double loss) { return loss - std::max(32.0 * k_unit_roundoff * std::fabs(loss), 1e-300); }

bool is_atomic(const LossLaw& law) { return !law.atoms().empty() || law.infinity_mass().lower == 1.0; }

namespace {

constexpr double k_log_underflow = -690.0;

// The test L > epsilon' with epsilon' within some roundings of epsilon: its advantage is at most delta, and short of it
// by no more than those roundings of the masses between. Where delta is nearly 1, 1 - delta is what is formed.
Interval log_delta_at(const LossLaw& law, double epsilon) {
    const Interval infinite = law.infinity_mass();
    const double greatest = law.greatest_loss();
    if (epsilon >= greatest + 64.0 * k_unit_roundoff * std::fabs(greatest)) {
        return {std::log(infinite.lower), std::log(infinite.upper)};
    }
    const TailMasses at = law.tails(epsilon);
    const double scaled = std::exp(std::min(epsilon, 700.0)) * at.q_above;
    const double relative = at.relative_error + k_unit_roundoff * (8.0 + 40.0 * std::fabs(epsilon));
    const double value = at.p_above - scaled;
    const double error = relative * (at.p_above + scaled);
    const double lower = value - error + infinite.lower;
    Interval log_delta{std::log(lower > 0.0 ? lower : infinite.lower),
                       std::log(std::max(value + error, 0.0) + infinite.upper)};
    if (at.p_above == 0.0) {
        // Right to its relative error, so at most what underflows; the law's own bound may know better.
        const double above = std::min(k_log_underflow, law.log_tilted_mass_above_upper(epsilon, 0.0));
        log_delta.upper = logaddexp(std::log(infinite.upper), above);
    }
    const double rest = at.p_below + scaled;
    if (rest < 0.5) {
        log_delta.lower = std::max(log_delta.lower, std::log1p(-rest * (1.0 + relative)));
        log_delta.upper = std::min(log_delta.upper, std::log1p(-rest * (1.0 - relative)));
    }
    return log_delta;
}

}  // namespace

Interval LossLaw::log_delta_bounds(double epsilon) const {
    const double error = loss_error();
    Interval log_delta = log_delta_at(*this, epsilon - error);
    if (error > 0.0) log_delta.lower = log_delta_at(*this, epsilon + error).lower;
    const double rounding = 4.0 * k_unit_roundoff;
    return {log_delta.lower * (1.0 + rounding), std::min(log_delta.upper * (1.0 - rounding), 0.0)};
}

std::vector<Interval> log_delta_bounds(const LossLaw& law, std::span<const double> epsilons) {
    std::vector<Interval> bounds;
    for (const double epsilon : epsilons) bounds.push_back(law.log_delta_bounds(epsilon));
    return bounds;
}

Interval epsilon_bounds(const LossLaw& law, double log_delta) {
    const double greatest = law.greatest_loss();
    const double guess = std::isfinite(greatest) ? std::max(greatest, 1e-280) : std::max(1.0, -log_delta);
    return detail::certified_epsilon([&](double epsilon) { return law.log_delta_bounds(epsilon); }, log_delta, guess);
}

double probability_cap(const LossLaw& law, double log_probability) {
    constexpr double least_log = -600.0;
    if (log_probability < least_log) return k_infinity;
    const double probability = std::exp(log_probability);
    double low = 0.0, high = 1e-12;
    while (law.tails(high).p_above > probability && high < 1e12) {
        low = high;
        high *= 2.0;
    }
    for (int step = 0; step < 8; ++step) {
        const double middle = 0.5 * (low + high);
        (law.tails(middle).p_above > probability ? low : high) = middle;
    }
    return high;
}

}  // namespace hockeystick
