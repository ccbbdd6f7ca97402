// SPDX-License-Identifier: Apache-2.0
// Brackets of log delta, what is done with them, and the search for epsilon. Internal to the sources.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "hockeystick/loss_law.hpp"

namespace hockeystick::detail {

// Logs of delta and of 1 - delta.
struct Bracket {
    Interval delta;
    Interval complement;
};

constexpr Bracket k_one{{0.0, 0.0}, {-k_infinity, -k_infinity}};
constexpr Bracket k_zero{{-k_infinity, -k_infinity}, {0.0, 0.0}};

inline double next_down(double x) { return std::nextafter(x, -k_infinity); }
inline double next_up(double x) { return std::nextafter(x, k_infinity); }

// log(1 - e^x) of both ends, outward by the 6u of log1mexp and the product. Exact ends (0 and -inf) stay exact.
Interval complement_of(const Interval& x);

// Of one Gaussian: any epsilon, any mu >= 0; throws std::invalid_argument for others.
Bracket gaussian_bracket(double epsilon, double mu);

// mu = 0: delta = (1 - e^eps)_+.
Bracket hinge(double epsilon);

// delta(eps) = 1 - e^eps + e^eps delta'(-eps), delta' that of the reversed pair: for eps < 0, all terms positive.
Bracket reversed(double epsilon, const Bracket& other);

// From the lower end of `low` to the upper end of `high`.
Bracket union_of(const Bracket& low, const Bracket& high);

// Throws std::invalid_argument unless log_delta <= 0.
void check_log_delta(double log_delta);

// eps with phi-tail bound delta <= e^{-s^2/2}, s >= 0: an upper end for every law whose profile is below the
// Gaussian's.
inline double epsilon_guess(double log_delta, double mu) { return mu * (2.0 * std::sqrt(-0.5 * log_delta) + 0.5 * mu); }

inline double middle(const Interval& x) { return std::isinf(x.lower) ? x.upper : x.lower + 0.5 * (x.upper - x.lower); }

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
        const double margin = 2.0 * k_unit_roundoff * best / std::abs(b - a);
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
    high = std::clamp(high, 1e-280, std::numeric_limits<double>::max());
    while (profile(high).upper > target) {
        if (high == std::numeric_limits<double>::max()) {
            return {at_zero.lower < target || profile(high).lower < target ? 0.0 : high, k_infinity};
        }
        high = high > 0.5 * std::numeric_limits<double>::max() ? std::numeric_limits<double>::max() : 2.0 * high;
    }
    const double root = root_estimate(profile, target, 0.0, high);
    double upper = root;
    for (double step = k_unit_roundoff * root + std::numeric_limits<double>::denorm_min();
         profile(upper).upper > target; step *= 2.0) {
        upper = std::min(high, root + step);
    }
    double lower = root;
    for (double step = k_unit_roundoff * root + std::numeric_limits<double>::denorm_min();
         lower > 0.0 && profile(lower).lower < target; step *= 2.0) {
        lower = std::max(0.0, root - step);
    }
    return {lower, upper};
}

}  // namespace hockeystick::detail
