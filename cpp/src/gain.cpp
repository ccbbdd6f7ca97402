// SPDX-License-Identifier: Apache-2.0
// TPR - FPR of a curve, a sum of what is positive.
#include <algorithm>

#include "hockeystick/tradeoff.hpp"
#include "rounding.hpp"

namespace hockeystick {

double log_gain(const EnvelopeView& curve, std::size_t line, double log_alpha) {
    const double eps = curve.epsilon[line];
    const double part = eps == 0.0 ? -k_infinity : log_alpha + detail::log_expm1(eps);
    return detail::log_plus(curve.log_delta[line], part, detail::k_u * (2.0 * detail::magnitude(part) + 8.0),
                            detail::other(curve.side));
}

double log_diagonal(const EnvelopeView& curve) { return curve.log_complement[0] - detail::k_log_2; }

// Of a lower curve any line bounds; of an upper curve the least line counts, and as the gains along the lines fall and
// then rise, up to rounding, going on from the place until one is clearly higher meets it.
double log_gain_bound(const EnvelopeView& curve, double log_alpha) {
    const std::size_t start = place_of(curve, log_alpha).line;
    if (log_alpha > log_diagonal(curve)) {
        return curve.side == Side::lower ? curve.log_delta[0] : -k_infinity;
    }
    double least = log_gain(curve, start, log_alpha);
    const auto clearly_higher = [&](std::size_t line) {
        const double gain = log_gain(curve, line, log_alpha);
        const bool higher = gain > least + detail::k_clearly;
        least = std::min(least, gain);
        return higher;
    };
    for (std::size_t line = start + 1; line < curve.epsilon.size() && !clearly_higher(line); ++line) {
    }
    for (std::size_t line = start; line > 0 && !clearly_higher(line - 1); --line) {
    }
    return least;
}

std::vector<double> log_gains_at(const EnvelopeView& curve, std::span<const double> log_alphas) {
    std::vector<double> gains(log_alphas.size());
    std::ranges::transform(log_alphas, gains.begin(),
                           [&](double log_alpha) { return log_gain_bound(curve, log_alpha); });
    return gains;
}

}  // namespace hockeystick
