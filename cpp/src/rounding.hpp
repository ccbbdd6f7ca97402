// SPDX-License-Identifier: Apache-2.0
// Arithmetic in the log domain with the error carried outward. Internal to the sources.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "hockeystick/loss_law.hpp"
#include "hockeystick/special.hpp"
#include "hockeystick/tradeoff.hpp"

namespace hockeystick::detail {

constexpr double k_u = k_unit_roundoff;
constexpr double k_log_2 = 0x1.62e42fefa39efp-1;
constexpr double k_clearly = 1e-9;  // in the log of a rate; neighbouring lines of a fine table differ by more

// |x| as an error scale: an infinity is exact and has none.
inline double magnitude(double x) { return std::isinf(x) ? 0.0 : std::abs(x); }

// value - error or value + error, rounded outward; logs of probabilities stop at 0.
inline double outward(double value, double error, Side side) {
    if (std::isinf(value)) {
        return value;
    }
    const double padded = error + 2.0 * k_u * std::abs(value) + std::numeric_limits<double>::denorm_min();
    return side == Side::lower ? value - padded : std::min(0.0, value + padded);
}

// log(e^a - e^b) with a, b exact up to error_b on b - a; -inf where that may be negative (lower) or is (upper).
inline double log_minus(double a, double b, double error, Side side) {
    if (b == -k_infinity) {
        return a;
    }
    const double padded = error + k_u * (magnitude(a) + magnitude(b));
    const double ratio = (b - a) + (side == Side::lower ? padded : -padded);
    if (!(ratio < 0.0)) {
        return -k_infinity;
    }
    const double rest = log1mexp(ratio);
    return outward(a + rest, 8.0 * k_u * magnitude(rest), side);
}

// log(e^a + e^b), outward.
inline double log_plus(double a, double b, double error, Side side) {
    const double value = logaddexp(a, b);
    return outward(value, error + 6.0 * k_u * std::max(1.0, magnitude(value)), side);
}

// log(1 - e^x) outward; both ends of the range stay exact.
inline double log_complement(double x, Side side) {
    const double value = log1mexp(x);
    return x == -k_infinity ? 0.0 : outward(value, 8.0 * k_u * magnitude(value), side);
}

inline Side other(Side side) { return side == Side::lower ? Side::upper : Side::lower; }

// log(e^y - 1), y > 0: relative error of the argument of the log 4u, without overflow.
inline double log_expm1(double y) { return y > 1.0 ? y + std::log1p(-std::exp(-y)) : std::log(std::expm1(y)); }

}  // namespace hockeystick::detail
