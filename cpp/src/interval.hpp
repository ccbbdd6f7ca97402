// SPDX-License-Identifier: Apache-2.0
// Arithmetic of certified brackets of masses, rounded outward. Internal to the sources.
#pragma once

#include <cmath>

#include "hockeystick/loss_law.hpp"

namespace hockeystick::detail {

inline double rounded_down(double x) { return x > 0.0 ? std::nextafter(x, 0.0) : x; }
inline double rounded_up(double x) { return x > 0.0 ? std::nextafter(x, k_infinity) : x; }

// x times a non-negative factor; x >= 0.
inline Interval scaled(const Interval& x, double factor) {
    return {rounded_down(x.lower * factor), rounded_up(x.upper * factor)};
}

// A log rounded up by a part of its size; an infinity is exact.
inline double padded(double log_value, double slack) {
    return std::isinf(log_value) ? log_value : log_value + slack * (1.0 + std::fabs(log_value));
}

// Of non-negative brackets.
inline Interval sum(const Interval& a, const Interval& b) {
    return {rounded_down(a.lower + b.lower), rounded_up(a.upper + b.upper)};
}

}  // namespace hockeystick::detail
