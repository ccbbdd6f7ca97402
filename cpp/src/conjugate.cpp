// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/conjugate.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "rounding.hpp"

namespace hockeystick {
namespace {

using detail::k_u;
using detail::log_expm1;
using detail::log_minus;
using detail::log_plus;
using detail::magnitude;
using detail::other;

// delta between lines j and j + 1: the weighted mean, in x = e^eps, of theirs; weights (x_{j+1} - x) and (x - x_j) over
// (x_{j+1} - x_j), each a difference of epsilons (exact to u each) under log(1 - e^.).
double between(const EnvelopeView& curve, std::size_t j, double epsilon, Side side) {
    const double before = epsilon - curve.epsilon[j];
    const double after = curve.epsilon[j + 1] - epsilon;
    const double width = curve.epsilon[j + 1] - curve.epsilon[j];
    if (before <= 0.0 || after <= 0.0) {
        return curve.log_delta[before <= 0.0 ? j : j + 1];
    }
    const double whole = log1mexp(-width);
    const double far = log1mexp(-after) - whole;            // weight of line j
    const double near = log_expm1(before) - width - whole;  // weight of line j + 1
    const double error = k_u * (24.0 + 2.0 * width + 8.0 * (magnitude(far) + magnitude(near) + magnitude(whole)) +
                                2.0 * curve.epsilon[j + 1] * (1.0 / after + 1.0 / before + 1.0 / width));
    return log_plus(curve.log_delta[j] + far, curve.log_delta[j + 1] + near, error, side);
}

double log_delta_at(const EnvelopeView& curve, double epsilon) {
    if (!(epsilon >= 0.0)) {
        throw std::invalid_argument("epsilon must be at least 0, got " + std::to_string(epsilon));
    }
    const auto after = std::ranges::upper_bound(curve.epsilon, epsilon);
    const auto line = static_cast<std::size_t>(after - curve.epsilon.begin()) - 1;
    if (line + 1 == curve.epsilon.size()) {
        return curve.log_delta[line];
    }
    // A mean lies between its parts: what rounding adds beyond them is cut off.
    const double value = between(curve, line, epsilon, other(curve.side));
    return std::clamp(value, curve.log_delta[line + 1], curve.log_delta[line]);
}

// x - x_j = (x_{j+1} - x_j) (delta_j - delta) / (delta_j - delta_{j+1}), by logs; `side` of epsilon.
double crossing(const EnvelopeView& curve, std::size_t j, double log_delta, Side side) {
    const double width = curve.epsilon[j + 1] - curve.epsilon[j];
    const double part = log_minus(curve.log_delta[j], log_delta, 0.0, side);
    const double whole = log_minus(curve.log_delta[j], curve.log_delta[j + 1], 0.0, other(side));
    if (part == -k_infinity) {
        return curve.epsilon[j];
    }
    if (whole == -k_infinity) {  // in doubt: the end on the safe side
        return side == Side::upper ? curve.epsilon[j + 1] : curve.epsilon[j];
    }
    const double span = log_expm1(width);
    const double log_step = part - whole + span;
    const double error = k_u * (16.0 + 8.0 * (magnitude(span) + magnitude(part) + magnitude(whole)) + 2.0 * width +
                                2.0 * curve.epsilon[j + 1] / width);
    const double shifted = log_step + (side == Side::upper ? error : -error);
    const double step = shifted > 0.0 ? shifted + std::log1p(std::exp(-shifted)) : std::log1p(std::exp(shifted));
    const double epsilon = curve.epsilon[j] + step;
    const double slack = 4.0 * k_u * (epsilon + step);
    return std::clamp(side == Side::upper ? epsilon + slack : epsilon - slack, curve.epsilon[j], curve.epsilon[j + 1]);
}

double epsilon_at(const EnvelopeView& curve, double log_delta) {
    if (!(log_delta <= 0.0)) {
        throw std::invalid_argument("log_delta must be at most 0, got " + std::to_string(log_delta));
    }
    const auto& deltas = curve.log_delta;  // decreasing
    const auto found = std::partition_point(deltas.begin(), deltas.end(), [&](double d) { return d > log_delta; });
    const auto line = static_cast<std::size_t>(found - deltas.begin());
    if (line == 0) {
        return 0.0;
    }
    if (line == deltas.size()) {  // flat from here on: not reached, as far as this side knows
        return k_infinity;
    }
    return crossing(curve, line - 1, log_delta, other(curve.side));
}

template <class Question>
std::vector<double> each(const EnvelopeView& curve, std::span<const double> values, Question question) {
    std::vector<double> out(values.size());
    std::ranges::transform(values, out.begin(), [&](double value) { return question(curve, value); });
    return out;
}

}  // namespace

std::vector<double> curve_log_deltas(const EnvelopeView& curve, std::span<const double> epsilons) {
    return each(curve, epsilons, log_delta_at);
}

std::vector<double> curve_epsilons(const EnvelopeView& curve, std::span<const double> log_deltas) {
    return each(curve, log_deltas, epsilon_at);
}

}  // namespace hockeystick
