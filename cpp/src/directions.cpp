// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/directions.hpp"

#include <algorithm>
#include <optional>

#include "hockeystick/chernoff.hpp"
#include "hockeystick/cumulant.hpp"
#include "hockeystick/error.hpp"
#include "hockeystick/limits.hpp"

namespace hockeystick {
namespace {

// Chernoff bounds tried along the list before what is left is composed: far out one line settles all the rest.
constexpr std::size_t k_probes = 6;

// The Chernoff bound that is best at one epsilon; nothing where its dots cannot be afforded.
std::optional<ChernoffBound> bound_at(std::span<const LawTerm> terms, CumulantEstimate& cumulant, double epsilon) {
    try {
        return ChernoffBound(terms, cumulant.saddle_of_epsilon(epsilon));
    } catch (const accuracy_error&) {
        return std::nullopt;
    }
}

// Whether the direction's epsilon is certified to be at most the one given, without composing it.
bool is_at_most(std::span<const LawTerm> terms, double log_delta, double epsilon) {
    if (epsilon >= greatest_total_loss(terms)) return log_infinity_mass(terms).upper <= log_delta;
    CumulantEstimate cumulant(terms);
    const std::optional<ChernoffBound> bound = bound_at(terms, cumulant, epsilon);
    return bound && bound->log_delta_upper(epsilon) <= log_delta;
}

BoundFinder bounds_of_dots(Directions directions) {
    return [directions](std::size_t which, double epsilon) -> LogDeltaBound {
        CumulantEstimate cumulant(directions[which]);
        const std::optional<ChernoffBound> bound = bound_at(directions[which], cumulant, epsilon);
        if (!bound) return {};
        return [found = *bound](double at) { return found.log_delta_upper(at); };
    };
}

// Indices at which no Chernoff bound tried is below the answers' lower bounds.
std::vector<std::size_t> unsettled(Directions directions, std::size_t which, std::span<const double> epsilons,
                                   std::span<const Interval> answers, const BoundFinder& bounds) {
    const double greatest = greatest_total_loss(directions[which]);
    const double infinite = log_infinity_mass(directions[which]).upper;
    std::vector<bool> settled;
    for (std::size_t i = 0; i < epsilons.size(); ++i) {
        settled.push_back(epsilons[i] >= greatest && infinite <= answers[i].lower);
    }
    for (std::size_t probe = 1; probe <= k_probes; ++probe) {
        // The first probes sit close to zero, where the directions part.
        const std::size_t at = (epsilons.size() - 1) * probe * probe / (k_probes * k_probes);
        if (settled[at]) continue;
        const LogDeltaBound bound = bounds(which, epsilons[at]);
        for (std::size_t i = 0; bound && i < epsilons.size(); ++i) {
            if (bound(epsilons[i]) <= answers[i].lower) settled[i] = true;
        }
    }
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < epsilons.size(); ++i) {
        if (!settled[i]) left.push_back(i);
    }
    return left;
}

Interval larger(const Interval& a, const Interval& b) {
    return {std::max(a.lower, b.lower), std::max(a.upper, b.upper)};
}

}  // namespace

Interval largest_epsilon_bounds(Directions directions, double log_delta, const EpsilonEngine& engine) {
    std::size_t leader = 0;
    double largest = -1.0;
    for (std::size_t i = 0; i < directions.size() && directions.size() > 1; ++i) {
        const double estimate = CumulantEstimate(directions[i]).saddle_of_delta(log_delta).epsilon;
        if (estimate > largest) {
            largest = estimate;
            leader = i;
        }
    }
    Interval answer = engine(leader);
    for (std::size_t i = 0; i < directions.size(); ++i) {
        if (i != leader && !is_at_most(directions[i], log_delta, answer.lower)) answer = larger(answer, engine(i));
    }
    return answer;
}

std::vector<Interval> largest_log_delta_bounds(Directions directions, std::span<const double> epsilons,
                                               const LogDeltaEngine& engine, const BoundFinder& bounds) {
    const BoundFinder finder = bounds ? bounds : bounds_of_dots(directions);
    std::vector<Interval> answers = engine(0, epsilons);
    for (std::size_t direction = 1; direction < directions.size(); ++direction) {
        const std::vector<std::size_t> left = unsettled(directions, direction, epsilons, answers, finder);
        if (left.empty()) continue;
        std::vector<double> points;
        for (const std::size_t i : left) points.push_back(epsilons[i]);
        const std::vector<Interval> others = engine(direction, points);
        for (std::size_t i = 0; i < left.size(); ++i) answers[left[i]] = larger(answers[left[i]], others[i]);
    }
    return answers;
}

}  // namespace hockeystick
