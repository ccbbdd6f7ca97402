// SPDX-License-Identifier: Apache-2.0
#include "minorant.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "rounding.hpp"

namespace hockeystick {
namespace {

using detail::k_u;
using detail::log_complement;
using detail::log_minus;
using detail::log_plus;
using detail::magnitude;
using detail::Value;

constexpr double k_least_step = 1e-14;   // relative; a corner must fit between two points
constexpr double k_widest_cell = 600.0;  // e^{width} must be a number

// log(a - b) from the deltas or from their complements, whichever are smaller.
double log_drop(const Value& a, const Value& b, Side side) {
    return a.log_delta <= b.log_complement ? log_minus(a.log_delta, b.log_delta, 0.0, side)
                                           : log_minus(b.log_complement, a.log_complement, 0.0, side);
}

// The profile made monotone, both bounds with complements: upper values for chords to start from, lower ones to hang
// the minorant on.
struct Monotone {
    std::vector<double> epsilon;
    std::vector<Value> upper;
    std::vector<Value> lower;
};

Monotone monotone(const ProfilePoints& points) {
    return {
        {points.epsilon.begin(), points.epsilon.end()}, detail::running_upper(points), detail::running_lower(points)};
}

// Upper bound on log of the steepness of delta right of point j, in x / x_j: the chord from the point before, which for
// the first is the mirror image of the second (delta(-eps) = 1 - e^{-eps} (1 - delta(eps))), for a lone one x = 0.
double log_steepness_after(const Monotone& profile, std::size_t j) {
    const Value& here = profile.lower[j];
    if (profile.epsilon.size() == 1) {
        return here.log_complement;
    }
    double width = profile.epsilon[1];
    Value before;
    if (j == 0) {
        const double rest = detail::outward(profile.upper[1].log_complement - width, 0.0, Side::lower);
        before = {log_complement(rest, Side::upper), rest};
    } else {
        width = profile.epsilon[j] - profile.epsilon[j - 1];
        before = profile.upper[j - 1];
    }
    const double drop = log_drop(before, here, Side::upper);
    const double divisor = log1mexp(-width);
    return drop - divisor + 8.0 * k_u * (1.0 + magnitude(divisor) + magnitude(drop));
}

// Lower bound on log of the steepness of delta left of point j, in x / x_j; -inf where there is no point after it.
double log_steepness_before(const Monotone& profile, std::size_t j) {
    if (j + 1 >= profile.epsilon.size()) {
        return -k_infinity;
    }
    const double width = profile.epsilon[j + 1] - profile.epsilon[j];
    const double drop = log_drop(profile.lower[j], profile.upper[j + 1], Side::lower);
    const double divisor = detail::log_expm1(width);
    return drop - divisor - 8.0 * k_u * (1.0 + magnitude(divisor) + magnitude(drop));
}

// Where the two extensions meet inside cell j, as epsilon: an estimate, strictly inside.
double meeting(const Monotone& profile, std::size_t j, double log_left, double log_right) {
    const double low = profile.epsilon[j];
    const double high = profile.epsilon[j + 1];
    const double width = high - low;
    const double log_total = log_drop(profile.lower[j], profile.lower[j + 1], Side::upper);
    const double left = std::exp(log_left - log_total);
    const double right = std::exp(log_right - width - log_total);
    const double whole = std::expm1(width);
    const double t = std::clamp((1.0 - right * whole) / (left - right), 0.0, whole);
    const double inside = std::isnan(t) ? 0.5 * width : std::log1p(t);
    const double margin = 0.25 * k_least_step * high;
    return std::clamp(low + inside, low + margin, high - margin);
}

// The corner of max(left extension, right extension) in cell j, each taken at the same epsilon and the smaller kept, so
// that the chords to it from both points lie below the extensions.
void push_corner(Corners& corners, const Monotone& profile, std::size_t j) {
    const double low = profile.epsilon[j];
    const double high = profile.epsilon[j + 1];
    const Value& a = profile.lower[j];
    const Value& b = profile.lower[j + 1];
    const double log_left = log_steepness_after(profile, j);
    const double log_right = log_steepness_before(profile, j + 1);
    const double at = meeting(profile, j, log_left, log_right);
    // log of (x - x_j) / x_j and of (x_{j+1} - x) / x_{j+1}; the differences of epsilons carry u each.
    const double error =
        16.0 * k_u * (8.0 + (high - low)) + 2.0 * k_u * magnitude(log_left) + 2.0 * k_u * magnitude(log_right);
    const double fall = log_left + detail::log_expm1(at - low);
    const double rise = log_right + log1mexp(at - high);
    corners.epsilon.push_back(at);
    corners.log_delta.push_back(
        std::min(log_minus(a.log_delta, fall, error, Side::lower), log_plus(b.log_delta, rise, error, Side::lower)));
    corners.log_complement.push_back(std::max(log_plus(a.log_complement, fall, error, Side::upper),
                                              log_minus(b.log_complement, rise, error, Side::upper)));
}

// Beyond the last point delta falls no faster than before it, and may reach 0 there at the earliest.
void push_end(Corners& corners, const Monotone& profile) {
    const std::size_t last = profile.epsilon.size() - 1;
    const double log_left = log_steepness_after(profile, last);
    if (log_left == -k_infinity) {
        return;
    }
    const double reach = profile.lower[last].log_delta - log_left;
    const double step = reach > 0.0 ? reach + std::log1p(std::exp(-reach)) : std::log1p(std::exp(reach));
    // The derivative of log(1 + e^r) is below itself, so an absolute error of `reach` is a relative one of `step`.
    const double error = 8.0 * k_u * (magnitude(log_left) + magnitude(profile.lower[last].log_delta) + 2.0);
    const double at = std::nextafter(profile.epsilon[last] + step * (1.0 - error), 0.0);
    if (!std::isfinite(at)) {
        return;
    }
    if (at > profile.epsilon[last]) {
        corners.epsilon.push_back(at);
        corners.log_delta.push_back(-k_infinity);
        corners.log_complement.push_back(0.0);
    } else {  // so steep that the end cannot be told from the last point, which then knows nothing
        corners.log_delta.back() = -k_infinity;
        corners.log_complement.back() = 0.0;
    }
}

}  // namespace

namespace detail {

void check_profile(const ProfilePoints& points) {
    const std::size_t size = points.epsilon.size();
    const auto fits = [size](std::span<const double> column) { return column.empty() || column.size() == size; };
    if (size == 0 || points.log_delta_upper.size() != size || points.log_delta_lower.size() != size ||
        !fits(points.log_complement_lower) || !fits(points.log_complement_upper)) {
        throw std::invalid_argument("a profile must have the same number of points in each array, at least one");
    }
    if (points.epsilon[0] != 0.0) {
        throw std::invalid_argument("epsilon must begin at 0, got " + std::to_string(points.epsilon[0]));
    }
    for (std::size_t j = 0; j < size; ++j) {
        const double step = j == 0 ? 1.0 : points.epsilon[j] - points.epsilon[j - 1];
        if (!std::isfinite(points.epsilon[j]) || !(step > k_least_step * points.epsilon[j])) {
            throw std::invalid_argument("epsilon must be finite and increase by more than 1e-14 of itself, got " +
                                        std::to_string(points.epsilon[j]) + " at " + std::to_string(j));
        }
        if (!(points.log_delta_lower[j] <= points.log_delta_upper[j]) || !(points.log_delta_upper[j] <= 0.0)) {
            throw std::invalid_argument("log_delta must satisfy lower <= upper <= 0, got " +
                                        std::to_string(points.log_delta_lower[j]) + ", " +
                                        std::to_string(points.log_delta_upper[j]) + " at " + std::to_string(j));
        }
        if ((!points.log_complement_lower.empty() && !(points.log_complement_lower[j] <= 0.0)) ||
            (!points.log_complement_upper.empty() && !(points.log_complement_upper[j] <= 0.0))) {
            throw std::invalid_argument("log_complement must be at most 0, got another number at " + std::to_string(j));
        }
    }
}

std::vector<Value> running_upper(const ProfilePoints& points) {
    std::vector<Value> values;
    Value running{0.0, -k_infinity};
    for (std::size_t j = 0; j < points.epsilon.size(); ++j) {
        running.log_delta = std::min(running.log_delta, points.log_delta_upper[j]);
        running.log_complement = std::max(running.log_complement, log_complement(running.log_delta, Side::lower));
        if (!points.log_complement_lower.empty()) {
            running.log_complement = std::max(running.log_complement, points.log_complement_lower[j]);
        }
        values.push_back(running);
    }
    return values;
}

std::vector<Value> running_lower(const ProfilePoints& points) {
    std::vector<Value> values(points.epsilon.size());
    Value running{-k_infinity, 0.0};
    for (std::size_t j = values.size(); j-- > 0;) {
        running.log_delta = std::max(running.log_delta, points.log_delta_lower[j]);
        running.log_complement = std::min(running.log_complement, log_complement(running.log_delta, Side::upper));
        if (!points.log_complement_upper.empty()) {
            running.log_complement = std::min(running.log_complement, points.log_complement_upper[j]);
        }
        values[j] = running;
    }
    return values;
}

}  // namespace detail

Corners minorant_corners(const ProfilePoints& points) {
    detail::check_profile(points);
    const Monotone profile = monotone(points);
    Corners corners;
    for (std::size_t j = 0; j < profile.epsilon.size(); ++j) {
        const bool last = j + 1 == profile.epsilon.size();
        const bool convex = points.between == Between::convex;
        const bool wide = convex && !last && profile.epsilon[j + 1] - profile.epsilon[j] > k_widest_cell;
        const Value& value = profile.lower[wide ? j + 1 : j];  // across a wide cell delta is taken as flat
        corners.epsilon.push_back(profile.epsilon[j]);
        corners.log_delta.push_back(value.log_delta);
        corners.log_complement.push_back(value.log_complement);
        if (value.log_delta == -k_infinity) {
            return corners;
        }
        if (convex && !last && !wide &&
            (profile.lower[j + 1].log_delta < value.log_delta ||
             profile.lower[j + 1].log_complement > value.log_complement)) {
            push_corner(corners, profile, j);
        }
    }
    if (points.between == Between::convex) {
        push_end(corners, profile);
    }
    return corners;
}

}  // namespace hockeystick
