// SPDX-License-Identifier: Apache-2.0
// What the two questions of the contour engine, epsilon (contour.cpp) and log delta (contour_profile.cpp), share.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "hockeystick/contour_error.hpp"
#include "hockeystick/contour_table.hpp"
#include "hockeystick/directions.hpp"
#include "hockeystick/error.hpp"
#include "hockeystick/saddle.hpp"

namespace hockeystick::contour_device {

using contour::Composition;
using contour::ContourTable;
using contour::Moment;
using contour::Saddle;
using contour::SaddleSearch;
using contour::Strip;
using contour::TableDemand;

inline constexpr double k_ulp = 0x1p-52;
inline constexpr double k_guard = 0.02;  // of the tolerance: added outwards, for functions of libm worse than assumed
inline constexpr double k_tiny_share = 0.25;        // of the tolerance that the tiny Gaussian may use
inline constexpr double k_truncation_digits = 7.0;  // natural digits below the tolerance
inline constexpr double k_spare_digits = 3.0;

// Outcomes far out only matter to a positive tilt where the loss grows with x.
inline bool can_truncate(const Composition& composition) {
    return composition.direction == Direction::remove && composition.has_gaussians();
}

// Rare jumps are those of subsampled Gaussians; with them alone the split is proven.
inline bool can_split(const Composition& composition) { return can_truncate(composition) && !composition.has_others(); }

inline double truncated_log_mass(double log_delta, double tolerance) {
    return log_delta + std::log(std::min(tolerance, 1e-3)) - k_truncation_digits;
}

inline std::string number(double x) {
    char text[32];
    std::snprintf(text, sizeof text, "%.17g", x);
    return text;
}

inline void check_tolerance(double tolerance) {
    if (!(tolerance > 0.0)) throw std::invalid_argument("tolerance must be positive, got " + number(tolerance));
}

// Digits below the tolerance at which an error term no longer shows beside the guard.
inline constexpr double k_most_digits = 34.5;  // beyond it rounding takes over
inline double log_digits_for(double tolerance) {
    return std::clamp(k_spare_digits - std::log(tolerance), 14.0, k_most_digits);
}

struct Attempt {
    Interval epsilon{0.0, k_infinity};
    bool narrow = false;
};

// Newton for log delta(epsilon) = log_delta on estimates, kept at epsilon >= 0.
template <class Table>
double solve(const Table& table, double epsilon, double log_delta) {
    for (int step = 0; step < 30; ++step) {
        const ContourTable::Estimate at = table.estimate(epsilon);
        if (!std::isfinite(at.log_value) || !(at.slope < 0.0)) break;
        const double move = std::clamp((log_delta - at.log_value) / at.slope, -2.0 / -at.slope, 2.0 / -at.slope);
        const double next = std::max(0.0, epsilon + move);
        const bool done = std::abs(next - epsilon) <= 2.0 * k_ulp * next || std::abs(move * at.slope) < 1e-15;
        epsilon = next;
        if (done) break;
    }
    return epsilon;
}

// The certified bracket about an estimate: certified values on either side of the target, since delta falls.
template <class Table>
std::optional<Interval> bracket(const Table& table, double epsilon, Interval log_delta) {
    const Interval here = table.log_value_bounds(epsilon);
    const double slope = -table.estimate(epsilon).slope;
    if (!std::isfinite(here.lower) || !std::isfinite(here.upper) || !(slope > 0.0)) return std::nullopt;
    double up = std::max(0.0, here.upper - log_delta.lower) * 1.01 / slope + k_ulp * epsilon;
    double down = std::max(0.0, log_delta.upper - here.lower) * 1.01 / slope + k_ulp * epsilon;
    Interval result{0.0, 0.0};
    for (int attempt = 0;; ++attempt, up = 2.0 * up + 1e-16 / slope) {
        result.upper = epsilon + up;
        if (table.log_value_bounds(result.upper).upper <= log_delta.lower) break;
        if (attempt == 40) return std::nullopt;
    }
    for (int attempt = 0;; ++attempt, down = 2.0 * down + 1e-16 / slope) {
        result.lower = epsilon - down;
        if (result.lower <= 0.0) {
            result.lower = 0.0;
            break;
        }
        if (table.log_value_bounds(result.lower).lower >= log_delta.upper) break;
        if (attempt == 40) return std::nullopt;
    }
    return result;
}

// One tilt for a stretch of epsilons; with a tiny Gaussian where the transform does not decay by itself.
inline ContourTable make_table(SaddleSearch& search, const Saddle& saddle, Strip strip, Interval epsilons,
                               double tau_squared, double log_digits) {
    return {search, {saddle.tilt, strip, epsilons.lower, epsilons.upper, tau_squared, log_digits}};
}

// Chernoff's bound on log delta at any epsilon, from a tilt > 0 and an upper bound on Lambda there.
inline LogDeltaBound chernoff_line(double log_moment, double tilt) {
    const double intercept = log_moment + contour::log_chernoff_constant(tilt);
    return [intercept, tilt](double epsilon) {
        return intercept - tilt * epsilon + 8.0 * k_ulp * (std::abs(intercept) + std::abs(tilt * epsilon) + 1.0);
    };
}

inline LogDeltaBound log_delta_upper(SaddleSearch& search, double tilt) {
    return chernoff_line(search.moment_upper(tilt), tilt);
}

// Directions that are the same laws, as of symmetric releases, count once.
inline std::vector<std::span<const LawTerm>> distinct(std::span<const std::vector<LawTerm>> directions) {
    const auto same = [](std::span<const LawTerm> a, std::span<const LawTerm> b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                          [](const LawTerm& x, const LawTerm& y) { return x.law == y.law && x.count == y.count; });
    };
    std::vector<std::span<const LawTerm>> result;
    for (const auto& laws : directions) {
        if (std::none_of(result.begin(), result.end(), [&](const auto& known) { return same(known, laws); })) {
            result.emplace_back(laws);
        }
    }
    return result;
}

}  // namespace hockeystick::contour_device
