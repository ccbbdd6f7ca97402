// SPDX-License-Identifier: Apache-2.0
// log delta at many epsilons (fft_engine.hpp): a group of neighbours by one composition.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "fft_question.hpp"
#include "hockeystick/fft_engine.hpp"

namespace hockeystick {
namespace {

using namespace fft_question;

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

// A group with the laws that are composed for it, narrowed composition by composition.
class GroupQuestion {
public:
    GroupQuestion(std::vector<LawTerm> terms, std::span<const double> epsilons, std::size_t begin, double tolerance)
        : terms_(std::move(terms)),
          cumulant_(terms_),
          group_(next_group(cumulant_, terms_, epsilons, begin)),
          epsilons_(epsilons.subspan(begin, group_.end - begin)),
          tolerance_(tolerance),
          infinite_(log_infinity_mass(terms_)) {}

    std::size_t begin() const { return group_.begin; }
    std::size_t end() const { return group_.end; }
    // Whether one more composition, on a finer lattice, is worth it.
    bool is_open() const { return refinement_ > 0.0; }
    // Of the mass that its laws count as infinite.
    double log_infinite_upper() const { return infinite_.upper; }

    // Composes once; `all` holds the answers of the whole list.
    void compose(std::span<Interval> all, WorkBudget& budget) {
        const std::span<Interval> answers = all.subspan(group_.begin, epsilons_.size());
        const TiltedQuestion question{terms_,           group_.tilt, group_.saddle, tolerance_, epsilons_.front(),
                                      epsilons_.back(), &cumulant_};
        double used = refinement_;
        const std::vector<Bracket> brackets = compose_within_bounds(std::span(&question, 1), used);
        budget.charge(brackets, refinement_, used);
        if (!brackets.empty()) narrow(brackets.front(), answers);
        const double reached = widest(answers), finer = refinement_for(reached, tolerance_);
        const bool first = refinement_ == 1.0;
        if (brackets.empty() || (first && finer > 1.0)) {
            limit_by_chernoff(terms_, group_.saddle, epsilons_, answers);
        }
        const bool goes_on =
            !brackets.empty() && progress_.goes_on(reached, finer, brackets.front().exact, refinement_, used);
        refinement_ = goes_on ? progress_.next(used, finer) : 0.0;
    }

private:
    void narrow(const Bracket& bracket, std::span<Interval> answers) const {
        const std::vector<double> upper = log_delta_bounds(bracket.pessimistic, Bound::upper, epsilons_);
        const std::vector<double> lower = log_delta_bounds(bracket.optimistic, Bound::lower, epsilons_);
        for (std::size_t i = 0; i < answers.size(); ++i) {
            answers[i] = both(answers[i], with_infinity({lower[i], upper[i]}, infinite_));
        }
    }

    std::vector<LawTerm> terms_;
    CumulantEstimate cumulant_;
    Group group_;
    std::span<const double> epsilons_;
    double tolerance_;
    Interval infinite_;
    Progress progress_;
    double refinement_ = 1.0;
};

// A group at a saddle that leans on rare outcomes: without those that are far less likely than its delta. They are left
// out by an estimate of delta first, then by the certified lower bounds that this has given.
GroupQuestion without_rare_outcomes(std::span<const LawTerm> terms, std::span<const double> epsilons, std::size_t begin,
                                    double tolerance, std::span<Interval> answers, WorkBudget& budget) {
    std::vector<LawTerm> kept = without_the_far(terms, epsilons[begin], tolerance);
    for (int round = 0;; ++round) {
        GroupQuestion question(kept, epsilons, begin, tolerance);
        question.compose(answers, budget);
        double least = 0.0;
        for (std::size_t i = begin; i < question.end(); ++i) least = std::min(least, answers[i].lower);
        const double log_far = least + log_far_less(tolerance);
        if (round == k_cap_rounds || !(question.log_infinite_upper() > log_far)) return question;
        kept = capped(terms, log_far - k_cap_reserve);
    }
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
    std::vector<GroupQuestion> asked;
    for (std::size_t begin = 0; begin < inside.size();) {
        const Group group = next_group(cumulant, terms, inside, begin);
        const std::size_t size = group.end - begin;
        if (budget.is_spent()) {
            limit_by_chernoff(terms, group.saddle, inside.subspan(begin, size),
                              std::span(answers).subspan(begin, size));
            begin = group.end;
            continue;
        }
        if (is_heavy(cumulant, group.saddle)) {
            asked.push_back(without_rare_outcomes(terms, inside, begin, tolerance, answers, budget));
        } else {
            asked.emplace_back(std::vector<LawTerm>(terms.begin(), terms.end()), inside, begin, tolerance);
            asked.back().compose(answers, budget);
        }
        begin = asked.back().end();
    }
    for (GroupQuestion& each : asked) {
        budget.share(each.end() - each.begin());
        while (each.is_open() && !budget.is_share_spent()) each.compose(answers, budget);
    }
    return answers;
}

}  // namespace

std::vector<Interval> fft_log_delta_bounds(Directions directions, std::span<const double> epsilons, double tolerance) {
    directions = distinct(directions);
    return largest_log_delta_bounds(directions, epsilons, [&](std::size_t which, std::span<const double> points) {
        return one_direction(directions[which], points, tolerance);
    });
}

}  // namespace hockeystick
