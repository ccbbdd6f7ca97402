// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/gaussian.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "hockeystick/special.hpp"

namespace hockeystick {
namespace {

constexpr double k_u = k_unit_roundoff;
constexpr double k_half_log_2pi = 0x1.d67f1c864beb5p-1;
constexpr double k_log_2 = 0x1.62e42fefa39efp-1;
constexpr double k_least = std::numeric_limits<double>::denorm_min();
constexpr double k_greatest = std::numeric_limits<double>::max();
// Outside these the profile is bounded by monotonicity instead of computed: products would leave the double range.
constexpr double k_least_mu = 1e-150;
constexpr double k_greatest_mu = 1e150;
constexpr double k_least_epsilon = 1e-280;
constexpr double k_greatest_shift = 1e150;
constexpr double k_least_rate = 1e-300;

// Logs of delta and of 1 - delta.
struct Bracket {
    Interval delta;
    Interval complement;
};

constexpr Bracket k_one{{0.0, 0.0}, {-k_infinity, -k_infinity}};
constexpr Bracket k_zero{{-k_infinity, -k_infinity}, {0.0, 0.0}};

double next_down(double x) { return std::nextafter(x, -k_infinity); }
double next_up(double x) { return std::nextafter(x, k_infinity); }

// Also turns a computed -inf into [-inf, -max], as it must be when the truth is finite.
Interval around(double log_value, double half_width) {
    return {next_down(log_value - half_width), std::min(0.0, next_up(log_value + half_width))};
}

// log(1 - e^x) of both ends, outward by the 6u of log1mexp and the product. Exact ends (0 and -inf) stay exact.
Interval complement_of(const Interval& x) {
    const double lower = log1mexp(x.upper);
    const double upper = log1mexp(x.lower);
    return {lower == 0.0 && x.upper == -k_infinity ? 0.0 : lower * (1.0 + 8.0 * k_u) - k_least,
            std::min(0.0, upper == -k_infinity ? upper : upper * (1.0 - 8.0 * k_u) + k_least)};
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
// -s + part_slope / part. Adds to the error of `part`: the roundings of the sum, the second-order term of the move
// (the second derivative lies in [-2, 2], being that of the log of a normal tail or of a difference of two), and
// what `low` itself leaves out.
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
    if (s.high > k_greatest_shift) {
        return {{-k_infinity, -0.4 * k_greatest_shift * k_greatest_shift}, {-k_least, 0.0}};
    }
    if (s.high >= -1.0) {
        const Positive part = mills_difference(s.high, mu);
        const double part_slope = mills_slope(s.high + mu) - mills_slope(s.high);
        const Interval log_delta = assemble(s, part, part_slope);
        return {log_delta, complement_of(log_delta)};
    }
    const double near = mills_ratio(-s.high);
    const double far = mills_ratio(s.high + mu);
    const double part_slope = mills_slope(-s.high) - mills_slope(s.high + mu);
    const Interval complement = assemble(s, {near + far, 8.0 * k_u}, part_slope);
    return {complement_of(complement), complement};
}

Bracket hinge(double epsilon) {  // mu = 0: delta = (1 - e^eps)_+
    if (epsilon >= 0.0) {
        return k_zero;
    }
    return {complement_of({epsilon, epsilon}), {epsilon, epsilon}};
}

// delta(eps) = 1 - e^eps + e^eps delta'(-eps), delta' that of the reversed pair: for eps < 0, all terms positive.
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

Bracket plain(double epsilon, double mu) {
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
        return mu == 0.0 ? hinge(epsilon) : union_of(hinge(epsilon), plain(epsilon, k_least_mu));
    }
    if (mu > k_greatest_mu) {
        return union_of(plain(epsilon, k_greatest_mu), k_one);
    }
    if (epsilon < 0.0) {
        return reversed(epsilon, plain(-epsilon, mu));
    }
    if (epsilon > 0.0 && epsilon < k_least_epsilon) {
        return union_of(plain(k_least_epsilon, mu), plain(0.0, mu));
    }
    return positive_epsilon(epsilon, mu);
}

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
    const Bracket bracket = plain(base, mu * (1.0 - sign * 2.0 * k_u));
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
            return k_zero;
        }
    }
    const double lower = low > 0.0 ? scaled_end(epsilon, low, mu, false) : -k_infinity;
    const Interval log_delta{lower, scaled_end(epsilon, high, mu, true)};
    return {log_delta, complement_of(log_delta)};
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
        return hinge(epsilon);
    }
    if (law.sampling_rate == 1.0) {
        const double mu = 1.0 / law.noise_multiplier;
        return union_of(plain(epsilon, mu * (1.0 - 2.0 * k_u)), plain(epsilon, mu * (1.0 + 2.0 * k_u)));
    }
    if (epsilon < 0.0) {
        const Direction other = direction == Direction::add ? Direction::remove : Direction::add;
        return reversed(epsilon, sampled(-epsilon, law, other));
    }
    return sampled(epsilon, law, direction);
}

double middle(const Interval& x) { return std::isinf(x.lower) ? x.upper : x.lower + 0.5 * (x.upper - x.lower); }

// Chandrupatla's root search for middle(log_delta(eps)) = target in [low, high]; an estimate, certified by the caller.
template <class Profile>
double root_estimate(const Profile& profile, double target, double low, double high) {
    double a = low, b = high, c = high;
    double fa = middle(profile(a)) - target;
    double fb = middle(profile(b)) - target;
    double fc = fb;
    double fraction = 0.5;
    for (int step = 0; step < 200; ++step) {
        const double x = a + fraction * (b - a);
        const double fx = middle(profile(x)) - target;
        if (std::signbit(fx) == std::signbit(fa)) {
            c = a, fc = fa;
        } else {
            c = b, fc = fb;
            b = a, fb = fa;
        }
        a = x, fa = fx;
        const double best = std::abs(fa) < std::abs(fb) ? a : b;
        const double margin = 2.0 * k_u * best / std::abs(b - a);
        if (fa == 0.0 || !(margin < 0.5)) {
            return best;
        }
        const double xi = (a - b) / (c - b);
        const double phi = (fa - fb) / (fc - fb);
        const bool smooth = phi * phi < xi && (1.0 - phi) * (1.0 - phi) < 1.0 - xi;  // false for infinities and NaN
        fraction =
            smooth ? fa / (fb - fa) * (fc / (fb - fc)) + (c - a) / (b - a) * (fa / (fc - fa)) * (fb / (fc - fb)) : 0.5;
        fraction = std::clamp(fraction, margin, 1.0 - margin);
    }
    return a;
}

// Steps away from the estimate, doubling, until the certified profile confirms each side: at `upper` it is at most the
// target, at `lower` at least. `high` is any first guess.
template <class Profile>
Interval certified_epsilon(const Profile& profile, double target, double high) {
    const Interval at_zero = profile(0.0);
    if (at_zero.upper <= target) {
        return {0.0, 0.0};
    }
    if (profile(k_infinity).lower > target) {
        return {k_infinity, k_infinity};
    }
    high = std::clamp(high, k_least_epsilon, k_greatest);
    while (profile(high).upper > target) {
        if (high == k_greatest) {
            return {at_zero.lower < target || profile(high).lower < target ? 0.0 : high, k_infinity};
        }
        high = high > 0.5 * k_greatest ? k_greatest : 2.0 * high;
    }
    const double root = root_estimate(profile, target, 0.0, high);
    double upper = root;
    for (double step = k_u * root + k_least; profile(upper).upper > target; step *= 2.0) {
        upper = std::min(high, root + step);
    }
    double lower = root;
    for (double step = k_u * root + k_least; lower > 0.0 && profile(lower).lower < target; step *= 2.0) {
        lower = std::max(0.0, root - step);
    }
    return {lower, upper};
}

void check_log_delta(double log_delta) {
    if (!(log_delta <= 0.0)) {
        throw std::invalid_argument("log_delta must be at most 0, got " + std::to_string(log_delta));
    }
}

// eps with phi-tail bound delta <= e^{-s^2/2}, s >= 0: an upper end for every law whose profile is below the
// Gaussian's.
double epsilon_guess(double log_delta, double mu) { return mu * (2.0 * std::sqrt(-0.5 * log_delta) + 0.5 * mu); }

}  // namespace

Interval gaussian_log_delta_bounds(double epsilon, double mu) { return plain(epsilon, mu).delta; }

Interval gaussian_log_complement_bounds(double epsilon, double mu) { return plain(epsilon, mu).complement; }

// The formulas of positive_epsilon without their care for relative accuracy: R to 4u, phi to 6u and both at most 1 in
// product with what multiplies them; s is off by u (2 eps/mu + mu), and |d delta / d s| <= phi <= .4.
Interval gaussian_delta_bounds(double epsilon, double mu) {
    if (!(mu >= 1e-3 && mu <= 1e3 && epsilon >= 0.0 && epsilon < 1e6)) {
        const Interval log_delta = plain(epsilon, mu).delta;
        return {std::exp(log_delta.lower) * (1.0 - 4.0 * k_u),
                std::min(1.0, std::exp(log_delta.upper) * (1.0 + 4.0 * k_u))};
    }
    const double s = epsilon / mu - 0.5 * mu;
    const double density = std::exp(-0.5 * s * s) * 0x1.9884533d43651p-2;
    const double far = mills_ratio(s + mu);
    const double delta = s >= -1.0 ? density * (mills_ratio(s) - far) : 1.0 - density * (mills_ratio(-s) + far);
    const double error = k_u * (24.0 + 2.0 * (epsilon / mu + mu));
    return {std::max(0.0, delta - error), std::min(1.0, delta + error)};
}

double gaussian_log_delta_estimate(double epsilon, double mu) { return middle(plain(epsilon, mu).delta); }

Interval gaussian_epsilon_bounds(double log_delta, double mu) {
    check_log_delta(log_delta);
    const auto profile = [mu](double epsilon) { return plain(epsilon, mu).delta; };
    if (log_delta == -k_infinity) {  // delta is 0 at no finite epsilon, unless mu is 0
        const double value = plain(0.0, mu).delta.upper == -k_infinity ? 0.0 : k_infinity;
        return {value, value};
    }
    return certified_epsilon(profile, log_delta, epsilon_guess(log_delta, mu));
}

Interval subsampled_log_delta_bounds(double epsilon, const SubsampledGaussian& law, Direction direction) {
    check(law);
    return subsampled(epsilon, law, direction).delta;
}

Interval subsampled_epsilon_bounds(double log_delta, const SubsampledGaussian& law, Direction direction) {
    check_log_delta(log_delta);
    check(law);
    const bool bounded = direction == Direction::add && law.sampling_rate < 1.0;
    const double supremum = bounded ? -std::log1p(-law.sampling_rate) : k_infinity;
    if (log_delta == -k_infinity) {
        const bool nothing = law.sampling_rate == 0.0 || law.noise_multiplier == k_infinity;
        return nothing ? Interval{0.0, 0.0}
                       : Interval{next_down(supremum * (1.0 - 4.0 * k_u)), supremum * (1.0 + 4.0 * k_u)};
    }
    const auto profile = [&](double epsilon) { return subsampled(epsilon, law, direction).delta; };
    const double guess = std::min(2.0 * supremum, epsilon_guess(log_delta, 1.0 / law.noise_multiplier));
    return certified_epsilon(profile, log_delta, guess);
}

std::vector<Interval> gaussian_log_delta_bounds(std::span<const double> epsilons, double mu) {
    std::vector<Interval> bounds(epsilons.size());
    std::ranges::transform(epsilons, bounds.begin(), [&](double epsilon) { return plain(epsilon, mu).delta; });
    return bounds;
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
