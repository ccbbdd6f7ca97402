// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/gaussian.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "bracket.hpp"
#include "hockeystick/special.hpp"

namespace hockeystick {

using detail::Bracket;

namespace {

constexpr double k_u = k_unit_roundoff;
constexpr double k_half_log_2pi = 0x1.d67f1c864beb5p-1;
constexpr double k_log_2 = 0x1.62e42fefa39efp-1;
constexpr double k_least = std::numeric_limits<double>::denorm_min();
// Outside these the profile is bounded by monotonicity instead of computed: products would leave the double range.
constexpr double k_least_mu = 1e-150;
constexpr double k_greatest_mu = 1e150;
constexpr double k_least_epsilon = 1e-280;
constexpr double k_greatest_shift = 1e150;

// Also turns a computed -inf into [-inf, -max], as it must be when the truth is finite.
Interval around(double log_value, double half_width) {
    return {detail::next_down(log_value - half_width), std::min(0.0, detail::next_up(log_value + half_width))};
}

// s = eps/mu - mu/2 as high + low; what is left out is below 4 u^2 quotient.
struct Shift {
    double high;
    double low;
    double quotient;
};

Shift shift_of(double epsilon, double mu) {
    const double quotient = epsilon / mu;
    const double rest = std::fma(-quotient, mu, epsilon) / mu;
    const double half = 0.5 * mu;
    const double high = quotient - half;
    const double swing = high - quotient;
    const double error = (quotient - (high - swing)) - (half + swing);
    return {high, error + rest, quotient};
}

struct Positive {
    double value;
    double relative_error;
};

// R(s) - R(s + mu), s >= -1. Where mu is small against the scale of R it is the integral of -R' over [s, s + mu] by the
// 10-point Gauss-Legendre rule. That rule's error is below 1e-19 relative: -R' is entire with |R'(z)| <= -R'(Re z), so
// on the Bernstein ellipse of parameter rho its bound is (32/15) W(s + mu/2 - (mu/4)(rho + 1/rho)) / W(s + mu)
// / (rho^18 - rho^16), W = -R'; rho = 40 at s <= 2 and rho = 16 beyond give 1e-20 and 5e-20 at the widest mu allowed.
Positive mills_difference(double s, double mu) {
    if (mu > 0.5 * std::max(1.0, 0.5 * s)) {
        const double high = mills_ratio(s);
        const double low = mills_ratio(s + mu);
        return {high - low, k_u + 6.0 * k_u * (high + low) / (high - low)};
    }
    constexpr double nodes[] = {0x1.30e507891e27ap-3, 0x1.bbcc009016adcp-2, 0x1.5bdb9228de198p-1, 0x1.bae995e9cb2f3p-1,
                                0x1.f2a3e062af2d8p-1};
    constexpr double weights[] = {0x1.2e9de7014d6efp-2, 0x1.13baa7a559bfep-2, 0x1.c0b059d00bc31p-3,
                                  0x1.32138c878efe5p-3, 0x1.1115f8b62dc1fp-4};
    const double half = 0.5 * mu;
    const double centre = s + half;
    double sum = 0.0;
    for (int i = 0; i < 5; ++i) {
        const double step = half * nodes[i];
        sum += weights[i] * (mills_slope(std::max(-1.0, centre - step)) + mills_slope(centre + step));
    }
    return {half * sum, 18.0 * k_u};  // slopes 5u, their arguments 3u, products and five additions 9u
}

// -s^2/2 - log sqrt(2 pi) + log(part), moved by the low word of s through its derivative in s, which is
// -s + part_slope / part. Adds to the error of `part`: the roundings of the sum, the second-order term of the move and
// what `low` itself leaves out. The second derivative lies in [-1, 0]: `part` is the integral of e^{s x} g(x) with
// e^{x^2/2} g log-concave (1 - e^{mu x} on x < 0 for the difference; 1, and e^{mu x} on x < 0, for the sum), so that
// the second derivative of its log is the variance of a law at least as log-concave as the normal, at most 1.
Interval assemble(const Shift& s, const Positive& part, double part_slope) {
    const double square = s.high * s.high;
    const double rest = std::fma(s.high, s.high, -square);
    const double log_part = std::log(part.value);
    const double slope = part_slope / part.value - s.high;
    const double move = slope * s.low;
    const double value = (log_part - k_half_log_2pi - 0.5 * rest + move) - 0.5 * square;
    const double rounding = k_u * (3.0 * std::abs(value) + 8.0 * (std::abs(log_part) + 1.0) + 24.0 * std::abs(move));
    const double truncation = 2.0 * s.low * s.low + 4.0 * k_u * k_u * s.quotient * (std::abs(slope) + 1.0);
    return around(value, part.relative_error + rounding + truncation);
}

// eps >= 0, mu in (0, inf). With s = eps/mu - mu/2: delta = phi(s) (R(s) - R(s + mu)), taken for s >= -1, and
// 1 - delta = phi(s) (R(-s) + R(s + mu)), taken below, where it is at most .32. Nothing cancels in either.
Bracket positive_epsilon(double epsilon, double mu) {
    const Shift s = shift_of(epsilon, mu);
    const auto far_out = [](double least_shift) {
        return Bracket{{-k_infinity, -0.4 * least_shift * least_shift}, {-k_least, 0.0}};
    };
    if (s.high > k_greatest_shift) {
        return far_out(k_greatest_shift);
    }
    if (s.high >= -1.0) {
        const Positive part = mills_difference(s.high, mu);
        // About mu / s^2, which leaves the normal doubles only where s is beyond 1e70.
        if (part.value < std::numeric_limits<double>::min()) {
            return far_out(s.high);
        }
        const double part_slope = mills_slope(s.high + mu) - mills_slope(s.high);
        const Interval log_delta = assemble(s, part, part_slope);
        return {log_delta, detail::complement_of(log_delta)};
    }
    const double near = mills_ratio(-s.high);
    const double far = mills_ratio(s.high + mu);
    const double part_slope = mills_slope(-s.high) - mills_slope(s.high + mu);
    const Interval complement = assemble(s, {near + far, 8.0 * k_u}, part_slope);
    return {detail::complement_of(complement), complement};
}

}  // namespace

namespace detail {

Interval complement_of(const Interval& x) {
    const double lower = log1mexp(x.upper);
    const double upper = log1mexp(x.lower);
    return {lower == 0.0 && x.upper == -k_infinity ? 0.0 : lower * (1.0 + 8.0 * k_u) - k_least,
            std::min(0.0, upper == -k_infinity ? upper : upper * (1.0 - 8.0 * k_u) + k_least)};
}

Bracket hinge(double epsilon) {
    if (epsilon >= 0.0) {
        return k_zero;
    }
    return {complement_of({epsilon, epsilon}), {epsilon, epsilon}};
}

Bracket reversed(double epsilon, const Bracket& other) {
    const Interval complement{next_down(epsilon + other.complement.lower), next_up(epsilon + other.complement.upper)};
    if (complement.upper < -k_log_2) {
        return {complement_of(complement), complement};
    }
    const double base = log1mexp(epsilon);
    const double lower = logaddexp(base, epsilon + other.delta.lower);
    const double upper = logaddexp(base, epsilon + other.delta.upper);
    const double rounding = 12.0 * k_u * (2.0 - base);
    return {{next_down(lower - rounding), std::min(0.0, next_up(upper + rounding))}, complement};
}

Bracket union_of(const Bracket& low, const Bracket& high) {
    return {{low.delta.lower, high.delta.upper}, {high.complement.lower, low.complement.upper}};
}

Bracket gaussian_bracket(double epsilon, double mu) {
    if (std::isnan(epsilon)) {
        throw std::invalid_argument("epsilon must be a number, got nan");
    }
    if (!(mu >= 0.0)) {
        throw std::invalid_argument("mu must be non-negative, got " + std::to_string(mu));
    }
    if (mu == k_infinity || epsilon == -k_infinity) {
        return k_one;
    }
    if (epsilon == k_infinity) {
        return k_zero;
    }
    if (mu < k_least_mu) {
        return mu == 0.0 ? hinge(epsilon) : union_of(hinge(epsilon), gaussian_bracket(epsilon, k_least_mu));
    }
    if (mu > k_greatest_mu) {
        return union_of(gaussian_bracket(epsilon, k_greatest_mu), k_one);
    }
    if (epsilon < 0.0) {
        return reversed(epsilon, gaussian_bracket(-epsilon, mu));
    }
    if (epsilon > 0.0 && epsilon < k_least_epsilon) {
        return union_of(gaussian_bracket(k_least_epsilon, mu), gaussian_bracket(0.0, mu));
    }
    return positive_epsilon(epsilon, mu);
}

void check_log_delta(double log_delta) {
    if (!(log_delta <= 0.0)) {
        throw std::invalid_argument("log_delta must be at most 0, got " + std::to_string(log_delta));
    }
}

}  // namespace detail

Interval gaussian_log_delta_bounds(double epsilon, double mu) { return detail::gaussian_bracket(epsilon, mu).delta; }

Interval gaussian_log_complement_bounds(double epsilon, double mu) {
    return detail::gaussian_bracket(epsilon, mu).complement;
}

// The formulas of positive_epsilon without their care for relative accuracy: R to 4u, phi to 6u and both at most 1 in
// product with what multiplies them; s is off by u (2 eps/mu + mu), |d delta / d s| <= phi(s), which changes by little
// over that distance where it is not 0.
Interval gaussian_delta_bounds(double epsilon, double mu) {
    if (!(mu >= 1e-3 && mu <= 1e3 && epsilon >= 0.0 && epsilon < 1e6)) {
        const Interval log_delta = detail::gaussian_bracket(epsilon, mu).delta;
        return {std::exp(log_delta.lower) * (1.0 - 4.0 * k_u),
                std::min(1.0, std::exp(log_delta.upper) * (1.0 + 4.0 * k_u))};
    }
    const double s = epsilon / mu - 0.5 * mu;
    const double density = std::exp(-0.5 * s * s) * 0x1.9884533d43651p-2;
    const double far = mills_ratio(s + mu);
    const double delta = s >= -1.0 ? density * (mills_ratio(s) - far) : 1.0 - density * (mills_ratio(-s) + far);
    const double error = k_u * (24.0 + 8.0 * (epsilon / mu + mu) * density);
    return {std::max(0.0, delta - error), std::min(1.0, delta + error)};
}

double gaussian_log_delta_estimate(double epsilon, double mu) {
    return detail::middle(detail::gaussian_bracket(epsilon, mu).delta);
}

Interval gaussian_epsilon_bounds(double log_delta, double mu) {
    detail::check_log_delta(log_delta);
    const auto profile = [mu](double epsilon) { return detail::gaussian_bracket(epsilon, mu).delta; };
    if (log_delta == -k_infinity) {  // delta is 0 at no finite epsilon, unless mu is 0
        const double value = detail::gaussian_bracket(0.0, mu).delta.upper == -k_infinity ? 0.0 : k_infinity;
        return {value, value};
    }
    return detail::certified_epsilon(profile, log_delta, detail::epsilon_guess(log_delta, mu));
}

std::vector<Interval> gaussian_log_delta_bounds(std::span<const double> epsilons, double mu) {
    std::vector<Interval> bounds(epsilons.size());
    std::ranges::transform(epsilons, bounds.begin(),
                           [&](double epsilon) { return detail::gaussian_bracket(epsilon, mu).delta; });
    return bounds;
}

std::vector<Interval> gaussian_log_complement_bounds(std::span<const double> epsilons, double mu) {
    std::vector<Interval> bounds(epsilons.size());
    std::ranges::transform(epsilons, bounds.begin(),
                           [&](double epsilon) { return detail::gaussian_bracket(epsilon, mu).complement; });
    return bounds;
}

}  // namespace hockeystick
