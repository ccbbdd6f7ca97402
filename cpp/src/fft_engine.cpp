// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/fft_engine.hpp"

#include <algorithm>
#include <cmath>

#include "hockeystick/cumulant.hpp"
#include "hockeystick/directions.hpp"
#include "hockeystick/error.hpp"
#include "hockeystick/limits.hpp"
#include "hockeystick/profile.hpp"
#include "hockeystick/staged.hpp"
#include "hockeystick/tilt.hpp"

namespace hockeystick {
namespace {

constexpr int k_most_rounds = 4;
// A tilt serves epsilons within this many standard deviations of its saddle: beyond, the error terms, which are
// relative to the Chernoff bound, outgrow delta by e^{z^2 / 2}.
constexpr double k_tilt_reach = 2.0;
// Directions whose estimates are closer than this go through the transforms together.
constexpr double k_close = 0.97;

// How much finer the lattice must be for a width to come down to the tolerance; 1 where it is there already.
double refinement_for(double width, double tolerance) {
    if (width <= tolerance) return 1.0;
    return std::isfinite(width) ? std::clamp(std::sqrt(1.3 * width / tolerance), 1.2, 8.0) : 4.0;
}

// Composes, on a coarser lattice where the memory bound forbids the one asked for; nothing if that does not help.
std::vector<Bracket> compose_within_bounds(std::span<const TiltedQuestion> questions, double refinement) {
    for (int attempt = 0; attempt < k_most_rounds; ++attempt, refinement *= 0.25) {
        try {
            return compose_in_stages(questions, refinement);
        } catch (const accuracy_error&) {
            continue;
        }
    }
    return {};
}

class EpsilonQuestion {
public:
    EpsilonQuestion(std::span<const Term> terms, Direction direction, double log_delta, double tolerance)
        : terms_(terms),
          direction_(direction),
          log_delta_(log_delta),
          tolerance_(tolerance),
          cumulant_(terms, direction),
          saddle_(saddle_of(cumulant_, log_delta)),
          tilt_(choose_tilt(cumulant_, saddle_.theta, saddle_.epsilon)) {
        deviation_ = std::sqrt(cumulant_.at(tilt_.theta).second);
        best_ = epsilon_limits(terms, direction, log_delta);
    }

    TiltedQuestion question() {
        // Relative to an epsilon near 0 no lattice would be fine enough: then to a part of the deviation.
        const double epsilon = saddle_.epsilon > 0.0 ? std::max(saddle_.epsilon, 0.05 * deviation_) : deviation_;
        const double reach = saddle_.epsilon;
        return {terms_, direction_, tilt_,     saddle_.theta, tolerance_ * epsilon * saddle_.theta,
                reach,  reach,      &cumulant_};
    }

    void answer(const Bracket& bracket) {
        best_ = both(best_, {epsilon_bound(bracket.optimistic, Bound::lower, log_delta_),
                             epsilon_bound(bracket.pessimistic, Bound::upper, log_delta_)});
    }

    Interval best() const { return best_; }
    double estimate() const { return saddle_.epsilon; }

private:
    // Where delta(0) is estimated to be below the target already, the question is asked at epsilon 0.
    static CumulantEstimate::Saddle saddle_of(CumulantEstimate& cumulant, double log_delta) {
        const CumulantEstimate::Saddle saddle = cumulant.saddle_of_delta(log_delta);
        if (saddle.epsilon > 0.0) return saddle;
        return {cumulant.saddle_of_epsilon(0.0), 0.0};
    }

    std::span<const Term> terms_;
    Direction direction_;
    double log_delta_;
    double tolerance_;
    CumulantEstimate cumulant_;
    CumulantEstimate::Saddle saddle_;
    Tilt tilt_;
    double deviation_ = 0.0;
    Interval best_;
};

Interval largest_of(std::span<const EpsilonQuestion> asked) {
    Interval largest{0.0, 0.0};
    for (const EpsilonQuestion& each : asked) {
        largest.lower = std::max(largest.lower, each.best().lower);
        largest.upper = std::max(largest.upper, each.best().upper);
    }
    return largest;
}

// The epsilons one tilt answers: [begin, end) of the list.
struct Group {
    std::size_t begin;
    std::size_t end;
    double saddle;
    Tilt tilt;
};

Group next_group(CumulantEstimate& cumulant, std::span<const double> epsilons, std::size_t begin) {
    const double saddle_here = cumulant.saddle_of_epsilon(epsilons[begin]);
    const Tilt tilt_here = choose_tilt(cumulant, saddle_here, epsilons[begin]);
    const double deviation = std::sqrt(cumulant.at(tilt_here.theta).second);
    const double reach = epsilons[begin] + 2.0 * k_tilt_reach * deviation;
    std::size_t end = begin + 1;
    while (end < epsilons.size() && epsilons[end] <= reach) ++end;
    const double middle = 0.5 * (epsilons[begin] + epsilons[end - 1]);
    const double saddle = cumulant.saddle_of_epsilon(middle);
    return {begin, end, saddle, choose_tilt(cumulant, saddle, middle)};
}

double widest(std::span<const Interval> answers) {
    double width = 0.0;
    for (const Interval& answer : answers) width = std::max(width, answer.upper - answer.lower);
    return width;
}

void answer_group(CumulantEstimate& cumulant, std::span<const Term> terms, Direction direction,
                  std::span<const double> epsilons, const Group& group, double tolerance, std::span<Interval> answers) {
    const TiltedQuestion question{terms,     direction,        group.tilt,      group.saddle,
                                  tolerance, epsilons.front(), epsilons.back(), &cumulant};
    double refinement = 1.0, width = k_infinity;
    for (int round = 0; round < k_most_rounds; ++round) {
        const std::vector<Bracket> brackets = compose_within_bounds(std::span(&question, 1), refinement);
        if (brackets.empty()) return;
        const Bracket& bracket = brackets.front();
        const std::vector<double> upper = log_delta_bounds(bracket.pessimistic, Bound::upper, epsilons);
        const std::vector<double> lower = log_delta_bounds(bracket.optimistic, Bound::lower, epsilons);
        for (std::size_t i = 0; i < answers.size(); ++i) {
            answers[i] = both(answers[i], {lower[i], upper[i]});
        }
        const double reached = widest(answers);
        const double finer = refinement_for(reached, tolerance);
        if (finer == 1.0 || (round > 1 && reached > 0.9 * width)) return;
        width = reached;
        refinement *= round > 0 ? 2.0 * finer : finer;
    }
}

// Brackets of all asked, by the same transforms.
Interval joint_epsilon_bounds(std::span<EpsilonQuestion> asked, double tolerance) {
    double refinement = 1.0, width = k_infinity;
    for (int round = 0; round < k_most_rounds; ++round) {
        std::vector<TiltedQuestion> questions;
        for (EpsilonQuestion& each : asked) questions.push_back(each.question());
        const std::vector<Bracket> brackets = compose_within_bounds(questions, refinement);
        if (brackets.empty()) break;
        for (std::size_t i = 0; i < asked.size(); ++i) asked[i].answer(brackets[i]);
        const Interval largest = largest_of(asked);
        const double reached = largest.upper - largest.lower;
        const double finer = refinement_for(reached, tolerance * largest.upper);
        // The lattice answers to the refinement in jumps, so one round without gain says little.
        if (finer == 1.0 || (round > 1 && reached > 0.9 * width)) break;
        width = reached;
        refinement *= round > 0 ? 2.0 * finer : finer;
    }
    return largest_of(asked);
}

std::vector<Interval> one_direction(std::span<const Term> terms, Direction direction, std::span<const double> epsilons,
                                    double tolerance) {
    std::vector<Interval> answers;
    for (const double epsilon : epsilons) answers.push_back(log_delta_limits(terms, direction, epsilon));
    CumulantEstimate cumulant(terms, direction);
    for (std::size_t begin = 0; begin < epsilons.size();) {
        const Group group = next_group(cumulant, epsilons, begin);
        const std::size_t size = group.end - begin;
        answer_group(cumulant, terms, direction, epsilons.subspan(begin, size), group, tolerance,
                     std::span(answers).subspan(begin, size));
        begin = group.end;
    }
    return answers;
}

}  // namespace

Interval fft_epsilon_bounds(std::span<const Term> terms, std::span<const Direction> directions, double log_delta,
                            double tolerance) {
    // There a tilt would have no saddle to go to, and the window no end.
    if (log_delta >= log_total_variation_upper(terms)) return {0.0, 0.0};
    std::vector<EpsilonQuestion> asked;
    asked.reserve(directions.size());
    for (const Direction direction : directions) asked.emplace_back(terms, direction, log_delta, tolerance);
    const bool close = directions.size() > 1 && std::min(asked[0].estimate(), asked[1].estimate()) >
                                                    k_close * std::max(asked[0].estimate(), asked[1].estimate());
    if (close) return joint_epsilon_bounds(asked, tolerance);
    return largest_epsilon_bounds(terms, directions, log_delta, [&](Direction direction) {
        const std::size_t which = direction == directions[0] ? 0 : 1;
        return joint_epsilon_bounds(std::span(asked).subspan(which, 1), tolerance);
    });
}

std::vector<Interval> fft_log_delta_bounds(std::span<const Term> terms, std::span<const Direction> directions,
                                           std::span<const double> epsilons, double tolerance) {
    return largest_log_delta_bounds(terms, directions, epsilons,
                                    [&](Direction direction, std::span<const double> points) {
                                        return one_direction(terms, direction, points, tolerance);
                                    });
}

}  // namespace hockeystick
