// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/contour.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>

#include "hockeystick/contour_table.hpp"
#include "hockeystick/directions.hpp"
#include "hockeystick/error.hpp"
#include "hockeystick/saddle.hpp"
#include "hockeystick/special.hpp"

namespace hockeystick {
namespace {

using contour::Composition;
using contour::ContourTable;
using contour::Saddle;
using contour::SaddleSearch;
using contour::Strip;

constexpr double k_ulp = 0x1p-52;
constexpr double k_guard = 0.02;       // of the tolerance: added outwards, for functions of libm worse than assumed
constexpr double k_tiny_share = 0.25;  // of the tolerance that the tiny Gaussian may use
constexpr double k_truncation_digits = 7.0;  // natural digits below the tolerance
constexpr double k_crude_digits = 15.0;  // a saddle-point estimate of log delta may be so far too high
constexpr double k_far_share = 1e-6;
constexpr int k_most_tilts = 2;
constexpr double k_group_spreads = 4.0;  // the stretch of epsilons that one tilt serves, in standard deviations

// What is tried in turn where the transform does not decay by itself.
enum class Device { none, truncation, tiny_gaussian };

// Outcomes far out only matter to a positive tilt where the loss grows with x.
bool can_truncate(const Composition& composition) {
    return composition.direction == Direction::remove && !composition.parts.empty();
}

double truncated_log_mass(double log_delta, double tolerance) {
    return log_delta + std::log(std::min(tolerance, 1e-3)) - k_truncation_digits;
}

// Whether the saddle leans on outcomes that the truncation leaves out.
bool leans_on_far_outcomes(SaddleSearch& search, const Saddle& saddle, const Composition& cut) {
    double lowest = k_infinity;
    for (const Composition::Part& part : cut.parts) lowest = std::min(lowest, part.ceiling);
    if (1.0 + saddle.tilt < lowest) return false;  // the tilt moves no outcome further than 1 + tilt
    const double kept = SaddleSearch(cut).moment(saddle.tilt).value;
    return search.moment(saddle.tilt).value - kept > k_far_share;
}

std::string number(double x) {
    char text[32];
    std::snprintf(text, sizeof text, "%.17g", x);
    return text;
}

void check_tolerance(double tolerance) {
    if (!(tolerance > 0.0)) throw std::invalid_argument("tolerance must be positive, got " + number(tolerance));
}

[[noreturn]] void refuse(const char* what, double at, double width) {
    throw accuracy_error(std::string("contour: ") + what + " " + number(at) + " can only be certified to a width of " +
                         number(width));
}

Interval guarded(Interval epsilon, double tolerance) {
    const double guard = std::min(k_guard * tolerance, 1e-3);
    return {epsilon.lower * (1.0 - guard), epsilon.upper * (1.0 + guard)};
}

// One tilt for a stretch of epsilons; with a tiny Gaussian where the transform does not decay by itself.
ContourTable make_table(SaddleSearch& search, const Saddle& saddle, Strip strip, Interval epsilons, double tau_squared) {
    return ContourTable(search, {saddle.tilt, strip, epsilons.lower, epsilons.upper, tau_squared});
}

double tau_squared_for(const Saddle& saddle, double epsilon, double tolerance) {
    return k_tiny_share * tolerance * std::max(epsilon, 1.0 / saddle.tilt) / (1.0 + saddle.tilt);
}

// Newton for log delta(epsilon) = log_delta on estimates, kept at epsilon >= 0.
double solve(const ContourTable& table, double epsilon, double log_delta) {
    for (int step = 0; step < 30; ++step) {
        const ContourTable::Estimate at = table.estimate(epsilon);
        if (!std::isfinite(at.log_value) || !(at.slope < 0.0)) break;
        const double move = std::clamp((log_delta - at.log_value) / at.slope, -2.0 / -at.slope, 2.0 / -at.slope);
        const double next = std::max(0.0, epsilon + move);
        const bool done = std::abs(next - epsilon) <= 2.0 * k_ulp * next || std::abs(move * at.slope) < 1e-15;
        epsilon = next;
        if (done) break;
    }
    return epsilon;
}

// The certified bracket about an estimate: certified values on either side of the target, since delta falls.
std::optional<Interval> bracket(const ContourTable& table, double epsilon, double log_delta) {
    const Interval here = table.log_value_bounds(epsilon);
    const double slope = -table.estimate(epsilon).slope;
    if (!std::isfinite(here.lower) || !std::isfinite(here.upper) || !(slope > 0.0)) return std::nullopt;
    double up = std::max(0.0, here.upper - log_delta) * 1.01 / slope + k_ulp * epsilon;
    double down = std::max(0.0, log_delta - here.lower) * 1.01 / slope + k_ulp * epsilon;
    Interval result{0.0, 0.0};
    for (int attempt = 0;; ++attempt, up = 2.0 * up + 1e-16 / slope) {
        result.upper = epsilon + up;
        if (table.log_value_bounds(result.upper).upper <= log_delta) break;
        if (attempt == 40) return std::nullopt;
    }
    for (int attempt = 0;; ++attempt, down = 2.0 * down + 1e-16 / slope) {
        result.lower = epsilon - down;
        if (result.lower <= 0.0) {
            result.lower = 0.0;
            break;
        }
        if (table.log_value_bounds(result.lower).lower >= log_delta) break;
        if (attempt == 40) return std::nullopt;
    }
    return result;
}

// The bracket from the tilt of the saddle; where Newton ends far from the epsilon that the tilt was chosen for (between
// a core and a rare jump the saddle-point estimate is poor), from the tilt that belongs there.
Interval epsilon_with(SaddleSearch& search, Saddle saddle, double log_delta, double tau_squared, double& unit) {
    for (int attempt = 0;; ++attempt) {
        const double reach = 2.0 / saddle.tilt;
        const double start = std::max(0.0, saddle.epsilon);
        const ContourTable table =
            make_table(search, saddle, Strip::right, {std::max(0.0, start - reach), start + reach}, tau_squared);
        if (start < 2.0 * reach && table.log_value_bounds(0.0).upper <= log_delta) return {0.0, 0.0};
        const double epsilon = solve(table, start, log_delta);
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

// The saddle of delta, or of epsilon = 0 where that is the larger; none where nodes for it would be too many.
std::optional<Saddle> find_saddle(SaddleSearch& search, double log_delta) {
    try {
        const Saddle saddle = search.at_log_delta(log_delta);
        return saddle.epsilon > 0.0 ? saddle : search.at_epsilon(0.0, Strip::right);
    } catch (const accuracy_error&) {
        return std::nullopt;
    }
}

struct Attempt {
    Interval epsilon{0.0, k_infinity};
    bool narrow = false;
};

// One bracket by one device; wide when it cannot be had.
Attempt attempt(SaddleSearch& search, const Saddle& saddle, double log_delta, double tau_squared, double tolerance) {
    try {
        double unit = 0.0;
        const Interval x = epsilon_with(search, saddle, log_delta, tau_squared, unit);
        return {x, x.upper - x.lower <= (1.0 - 2.0 * k_guard) * tolerance * unit};
    } catch (const accuracy_error&) {
        return {};
    }
}

}  // namespace

Interval contour_epsilon_bounds(std::span<const Term> terms, Direction direction, double log_delta, double tolerance) {
    if (!(log_delta <= 0.0)) throw std::invalid_argument("log_delta must be at most 0, got " + number(log_delta));
    check_tolerance(tolerance);
    const Composition composition = contour::make_composition(terms, direction);
    if (composition.empty() || log_delta == 0.0) return {0.0, 0.0};
    if (log_delta == -k_infinity) return {k_infinity, k_infinity};
    SaddleSearch search(composition);
    const std::optional<Saddle> saddle = find_saddle(search, log_delta);
    const bool cuttable = can_truncate(composition);
    const Composition cut =
        cuttable ? contour::truncated(composition, truncated_log_mass(log_delta, tolerance)) : composition;
    const bool cut_first = cuttable && (!saddle || leans_on_far_outcomes(search, *saddle, cut));
    double width = k_infinity;
    for (const Device device : {cut_first ? Device::truncation : Device::none,
                                cut_first ? Device::none : Device::truncation, Device::tiny_gaussian}) {
        Attempt result;
        if (device == Device::truncation && cuttable) {
            SaddleSearch kept(cut);
            if (const auto there = find_saddle(kept, log_delta)) result = attempt(kept, *there, log_delta, 0.0, tolerance);
        } else if (device != Device::truncation && saddle) {
            const double tau_squared = tau_squared_for(*saddle, std::max(0.0, saddle->epsilon), tolerance);
            result = attempt(search, *saddle, log_delta, device == Device::none ? 0.0 : tau_squared, tolerance);
        }
        if (result.narrow) return guarded(result.epsilon, tolerance);
        width = std::min(width, result.epsilon.upper - result.epsilon.lower);
    }
    throw accuracy_error(width < k_infinity ? "contour: epsilon can only be certified to a width of " + number(width)
                                            : "contour: the transform of the composed loss decays too slowly (rare jumps)");
}

namespace {

bool good(const Interval& log_delta, double tolerance) {
    return std::isfinite(log_delta.lower) && std::isfinite(log_delta.upper) &&
           log_delta.upper - log_delta.lower <=
               (1.0 - 2.0 * k_guard) * tolerance * std::max(1.0, std::abs(log_delta.upper));
}

Interval outward(Interval x, double tolerance) {
    const double guard = 2.0 * k_ulp + std::min(k_guard * tolerance, 1e-3);
    return {x.lower - guard * std::max(1.0, std::abs(x.lower)),
            std::min(0.0, x.upper + guard * std::max(1.0, std::abs(x.upper)))};
}

// log delta from bounds on log(1 - delta).
Interval complement(Interval log_rest) {
    const Interval bounds{log1mexp(std::min(0.0, log_rest.upper)), log1mexp(std::min(0.0, log_rest.lower))};
    return {bounds.lower * (1.0 + 4.0 * k_ulp), bounds.upper * (1.0 - 4.0 * k_ulp)};
}

// Bounds for a stretch of epsilons in increasing order, all in one strip.
class StripProfile {
public:
    StripProfile(const Composition& composition, Strip strip, double tolerance)
        : search_(composition), strip_(strip), tolerance_(tolerance) {}

    // log delta (right) or log(1 - delta) (middle).
    std::vector<Interval> bounds(std::span<const double> epsilons) {
        std::vector<Interval> result;
        while (result.size() < epsilons.size()) {
            const std::size_t first = result.size();
            const Saddle start = search_.at_epsilon(epsilons[first], strip_);
            const double reach = k_group_spreads * std::sqrt(start.moment.second);
            std::size_t last = first;
            while (last + 1 < epsilons.size() && epsilons[last + 1] <= epsilons[first] + reach) ++last;
            serve(epsilons.subspan(first, last - first + 1), result);
        }
        return result;
    }

private:
    // All of a stretch by one tilt; the points that it leaves too wide by shorter stretches, then one by one.
    void serve(std::span<const double> epsilons, std::vector<Interval>& result) {
        if (epsilons.size() == 1) {
            const Interval x = together(search_, epsilons)[0];
            result.push_back(good(x, tolerance_) ? x : by_device(epsilons[0]));
            return;
        }
        const std::vector<Interval> group = together(search_, epsilons);
        for (std::size_t first = 0; first < epsilons.size();) {
            if (good(group[first], tolerance_)) {
                result.push_back(group[first++]);
                continue;
            }
            std::size_t last = first + 1;
            const std::size_t longest = (epsilons.size() + 1) / 2;
            while (last < epsilons.size() && last - first < longest && !good(group[last], tolerance_)) ++last;
            serve(epsilons.subspan(first, last - first), result);
            first = last;
        }
    }

    std::vector<Interval> together(SaddleSearch& search, std::span<const double> epsilons, double tau_squared = 0.0) {
        std::vector<Interval> result;
        try {
            const double middle = 0.5 * (epsilons.front() + epsilons.back());
            const ContourTable table = make_table(search, search.at_epsilon(middle, strip_), strip_,
                                                  {epsilons.front(), epsilons.back()}, tau_squared);
            for (const double epsilon : epsilons) result.push_back(table.log_value_bounds(epsilon));
        } catch (const accuracy_error&) {
            result.assign(epsilons.size(), {-k_infinity, k_infinity});
        }
        return result;
    }

    // Truncation and the tiny Gaussian bound delta, not 1 - delta: only the right strip has them.
    Interval by_device(double epsilon) {
        const std::span<const double> point(&epsilon, 1);
        if (strip_ != Strip::right) throw accuracy_error("contour: log delta at epsilon " + number(epsilon));
        const Saddle saddle = search_.at_epsilon(epsilon, strip_);
        const double log_delta = saddle.moment.value - saddle.tilt * epsilon - std::log(saddle.tilt) -
                                 std::log1p(saddle.tilt) - 0.5 * std::log1p(saddle.moment.second) - k_crude_digits;
        if (can_truncate(search_.composition())) {
            SaddleSearch kept(contour::truncated(search_.composition(), truncated_log_mass(log_delta, tolerance_)));
            const Interval x = together(kept, point)[0];
            if (good(x, tolerance_)) return x;
        }
        return good_or_refuse(epsilon,
                              together(search_, point, k_tiny_share * tolerance_ / (saddle.tilt * (1.0 + saddle.tilt)))[0]);
    }

    Interval good_or_refuse(double epsilon, const Interval& x) const {
        if (!good(x, tolerance_)) refuse("log delta at epsilon", epsilon, x.upper - x.lower);
        return x;
    }

    SaddleSearch search_;
    Strip strip_;
    double tolerance_;
};

std::vector<Interval> right_profile(const Composition& composition, std::span<const double> epsilons, double tolerance) {
    std::vector<Interval> result = StripProfile(composition, Strip::right, tolerance).bounds(epsilons);
    for (Interval& x : result) x = outward(x, tolerance);
    return result;
}

std::vector<Interval> middle_profile(const Composition& composition, std::span<const double> epsilons, double tolerance) {
    std::vector<Interval> result = StripProfile(composition, Strip::middle, tolerance).bounds(epsilons);
    for (Interval& x : result) x = complement(outward(x, tolerance));
    return result;
}

// 1 - delta(epsilon) = e^epsilon (1 - delta'(-epsilon)) with delta' of the reversed pair.
std::vector<Interval> left_profile(const Composition& composition, std::span<const double> epsilons, double tolerance) {
    std::vector<double> mirrored(epsilons.size());
    std::transform(epsilons.rbegin(), epsilons.rend(), mirrored.begin(), [](double x) { return -x; });
    std::vector<Interval> result = right_profile(contour::reversed(composition), mirrored, tolerance);
    std::reverse(result.begin(), result.end());
    for (std::size_t i = 0; i < epsilons.size(); ++i) {
        const Interval rest{epsilons[i] + log1mexp(result[i].upper), epsilons[i] + log1mexp(result[i].lower)};
        result[i] = complement({rest.lower - 4.0 * k_ulp * std::abs(rest.lower),
                                rest.upper + 4.0 * k_ulp * std::abs(rest.upper)});
    }
    return result;
}

std::vector<Interval> sorted_profile(const Composition& composition, std::span<const double> epsilons, double tolerance) {
    SaddleSearch search(composition);
    const double mean = search.moment(0.0).first;
    const double reverse_mean = search.moment(-1.0).first;
    const auto middle = std::lower_bound(epsilons.begin(), epsilons.end(), reverse_mean);
    const auto right = std::lower_bound(epsilons.begin(), epsilons.end(), mean);
    std::vector<Interval> result = left_profile(composition, {epsilons.begin(), middle}, tolerance);
    for (const Interval& x : middle_profile(composition, {middle, right}, tolerance)) result.push_back(x);
    for (const Interval& x : right_profile(composition, {right, epsilons.end()}, tolerance)) result.push_back(x);
    return result;
}

}  // namespace

std::vector<Interval> contour_log_delta_bounds(std::span<const Term> terms, Direction direction,
                                               std::span<const double> epsilons, double tolerance) {
    check_tolerance(tolerance);
    for (const double epsilon : epsilons) {
        if (std::isnan(epsilon)) throw std::invalid_argument("epsilon must be a number, got nan");
    }
    std::vector<Interval> result(epsilons.size());
    const Composition composition = contour::make_composition(terms, direction);
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < epsilons.size(); ++i) {
        const double epsilon = epsilons[i];
        if (std::isinf(epsilon)) {
            const double value = epsilon > 0.0 ? -k_infinity : 0.0;
            result[i] = {value, value};
        } else if (composition.empty()) {
            const double value = epsilon >= 0.0 ? -k_infinity : log1mexp(epsilon);
            result[i] = {value * (1.0 + 4.0 * k_ulp), value * (1.0 - 4.0 * k_ulp)};
        } else {
            order.push_back(i);
        }
    }
    if (order.empty()) return result;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return epsilons[a] < epsilons[b]; });
    std::vector<double> sorted(order.size());
    std::transform(order.begin(), order.end(), sorted.begin(), [&](std::size_t i) { return epsilons[i]; });
    const std::vector<Interval> values = sorted_profile(composition, sorted, tolerance);
    for (std::size_t i = 0; i < order.size(); ++i) result[order[i]] = values[i];
    return result;
}

Interval contour_epsilon_bounds(std::span<const Term> terms, std::span<const Direction> directions, double log_delta,
                                double tolerance) {
    return largest_epsilon_bounds(terms, directions, log_delta, [&](Direction direction) {
        return contour_epsilon_bounds(terms, direction, log_delta, tolerance);
    });
}

std::vector<Interval> contour_log_delta_bounds(std::span<const Term> terms, std::span<const Direction> directions,
                                               std::span<const double> epsilons, double tolerance) {
    return largest_log_delta_bounds(terms, directions, epsilons,
                                    [&](Direction direction, std::span<const double> points) {
                                        return contour_log_delta_bounds(terms, direction, points, tolerance);
                                    });
}

}  // namespace hockeystick
