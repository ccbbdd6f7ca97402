// SPDX-License-Identifier: Apache-2.0
// One question for the FFT engine: where it is asked, under which tilt, and how its bracket narrows. Internal to the
// sources.
#pragma once

#include <algorithm>
#include <cmath>

#include "hockeystick/alignment.hpp"
#include "hockeystick/capped_law.hpp"
#include "hockeystick/chernoff.hpp"
#include "hockeystick/cumulant.hpp"
#include "hockeystick/directions.hpp"
#include "hockeystick/error.hpp"
#include "hockeystick/limits.hpp"
#include "hockeystick/profile.hpp"
#include "hockeystick/special.hpp"
#include "hockeystick/staged.hpp"
#include "hockeystick/tilt.hpp"

namespace hockeystick::fft_question {

inline constexpr int k_most_rounds = 4;
// The factor on the refinement where the memory bound forbids one.
inline constexpr double k_coarser = 0.25;
// A tilt serves epsilons within this many standard deviations of its saddle: beyond, the error terms, which are
// relative to the Chernoff bound, outgrow delta by e^{z^2 / 2}.
inline constexpr double k_tilt_reach = 2.0;
// Directions whose estimates are closer than this go through the transforms together.
inline constexpr double k_close = 0.97;
inline constexpr double k_heavy = 1.5;
inline constexpr double k_most_tilt_a_step = 4.0;
inline constexpr double k_step_share = 0.25;
// Rounds of leaving out what is far less likely than a delta that is itself estimated with it.
inline constexpr int k_cap_rounds = 3;
// How much smaller log delta may be at the other end of a group.
inline constexpr double k_group_fall = 8.0;
// How much further than needed outcomes are left in, so that a list of lower bounds is met at once.
inline constexpr double k_cap_reserve = 1.0;
// Epsilons within this part of the greatest loss are left to the limits.
inline constexpr double k_close_to_the_end = 1e-9;

// What a list of questions may cost in all, in lattice points composed: a second or two. It is counted, not timed, so
// that the same question has the same answer anywhere. After one composition each, every group of the list has its
// share of what is left, so that one that cannot be narrowed leaves the others theirs. A single question is held by its
// rounds alone.
class WorkBudget {
public:
    explicit WorkBudget(std::size_t questions)
        : questions_(static_cast<double>(questions)), most_points_(questions > 1 ? k_most_points : k_infinity) {}
    // The share of a group of so many questions begins.
    void share(std::size_t group) {
        const double part = k_generosity * static_cast<double>(group) / questions_;
        most_of_group_ = points_ + std::min(part, 1.0) * (most_points_ - points_);
        questions_ -= static_cast<double>(group);
    }
    bool is_spent() const { return points_ >= most_points_; }
    bool is_share_spent() const { return points_ >= most_of_group_; }
    // What was composed, and the plans that memory forbade until the refinement asked for had become the one used.
    void charge(std::span<const Bracket> brackets, double asked, double used) {
        for (double refused = asked; refused > 1.5 * used; refused *= k_coarser) points_ += k_points_a_refusal;
        points_ += k_points_a_plan;
        for (const Bracket& each : brackets) {
            points_ += static_cast<double>(each.pessimistic.weights.size() + each.optimistic.weights.size());
        }
    }

private:
    static constexpr double k_most_points = 2.0 * k_longest_window;
    static constexpr double k_points_a_plan = 1 << 15;
    static constexpr double k_points_a_refusal = 1 << 21;
    static constexpr double k_generosity = 2.0;
    double questions_;
    double most_points_;
    double points_ = 0.0;
    double most_of_group_ = 0.0;
};

// What one round has come to, for the decision on another.
class Progress {
public:
    // Whether another round is worth it, `finer` times as fine: not where the answers' own lattice or the tolerance is
    // reached, where the last round gained nothing (the lattice answers to the refinement in jumps, so the first one
    // says little), nor where the memory bound keeps the lattice coarser than the tolerance needs.
    bool goes_on(double reached, double finer, bool exact, double asked, double used) {
        const bool hopeless = used < asked && finer * k_coarser > 1.0;
        const bool stuck = round_ > 1 && reached > 0.9 * width_;
        width_ = reached;
        return !exact && finer > 1.0 && !stuck && !hopeless && ++round_ < k_most_rounds;
    }
    // The refinement of the next round after one of `used`.
    double next(double used, double finer) const { return used * (round_ > 1 ? 2.0 * finer : finer); }

private:
    int round_ = 0;
    double width_ = k_infinity;
};

// How much finer the lattice must be for a width to come down to the tolerance; 1 where it is there already.
inline double refinement_for(double width, double tolerance) {
    if (width <= tolerance) return 1.0;
    return std::isfinite(width) ? std::clamp(std::sqrt(1.3 * width / tolerance), 1.2, 8.0) : 4.0;
}

// Composes, on a coarser lattice where the memory bound forbids the one asked for; nothing if that does not help. The
// refinement is set to the one that was used.
inline std::vector<Bracket> compose_within_bounds(std::span<const TiltedQuestion> questions, double& refinement) {
    for (int attempt = 0; attempt < k_most_rounds; ++attempt, refinement *= k_coarser) {
        try {
            return compose_in_stages(questions, refinement);
        } catch (const accuracy_error&) {
            continue;
        }
    }
    return {};
}

// log(delta - mass), -inf where nothing is left; `slack` rounds it up (positive) or down.
inline double log_rest(double log_delta, double log_mass, double slack) {
    if (log_mass == -k_infinity) return log_delta;
    const double ratio = (log_mass - log_delta) - 4.0 * slack * (1.0 + std::fabs(log_mass) + std::fabs(log_delta));
    if (!(ratio < 0.0)) return -k_infinity;
    const double rest = log1mexp(ratio);
    return log_delta + rest + 8.0 * slack * (1.0 + std::fabs(log_delta) + std::fabs(rest));
}

// The tilt for a question; no stronger than a few steps, within which the errors grow with it. The steps are those of
// the laws' own lattice, or a part of what epsilon may be off.
inline Tilt tilt_for(CumulantEstimate& cumulant, std::span<const LawTerm> terms, double saddle, double epsilon,
                     double epsilon_width) {
    Tilt tilt = choose_tilt(cumulant, saddle, epsilon);
    const double step = std::max(common_step(terms), k_step_share * epsilon_width);
    if (step > 0.0) tilt.theta = std::min(tilt.theta, k_most_tilt_a_step / step);
    return tilt;
}

// A variance this many times that at half the saddle is taken for a law about to be taken over by rare losses.
inline bool is_heavy(CumulantEstimate& cumulant, double saddle) {
    return cumulant.at(saddle).second > k_heavy * cumulant.at(0.5 * saddle).second;
}

// How much less likely than delta outcomes must be to be left out: they widen log delta by a part of the tolerance.
inline double log_far_less(double tolerance) { return std::log(1e-2 * std::min(tolerance, 1e-2)); }

inline bool same_laws(std::span<const LawTerm> a, std::span<const LawTerm> b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const LawTerm& x, const LawTerm& y) { return x.law == y.law && x.count == y.count; });
}

// Without those that are the first one over again.
inline Directions distinct(Directions directions) {
    std::size_t size = directions.size();
    while (size > 1 && same_laws(directions[size - 1], directions[0])) --size;
    return directions.first(size);
}

class EpsilonQuestion {
public:
    EpsilonQuestion(std::span<const LawTerm> terms, double log_delta, double tolerance)
        : terms_(terms.begin(), terms.end()),
          tolerance_(tolerance),
          cumulant_(terms),
          best_(epsilon_limits(terms, log_delta)) {
        // What is left of delta for finite losses, with all or the least of the mass at infinity taken off.
        const Interval infinite = log_infinity_mass(terms);
        for_upper_ = log_rest(log_delta, infinite.upper, -k_unit_roundoff);
        for_lower_ = log_rest(log_delta, infinite.lower, k_unit_roundoff);
        if (is_settled()) return;
        saddle_ = saddle_of(cumulant_, for_upper_);
        const bool heavy = is_heavy(cumulant_, saddle_.theta);
        if (heavy || saddle_.epsilon == 0.0) limit_by_chernoff();
        if (heavy && !is_settled()) leave_out_the_far(log_delta);
        tilt_ = tilt_for(cumulant_, terms_, saddle_.theta, saddle_.epsilon, tolerance_ * saddle_.epsilon);
        deviation_ = std::sqrt(cumulant_.at(tilt_.theta).second);
    }

    // Whether the closed-form limits say all there is to say.
    bool is_settled() const {
        if (for_upper_ == -k_infinity || best_.lower >= best_.upper) return true;
        return std::isfinite(best_.upper) && best_.upper - best_.lower <= tolerance_ * best_.upper;
    }

    TiltedQuestion question() {
        // Relative to an epsilon near 0 no lattice would be fine enough: then to a part of the deviation.
        const double epsilon = saddle_.epsilon > 0.0 ? std::max(saddle_.epsilon, 0.05 * deviation_) : deviation_;
        const double reach = saddle_.epsilon;
        return {terms_, tilt_, saddle_.theta, tolerance_ * epsilon * saddle_.theta, reach, reach, &cumulant_};
    }

    void answer(const Bracket& bracket) {
        best_ = both(best_, {epsilon_bound(bracket.optimistic, Bound::lower, for_lower_),
                             epsilon_bound(bracket.pessimistic, Bound::upper, for_upper_)});
    }

    // The upper bound, by Chernoff's at the saddle: no lattice need be fine enough for it.
    void limit_by_chernoff() {
        try {
            best_.upper = std::min(best_.upper, ChernoffBound(terms_, saddle_.theta).epsilon_upper(for_upper_));
            best_.upper = std::max(best_.upper, best_.lower);
        } catch (const accuracy_error&) {
            // Its dots would be too many.
        }
    }

    Interval best() const { return best_; }
    double estimate() const { return is_settled() ? best_.lower : saddle_.epsilon; }

private:
    // Where delta(0) is estimated to be below the target already, the question is asked at epsilon 0.
    static CumulantEstimate::Saddle saddle_of(CumulantEstimate& cumulant, double log_delta) {
        const CumulantEstimate::Saddle saddle = cumulant.saddle_of_delta(log_delta);
        if (saddle.epsilon > 0.0) return saddle;
        return {cumulant.saddle_of_epsilon(0.0), 0.0};
    }

    // Without outcomes that are far less likely than delta; what they are counts as infinite.
    void leave_out_the_far(double log_delta) {
        terms_ = capped(terms_, log_delta + log_far_less(tolerance_));
        cumulant_ = CumulantEstimate(terms_);
        for_upper_ = log_rest(log_delta, log_infinity_mass(terms_).upper, -k_unit_roundoff);
        saddle_ = saddle_of(cumulant_, for_upper_);
    }

    std::vector<LawTerm> terms_;
    double tolerance_;
    CumulantEstimate cumulant_;
    Interval best_;
    double for_upper_ = 0.0;
    double for_lower_ = 0.0;
    CumulantEstimate::Saddle saddle_{1.0, 0.0};
    Tilt tilt_{1.0, 0.0};
    double deviation_ = 0.0;
};

}  // namespace hockeystick::fft_question
