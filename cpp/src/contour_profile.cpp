// SPDX-License-Identifier: Apache-2.0
// log delta at many epsilons, in all strips (contour.hpp).
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>

#include "contour_device.hpp"
#include "contour_jumps.hpp"
#include "hockeystick/contour.hpp"
#include "hockeystick/directions.hpp"
#include "hockeystick/gaussian_law.hpp"
#include "hockeystick/interrupt.hpp"
#include "hockeystick/law_parts.hpp"
#include "hockeystick/limits.hpp"
#include "hockeystick/special.hpp"

namespace hockeystick {
namespace {

using namespace contour_device;

constexpr double k_crude_digits = 15.0;    // a saddle-point estimate of log delta may be so far too high
constexpr double k_stretch_digits = 12.0;  // of log delta, that one truncation serves at least
constexpr int k_most_failures = 6;         // tables that certify nothing, after which what is left is left wide
constexpr double k_small_spread = 0.2;     // standard deviation of the loss below which delta(0) is small
constexpr double k_group_spreads = 4.0;    // the stretch of epsilons that one tilt serves, in standard deviations

bool good(const Interval& log_delta, double tolerance) {
    return std::isfinite(log_delta.lower) && std::isfinite(log_delta.upper) &&
           log_delta.upper - log_delta.lower <=
               (1.0 - 2.0 * k_guard) * tolerance * std::max(1.0, std::abs(log_delta.upper));
}

Interval outward(Interval x, double tolerance) {
    const double guard = 2.0 * k_ulp + std::min(k_guard * tolerance, 1e-3);
    const double upper = std::isnan(x.upper) ? 0.0 : x.upper;
    const bool nothing = std::isnan(x.lower) || x.lower == -k_infinity;
    return {nothing ? -k_infinity : x.lower - guard * std::max(1.0, std::abs(x.lower)),
            std::min(0.0, upper + guard * std::max(1.0, std::abs(upper)))};
}

// With the mass at infinity.
Interval with_infinite(Interval log_delta, const Interval& log_infinity) {
    if (log_infinity.upper == -k_infinity) return log_delta;
    const Interval total{logaddexp(log_delta.lower, log_infinity.lower),
                         logaddexp(log_delta.upper, log_infinity.upper)};
    return {total.lower * (1.0 + 4.0 * k_ulp) - k_ulp, std::min(0.0, total.upper * (1.0 - 4.0 * k_ulp) + k_ulp)};
}

// log delta from bounds on log(1 - delta).
Interval complement(Interval log_rest) {
    const Interval bounds{log1mexp(std::min(0.0, log_rest.upper)), log1mexp(std::min(0.0, log_rest.lower))};
    return {bounds.lower * (1.0 + 4.0 * k_ulp), bounds.upper * (1.0 - 4.0 * k_ulp)};
}

// Bounds for a stretch of epsilons in increasing order, all in one strip: of each, the best bracket that was reached.
class StripProfile {
public:
    StripProfile(SaddleSearch& search, Strip strip, double tolerance)
        : search_(search), strip_(strip), tolerance_(tolerance) {}

    // log delta (right) or log(1 - delta) (middle).
    std::vector<Interval> bounds(std::span<const double> epsilons) {
        result_.assign(epsilons.size(), {-k_infinity, k_infinity});
        for (std::size_t first = 0; first < epsilons.size();) {
            poll();
            SaddleSearch& search = search_for(epsilons[first]);
            std::size_t last = first + 1;
            try {
                const Saddle start = search.at_epsilon(epsilons[first], strip_);
                const double reach = k_group_spreads * std::sqrt(start.moment.second);
                while (last < epsilons.size() && epsilons[last] <= epsilons[first] + reach) ++last;
            } catch (const accuracy_error&) {
                ++failures_;
            }
            serve(search, epsilons, first, last);
            first = last;
        }
        return result_;
    }

private:
    // Truncation bounds delta, not 1 - delta: only the right strip has it. It serves where the tilted law would lean on
    // outcomes that no delta asked for can see; the same ceiling serves until delta comes near what it leaves out.
    SaddleSearch& search_for(double epsilon) {
        if (strip_ != Strip::right || !can_truncate(search_.composition())) return search_;
        for (int attempt = 0; attempt < 3; ++attempt) {
            if (!kept_) {
                const double log_mass = truncated_log_mass(floor_, tolerance_);
                kept_.emplace(contour::truncated(search_.composition(), log_mass), search_.threads());
            }
            try {
                const Saddle saddle = kept_->at_epsilon(epsilon, strip_);
                double lowest = k_infinity;
                for (const auto& part : kept_->composition().parts) lowest = std::min(lowest, part.ceiling);
                if (1.0 + saddle.tilt < lowest) return search_;
                const double log_delta = log_delta_estimate(saddle);
                if (log_delta > floor_ + k_stretch_digits) return *kept_;
                floor_ = log_delta - 4.0 * k_stretch_digits;
                kept_.reset();
            } catch (const accuracy_error&) {
                ++failures_;
                return search_;
            }
        }
        return search_;
    }

    static double log_delta_estimate(const Saddle& saddle) {
        return saddle.moment.value - saddle.tilt * saddle.epsilon - std::log(saddle.tilt) - std::log1p(saddle.tilt) -
               0.5 * std::log1p(saddle.moment.second);
    }

    // Where rare jumps reach the epsilons, one split (rare_jumps.hpp) serves as many as it can, then the next one. The
    // first point that none serves, which may be one of them already.
    std::size_t serve_by_splits(std::span<const double> epsilons, std::size_t first, std::size_t last) {
        if (strip_ != Strip::right || !can_split(search_.composition())) return first;
        for (std::size_t i = first; i < last; ++i) {
            if (split_) improve(i, split_->log_value_bounds(epsilons[i]));
            if (good(result_[i], tolerance_)) continue;
            if (!(epsilons[i] > 0.0)) return i;
            poll();
            split_ = split_at(search_.composition(), epsilons[i], tolerance_);
            if (split_) improve(i, split_->log_value_bounds(epsilons[i]));
            if (!good(result_[i], tolerance_)) {
                split_.reset();
                return i;
            }
        }
        return last;
    }

    void improve(std::size_t at, Interval x) {
        result_[at] = {std::max(result_[at].lower, x.lower), std::min(result_[at].upper, x.upper)};
    }

    // All of a stretch by one tilt; the points that it leaves too wide by shorter stretches, then one by one.
    void serve(SaddleSearch& search, std::span<const double> epsilons, std::size_t first, std::size_t last) {
        if (split_) first = serve_by_splits(epsilons, first, last);
        if (first == last) return;
        const bool any = together(search, epsilons, first, last, 0.0);
        if (last - first == 1) {
            if (!good(result_[first], tolerance_)) rescue(search, epsilons, first);
            return;
        }
        const std::size_t longest = any ? (last - first + 1) / 2 : (last - first + 3) / 4;
        for (std::size_t from = first; from < last;) {
            std::size_t to = from + 1;
            if (!good(result_[from], tolerance_)) {
                while (to < last && to - from < longest && !good(result_[to], tolerance_)) ++to;
                if (failures_ < k_most_failures) serve(search, epsilons, from, to);
            }
            from = to;
        }
    }

    // Whether one tilt certified any of the stretch.
    bool together(SaddleSearch& search, std::span<const double> epsilons, std::size_t first, std::size_t last,
                  double tau_squared) {
        // Where one point is left, the saddle-point estimate that the digits refer to was poor: take all there are.
        const double log_digits = last - first == 1 ? k_most_digits : log_digits_for(tolerance_);
        bool any = false;
        try {
            const double middle = 0.5 * (epsilons[first] + epsilons[last - 1]);
            const ContourTable table = make_table(search, search.at_epsilon(middle, strip_), strip_,
                                                  {epsilons[first], epsilons[last - 1]}, tau_squared, log_digits);
            for (std::size_t i = first; i < last; ++i) {
                const Interval x = table.log_value_bounds(epsilons[i]);
                improve(i, x);
                any = any || good(x, tolerance_);
            }
        } catch (const accuracy_error&) {
        }
        if (!any) ++failures_;
        return any;
    }

    // One point by what is left: truncation for it alone, then a split by the largest jump, then the tiny Gaussian.
    void rescue(SaddleSearch& search, std::span<const double> epsilons, std::size_t at) {
        if (strip_ != Strip::right) return;
        try {
            const Saddle saddle = search.at_epsilon(epsilons[at], strip_);
            if (can_truncate(search_.composition())) {
                const double log_delta = log_delta_estimate(saddle) - k_crude_digits;
                SaddleSearch kept(contour::truncated(search_.composition(), truncated_log_mass(log_delta, tolerance_)),
                                  search_.threads());
                if (together(kept, epsilons, at, at + 1, 0.0)) return;
            }
            if (serve_by_splits(epsilons, at, at + 1) == at + 1) {
                failures_ = 0;
                return;
            }
            const double unit = saddle.tilt * (1.0 + saddle.tilt);
            together(search_, epsilons, at, at + 1, k_tiny_share * tolerance_ / unit);
        } catch (const accuracy_error&) {
            ++failures_;
        }
    }

    SaddleSearch& search_;
    std::optional<SaddleSearch> kept_;
    std::unique_ptr<const contour::RareJumps> split_;  // the last one that served
    double floor_ = -k_stretch_digits;                 // log of the least delta that kept_ is for
    Strip strip_;
    double tolerance_;
    int failures_ = 0;
    std::vector<Interval> result_;
};

std::vector<Interval> right_profile(SaddleSearch& search, std::span<const double> epsilons, double tolerance) {
    std::vector<Interval> result = StripProfile(search, Strip::right, tolerance).bounds(epsilons);
    for (Interval& x : result) x = with_infinite(outward(x, tolerance), search.composition().log_infinity);
    return result;
}

std::vector<Interval> middle_profile(SaddleSearch& search, std::span<const double> epsilons, double tolerance) {
    std::vector<Interval> result = StripProfile(search, Strip::middle, tolerance).bounds(epsilons);
    for (Interval& x : result) x = complement(outward(x, tolerance));
    return result;
}

// 1 - delta(epsilon) = e^epsilon (1 - delta'(-epsilon)) with delta' of the reversed pair.
std::vector<Interval> left_profile(const Composition& composition, std::span<const double> epsilons, double tolerance,
                                   int threads) {
    if (epsilons.empty()) return {};
    std::vector<double> mirrored(epsilons.size());
    std::transform(epsilons.rbegin(), epsilons.rend(), mirrored.begin(), [](double x) { return -x; });
    SaddleSearch search(contour::reversed(composition), threads);
    std::vector<Interval> result = right_profile(search, mirrored, tolerance);
    std::reverse(result.begin(), result.end());
    for (std::size_t i = 0; i < epsilons.size(); ++i) {
        const Interval rest{epsilons[i] + log1mexp(result[i].upper), epsilons[i] + log1mexp(result[i].lower)};
        result[i] = complement(
            {rest.lower - 4.0 * k_ulp * std::abs(rest.lower), rest.upper + 4.0 * k_ulp * std::abs(rest.upper)});
    }
    return result;
}

// What is known of every point: closed forms, and Chernoff's bound at its own tilt for those that are still wide.
void limit(std::span<Interval> result, std::span<const LawTerm> laws, SaddleSearch& search,
           std::span<const double> epsilons, double tolerance) {
    std::vector<std::size_t> wide;
    std::vector<double> at;
    for (std::size_t i = 0; i < result.size(); ++i) {
        if (epsilons[i] < 0.0 || good(result[i], tolerance)) continue;
        wide.push_back(i);
        at.push_back(epsilons[i]);
    }
    if (wide.empty()) return;
    const std::vector<Interval> limits = log_delta_limits(laws, at);
    const Interval infinity = search.composition().log_infinity;
    for (std::size_t j = 0; j < wide.size(); ++j) {
        Interval& x = result[wide[j]];
        x = both(x, limits[j]);
        // Of other kinds the FFT engine knows more than Chernoff's bound, and sooner.
        if (x.upper == x.lower || search.composition().has_others()) continue;
        try {
            const double tilt = search.at_epsilon(at[j], Strip::right).tilt;
            const double finite = log_delta_upper(search, tilt)(at[j]);
            x.upper = std::min(x.upper, with_infinite({-k_infinity, finite}, infinity).upper);
        } catch (const accuracy_error&) {
            // No nodes for it.
        }
    }
}

std::vector<Interval> sorted_profile(const Composition& composition, std::span<const LawTerm> laws,
                                     std::span<const double> epsilons, double tolerance, int threads) {
    SaddleSearch search(composition, threads);
    // Where delta(0) is small 1 - delta has none of its digits: there the right strip serves from 0 on.
    const Moment start = search.moment(0.0);
    const double mean = start.second < k_small_spread * k_small_spread ? std::min(start.first, 0.0) : start.first;
    const double reverse_mean = search.moment(-1.0).first;
    const auto middle = std::lower_bound(epsilons.begin(), epsilons.end(), reverse_mean);
    const auto right = std::lower_bound(epsilons.begin(), epsilons.end(), mean);
    const auto end = std::lower_bound(right, epsilons.end(), greatest_total_loss(laws));
    std::vector<Interval> result = left_profile(composition, {epsilons.begin(), middle}, tolerance, threads);
    for (const Interval& x : middle_profile(search, {middle, right}, tolerance)) result.push_back(x);
    for (const Interval& x : right_profile(search, {right, end}, tolerance)) result.push_back(x);
    result.resize(epsilons.size(), composition.log_infinity);
    limit(result, laws, search, epsilons, tolerance);
    // delta never rises: a point that is left wide has the bounds of its neighbours.
    for (std::size_t i = 1; i < result.size(); ++i) result[i].upper = std::min(result[i].upper, result[i - 1].upper);
    for (std::size_t i = result.size(); i-- > 1;) {
        result[i - 1].lower = std::max(result[i - 1].lower, result[i].lower);
    }
    return result;
}

// One composition at any real epsilons, in any order.
std::vector<Interval> profile(const Composition& composition, std::span<const LawTerm> laws,
                              std::span<const double> epsilons, double tolerance, int threads) {
    check_tolerance(tolerance);
    for (const double epsilon : epsilons) {
        if (std::isnan(epsilon)) throw std::invalid_argument("epsilon must be a number, got nan");
    }
    std::vector<Interval> result(epsilons.size());
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < epsilons.size(); ++i) {
        const double epsilon = epsilons[i];
        if (std::isinf(epsilon)) {
            result[i] = epsilon > 0.0 ? composition.log_infinity : Interval{0.0, 0.0};
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
    const std::vector<Interval> values = sorted_profile(composition, laws, sorted, tolerance, threads);
    for (std::size_t i = 0; i < order.size(); ++i) result[order[i]] = values[i];
    return result;
}

// The largest of the directions, whose compositions are made by `compose`. Where directions are each other's reversed
// pairs, delta(0), the distance in total variation, is the same for all.
template <class Compose>
std::vector<Interval> largest_profile(std::span<const std::vector<LawTerm>> laws, const Compose& compose,
                                      std::span<const double> epsilons, double tolerance, int threads, bool reversals) {
    std::map<std::size_t, SaddleSearch> searches;
    const auto bound = [&](std::size_t which, double epsilon) -> LogDeltaBound {
        try {
            SaddleSearch& search = searches.try_emplace(which, compose(which), threads).first->second;
            const double tilt = search.at_epsilon(epsilon, Strip::right).tilt;
            const Interval infinity = search.composition().log_infinity;
            return [finite = log_delta_upper(search, tilt), infinity](double at) {
                return with_infinite({-k_infinity, finite(at)}, infinity).upper;
            };
        } catch (const accuracy_error&) {
            return {};
        }
    };
    std::optional<Interval> at_zero;
    const auto engine = [&](std::size_t which, std::span<const double> points) {
        const bool asked = reversals && !points.empty() && points.front() == 0.0;
        const bool known = asked && at_zero;
        const auto rest = points.subspan(known ? 1 : 0);
        std::vector<Interval> result = profile(compose(which), laws[which], rest, tolerance, threads);
        if (known) result.insert(result.begin(), *at_zero);
        if (asked) at_zero = result.front();
        return result;
    };
    return largest_log_delta_bounds(laws, epsilons, engine, bound);
}

}  // namespace

std::vector<Interval> contour_log_delta_bounds(std::span<const Term> terms, Direction direction,
                                               std::span<const double> epsilons, double tolerance, int threads) {
    return profile(contour::make_composition(terms, direction), laws_of(terms, direction), epsilons, tolerance,
                   threads);
}

std::vector<Interval> contour_log_delta_bounds(std::span<const Term> terms, std::span<const Direction> directions,
                                               std::span<const double> epsilons, double tolerance, int threads) {
    return largest_profile(
        laws_of(terms, directions),
        [&](std::size_t which) { return contour::make_composition(terms, directions[which]); }, epsilons, tolerance,
        threads, true);
}

std::vector<Interval> contour_log_delta_bounds(std::span<const std::vector<LawTerm>> directions,
                                               std::span<const double> epsilons, double tolerance, int threads) {
    std::vector<std::vector<LawTerm>> laws;
    for (const auto& each : distinct(directions)) laws.emplace_back(each.begin(), each.end());
    return largest_profile(
        laws, [&](std::size_t which) { return contour::make_composition(laws[which]); }, epsilons, tolerance, threads,
        false);
}

}  // namespace hockeystick
