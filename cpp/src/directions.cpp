// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/directions.hpp"

#include <algorithm>
#include <optional>

#include "hockeystick/chernoff.hpp"
#include "hockeystick/cumulant.hpp"
#include "hockeystick/error.hpp"

namespace hockeystick {
namespace {

// Chernoff bounds tried along the list before what is left is composed: far out one line settles all the rest.
constexpr std::size_t k_probes = 6;

// The Chernoff bound that is best at one epsilon; nothing where its dots cannot be afforded.
std::optional<ChernoffBound> bound_at(std::span<const Term> terms, Direction direction, CumulantEstimate& cumulant,
                                      double epsilon) {
    try {
        return ChernoffBound(terms, direction, cumulant.saddle_of_epsilon(epsilon));
    } catch (const accuracy_error&) {
        return std::nullopt;
    }
}

// Whether the direction's epsilon is certified to be at most the one given, without composing it.
bool is_at_most(std::span<const Term> terms, Direction direction, double log_delta, double epsilon) {
    if (epsilon >= greatest_total_loss(terms, direction)) return true;
    CumulantEstimate cumulant(terms, direction);
    const std::optional<ChernoffBound> bound = bound_at(terms, direction, cumulant, epsilon);
    return bound && bound->log_delta_upper(epsilon) <= log_delta;
}

BoundFinder bounds_of_dots(std::span<const Term> terms) {
    return [terms](Direction direction, double epsilon) -> LogDeltaBound {
        CumulantEstimate cumulant(terms, direction);
        const std::optional<ChernoffBound> bound = bound_at(terms, direction, cumulant, epsilon);
        if (!bound) return {};
        return [found = *bound](double at) { return found.log_delta_upper(at); };
    };
}

// Indices at which no Chernoff bound tried is below the answers' lower bounds.
std::vector<std::size_t> unsettled(std::span<const Term> terms, Direction direction, std::span<const double> epsilons,
                                   std::span<const Interval> answers, const BoundFinder& bounds) {
    const double greatest = greatest_total_loss(terms, direction);
    std::vector<bool> settled;
    for (const double epsilon : epsilons) settled.push_back(epsilon >= greatest);
    for (std::size_t probe = 1; probe <= k_probes; ++probe) {
        // The first probes sit close to zero, where the directions part.
        const std::size_t at = (epsilons.size() - 1) * probe * probe / (k_probes * k_probes);
        if (settled[at]) continue;
        const LogDeltaBound bound = bounds(direction, epsilons[at]);
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

double greatest_total_loss(std::span<const Term> terms, Direction direction) {
    double total = 0.0;
    for (const Term& term : terms) total += static_cast<double>(term.count) * greatest_loss(term.law, direction);
    return total * (1.0 + 1e-12);
}

Interval largest_epsilon_bounds(std::span<const Term> terms, std::span<const Direction> directions, double log_delta,
                                const EpsilonEngine& engine) {
    if (directions.size() == 1) return engine(directions[0]);
    const double first = CumulantEstimate(terms, directions[0]).saddle_of_delta(log_delta).epsilon;
    const double second = CumulantEstimate(terms, directions[1]).saddle_of_delta(log_delta).epsilon;
    const std::size_t leader = first >= second ? 0 : 1;
    const Direction other = directions[1 - leader];
    const Interval answer = engine(directions[leader]);
    if (is_at_most(terms, other, log_delta, answer.lower)) return answer;
    return larger(answer, engine(other));
}

std::vector<Interval> largest_log_delta_bounds(std::span<const Term> terms, std::span<const Direction> directions,
                                               std::span<const double> epsilons, const LogDeltaEngine& engine,
                                               const BoundFinder& bounds) {
    const BoundFinder finder = bounds ? bounds : bounds_of_dots(terms);
    std::vector<Interval> answers = engine(directions[0], epsilons);
    for (const Direction direction : directions.subspan(1)) {
        const std::vector<std::size_t> left = unsettled(terms, direction, epsilons, answers, finder);
        if (left.empty()) continue;
        std::vector<double> points;
        for (const std::size_t i : left) points.push_back(epsilons[i]);
        const std::vector<Interval> others = engine(direction, points);
        for (std::size_t i = 0; i < left.size(); ++i) answers[left[i]] = larger(answers[left[i]], others[i]);
    }
    return answers;
}

}  // namespace hockeystick
