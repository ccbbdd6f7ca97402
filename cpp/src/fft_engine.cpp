// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/fft_engine.hpp"

#include <algorithm>
#include <cmath>

#include "fft_question.hpp"
#include "hockeystick/alignment.hpp"
#include "hockeystick/directions.hpp"
#include "hockeystick/jumps.hpp"

namespace hockeystick {
namespace {

using namespace fft_question;

// A bracket so many times wider than asked for is tried another way.
constexpr double k_far_too_wide = 4.0;

Interval largest_of(std::span<const EpsilonQuestion> asked) {
    Interval largest{0.0, 0.0};
    for (const EpsilonQuestion& each : asked) {
        largest.lower = std::max(largest.lower, each.best().lower);
        largest.upper = std::max(largest.upper, each.best().upper);
    }
    return largest;
}

// Brackets of all asked, by the same transforms.
Interval joint_epsilon_bounds(std::span<EpsilonQuestion> asked, double tolerance) {
    Progress progress;
    for (double refinement = 1.0;;) {
        std::vector<TiltedQuestion> questions;
        std::vector<EpsilonQuestion*> open;
        for (EpsilonQuestion& each : asked) {
            if (each.is_settled()) continue;
            open.push_back(&each);
            questions.push_back(each.question());
        }
        if (open.empty()) break;
        double used = refinement;
        const std::vector<Bracket> brackets = compose_within_bounds(questions, used);
        bool exact = true;
        for (std::size_t i = 0; i < brackets.size(); ++i) {
            open[i]->answer(brackets[i]);
            exact = exact && brackets[i].exact;
        }
        const auto wide = [&] {
            const Interval largest = largest_of(asked);
            return largest.upper - largest.lower > tolerance * largest.upper;
        };
        if (refinement == 1.0 && wide()) {
            for (EpsilonQuestion* each : open) each->limit_by_chernoff();
        }
        if (brackets.empty()) break;
        const Interval largest = largest_of(asked);
        const double reached = largest.upper - largest.lower;
        const double finer = refinement_for(reached, tolerance * largest.upper);
        if (!progress.goes_on(reached, finer, exact, refinement, used)) break;
        refinement = progress.next(used, finer);
    }
    return largest_of(asked);
}

// A bracket far wider than asked for is narrowed by what counting rare jumps tells, of many copies of one law.
Interval narrowed(Interval found, std::span<const LawTerm> terms, double log_delta, double tolerance) {
    const bool wide = !(found.upper - found.lower <= k_far_too_wide * tolerance * found.upper);
    if (!wide || terms.size() != 1 || terms.front().count < 2 || common_step(terms) > 0.0) return found;
    return both(found, jump_epsilon_bounds(terms.front(), log_delta, tolerance, found.upper));
}

}  // namespace

Interval fft_epsilon_bounds(Directions directions, double log_delta, double tolerance) {
    directions = distinct(directions);
    std::vector<EpsilonQuestion> asked;
    asked.reserve(directions.size());
    for (const std::vector<LawTerm>& terms : directions) asked.emplace_back(terms, log_delta, tolerance);
    const bool close = directions.size() > 1 && std::min(asked[0].estimate(), asked[1].estimate()) >
                                                    k_close * std::max(asked[0].estimate(), asked[1].estimate());
    if (close) {
        joint_epsilon_bounds(asked, tolerance);
        Interval largest{0.0, 0.0};
        for (std::size_t i = 0; i < asked.size(); ++i) {
            const Interval found = narrowed(asked[i].best(), directions[i], log_delta, tolerance);
            largest = {std::max(largest.lower, found.lower), std::max(largest.upper, found.upper)};
        }
        return largest;
    }
    return largest_epsilon_bounds(directions, log_delta, [&](std::size_t which) {
        const Interval found = joint_epsilon_bounds(std::span(asked).subspan(which, 1), tolerance);
        return narrowed(found, directions[which], log_delta, tolerance);
    });
}

}  // namespace hockeystick
