// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/renyi_conversion.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "hockeystick/loss_law.hpp"
#include "hockeystick/special.hpp"

namespace hockeystick {
namespace {

constexpr int k_outer_steps = 100;
constexpr int k_inner_steps = 60;
// Far from the least moment its size does not matter, so that it may stop growing here.
constexpr double k_largest_exponent = 300.0;

struct Order {
    double order;
    double forward;
    double reverse;
};

// M(z) = max of the two moments over what is allowed for them, p = delta (1 + z), r = delta z e^-epsilon.
struct Moment {
    double value;
    double slope;      // dM/dz
    double error;      // absolute, of the value
    double rest_free;  // the first term of the forward moment alone, over what is allowed
};

class Reach {
public:
    Reach(const Order& at, double epsilon, double log_delta, double tolerance)
        : at_(at),
          t_(at.order - 1.0),
          epsilon_(epsilon),
          log_delta_(log_delta),
          delta_(std::exp(log_delta)),
          tolerance_(std::min(0.1 * tolerance * std::min(t_, 1.0), 1e-3)) {}

    // Log of a lower bound on the least M: above 0, no pair within the divergences has this delta at this epsilon.
    double margin() const {
        double low = std::log(t_) - 14.0, high = log1mexp(log_delta_) - log_delta_;
        if (!(low < high)) low = high - 14.0;
        Moment at_low = moment(std::exp(low)), at_high = moment(std::exp(high));
        if (at_low.slope >= 0.0) return std::log(std::max(at_low.rest_free - at_low.error, 0.0));
        // The bound at `low` is the tangent there, followed to `high`. Both ends come together by regula falsi on the
        // slope of log M in log z, which is tame, and bisection.
        double below = below_tangents(at_low, low, at_high, high);
        for (int i = 0; i < k_inner_steps && at_low.value - below > tolerance_ * at_low.value + 2.0 * at_low.error;
             ++i) {
            const double pull_low = at_low.slope / at_low.value * std::exp(low);
            const double pull_high = at_high.slope / at_high.value * std::exp(high);
            const bool halve = i % 3 == 2 || !(pull_low > -1e300 && pull_high > 0.0 && pull_high < 1e300);
            const double share = halve ? 0.5 : pull_low / (pull_low - pull_high);
            const double middle = low + std::clamp(share, 0.02, 0.98) * (high - low);
            if (!(middle > low && middle < high)) break;
            const Moment there = moment(std::exp(middle));
            if (there.slope < 0.0) {
                low = middle, at_low = there;
            } else {
                high = middle, at_high = there;
            }
            below = below_tangents(at_low, low, at_high, high);
        }
        return std::log(std::max(below, 0.0));
    }

private:
    static double below_tangents(const Moment& at_low, double low, const Moment& at_high, double high) {
        const double width = std::exp(low) * std::expm1(high - low) * (1.0 + 8.0 * k_unit_roundoff);
        const double slopes = at_low.slope - at_high.slope;
        const double meeting = (at_high.value - at_low.value - at_high.slope * width) / slopes;
        const bool usable = std::isfinite(slopes) && at_high.slope > 0.0 && meeting >= 0.0 && meeting <= width;
        const double value = at_low.value + at_low.slope * (usable ? meeting : width);
        return value - at_low.error - (usable ? at_high.error : 0.0);
    }

    Moment moment(double z) const {
        const double a = at_.order;
        const double log_p = std::min(0.0, log_delta_ + std::log1p(z)), log_r = log_delta_ + std::log(z) - epsilon_;
        const double log_no_p = log1mexp(log_p), log_no_r = log1mexp(log_r);
        const double no_p = std::exp(log_no_p), no_r = std::exp(log_no_r), shrink = std::exp(-epsilon_);
        const double magnitude = std::fabs(log_p) + std::fabs(log_r);
        Moment result{};
        {
            const double allowed = t_ * at_.forward;
            const double yes = std::exp(std::min(log_p + t_ * (log_p - log_r) - allowed, k_largest_exponent));
            const double no = no_p > 0.0 ? std::exp(log_no_p + t_ * (log_no_p - log_no_r) - allowed) : 0.0;
            result.value = yes + no;
            result.slope =
                yes * (a / (1.0 + z) - t_ / z) + (no > 0.0 ? no * delta_ * (t_ * shrink / no_r - a / no_p) : 0.0);
            result.rest_free = yes;
            result.error = result.value * 8.0 * k_unit_roundoff * (4.0 + a * magnitude + allowed);
        }
        if (at_.reverse < k_infinity) {
            const double allowed = t_ * at_.reverse;
            const double yes = std::exp(std::min(log_r + t_ * (log_r - log_p) - allowed, k_largest_exponent));
            const double exponent = no_p > 0.0 ? log_no_r + t_ * (log_no_r - log_no_p) - allowed : k_infinity;
            const double no = std::exp(std::min(exponent, k_largest_exponent));
            if (yes + no > result.value) {
                result.value = yes + no;
                result.slope = yes * (a / z - t_ / (1.0 + z)) +
                               (no_p > 0.0 ? no * delta_ * (t_ / no_p - a * shrink / no_r) : k_infinity);
                result.error = result.value * 8.0 * k_unit_roundoff * (4.0 + a * magnitude + allowed);
            }
        }
        return result;
    }

    Order at_;
    double t_;
    double epsilon_;
    double log_delta_;
    double delta_;
    double tolerance_;  // of the least M, relative
};

double improved_epsilon(const Order& at, double log_delta) {
    const double terms = std::fabs(at.forward) + std::fabs(log_delta) / (at.order - 1.0) + std::log(at.order) + 1.0;
    const double value = at.forward + std::log1p(-1.0 / at.order) - (log_delta + std::log(at.order)) / (at.order - 1.0);
    return std::max(0.0, value + 8.0 * k_unit_roundoff * (terms + 1.0 / (at.order - 1.0)));
}

double improved_log_delta(const Order& at, double epsilon) {
    const double t = at.order - 1.0;
    const double value = t * (at.forward - epsilon + std::log1p(-1.0 / at.order)) - std::log(at.order);
    const double terms = t * (at.forward + epsilon + 1.0) + std::log(at.order) + 1.0;
    return std::min(0.0, value + 8.0 * k_unit_roundoff * terms);
}

// The end of [open, excluded] from which margin > 0 is certified, brought together to `resolution`: regula falsi,
// stepping a little to either side of the estimated root so that both ends move, and bisection where that was slow.
// `excluded` is known to be an upper bound whether or not its own margin can be told from 0.
template <class Margin>
double narrowed(double open, double excluded, double resolution, Margin margin) {
    double at_excluded = margin(excluded), at_open = margin(open);
    if (!(at_excluded > 0.0)) return excluded;
    double width = excluded - open;
    bool slow = false;
    for (int i = 0; i < k_outer_steps && excluded - open > resolution; ++i) {
        const double share = at_excluded / (at_excluded - at_open);  // 0 where margin(open) is -inf
        double step = slow || !(share > 0.0) ? 0.5 * width : share * width;
        step += at_excluded > -at_open ? -0.4 * resolution : 0.4 * resolution;
        const double x = excluded - std::clamp(step, 0.3 * resolution, width - 0.3 * resolution);
        const double at = margin(x);
        if (at > 0.0) {
            excluded = x, at_excluded = at;
        } else {
            open = x, at_open = at;
        }
        slow = excluded - open > 0.5 * width;
        width = excluded - open;
    }
    return excluded;
}

double optimal_epsilon(const Order& at, double log_delta, double tolerance) {
    const double improved = improved_epsilon(at, log_delta);
    if (!(improved < k_infinity)) return improved;
    if (log_delta == 0.0 || Reach(at, 0.0, log_delta, tolerance).margin() > 0.0) return 0.0;
    return narrowed(0.0, improved, tolerance * improved,
                    [&](double epsilon) { return Reach(at, epsilon, log_delta, tolerance).margin(); });
}

double optimal_log_delta(const Order& at, double epsilon, double tolerance) {
    const double improved = improved_log_delta(at, epsilon);
    if (!(at.forward < k_infinity)) return 0.0;
    const auto margin = [&](double log_delta) { return Reach(at, epsilon, log_delta, tolerance).margin(); };
    double excluded = improved, width = 0.1;
    // Where the improved conversion says nothing, any delta that is excluded serves to start from.
    for (excluded = improved == 0.0 ? -1e-3 : improved; improved == 0.0 && !(margin(excluded) > 0.0); excluded *= 2.0)
        if (excluded < -700.0) return 0.0;
    double open = excluded - width;
    while (margin(open) > 0.0 && width < 1e4) {
        excluded = open;
        width *= 4.0;
        open -= width;
    }
    return narrowed(open, excluded, tolerance * std::max(1.0, -excluded), margin);
}

void check_tolerance(double tolerance) {
    if (!(tolerance >= 1e-13 && tolerance <= 0.1))
        throw std::invalid_argument("tolerance must be in [1e-13, 0.1], got " + std::to_string(tolerance));
}

template <class Convert>
std::vector<double> for_each_order(std::span<const double> orders, std::span<const double> forward,
                                   std::span<const double> reverse, Convert convert) {
    if (orders.size() != forward.size() || orders.size() != reverse.size())
        throw std::invalid_argument("orders, forward and reverse must be equally long");
    std::vector<double> result;
    for (std::size_t i = 0; i < orders.size(); ++i) {
        if (!(orders[i] > 1.0 && orders[i] < k_infinity))
            throw std::invalid_argument("orders must be finite and above 1");
        if (!(forward[i] >= 0.0 && reverse[i] >= 0.0)) throw std::invalid_argument("divergences must be at least 0");
        result.push_back(convert(Order{orders[i], forward[i], reverse[i]}));
    }
    return result;
}

}  // namespace

std::vector<double> renyi_optimal_epsilon_upper(std::span<const double> orders, std::span<const double> forward,
                                                std::span<const double> reverse, double log_delta, double tolerance) {
    if (!(log_delta <= 0.0))
        throw std::invalid_argument("log_delta must be at most 0, got " + std::to_string(log_delta));
    check_tolerance(tolerance);
    return for_each_order(orders, forward, reverse,
                          [&](const Order& at) { return optimal_epsilon(at, log_delta, tolerance); });
}

std::vector<double> renyi_optimal_log_delta_upper(std::span<const double> orders, std::span<const double> forward,
                                                  std::span<const double> reverse, double epsilon, double tolerance) {
    if (!(epsilon >= 0.0)) throw std::invalid_argument("epsilon must be at least 0, got " + std::to_string(epsilon));
    check_tolerance(tolerance);
    return for_each_order(orders, forward, reverse,
                          [&](const Order& at) { return optimal_log_delta(at, epsilon, tolerance); });
}

}  // namespace hockeystick
