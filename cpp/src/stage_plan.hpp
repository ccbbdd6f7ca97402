// SPDX-License-Identifier: Apache-2.0
// What is decided about a composition before any number is certified: steps, windows, stages. Estimates throughout; any
// plan is valid, a bad one costs time or width. Internal to the sources.
#pragma once

#include <algorithm>
#include <cmath>

#include "hockeystick/alignment.hpp"
#include "hockeystick/lattice.hpp"
#include "hockeystick/staged.hpp"

namespace hockeystick::stage_plan {

// The planned inflation of log delta: T theta (theta + 1) / 2 * h^2 * (1/6 + 1/12), pessimistic plus optimistic.
inline constexpr double k_inflation = 8.0;
// The part of the wanted width that discretisation may use up.
inline constexpr double k_share = 0.8;
// No step above this part of the (tilted) standard deviation of what is composed on it.
inline constexpr double k_most_step = 0.25;
// Above this length two stages are considered.
inline constexpr double k_one_stage_length = 1 << 15;
// The laws' own lattice is used up to this length.
inline constexpr double k_longest_exact = 1 << 20;
// Two stages cost this much more than one of the same length.
inline constexpr double k_two_stage_price = 1.5;
inline constexpr double k_least_negligible = 1e-16;
// Redone on a finer lattice while the dots alone inflate log delta this many times more than planned.
inline constexpr double k_overrun = 1.25;
inline constexpr int k_most_retries = 6;
// Orders of Chernoff bounds are looked for up to this many times the tilt's own.
inline constexpr double k_most_order = 100.0;
// A deviation below this part of 1 / theta, or below what epsilon may be off, does not ask for a finer step: the law is
// gathered at its end, and the answer smooth on those scales.
inline constexpr double k_least_deviation = 0.1;

struct Span {
    double low;
    double high;
    ChernoffOrders orders;
};

// Chernoff window of the tilted law for given counts, by golden section over the order: an estimate that places the
// window, the rigorous bound on what is left out comes later from the atoms.
class WindowEstimate {
public:
    WindowEstimate(CumulantEstimate& cumulant, double theta, std::vector<double> counts, double negligible)
        : cumulant_(cumulant),
          theta_(theta),
          counts_(std::move(counts)),
          log_odds_(-std::log(negligible)),
          base_(cumulant.at(theta, counts_)) {}

    Span span() {
        // A law that the tilt has gathered at its end has hardly a variance.
        const double natural = std::min(std::sqrt(2.0 * log_odds_ / base_.second), k_most_order * (1.0 + theta_));
        const double above = best(1.0, std::min(natural / 30.0, 0.5), natural * 2.0);
        const double below = best(-1.0, std::min(natural / 30.0, 0.5), natural * 2.0);
        return {-bound(-1.0, below), bound(1.0, above), {above, below}};
    }

private:
    double bound(double sign, double order) {
        const double growth = cumulant_.at(theta_ + sign * order, counts_).value - base_.value;
        return (growth + log_odds_) / order;
    }

    double best(double sign, double low, double high) {
        constexpr double golden = 0.6180339887498949;
        double a = std::log(std::min(low, 0.5 * high)), b = std::log(high);
        double c = b - golden * (b - a), d = a + golden * (b - a);
        double at_c = bound(sign, std::exp(c)), at_d = bound(sign, std::exp(d));
        for (int step = 0; step < 9; ++step) {
            if (at_c < at_d) {
                b = d;
                d = c;
                at_d = at_c;
                c = b - golden * (b - a);
                at_c = bound(sign, std::exp(c));
            } else {
                a = c;
                c = d;
                at_c = at_d;
                d = a + golden * (b - a);
                at_d = bound(sign, std::exp(d));
            }
        }
        return std::exp(at_c < at_d ? c : d);
    }

    CumulantEstimate& cumulant_;
    double theta_;
    std::vector<double> counts_;
    double log_odds_;
    Cumulant base_;
};

// What is fixed for one question before any number is certified.
struct Plan {
    double step = 0.0;        // of the first stage
    std::int64_t factor = 1;  // coarsening between the stages
    bool exact = false;       // the step is the laws' own: nothing is discretised
    Span total{};
    Span block{};
};

inline std::vector<double> counts_of(const TiltedQuestion& question, double divisor) {
    std::vector<double> counts;
    for (const LawTerm& term : question.terms) counts.push_back(std::floor(static_cast<double>(term.count) / divisor));
    return counts;
}

inline double total_count(const TiltedQuestion& question) {
    double total = 0.0;
    for (const LawTerm& term : question.terms) total += static_cast<double>(term.count);
    return total;
}

inline double log_mass_of(const TiltedQuestion& question, std::size_t term) {
    std::vector<double> one(question.terms.size(), 0.0);
    one[term] = 1.0;
    return question.cumulant->at(question.tilt.theta, one).value;
}

inline DotsRequest request_for(const TiltedQuestion& question, std::size_t term, double step, double negligible) {
    return {question.tilt.theta, step, log_mass_of(question, term), 0.1 * negligible / total_count(question),
            aligned_offset(*question.terms[term].law, step)};
}

inline double step_for(const TiltedQuestion& question, double width, double releases, double deviation) {
    const double curvature = releases * question.saddle * (question.saddle + 1.0);
    return std::min(std::sqrt(k_inflation * width / curvature), k_most_step * deviation / std::sqrt(releases));
}

inline double length_of(const Span& span, double step) { return (span.high - span.low) / step + 4.0; }

// What every plan for one question shares.
struct Prepared {
    const TiltedQuestion* question;
    double refinement;
    double width;       // what discretisation may use of log delta
    double own_step;    // of the laws' common lattice, 0 if there is none
    double negligible;  // mass that may be left outside a window
    double releases;
    double deviation;
    CumulantEstimate capped;  // of the laws as their lattices cut them off

    Prepared(const TiltedQuestion& asked, double finer)
        : question(&asked),
          refinement(finer),
          width(k_share * asked.log_width),
          own_step(common_step(asked.terms)),
          negligible(
              (own_step > 0.0 ? k_least_negligible : std::clamp(1e-4 * asked.log_width, k_least_negligible, 1e-8)) *
              std::exp(-asked.tilt.log_excess)),
          releases(total_count(asked)),
          deviation(std::max({std::sqrt(asked.cumulant->at(asked.tilt.theta).second),
                              k_least_deviation / (1.0 + asked.tilt.theta), asked.log_width / (1.0 + asked.saddle)})),
          capped(asked.terms, caps()) {}

    double step(double share, double copies) const {
        return aligned_step(question->terms, step_for(*question, share * width, copies, deviation) / refinement);
    }

private:
    std::vector<double> caps() const {
        std::vector<double> caps;
        for (std::size_t i = 0; i < question->terms.size(); ++i) {
            const LossLaw& law = *question->terms[i].law;
            const DotsRequest request = request_for(*question, i, step(1.0, releases), negligible);
            caps.push_back(law.atoms().empty() ? upper_cut(law, request) : k_infinity);
        }
        return caps;
    }
};

inline Plan plan_for(Prepared& prepared, double blocks) {
    const TiltedQuestion& question = *prepared.question;
    Plan plan;
    WindowEstimate total(prepared.capped, question.tilt.theta, counts_of(question, 1.0), prepared.negligible);
    plan.total = total.span();
    if (blocks == 1.0) {
        plan.exact = prepared.own_step > 0.0 && length_of(plan.total, prepared.own_step) <= k_longest_exact;
        plan.step = plan.exact ? prepared.own_step : prepared.step(1.0, prepared.releases);
    } else {
        plan.step = prepared.step(0.5, prepared.releases);
        plan.factor = std::max<std::int64_t>(static_cast<std::int64_t>(prepared.step(0.5, blocks) / plan.step), 1);
        WindowEstimate block(prepared.capped, question.tilt.theta, counts_of(question, blocks),
                             prepared.negligible / blocks);
        plan.block = block.span();
    }
    plan.total.low = std::min(plan.total.low, question.least_epsilon);
    plan.total.high = std::max(plan.total.high, question.most_epsilon);
    return plan;
}

inline double longest_of(const Plan& plan, double blocks) {
    const double total = length_of(plan.total, plan.step * static_cast<double>(plan.factor));
    return blocks == 1.0 ? total : std::max(total, length_of(plan.block, plan.step));
}

// The number of blocks (copies in the second stage) with the shortest transforms.
inline double best_blocks(Prepared& prepared) {
    double most_copies = 0.0;
    for (const LawTerm& term : prepared.question->terms) {
        most_copies = std::max(most_copies, static_cast<double>(term.count));
    }
    const Plan single = plan_for(prepared, 1.0);
    double best = 1.0, shortest = longest_of(single, 1.0);
    if (single.exact || shortest <= k_one_stage_length) return best;
    for (double blocks = 4.0; blocks <= most_copies / 4.0; blocks *= 4.0) {
        const double length = k_two_stage_price * longest_of(plan_for(prepared, blocks), blocks);
        if (length < shortest) {
            shortest = length;
            best = blocks;
        }
    }
    return best;
}

}  // namespace hockeystick::stage_plan
