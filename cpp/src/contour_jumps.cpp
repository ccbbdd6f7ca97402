// SPDX-License-Identifier: Apache-2.0
#include "contour_jumps.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "hockeystick/error.hpp"
#include "hockeystick/rare_jumps.hpp"

namespace hockeystick::contour_device {
namespace {

using contour::RareJumps;

constexpr double k_few_digits = 7.0;   // of a split that only has to tell where epsilon is
constexpr double k_more_digits = 2.0;  // since several parts err
constexpr double k_most_epsilon = 500.0;
constexpr int k_most_moves = 8;

// What a normal law without jumps would reach.
double normal_epsilon(const Composition& composition, double log_delta) {
    double variance = composition.gaussian;
    for (const Composition::Part& part : composition.parts) variance += part.count * contour::loss_variance(part.law);
    return std::min(k_most_epsilon, std::sqrt(-2.0 * log_delta * variance));
}

// The epsilon that a split made for it confirms, and the slope of log delta there; none where no split is found.
struct Place {
    double epsilon;
    double slope;
};
std::optional<Place> find_epsilon(const Composition& composition, double log_delta, double start) {
    double epsilon = start;
    for (int move = 0; move < k_most_moves; ++move) {
        try {
            const RareJumps split(composition, {{epsilon, epsilon}, log_delta, k_few_digits});
            const double found = solve(split, epsilon, log_delta);
            const double slope = split.estimate(found).slope;
            if (!(slope < 0.0) || !(found > 0.0)) return std::nullopt;
            const bool near = std::abs(found - epsilon) <= -2.0 / slope;
            epsilon = found;
            if (near) return Place{found, slope};
        } catch (const accuracy_error&) {
            return std::nullopt;
        }
    }
    return std::nullopt;
}

}  // namespace

Attempt epsilon_by_jumps(const Composition& composition, Interval target, double tolerance) {
    const double log_delta = target.upper;
    try {
        const double one_jump = contour::one_jump_epsilon(composition, log_delta);
        const double normal = normal_epsilon(composition, log_delta);
        std::optional<Place> place = find_epsilon(composition, log_delta, std::max(one_jump, normal));
        if (!place) place = find_epsilon(composition, log_delta, std::min(one_jump, normal));
        if (!place) return {};
        const double on_log_delta = tolerance * std::max(1.0, -place->slope * place->epsilon);
        const RareJumps split(
            composition, {{place->epsilon, place->epsilon}, log_delta, log_digits_for(on_log_delta) + k_more_digits});
        const double epsilon = solve(split, place->epsilon, log_delta);
        const auto found = bracket(split, epsilon, target);
        if (!found) return {};
        const double unit = std::max(found->upper, -1.0 / split.estimate(epsilon).slope);
        return {*found, found->upper - found->lower <= (1.0 - 2.0 * k_guard) * tolerance * unit};
    } catch (const accuracy_error&) {
        return {};
    }
}

// Of few digits first, since what one jump contributes may be far from delta.
std::unique_ptr<const RareJumps> split_at(const Composition& composition, double epsilon, double tolerance) {
    try {
        const Interval at{epsilon, epsilon};
        const double guess = std::min(-1.0, contour::log_one_jump(composition, epsilon));
        if (!std::isfinite(guess)) return nullptr;
        const double log_delta = RareJumps(composition, {at, guess, k_few_digits}).estimate(epsilon).log_value;
        if (!(log_delta < 0.0)) return nullptr;
        const double digits = log_digits_for(tolerance * std::max(1.0, -log_delta)) + k_more_digits;
        return std::make_unique<const RareJumps>(composition, contour::JumpsDemand{at, log_delta, digits});
    } catch (const accuracy_error&) {
        return nullptr;
    }
}

}  // namespace hockeystick::contour_device
