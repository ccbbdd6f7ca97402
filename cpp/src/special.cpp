// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/special.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "special_tables.hpp"

namespace hockeystick {
namespace {

constexpr double k_inf = std::numeric_limits<double>::infinity();
constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();
constexpr double k_log_2 = 0x1.62e42fefa39efp-1;
constexpr double k_log_2pi = 0x1.d67f1c864beb5p+0;
constexpr double k_half_log_2pi = 0x1.d67f1c864beb5p-1;
constexpr double k_sqrt_2 = 0x1.6a09e667f3bcdp+0;
constexpr double k_sqrt_2_over_pi = 0x1.9884533d43651p-1;
constexpr double k_inverse_sqrt_2pi = 0x1.9884533d43651p-2;
constexpr double k_sqrt_2pi = 0x1.40d931ff62706p+1;
constexpr double k_tail_start = 8.0;     // the tables change variable here
constexpr double k_slope_domain = -1.0;  // where the body tables begin
constexpr double k_erfcx_reflection = -0.5;
constexpr double k_quantile_end = 0x1p12;  // r beyond which the quantile is its own expansion

template <std::size_t size>
double horner(const double (&coefficients)[size], double z) {
    double value = coefficients[size - 1];
    for (std::size_t i = size - 1; i-- > 0;) {
        value = value * z + coefficients[i];
    }
    return value;
}

// Roundings of a table look-up: the fit 1u, the last addition 1u, and the inner terms, which are at most .3 of the
// leading coefficient, less than 1u together. z is exact to 1u because the centres have five bits.
template <std::size_t rows, std::size_t columns>
double body(const double (&table)[rows][columns], double t) {
    const auto row = static_cast<std::size_t>((t - k_slope_domain) * 4.0);
    const double centre = k_slope_domain + 0.125 + 0.25 * static_cast<double>(row);
    return horner(table[row], (t - centre) * 8.0);
}

template <std::size_t rows, std::size_t columns>
double tail(const double (&table)[rows][columns], double t) {
    const double scaled = 512.0 / (t * t);  // in [0, 8]; 8 itself belongs to the last row
    const auto row = scaled < 8.0 ? static_cast<std::size_t>(scaled) : std::size_t{7};
    return horner(table[row], 2.0 * (scaled - static_cast<double>(row)) - 1.0);
}

// e^{sign t^2 / 2}, relative error 4u: the rounding of t^2 is put back, so that it is not multiplied by t^2.
double exp_half_square(double t, double sign) {
    const double square = t * t;
    if (square > 1500.0) {
        return sign > 0.0 ? k_inf : 0.0;
    }
    const double rest = std::fma(t, t, -square);
    return std::exp(sign * 0.5 * square) * (1.0 + sign * 0.5 * rest);
}

// t >= -sqrt(...) with 1 - Phi(t) = e^{log_q}, log_q <= -log 2 (a little above is served too: r >= 1).
// Errors: r carries 1u and dt/dr = r R(t) <= 1.5, the fit 1u max(1, t), the quotient and the difference 2u each.
double upper_quantile(double log_q) {
    if (log_q == -k_inf) {
        return k_inf;
    }
    const double r = 2.0 * std::sqrt(-0.5 * log_q);
    if (r >= k_quantile_end) {
        const double bend = k_log_2pi + 2.0 * std::log(r);
        return r * std::sqrt(1.0 - (bend - (bend - 2.0) / r / r) / r / r);
    }
    const auto bits = std::bit_cast<std::uint64_t>(r);
    const auto row = static_cast<std::size_t>((bits >> 50) - (std::uint64_t{1023} << 2));
    const double width = std::bit_cast<double>((bits >> 52) << 52) * 0.25;
    const double centre = width * (4.5 + static_cast<double>(row & 3));
    return r - horner(detail::k_quantile[row], (r - centre) / (0.5 * width)) / r;
}

}  // namespace

double log1mexp(double x) {
    if (!(x <= 0.0)) {
        return k_nan;
    }
    return x > -k_log_2 ? std::log(-std::expm1(x)) : std::log1p(-std::exp(x));
}

double logaddexp(double a, double b) {
    const double high = a < b ? b : a;
    const double low = a < b ? a : b;
    if (std::isnan(a) || std::isnan(b)) {
        return k_nan;
    }
    if (high == k_inf || low == -k_inf) {
        return high;
    }
    return high + std::log1p(std::exp(low - high));
}

double mills_ratio(double t) {
    if (t >= k_tail_start) {
        return tail(detail::k_mills_tail, t) / t;
    }
    if (t >= k_slope_domain) {
        return body(detail::k_mills_body, t);
    }
    if (std::isnan(t)) {
        return k_nan;
    }
    // Two positive numbers whose difference is at least half of the first.
    const double whole = k_sqrt_2pi * exp_half_square(t, 1.0);
    return whole == k_inf ? k_inf : whole - mills_ratio(-t);
}

double mills_slope(double t) {
    if (t >= k_tail_start) {
        return tail(detail::k_slope_tail, t) / t / t;
    }
    return t >= k_slope_domain ? body(detail::k_slope_body, t) : k_nan;
}

double erfcx(double x) {
    if (x < k_erfcx_reflection) {  // sqrt(2) x would carry its rounding, times x^2, into the exponent
        const double square = x * x;
        const double whole = square > 750.0 ? k_inf : 2.0 * std::exp(square) * (1.0 + std::fma(x, x, -square));
        return whole - k_sqrt_2_over_pi * mills_ratio(-k_sqrt_2 * x);
    }
    return k_sqrt_2_over_pi * mills_ratio(k_sqrt_2 * x);
}

// x <= 0: |log Phi| >= log 2 and every part of it is negative but log R near 0, so counting roundings of the parts is
// counting roundings of the sum. x > 0: Phi(-x) to 10u, and log1p multiplies a relative error by at most 1.45.
double log_normal_cdf(double x) {
    if (std::isnan(x)) {
        return k_nan;
    }
    if (x <= 0.0) {
        const double t = -x;
        return t == k_inf ? -k_inf : -0.5 * t * t - (k_half_log_2pi - std::log(mills_ratio(t)));
    }
    return x == k_inf ? 0.0 : std::log1p(-k_inverse_sqrt_2pi * exp_half_square(x, -1.0) * mills_ratio(x));
}

double normal_quantile_of_log(double log_p) {
    if (!(log_p <= 0.0)) {
        return k_nan;
    }
    return log_p > -k_log_2 ? upper_quantile(log1mexp(log_p)) : -upper_quantile(log_p);
}

double normal_quantile_of_log_complement(double log_q) { return -normal_quantile_of_log(log_q); }

}  // namespace hockeystick
