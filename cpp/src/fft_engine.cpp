// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/fft_engine.hpp"

#include <algorithm>
#include <cmath>

#include "fft_question.hpp"
#include "hockeystick/capped_law.hpp"
#include "hockeystick/chernoff.hpp"
#include "hockeystick/cumulant.hpp"
#include "hockeystick/directions.hpp"
#include "hockeystick/error.hpp"
#include "hockeystick/jumps.hpp"
#include "hockeystick/limits.hpp"
#include "hockeystick/profile.hpp"
#include "hockeystick/special.hpp"
#include "hockeystick/staged.hpp"
#include "hockeystick/tilt.hpp"

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

// The epsilons one tilt answers: [begin, end) of the list.
struct Group {
    std::size_t begin;
    std::size_t end;
    double saddle;
    Tilt tilt;
};

// A composition without the outcomes that are far less likely than the delta that it has at epsilon, if it has any that
// would take over the tilted law.
std::vector<LawTerm> without_the_far(std::span<const LawTerm> terms, double epsilon, double tolerance) {
    std::vector<LawTerm> kept(terms.begin(), terms.end());
    for (int round = 0; round < k_cap_rounds; ++round) {
        CumulantEstimate cumulant(kept);
        const double saddle = cumulant.saddle_of_epsilon(epsilon);
        if (!is_heavy(cumulant, saddle)) break;
        const double log_delta = cumulant.at(saddle).value - saddle * epsilon - std::log(saddle * (1.0 + saddle)) -
                                 0.5 * std::log1p(cumulant.at(saddle).second);
        kept = capped(terms, log_delta + log_far_less(tolerance) - k_group_fall);
    }
    return kept;
}

Group next_group(CumulantEstimate& cumulant, std::span<const LawTerm> terms, std::span<const double> epsilons,
                 std::size_t begin) {
    const double saddle_here = cumulant.saddle_of_epsilon(epsilons[begin]);
    const Tilt tilt_here = tilt_for(cumulant, terms, saddle_here, epsilons[begin], 0.0);
    const double deviation = std::sqrt(cumulant.at(tilt_here.theta).second);
    const double reach = epsilons[begin] + 2.0 * k_tilt_reach * deviation;
    std::size_t end = begin + 1;
    while (end < epsilons.size() && epsilons[end] <= reach) ++end;
    const double middle = 0.5 * (epsilons[begin] + epsilons[end - 1]);
    const double saddle = cumulant.saddle_of_epsilon(middle);
    return {begin, end, saddle, tilt_for(cumulant, terms, saddle, middle, 0.0)};
}

double widest(std::span<const Interval> answers) {
    double width = 0.0;
    for (const Interval& answer : answers) width = std::max(width, answer.upper - answer.lower);
    return width;
}

// The profile of the finite losses with the mass at infinity on top.
Interval with_infinity(Interval finite, const Interval& infinite) {
    if (infinite.upper == -k_infinity) return finite;
    const double lower = logaddexp(finite.lower, infinite.lower);
    const double upper = logaddexp(finite.upper, infinite.upper);
    return {std::min(lower - 8.0 * k_unit_roundoff * (1.0 + std::fabs(lower)), 0.0),
            std::min(upper + 8.0 * k_unit_roundoff * (1.0 + std::fabs(upper)), 0.0)};
}

// Upper bounds by Chernoff's at the group's saddle: no lattice need be fine enough for them.
void limit_by_chernoff(std::span<const LawTerm> terms, double saddle, std::span<const double> epsilons,
                       std::span<Interval> answers) {
    try {
        const ChernoffBound bound(terms, saddle);
        for (std::size_t i = 0; i < answers.size(); ++i) {
            const double upper = std::min(answers[i].upper, bound.log_delta_upper(epsilons[i]));
            answers[i].upper = std::max(upper, answers[i].lower);
        }
    } catch (const accuracy_error&) {
        // Its dots would be too many.
    }
}

void answer_group(CumulantEstimate& cumulant, std::span<const LawTerm> terms, std::span<const double> epsilons,
                  const Group& group, double tolerance, std::span<Interval> answers, WorkBudget& budget) {
    const TiltedQuestion question{terms,           group.tilt, group.saddle, tolerance, epsilons.front(),
                                  epsilons.back(), &cumulant};
    const Interval infinite = log_infinity_mass(terms);
    Progress progress;
    for (double refinement = 1.0;;) {
        double used = refinement;
        const std::vector<Bracket> brackets = compose_within_bounds(std::span(&question, 1), used);
        budget.charge(brackets, refinement, used);
        if (brackets.empty()) return limit_by_chernoff(terms, group.saddle, epsilons, answers);
        const Bracket& bracket = brackets.front();
        const std::vector<double> upper = log_delta_bounds(bracket.pessimistic, Bound::upper, epsilons);
        const std::vector<double> lower = log_delta_bounds(bracket.optimistic, Bound::lower, epsilons);
        for (std::size_t i = 0; i < answers.size(); ++i) {
            answers[i] = both(answers[i], with_infinity({lower[i], upper[i]}, infinite));
        }
        const double reached = widest(answers);
        const double finer = refinement_for(reached, tolerance);
        if (refinement == 1.0 && finer > 1.0) limit_by_chernoff(terms, group.saddle, epsilons, answers);
        if (budget.is_spent() || !progress.goes_on(reached, finer, bracket.exact, refinement, used)) return;
        refinement = progress.next(used, finer);
    }
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
    return both(found, jump_epsilon_bounds(terms.front(), log_delta, tolerance));
}

std::vector<Interval> one_direction(std::span<const LawTerm> terms, std::span<const double> epsilons,
                                    double tolerance) {
    std::vector<Interval> answers = log_delta_limits(terms, epsilons);
    if (log_infinity_mass(terms).lower == 0.0) return answers;  // no finite loss is left
    // So close to the greatest loss the limits say enough, and no tilt would be strong enough.
    const double greatest = greatest_total_loss(terms) * (1.0 - k_close_to_the_end);
    const auto last = std::lower_bound(epsilons.begin(), epsilons.end(), greatest);
    const std::span<const double> inside = epsilons.first(static_cast<std::size_t>(last - epsilons.begin()));
    CumulantEstimate cumulant(terms);
    WorkBudget budget(inside.size());
    for (std::size_t begin = 0; begin < inside.size();) {
        Group group = next_group(cumulant, terms, inside, begin);
        const auto answer = [&](CumulantEstimate& estimate, std::span<const LawTerm> laws) {
            const std::size_t size = group.end - begin;
            answer_group(estimate, laws, inside.subspan(begin, size), group, tolerance,
                         std::span(answers).subspan(begin, size), budget);
        };
        if (budget.is_spent()) {
            const std::size_t size = group.end - begin;
            limit_by_chernoff(terms, group.saddle, inside.subspan(begin, size),
                              std::span(answers).subspan(begin, size));
        } else if (is_heavy(cumulant, group.saddle)) {
            const std::vector<LawTerm> kept = without_the_far(terms, inside[begin], tolerance);
            CumulantEstimate near(kept);
            group = next_group(near, kept, inside, begin);
            answer(near, kept);
        } else {
            answer(cumulant, terms);
        }
        begin = group.end;
    }
    return answers;
}

bool same_laws(std::span<const LawTerm> a, std::span<const LawTerm> b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const LawTerm& x, const LawTerm& y) { return x.law == y.law && x.count == y.count; });
}

// Without those that are the first one over again.
Directions distinct(Directions directions) {
    std::size_t size = directions.size();
    while (size > 1 && same_laws(directions[size - 1], directions[0])) --size;
    return directions.first(size);
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

std::vector<Interval> fft_log_delta_bounds(Directions directions, std::span<const double> epsilons, double tolerance) {
    directions = distinct(directions);
    return largest_log_delta_bounds(directions, epsilons, [&](std::size_t which, std::span<const double> points) {
        return one_direction(directions[which], points, tolerance);
    });
}

}  // namespace hockeystick
