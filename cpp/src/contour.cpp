// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/contour.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>

#include "contour_device.hpp"
#include "contour_jumps.hpp"
#include "hockeystick/contour_table.hpp"
#include "hockeystick/directions.hpp"
#include "hockeystick/error.hpp"
#include "hockeystick/gaussian_law.hpp"
#include "hockeystick/law_parts.hpp"
#include "hockeystick/limits.hpp"
#include "hockeystick/saddle.hpp"
#include "hockeystick/special.hpp"

namespace hockeystick {
namespace {

using namespace contour_device;

// Log of the copies' far share of the tilted law from which on it is cut off first: where it has spread the law, or
// not.
constexpr double k_log_far_share = -14.0;
constexpr double k_log_harmless_share = -2.0;
constexpr int k_most_tilts = 2;
constexpr double k_wide = 5.0;  // tilted standard deviations in units of 1 / tilt: that of a normal law at delta 1e-6
constexpr double k_lowering = 0.9;    // of a tilt at a time
constexpr double k_few_digits = 7.0;  // of a contour that only has to tell which direction is the larger

// What is tried in turn where the transform does not decay by itself.
enum class Device { none, truncation, jumps, tiny_gaussian };

// Log of the share that outcomes beyond the ceiling have of the tilted law of one release: about the largest value
// there of its density, at the ceiling or in the far mode.
double log_far_share(const Composition::Part& part, double tilt, double log_moment) {
    const double variance = part.law.noise_multiplier * part.law.noise_multiplier;
    const auto log_density = [&](double x) {
        const double u = (x - 0.5) / variance;
        const double q = part.law.sampling_rate;
        const double loss = u > 30.0 ? u + std::log(q) : std::log1p(q * std::expm1(u));
        return (1.0 + tilt) * loss - x * x / (2.0 * variance) - log_moment;
    };
    return std::max(log_density(part.ceiling), 1.0 + tilt > part.ceiling ? log_density(1.0 + tilt) : -k_infinity);
}

bool is_wide(const Saddle& saddle) { return saddle.tilt * saddle.tilt * saddle.moment.second > k_wide * k_wide; }

// Whether the saddle leans on outcomes that the truncation leaves out.
bool leans_on_far_outcomes(SaddleSearch& search, const Saddle& saddle, const Composition& cut) {
    const double most = is_wide(saddle) ? k_log_far_share : k_log_harmless_share;
    for (std::size_t i = 0; i < cut.parts.size(); ++i) {
        const Composition::Part& part = cut.parts[i];
        if (1.0 + saddle.tilt < part.ceiling) continue;  // the tilt moves no outcome further than 1 + tilt
        const double share = log_far_share(part, saddle.tilt, search.part_moment(i, saddle.tilt).value);
        if (share + std::log(part.count) > most) return true;
    }
    return false;
}

Interval guarded(Interval epsilon, double tolerance) {
    const double guard = std::min(k_guard * tolerance, 1e-3);
    return {epsilon.lower * (1.0 - guard), epsilon.upper * (1.0 + guard)};
}

double tau_squared_for(const Saddle& saddle, double epsilon, double tolerance) {
    return k_tiny_share * tolerance * std::max(epsilon, 1.0 / saddle.tilt) / (1.0 + saddle.tilt);
}

// The bracket from the tilt of the saddle; where Newton ends far from the epsilon that the tilt was chosen for (between
// a core and a rare jump the saddle-point estimate is poor), from the tilt that belongs there.
Interval epsilon_with(SaddleSearch& search, Saddle saddle, Interval log_delta, double tau_squared, double log_digits,
                      double& unit) {
    for (int attempt = 0;; ++attempt) {
        const double reach = 2.0 / saddle.tilt;
        const double start = std::max(0.0, saddle.epsilon);
        TableDemand demand{saddle.tilt,   Strip::right, std::max(0.0, start - reach),
                           start + reach, tau_squared,  log_digits};
        if (saddle.epsilon > 0.0) {
            demand.log_value = log_delta.upper;
            demand.epsilon_value = start;
        }
        const ContourTable table(search, demand);
        if (start < 2.0 * reach && table.log_value_bounds(0.0).upper <= log_delta.lower) return {0.0, 0.0};
        const double epsilon = solve(table, start, log_delta.upper);
        const bool near = std::abs(epsilon - start) <= reach;
        if (const auto result = bracket(table, epsilon, log_delta); result && (near || attempt == k_most_tilts)) {
            unit = std::max(result->upper, -1.0 / table.estimate(epsilon).slope);
            return *result;
        }
        if (near || attempt == k_most_tilts) {
            throw accuracy_error("contour: no certified bracket on epsilon at this delta");
        }
        saddle = search.at_epsilon(epsilon, Strip::right);
    }
}

// Where a far mode weighs in, the tilted loss spreads widely, and the line with it; a tilt somewhat lower is then
// nearly as good a saddle and spreads far less.
Saddle lowered(SaddleSearch& search, Saddle saddle) {
    const auto log_scale = [&](const Moment& at, double tilt) { return at.value - tilt * saddle.epsilon; };
    const double least = log_scale(saddle.moment, saddle.tilt);
    while (is_wide(saddle)) {
        const double tilt = k_lowering * saddle.tilt;
        const Moment at = search.moment(tilt);
        const bool helps = std::sqrt(at.second) < (k_lowering - 0.05) * std::sqrt(saddle.moment.second);
        if (!helps || log_scale(at, tilt) > least + 1.0) break;
        saddle = {tilt, saddle.epsilon, at};
    }
    return saddle;
}

// The saddle of delta, or of epsilon = 0 where that is the larger; none where nodes for it would be too many.
std::optional<Saddle> find_saddle(SaddleSearch& search, double log_delta) {
    try {
        const Saddle saddle = search.at_log_delta(log_delta);
        return saddle.epsilon > 0.0 ? lowered(search, saddle) : search.at_epsilon(0.0, Strip::right);
    } catch (const accuracy_error&) {
        return std::nullopt;
    }
}

// One bracket by one device; wide when it cannot be had. The digits aimed at refer to the saddle-point estimate of
// delta; where that is poor, all there are may still do.
Attempt attempt(SaddleSearch& search, const Saddle& saddle, Interval log_delta, double tau_squared, double tolerance) {
    Attempt best;
    // The tolerance is on epsilon or on 1 / tilt, what changes delta by a factor of e, whichever is more.
    const double on_log_delta = tolerance * std::max(1.0, saddle.tilt * saddle.epsilon);
    for (const double log_digits : {log_digits_for(on_log_delta), k_most_digits}) {
        try {
            double unit = 0.0;
            const Interval x = epsilon_with(search, saddle, log_delta, tau_squared, log_digits, unit);
            best = {x, x.upper - x.lower <= (1.0 - 2.0 * k_guard) * tolerance * unit};
        } catch (const accuracy_error&) {
        }
        if (best.narrow) break;
    }
    return best;
}

// One direction of a composition, with the nodes of its saddle search.
struct Question {
    Question(const Composition& composed, std::span<const LawTerm> laws, int threads)
        : composition(composed), search(composition, threads), greatest_loss(greatest_total_loss(laws)) {}

    Composition composition;
    SaddleSearch search;
    double greatest_loss;
};

// log(delta - the mass at infinity), what the finite losses are to come to; delta is above that mass.
Interval finite_log_delta(const Composition& composition, double log_delta) {
    const Interval infinite = composition.log_infinity;
    if (infinite.upper == -k_infinity) return {log_delta, log_delta};
    const auto rest = [log_delta](double log_mass, double sign) {
        const double slack = sign * 4.0 * k_ulp * (std::abs(log_mass) + std::abs(log_delta));
        const double excess = log_mass - log_delta + slack;
        if (!(excess < 0.0)) throw accuracy_error("contour: delta is the mass at infinity, up to roundings");
        return log_delta + log1mexp(excess) - slack;
    };
    return {rest(infinite.upper, 1.0), infinite.lower == -k_infinity ? log_delta : rest(infinite.lower, -1.0)};
}

Interval answer(Question& question, double total_log_delta, double tolerance) {
    const Composition& composition = question.composition;
    if (composition.empty()) return {0.0, 0.0};
    if (total_log_delta < composition.log_infinity.lower) return {k_infinity, k_infinity};
    const Interval log_delta = finite_log_delta(composition, total_log_delta);
    const bool cuttable = can_truncate(composition);
    const Composition cut =
        cuttable ? contour::truncated(composition, truncated_log_mass(log_delta.lower, tolerance)) : composition;
    const std::optional<Saddle> saddle = find_saddle(question.search, log_delta.upper);
    const bool cut_first = cuttable && (!saddle || leans_on_far_outcomes(question.search, *saddle, cut));
    double width = k_infinity;
    for (const Device device : {cut_first ? Device::truncation : Device::none,
                                cut_first ? Device::none : Device::truncation, Device::jumps, Device::tiny_gaussian}) {
        // On atoms the tiny Gaussian costs more than it serves.
        if (device == Device::tiny_gaussian && !composition.has_noise()) continue;
        Attempt result;
        if (device == Device::truncation && cuttable) {
            SaddleSearch kept(cut, question.search.threads());
            if (const auto there = find_saddle(kept, log_delta.upper))
                result = attempt(kept, *there, log_delta, 0.0, tolerance);
        } else if (device == Device::jumps && can_split(composition)) {
            result = epsilon_by_jumps(composition, log_delta, tolerance);
        } else if ((device == Device::none || device == Device::tiny_gaussian) && saddle) {
            const double tau_squared = tau_squared_for(*saddle, std::max(0.0, saddle->epsilon), tolerance);
            result =
                attempt(question.search, *saddle, log_delta, device == Device::none ? 0.0 : tau_squared, tolerance);
        }
        if (result.narrow) return guarded(result.epsilon, tolerance);
        width = std::min(width, result.epsilon.upper - result.epsilon.lower);
    }
    throw accuracy_error(width < k_infinity
                             ? "contour: epsilon can only be certified to a width of " + number(width)
                             : "contour: the transform of the composed loss decays too slowly (rare jumps)");
}

// Chernoff's bound with the closed form of the moments, at the best of a few tilts about the Gaussian one.
bool is_at_most_in_closed_form(const Composition& composition, double log_delta, double epsilon) {
    if (composition.direction != Direction::add) return false;
    double variance = composition.gaussian;
    for (const Composition::Part& part : composition.parts) {
        if (part.other) return false;
        variance += part.count * contour::loss_variance(part.law);
    }
    for (const double share : {1.0, 0.7, 0.5, 0.35}) {
        const double tilt = share * epsilon / variance;
        if (tilt > 0.0 && std::isfinite(tilt) &&
            chernoff_line(contour::log_moment_upper(composition, tilt), tilt)(epsilon) <= log_delta) {
            return true;
        }
    }
    return false;
}

// Whether the question's epsilon is certified to be at most the one given: by Chernoff's bound, else by a contour of
// few digits.
bool is_at_most(Question& question, double total_log_delta, double epsilon) {
    if (epsilon >= question.greatest_loss) return question.composition.log_infinity.upper <= total_log_delta;
    if (is_at_most_in_closed_form(question.composition, total_log_delta, epsilon)) return true;
    try {
        const double log_delta = finite_log_delta(question.composition, total_log_delta).lower;
        const Saddle saddle = question.search.at_epsilon(epsilon, Strip::right);
        if (log_delta_upper(question.search, saddle.tilt)(epsilon) <= log_delta) return true;
        const ContourTable table =
            make_table(question.search, saddle, Strip::right, {epsilon, epsilon}, 0.0, k_few_digits);
        return table.log_value_bounds(epsilon).upper + k_guard * std::exp(-k_few_digits) <= log_delta;
    } catch (const accuracy_error&) {
        return false;
    }
}

// The largest of all directions, one of which is answered first; each of the others only if it may be larger.
Interval largest_from(std::vector<Question>& questions, std::size_t first, double log_delta, double tolerance) {
    Interval largest = answer(questions[first], log_delta, tolerance);
    for (std::size_t i = 0; i < questions.size(); ++i) {
        if (i == first || is_at_most(questions[i], log_delta, largest.lower)) continue;
        const Interval x = answer(questions[i], log_delta, tolerance);
        largest = {std::max(largest.lower, x.lower), std::max(largest.upper, x.upper)};
    }
    return largest;
}

// The largest of all directions, from whichever can be answered.
Interval largest_of(std::vector<Question>& questions, double log_delta, double tolerance) {
    std::exception_ptr refused;
    for (std::size_t first = 0; first < questions.size(); ++first) {
        try {
            return largest_from(questions, first, log_delta, tolerance);
        } catch (const accuracy_error&) {
            // A direction that is refused may still be known to be the smaller.
            if (!refused) refused = std::current_exception();
        }
    }
    std::rethrow_exception(refused);
}

void check_log_delta(double log_delta) {
    if (!(log_delta <= 0.0)) throw std::invalid_argument("log_delta must be at most 0, got " + number(log_delta));
}

}  // namespace

Interval contour_epsilon_bounds(std::span<const Term> terms, Direction direction, double log_delta, double tolerance,
                                int threads) {
    return contour_epsilon_bounds(terms, std::span(&direction, 1), log_delta, tolerance, threads);
}

Interval contour_epsilon_bounds(std::span<const Term> terms, std::span<const Direction> directions, double log_delta,
                                double tolerance, int threads) {
    check_log_delta(log_delta);
    check_tolerance(tolerance);
    const bool nothing = contour::make_composition(terms, directions[0]).empty();
    if (nothing || log_delta == 0.0) return {0.0, 0.0};
    if (log_delta == -k_infinity) return {k_infinity, k_infinity};
    std::vector<Question> questions;
    for (const Direction direction : directions) {
        questions.emplace_back(contour::make_composition(terms, direction), laws_of(terms, direction), threads);
    }
    return largest_of(questions, log_delta, tolerance);
}

Interval contour_epsilon_bounds(std::span<const std::vector<LawTerm>> directions, double log_delta, double tolerance,
                                int threads) {
    check_log_delta(log_delta);
    check_tolerance(tolerance);
    if (log_delta == -k_infinity) return pure_epsilon_bounds(directions);
    std::vector<Question> questions;
    for (const auto& laws : distinct(directions)) {
        questions.emplace_back(contour::make_composition(laws), laws, threads);
        if (questions.back().composition.empty()) return {0.0, 0.0};
    }
    return log_delta == 0.0 ? Interval{0.0, 0.0} : largest_of(questions, log_delta, tolerance);
}

}  // namespace hockeystick
