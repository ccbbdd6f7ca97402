// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/jumps.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "hockeystick/alignment.hpp"
#include "hockeystick/capped_law.hpp"
#include "hockeystick/error.hpp"
#include "hockeystick/fft.hpp"
#include "hockeystick/limits.hpp"
#include "hockeystick/profile.hpp"
#include "hockeystick/special.hpp"
#include "split_law.hpp"

namespace hockeystick {
namespace {

constexpr std::uint64_t k_most_jumps = 12;
// On each logarithm of a binomial or a sum.
constexpr double k_log_slack = 64.0 * k_unit_roundoff;
// What may be left out of log delta, as a part of the tolerance.
constexpr double k_far_less = 1e-2;
// Mass left outside a window, relative to the tilted mass of one k; and outside the dots, relative to anything.
constexpr double k_outside = 1e-18;
constexpr double k_nothing = 1e-300;
constexpr double k_first_steps = 2048.0;
constexpr double k_most_steps = 1 << 18;
constexpr int k_most_rounds = 9;
constexpr int k_most_misses = 4;  // rounds that find no upper end
constexpr double k_most_finer = 8.0;
constexpr double k_least_finer = 1.5;
// An epsilon this close to the one expected is taken for the same.
constexpr double k_same = 0.1;
// Chernoff orders are looked for from this many natural ones downwards.
constexpr double k_order_reach = 64.0;
// Where an end is looked for, as parts of the epsilon expected: lists of points, each between two of the last.
constexpr double k_least_part = 0.25;
constexpr double k_most_part = 2.5;
constexpr std::size_t k_points = 65;
constexpr int k_zooms = 4;
// The cut, as a part of epsilon.
constexpr double k_cut = 0.5;
// Cells at the valley are this part of the fall of delta by a factor of e wide. Where the dots are too many the tilt
// that grades them is made so many times softer: far beyond epsilon no cell need be as narrow.
constexpr double k_valley_cell = 0.05;
constexpr double k_softer = 4.0;
// Transforms whose rounding may outgrow the answer: releases times steps beyond this.
constexpr double k_most_roundings = 1e13;
// log of what lattice.cpp keeps tilted mass times squared steps below.
constexpr double k_log_grading = -10.4;

double padded_up(double log_value) { return log_value + k_log_slack * (1.0 + std::fabs(log_value)); }
double padded_down(double log_value) { return log_value - k_log_slack * (1.0 + std::fabs(log_value)); }

// log binomial(T, k) for small k, rounded up or down: three roundings a factor.
double log_binomial(double trials, std::uint64_t k, Bound bound) {
    double sum = 0.0, magnitude = 0.0;
    for (std::uint64_t j = 0; j < k; ++j) {
        const double i = static_cast<double>(j);
        const double part = std::log((trials - i) / (i + 1.0));
        sum += part;
        magnitude += std::fabs(part) + 1.0;
    }
    const double slack = k_log_slack * magnitude;
    return bound == Bound::upper ? sum + slack : sum - slack;
}

// What one side of the bracket needs of one k.
struct Composed {
    double log_ways;
    ComposedLaw law;
};

// The profile of one lattice law, term by term.
class JumpProfile {
public:
    JumpProfile(const SplitLaw& law, std::uint64_t releases, Bound bound, double epsilon, double log_negligible)
        : law_(law), bound_(bound), log_constant_(-k_infinity) {
        const std::uint64_t most = std::min(releases, k_most_jumps);
        for (std::uint64_t k = 0; k <= most; ++k) add({k, releases}, epsilon, log_negligible);
        if (bound == Bound::upper && most < releases) log_constant_ = log_more_jumps(releases, most + 1);
    }

    // For an upper bound: mass at infinity, above every epsilon.
    void count_as_infinite(double log_mass) { add_to(log_constant_, log_mass); }

    // log delta at increasing epsilons, each on the same side.
    std::vector<double> at(std::span<const double> epsilons) const {
        std::vector<double> total(epsilons.size(), log_constant_);
        for (const Composed& each : composed_) {
            const std::vector<double> log_delta = log_delta_bounds(each.law, bound_, epsilons);
            for (std::size_t i = 0; i < total.size(); ++i) add_to(total[i], each.log_ways + log_delta[i]);
        }
        for (const Line& line : lines_) {
            for (std::size_t i = 0; i < total.size(); ++i) {
                add_to(total[i], padded_up(line.intercept - line.theta * epsilons[i]));
            }
        }
        return total;
    }

private:
    struct Line {
        double theta;
        double intercept;
    };

    void add_to(double& total, double log_value) const {
        if (log_value == -k_infinity) return;
        const double sum = logaddexp(total, bound_ == Bound::upper ? padded_up(log_value) : padded_down(log_value));
        total = bound_ == Bound::upper ? padded_up(sum) : padded_down(sum);
    }

    // A k that matters little is bounded by Chernoff (upper) or left out (lower); the others are composed.
    void add(const JumpCount& count, double epsilon, double log_negligible) {
        const double theta = count.saddle(law_, epsilon);
        const TiltedAtoms core = law_.retilted(law_.core(), theta);
        const TiltedAtoms jumps = law_.retilted(law_.jumps(), theta);
        const double log_ways = log_binomial(static_cast<double>(count.releases), count.jumps, bound_);
        const double line = chernoff_intercept(count, core, jumps, theta, epsilon) + std::max(log_ways, 0.0);
        if (line - theta * epsilon <= log_negligible) {
            if (bound_ == Bound::upper) lines_.push_back({theta, line});
            return;
        }
        Product product;
        if (count.releases > count.jumps) product.push_back({&core, count.releases - count.jumps});
        if (count.jumps > 0) product.push_back({&jumps, count.jumps});
        const double order = k_order_reach * std::sqrt(-2.0 * std::log(k_outside) / count.moments(law_, theta).second);
        const Composition composition =
            on_window(std::move(product), theta, law_.step(), {order, order}, k_outside, epsilon, epsilon);
        composed_.push_back(
            {log_ways, std::move(compose(std::span(&composition, 1), good_fft_size(composition.length)).front())});
    }

    // log of C(theta) e^{K(theta)}, the offset included; rounded up for epsilons of the order of the one given.
    double chernoff_intercept(const JumpCount& count, const TiltedAtoms& core, const TiltedAtoms& jumps, double theta,
                              double epsilon) const {
        const double k = static_cast<double>(count.jumps), rest = static_cast<double>(count.releases - count.jumps);
        const double offset = theta * static_cast<double>(count.releases) * law_.offset().upper;
        const double of_core = rest * log_mass_upper(core), of_jumps = k * log_mass_upper(jumps);
        const double magnitude = std::fabs(of_core) + std::fabs(of_jumps) + std::fabs(offset) + theta * epsilon + 1.0;
        return of_core + of_jumps + offset + log_largest_weight(theta) + k_log_slack * magnitude;
    }

    // The chance of at least so many jumps, whatever the losses.
    double log_more_jumps(std::uint64_t releases, std::uint64_t jumps) const {
        const TiltedAtoms core = law_.retilted(law_.core(), 0.0);
        const TiltedAtoms jump = law_.retilted(law_.jumps(), 0.0);
        const double log_jump = log_mass_upper(jump);
        const double all = padded_up(logaddexp(log_mass_upper(core), log_jump));
        return padded_up(log_binomial(static_cast<double>(releases), jumps, Bound::upper) +
                         padded_up(static_cast<double>(jumps) * log_jump) +
                         padded_up(static_cast<double>(releases) * std::max(all, 0.0)));
    }

    const SplitLaw& law_;
    Bound bound_;
    double log_constant_;
    std::vector<Composed> composed_;
    std::vector<Line> lines_;
};

class JumpQuestion {
public:
    JumpQuestion(const LawTerm& term, double log_delta, double tolerance)
        : term_(term), log_delta_(log_delta), log_far_(log_delta + std::log(k_far_less * std::min(tolerance, 1e-2))) {
        kept_ = capped(std::span(&term, 1), log_far_);
    }

    // A bracket by a lattice of so many steps up to the epsilon that is expected; [0, +inf] at worst.
    Interval answer(double epsilon, double steps, double softness) const {
        const DotsRequest request = request_for(epsilon, steps, softness);
        DotsPair dots = connect_the_dots(*kept_.front().law, request);
        const auto cut = static_cast<std::int64_t>(k_cut * steps);
        const SplitLaw above(std::move(dots.pessimistic), request, cut),
            below(std::move(dots.optimistic), request, cut);
        Interval found{0.0, k_infinity};
        if (above.is_whole()) {
            JumpProfile profile(above, term_.count, Bound::upper, epsilon, log_far_);
            profile.count_as_infinite(log_infinity_mass(kept_).upper);
            found.upper = end_of(profile, Bound::upper, epsilon);
        }
        if (below.is_whole()) {
            const JumpProfile profile(below, term_.count, Bound::lower, epsilon, log_far_);
            found.lower = end_of(profile, Bound::lower, epsilon);
        }
        return found;
    }

private:
    // The tilt and the scale only grade the lattice: its cells at the valley are a part of the fall of delta wide.
    DotsRequest request_for(double epsilon, double steps, double softness) const {
        const double step = epsilon / steps, slope = -log_delta_ / epsilon, theta = slope / softness;
        const double width = std::clamp(k_valley_cell / slope, step, epsilon);
        const double log_cell =
            log_delta_ + theta * epsilon + std::log(k_valley_cell / static_cast<double>(term_.count));
        const double scale = std::min(log_cell + 2.0 * std::log(width / step) - k_log_grading, 0.0);
        return {theta, step, scale, k_nothing, core_offset(*kept_.front().law, step)};
    }

    // The least point of ever narrower lists whose upper bound is at most delta, or the greatest whose lower bound
    // exceeds it; +inf and 0 where there is none. delta never rises, so either holds whatever the rounding does
    // between.
    double end_of(const JumpProfile& profile, Bound bound, double epsilon) const {
        double low = k_least_part * epsilon, high = k_most_part * epsilon;
        double end = bound == Bound::upper ? k_infinity : 0.0;
        for (int round = 0; round < k_zooms; ++round) {
            std::vector<double> points;
            for (std::size_t i = 0; i < k_points; ++i) {
                points.push_back(low + (high - low) * static_cast<double>(i) / static_cast<double>(k_points - 1));
            }
            const std::vector<double> log_delta = profile.at(points);
            std::size_t first = 0;
            const auto above = [&](double each) {
                return bound == Bound::upper ? !(each <= log_delta_) : each > log_delta_;
            };
            while (first < k_points && above(log_delta[first])) ++first;
            if (bound == Bound::upper && first < k_points) end = std::min(end, points[first]);
            if (bound == Bound::lower && first > 0) end = std::max(end, points[first - 1]);
            if (first == k_points || first == 0) break;
            low = points[first - 1];
            high = points[first];
        }
        return end;
    }

    LawTerm term_;
    double log_delta_;
    double log_far_;
    std::vector<LawTerm> kept_;
};

}  // namespace

Interval jump_epsilon_bounds(const LawTerm& term, double log_delta, double tolerance, double known_upper) {
    Interval best{0.0, k_infinity};
    if (is_atomic(*term.law) || log_delta == -k_infinity || log_delta == 0.0) return best;
    const JumpQuestion question(term, log_delta, tolerance);
    // What a single jump would reach.
    double epsilon = epsilon_bounds(*term.law, log_delta - std::log(static_cast<double>(term.count))).upper;
    const double most_steps = std::min(k_most_steps, k_most_roundings / static_cast<double>(term.count));
    double steps = k_first_steps, softness = 1.0;
    int missed = 0;
    for (int round = 0; round < k_most_rounds && epsilon > 0.0 && std::isfinite(epsilon); ++round) {
        Interval found{0.0, k_infinity};
        try {
            found = question.answer(epsilon, steps, softness);
        } catch (const accuracy_error&) {
            softness *= k_softer;
            continue;
        }
        best = both(best, found);
        const double excess = (best.upper - best.lower) / (tolerance * best.upper);
        if (excess <= 1.0) break;
        // A tilt far from the end found is no use on a finer lattice either.
        const double here = epsilon;
        if (std::isfinite(best.upper)) {
            epsilon = 0.5 * (std::max(best.lower, k_least_part * best.upper) + best.upper);
        } else {
            // Beyond what one jump reaches, and not beyond what is known.
            if (++missed == k_most_misses) break;
            epsilon = std::isfinite(known_upper) ? std::sqrt(epsilon * known_upper) : 2.0 * epsilon;
        }
        if (round == 0 && std::fabs(epsilon - here) > k_same * here) continue;
        if (std::isinf(best.upper)) continue;
        const double finer = std::min(steps * std::clamp(excess, 2.0, k_most_finer), most_steps);
        if (finer < k_least_finer * steps) break;
        steps = finer;
    }
    return best;
}

}  // namespace hockeystick
