// SPDX-License-Identifier: Apache-2.0
#include "renyi_sum.hpp"

#include <algorithm>
#include <cmath>

#include "excess.hpp"

namespace hockeystick::detail {
namespace {

constexpr double k_pi = 3.14159265358979323846;
constexpr double k_root_two_pi = 2.50662827463100050242;
// Sums beyond e^this are formed in units of their largest term.
constexpr double k_scaled = 300.0;
// Terms below the least double, over the smallest t there is.
constexpr double k_underflow = 1e-300;
constexpr long k_most_nodes = 1L << 18;
constexpr int k_block = 4;
// An exponent known no better than this may have been lost to underflow.
constexpr double k_hopeless = 10.0;

// The drift D(x) = b posterior(x) - x of density r^b: s^2 times the slope of its logarithm. D is convex left of the
// point where both branches weigh the same and concave right of it, so it has one zero or three.
struct Drift {
    double power;       // b
    bool monotone;      // one zero, falling
    double least_x;     // of the convex part
    double greatest_x;  // of the concave part
    double least;
    double greatest;

    Drift(const SubsampledGaussian& law, double b) : power(b) {
        const double variance = law.noise_multiplier * law.noise_multiplier;
        const double discriminant = 1.0 - 4.0 * variance / b;
        monotone = !(discriminant > 0.0);
        least_x = greatest_x = least = greatest = 0.0;
        if (monotone) return;
        // posterior (1 - posterior) = s^2 / b.
        const double high = 0.5 * (1.0 + std::sqrt(discriminant)), low = variance / b / high;
        const double middle = 0.5 + variance * (std::log1p(-law.sampling_rate) - std::log(law.sampling_rate));
        const double reach = variance * std::log(high / low);
        least_x = middle - reach;
        greatest_x = middle + reach;
        least = b * low - least_x;
        greatest = b * high - greatest_x;
    }

    bool one_zero_at_right() const { return !monotone && least >= 0.0; }
    bool one_zero_at_left() const { return monotone || greatest <= 0.0; }
    double at(const RenyiNode& node) const { return power * std::exp(std::min(node.log_posterior, 0.0)) - node.x; }
    double supremum_beyond(const RenyiNode& node) const {
        return monotone || node.x >= greatest_x ? at(node) : std::max(at(node), greatest);
    }
};

// The sum of one order. The integrand is at most density (C1 r^{-m} + C2 r^b).
class OrderSum {
public:
    OrderSum(RenyiNodes& nodes, double t, const SumAccuracy& accuracy)
        : nodes_(nodes),
          accuracy_(accuracy),
          t_(t),
          tilt_(nodes.removes() ? t : -t),
          falling_(nodes.removes() ? 0.0 : t),
          drift_(nodes.law(), 1.0 + (nodes.removes() ? t + extra_power(nodes, t) : 0.0)) {
        if (nodes.removes()) {
            const double extra = extra_power(nodes, t);
            log_rising_ = extra > 0.0 ? -1.0 - std::log(extra) : -std::log(t);
        } else {
            const double largest = -std::log1p(-nodes.law().sampling_rate);
            log_falling_ = std::log((t > 0.0 ? std::min(1.0 / t, largest) : largest) + 0.5 * largest * largest);
        }
    }

    // False where too many nodes would be needed.
    bool run() {
        place();
        const double at_left = log_bound(nodes_.at(left_)), at_right = log_bound(nodes_.at(right_));
        const double largest = std::max(at_left, at_right);
        if (largest > k_scaled) scale_ = largest;
        if (at_right >= at_left) return run_right() && run_left() && close();
        return run_left() && run_right() && close();
    }

    Interval divergence() const {
        const double factor = nodes_.step() * nodes_.law().noise_multiplier / k_root_two_pi;
        const double value = (sum_ + carry_) * factor;
        double rounding = k_unit_roundoff * (sum_ > 0.0 ? error_ / sum_ + 16.0 : 0.0);
        // The mean of the nodes' errors stands for that of the sum where they are small; else the largest does.
        rounding = rounding < 1e-6 ? rounding * (1.0 + 1e-5) : k_unit_roundoff * (largest_error_ + 16.0);
        const double error = accuracy_.rule + 3.0 * accuracy_.tail + rounding;
        if (!(sum_ < k_infinity) || !(error < k_hopeless)) return {0.0, k_infinity};
        return {convert(value, -error), convert(value, error)};
    }

private:
    // For remove the integrand is at most r^{1+t} min(1/t, l), and l <= r^e / (2.718 e) for any e > 0, which serves
    // small t.
    static double extra_power(const RenyiNodes& nodes, double t) {
        const double noise = nodes.law().noise_multiplier;
        const double extra = std::min(1.0, 10.0 * noise * noise);
        return t < extra ? extra : 0.0;
    }

    // log1p(t V)/t at V e^error, rounded away from V; beyond the scale A = 1 + e^scale t V.
    double convert(double value, double error) const {
        const double outward = std::copysign(8.0 * k_unit_roundoff, error);
        const double moved = value * std::exp(error);
        double result = moved;
        if (scale_ > 0.0) {
            const double log_moved = std::log(t_ * value + std::exp(-scale_)) + error;
            const double padding = outward * (scale_ + std::fabs(log_moved));
            result = (scale_ + log_moved + padding) / t_;
        } else if (t_ > 0.0) {
            result = std::log1p(t_ * moved) / t_;
        }
        result *= 1.0 + outward;
        return error < 0.0 ? std::max(0.0, result - k_underflow) : result + k_underflow;
    }

    double log_rising(const RenyiNode& n) const { return log_rising_ + n.log_density + drift_.power * n.loss - scale_; }
    double log_falling(const RenyiNode& n) const { return log_falling_ + n.log_density - falling_ * n.loss - scale_; }
    double slope_of_falling(const RenyiNode& n) const {  // times s^2
        return -n.x - falling_ * std::exp(std::min(n.log_posterior, 0.0));
    }
    double log_bound(const RenyiNode& n) const { return std::max(log_rising(n), log_falling(n)); }

    void place() {
        const SubsampledGaussian& law = nodes_.law();
        const double variance = law.noise_multiplier * law.noise_multiplier;
        const auto index_of = [&](double x) {
            return static_cast<long long>(std::floor((x - 0.5) / (variance * nodes_.step())));
        };
        const auto posterior = [&](double x) {
            const double u = (x - 0.5) / variance;
            return 1.0 / (1.0 + (1.0 - law.sampling_rate) / law.sampling_rate * std::exp(-u));
        };
        double low = -falling_, high = 0.0;  // the top of density r^{-m}
        for (int i = 0; i < 40 && falling_ > 0.0; ++i) {
            const double middle = 0.5 * (low + high);
            (middle < -falling_ * posterior(middle) ? low : high) = middle;
        }
        left_ = index_of(falling_ > 0.0 ? low : 0.0);
        right_ = left_;
        if (drift_.one_zero_at_left()) return;
        double top = drift_.power;  // the right top of density r^b, from above
        for (int i = 0; i < 40; ++i) {
            const double next = drift_.power * posterior(top);
            const bool settled = top - next < 0.1 * law.noise_multiplier;
            top = next;
            if (settled) break;
        }
        right_ = std::max(left_, index_of(top));
    }

    // Neither weight nor divergence exceeds 1: density r is a density again, up to its factor.
    void add(long long index) {
        const RenyiNode node = nodes_.at(index);
        const double down = scale_ > 0.0 ? std::exp(-scale_) : 1.0;
        const double y = tilt_ * node.loss;
        double value = node.divergence * down;
        if (y > 1.0) {
            const double exponent = node.log_density + (nodes_.removes() ? node.loss : 0.0) + y - scale_;
            value += std::exp(exponent) * (1.0 - (1.0 + y) * std::exp(-y)) / t_;
        } else if (t_ > 0.0) {
            value += node.weight * down * exponential_excess(y) / t_;
        }
        const double next = sum_ + value;
        carry_ += sum_ >= value ? (sum_ - next) + value : (value - next) + sum_;
        sum_ = next;
        // For y < 0 no error of y reaches g(y) more than twofold.
        const double error = node.error + (2.0 + (y > 0.0 ? std::fabs(tilt_) : 0.0)) * node.loss_error;
        largest_error_ = std::max(largest_error_, error);
        error_ += value * error;
        ++count_;
    }

    bool small(double log_term, double rate) const {
        if (!(rate > 0.0)) return false;
        return std::exp(std::min(log_term, 700.0)) <=
               accuracy_.tail * sum_ * std::expm1(std::min(rate * nodes_.step(), 30.0));
    }

    bool run_right() {
        long long index = right_;
        add(index);
        while (count_ < k_most_nodes) {
            const RenyiNode node = nodes_.at(index);
            if (small(log_rising(node), -drift_.supremum_beyond(node)) && small(log_falling(node), node.x)) break;
            for (int i = 0; i < k_block; ++i) add(++index);
        }
        return count_ < k_most_nodes;
    }

    bool run_left() {
        if (right_ > left_) add(left_);
        long long index = left_;
        while (count_ < k_most_nodes) {
            const RenyiNode node = nodes_.at(index);
            if (small(log_falling(node), slope_of_falling(node)) && small(log_rising(node), -node.x)) break;
            for (int i = 0; i < k_block; ++i) add(--index);
        }
        return count_ < k_most_nodes;
    }

    // The valley between the windows: skipped where the larger of its ends, times its length, is negligible.
    bool close() {
        while (right_ - left_ > 1 && count_ < k_most_nodes) {
            const RenyiNode from = nodes_.at(left_), to = nodes_.at(right_);
            const bool rises = drift_.at(to) >= 0.0;
            const bool falls = (drift_.at(from) <= 0.0 || drift_.one_zero_at_right()) && slope_of_falling(from) <= 0.0;
            if (rises && falls) {
                const double largest = std::exp(std::min(std::max(log_rising(from), log_rising(to)), 700.0)) +
                                       std::exp(std::min(log_falling(from), 700.0));
                if (largest * static_cast<double>(right_ - left_) <= accuracy_.tail * sum_) return true;
            }
            const bool from_left = rises && (!falls || log_bound(from) >= log_bound(to));
            for (int i = 0; i < k_block && right_ - left_ > 1; ++i) add(from_left ? ++left_ : --right_);
        }
        return count_ < k_most_nodes;
    }

    RenyiNodes& nodes_;
    SumAccuracy accuracy_;
    double t_;
    double tilt_;     // y = tilt l in g(y)/t
    double falling_;  // m
    Drift drift_;
    double log_rising_ = 0.0, log_falling_ = 0.0;  // log C2, log C1
    double scale_ = 0.0;
    double sum_ = 0.0, carry_ = 0.0, error_ = 0.0, largest_error_ = 0.0;
    long count_ = 0;
    long long left_ = 0, right_ = 0;
};

}  // namespace

double rule_step(double noise, double power, const SumAccuracy& accuracy) {
    const double log_rule = 0.07 - std::log(0.5 * accuracy.rule);  // its bound has a factor 2
    const bool entire = power >= 2.0 && power == std::floor(power);
    const double kappa = std::max(0.0, 2.0 - power);
    const double variance = noise * noise;
    double theta = std::sqrt(log_rule / (0.5 * variance + 0.125 * kappa));
    if (!entire) theta = std::min(theta, kappa > 0.0 ? 0.8 * k_pi : 0.999 * k_pi);
    double growth = 0.5 * variance * theta * theta + std::log1p(theta * theta * (variance + 0.25 * kappa));
    if (kappa > 0.0) growth -= kappa * std::log(std::cos(0.5 * theta));
    return 2.0 * k_pi * theta / (log_rule + growth);
}

std::optional<Interval> renyi_by_rule(RenyiNodes& nodes, double order, const SumAccuracy& accuracy) {
    OrderSum sum(nodes, order - 1.0, accuracy);
    if (!sum.run()) return std::nullopt;
    return sum.divergence();
}

}  // namespace hockeystick::detail
