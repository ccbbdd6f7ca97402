// SPDX-License-Identifier: Apache-2.0
// log delta at many epsilons, in all strips (contour.hpp).
#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "contour_device.hpp"
#include "hockeystick/contour.hpp"
#include "hockeystick/directions.hpp"
#include "hockeystick/special.hpp"

namespace hockeystick {
namespace {

using namespace contour_device;

constexpr double k_crude_digits = 15.0;  // a saddle-point estimate of log delta may be so far too high
constexpr double k_group_spreads = 4.0;  // the stretch of epsilons that one tilt serves, in standard deviations

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
                                                  {epsilons.front(), epsilons.back()}, tau_squared, tolerance_);
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
        return good_or_refuse(
            epsilon, together(search_, point, k_tiny_share * tolerance_ / (saddle.tilt * (1.0 + saddle.tilt)))[0]);
    }

    Interval good_or_refuse(double epsilon, const Interval& x) const {
        if (!good(x, tolerance_)) refuse("log delta at epsilon", epsilon, x.upper - x.lower);
        return x;
    }

    SaddleSearch search_;
    Strip strip_;
    double tolerance_;
};

std::vector<Interval> right_profile(const Composition& composition, std::span<const double> epsilons,
                                    double tolerance) {
    std::vector<Interval> result = StripProfile(composition, Strip::right, tolerance).bounds(epsilons);
    for (Interval& x : result) x = outward(x, tolerance);
    return result;
}

std::vector<Interval> middle_profile(const Composition& composition, std::span<const double> epsilons,
                                     double tolerance) {
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
        result[i] = complement(
            {rest.lower - 4.0 * k_ulp * std::abs(rest.lower), rest.upper + 4.0 * k_ulp * std::abs(rest.upper)});
    }
    return result;
}

std::vector<Interval> sorted_profile(const Composition& composition, std::span<const double> epsilons,
                                     double tolerance) {
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

std::vector<Interval> contour_log_delta_bounds(std::span<const Term> terms, std::span<const Direction> directions,
                                               std::span<const double> epsilons, double tolerance) {
    std::map<Direction, SaddleSearch> searches;
    const auto bound = [&](Direction direction, double epsilon) -> LogDeltaBound {
        SaddleSearch& search =
            searches.try_emplace(direction, contour::make_composition(terms, direction)).first->second;
        try {
            return log_delta_upper(search, search.at_epsilon(epsilon, Strip::right).tilt);
        } catch (const accuracy_error&) {
            return {};
        }
    };
    return largest_log_delta_bounds(
        terms, directions, epsilons,
        [&](Direction direction, std::span<const double> points) {
            return contour_log_delta_bounds(terms, direction, points, tolerance);
        },
        bound);
}

}  // namespace hockeystick
