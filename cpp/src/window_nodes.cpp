// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/window_nodes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "hockeystick/error.hpp"
#include "hockeystick/node_kernel.hpp"
#include "hockeystick/special.hpp"
#include "hockeystick/strip_kernel.hpp"
#include "hockeystick/window_decay.hpp"
#include "likelihood.hpp"

namespace hockeystick::contour {
namespace {

using detail::log_add;

constexpr double k_log_safety = 1e-3;  // covers the roundings of the bounds themselves
constexpr double k_largest_count = 6e3;
constexpr double k_least_log_weight = -1e4;
constexpr double k_neighbour_digits = 20.0;  // natural digits that the tilts of the repetition need
constexpr double k_spare_digits = 3.0;
constexpr double k_hump_digits = 4.0;    // that a second peak must stay below the first
constexpr double k_shift_digits = 40.0;  // that moving the axis of a jump may add to what lies left of it
constexpr int k_peak_points = 64;
constexpr double k_peak_reach = 4.0;  // widths beyond the window's upper end where a large tilt may have its peak
constexpr int k_most_strides = 400;
constexpr double k_coarse_points = 2.0;  // a width of the window
constexpr double k_longest_range = 1e4;  // in widths
// Half widths tried for the step, as parts of the one that is best on the real axis, and then for the bound, as parts
// of the one that the step was chosen with.
constexpr std::array k_step_parts{1.0, 0.8, 0.62, 0.48, 0.36, 0.27, 0.19, 0.13, 0.08, 0.05};
constexpr std::array k_rule_parts{1.0, 0.7, 0.4};

}  // namespace

WindowNodes::WindowNodes(SubsampledGaussian law, const Window& window, const NodeDemand& demand, double log_negligible)
    : law_(law),
      window_(window),
      variance_(law.noise_multiplier * law.noise_multiplier),
      sharpness_(1.0 / variance_ + 1.0 / (window.width * window.width)) {
    whole_ = window.lower == -k_infinity;
    choose_range(demand, log_negligible);
    choose_step(demand);
    fill();
    log_dropped_ = log_beyond(right_);
    if (!whole_) return;
    missing_ = mass_beyond(law, window.upper, window.width);
    base_error_ = log_base_error();
}

// log of N0's density times the window and e^{(1 + tilt) l(x)}.
double WindowNodes::log_density(double x, double tilt) const {
    const double base = -x * x / (2.0 * variance_) - (detail::k_log_sqrt_two_pi + std::log(law_.noise_multiplier));
    return base + (1.0 + tilt) * detail::log_likelihood(law_, x) + window_weight(window_, x).log;
}

// E_P[window; noise > x], x at or beyond the window's upper end: P at most N(1, sigma^2) there, and the window falls.
double WindowNodes::log_beyond(double x) const {
    return log_normal_cdf((1.0 - x) / law_.noise_multiplier) + window_weight(window_, x).log + k_log_safety;
}

// To the left until the tail no longer matters. To the right until the density does not, or to where it begins to rise
// again: a large tilt outweighs the window in the end.
void WindowNodes::choose_range(const NodeDemand& demand, double log_negligible) {
    const double sigma = law_.noise_multiplier;
    const double start = whole_ ? std::min(0.0, window_.upper) - sigma : window_.lower;
    const double digits = digits_of(demand);
    const double end = window_.upper + k_peak_reach * window_.width;
    double enough = -k_infinity;
    double lower = -k_infinity;
    double upper = -k_infinity;
    for (int i = 0; i <= k_peak_points; ++i) {
        const double x = start + (end - start) * i / k_peak_points;
        const double loss = detail::log_likelihood(law_, x);
        const double plain = log_density(x, 0.0);
        enough = std::max(enough, plain + demand.tilt * loss - digits);
        lower = std::max(lower, plain + demand.tilt_lower * loss - k_neighbour_digits);
        upper = std::max(upper, plain + demand.tilt_upper * loss - k_neighbour_digits);
    }
    const double shifted = whole_ ? 0.0 : k_shift_digits;
    left_ = start;
    for (int stride = 0; stride < k_most_strides; ++stride) {
        if (log_left_tail(demand.tilt) < enough - shifted && log_left_tail(demand.tilt_lower) < lower) break;
        left_ -= 0.5 * (whole_ ? sigma : window_.width);
    }
    end_at_valley(demand, enough, upper, log_negligible);
}

// From the window's end on until the density under both tilts no longer matters and what would be dropped is
// negligible; but where the tilt outweighs the window, and the density rises again to what it was, only to the valley
// before that.
void WindowNodes::end_at_valley(const NodeDemand& demand, double enough, double upper, double log_negligible) {
    double peak = -k_infinity;
    double lowest = k_infinity;
    double valley = window_.upper;
    double far_lowest = k_infinity;
    double x = window_.upper;
    for (int stride = 0; stride < k_most_strides; ++stride, x += 0.25 * window_.width) {
        const double plain = log_density(x, 0.0);
        const double loss = detail::log_likelihood(law_, x);
        const double here = plain + demand.tilt * loss;
        const double far = plain + demand.tilt_upper * loss;
        if (x < window_.upper + k_peak_reach * window_.width && here > peak) {
            peak = here;
            lowest = k_infinity;
        }
        if (here < lowest) {
            lowest = here;
            valley = x;
        }
        far_lowest = std::min(far_lowest, far);
        if (here > peak - k_hump_digits && lowest < peak - 2.0 * k_hump_digits) break;
        const bool outweighed = far > far_lowest + k_hump_digits;
        if (here <= enough && (far <= upper || outweighed) && log_beyond(x) <= log_negligible) {
            right_ = x;
            return;
        }
    }
    right_ = valley;
}

// The identities of a core count M(0) and M(-1) so many times.
double WindowNodes::digits_of(const NodeDemand& demand) const {
    const double times = whole_ ? 2.0 * (std::abs(demand.tilt) + demand.frequency) : 0.0;
    return k_spare_digits - demand.log_relative_error + std::log1p(times);
}

// The widest step whose rule meets the demand in a strip of some half width, with the mass there estimated on coarse
// points; inner_error bounds it.
void WindowNodes::choose_step(const NodeDemand& demand) {
    const double digits = digits_of(demand);
    if (!(right_ - left_ < k_longest_range * window_.width)) {
        throw accuracy_error("contour: the window is too sharp for its range");
    }
    const auto points = padded(static_cast<std::size_t>(k_coarse_points * (right_ - left_) / window_.width) + 1);
    std::vector<double> mass(points), posterior(points);
    for (std::size_t i = 0; i < points; ++i) {
        const double x = left_ + (right_ - left_) * static_cast<double>(i) / static_cast<double>(points - 1);
        mass[i] = log_density(x, demand.tilt);
        posterior[i] = detail::posterior(law_, x);
    }
    const double whole = log_sum_exp(mass);
    const double best = std::min(std::sqrt(2.0 * digits / sharpness_), 0.5 * std::numbers::pi * variance_);
    for (const double part : k_step_parts) {
        const double half_width = part * best;
        const double angle = half_width / variance_;
        const double end = mass.back() + demand.frequency * detail::steepest_phase(posterior.back(), angle);
        const double inside = log_add(log_strip_sum(mass, posterior, {0.0, demand.frequency, angle}), end) - whole;
        const double exponent = 0.5 * half_width * half_width * sharpness_ + std::numbers::ln2 + inside + digits;
        const double step = 2.0 * std::numbers::pi * half_width / exponent;
        if (step <= step_) continue;
        step_ = step;
        half_width_ = half_width;
    }
    const double first = std::floor((left_ - 0.5) / step_);
    const double count = std::ceil((right_ - 0.5) / step_) - first + 1.0;
    if (!(count < k_largest_count)) throw accuracy_error("contour: the loss needs more nodes than are allowed");
    size_ = static_cast<std::size_t>(count);
    first_index_ = first;
}

void WindowNodes::fill() {
    const std::size_t n = padded(size_);
    std::vector<double> at_node(n);
    for (auto* column : {&log_weight_, &loss_, &weight_, &reverse_excess_, &weight_error_, &loss_error_}) {
        column->resize(n);
    }
    const double first = first_index_;
    fill_nodes({variance_, law_.sampling_rate, true, first, step_, size_},
               {log_weight_, loss_, weight_, reverse_excess_, weight_error_, loss_error_, at_node});
    for (std::size_t j = 0; j < size_; ++j) {
        const WindowWeight window = window_weight(window_, 0.5 + (first + static_cast<double>(j)) * step_);
        const double factor = std::exp(window.log);
        log_weight_[j] = std::max(k_least_log_weight, log_weight_[j] + window.log);
        weight_[j] *= factor;
        reverse_excess_[j] *= factor;
        weight_error_[j] += window.error + 8.0 * k_unit_roundoff * (1.0 + std::abs(window.log));
    }
    left_ = 0.5 + (first - 0.5) * step_;
    right_ = 0.5 + (first + static_cast<double>(size_) - 0.5) * step_;
    posterior_left_.assign(padded(size_ + 1), 0.0);
    posterior_right_.assign(padded(size_ + 1), 0.0);
    posterior_left_[0] = detail::posterior(law_, left_);
    std::copy_n(at_node.begin(), size_, posterior_left_.begin() + 1);
    std::copy_n(at_node.begin(), size_, posterior_right_.begin());
    posterior_right_[size_] = detail::posterior(law_, right_);
}

// Upper bounds on the mass between neighbouring nodes and out to both ends, log, relative to M(tilt): the log of the
// density curves downwards by at most the sharpness, since l and the log of a blurred indicator curve upwards
// otherwise.
std::vector<double> WindowNodes::cells(double tilt, double log_moment) const {
    std::vector<double> result(padded(size_ + 1), -k_infinity);
    const double bend = step_ * step_ * sharpness_ / 8.0 + k_log_safety - log_moment;
    const auto node = [&](std::size_t j) { return log_weight_[j] + tilt * loss_[j]; };
    const auto end = [&](double x) { return log_density(x, tilt) + std::log(step_); };
    result[0] = std::max(end(left_), node(0)) + bend;
    for (std::size_t j = 1; j < size_; ++j) result[j] = std::max(node(j - 1), node(j)) + bend;
    result[size_] = std::max(node(size_ - 1), end(right_)) + bend;
    return result;
}

// Bound on the log of the integral of the density below left_. There the log of the density rises to the right at least
// as fast as at left_ (a jump), or the density is that of N0 times what rises to 1 (a core).
double WindowNodes::log_left_tail(double tilt) const {
    const double x = left_;
    if (whole_) {
        if (!(x < 0.0)) return k_infinity;
        const double base = -x * x / (2.0 * variance_) - detail::k_log_sqrt_two_pi;
        return base + (1.0 + tilt) * detail::log_likelihood(law_, x) +
               std::log(std::min(1.2534, law_.noise_multiplier / -x)) + k_log_safety;
    }
    const double rise = (window_.lower - x) / (window_.width * window_.width) - x / variance_;
    return rise > 0.0 ? log_density(x, tilt) - std::log(rise) + k_log_safety : k_infinity;
}

// The two long sides, 2 e^{a^2 S / 2} I / (e^{2 pi a / step} - 1), I the mass with e^{frequency phase}.
double WindowNodes::log_rule(const std::vector<double>& mass, double frequency, double half_width) const {
    const double decay = 2.0 * std::numbers::pi * half_width / step_;
    const double inside = log_strip_sum(mass, posterior_right_, {0.0, frequency, half_width / variance_});
    return std::numbers::ln2 + 0.5 * half_width * half_width * sharpness_ + inside - decay -
           std::log1p(-std::exp(-decay)) + k_log_safety;
}

// The two short sides, half a step beyond the last nodes, where the rule's weight is e^{-2 pi y / step}: with a line
// above the phase the exponent is convex in y, so it is at most the larger of its values at 0 and half_width.
double WindowNodes::log_ends(double tilt, double frequency, double half_width) const {
    const double angle = half_width / variance_;
    double total = -k_infinity;
    for (const double x : {left_, right_}) {
        const double p = detail::posterior(law_, x);
        const double exponent = 0.5 * half_width * half_width * sharpness_ +
                                frequency * detail::steepest_phase(p, angle) -
                                2.0 * std::numbers::pi * half_width / step_;
        total = log_add(total, log_density(x, tilt) + std::max(0.0, exponent));
    }
    return total + std::log(2.0 * half_width) + k_log_safety;
}

// Long sides, short sides and left tail, relative to M(tilt).
double WindowNodes::log_best_rule(double tilt, double frequency, const Moment& at) const {
    const std::vector<double> mass = cells(tilt, at.value);
    double best = k_infinity;
    for (const double part : k_rule_parts) {
        const double half_width = part * half_width_;
        const double total =
            log_add(log_rule(mass, frequency, half_width), log_ends(tilt, frequency, half_width) - at.value);
        if (total > best) break;
        best = total;
    }
    return log_add(best, log_left_tail(tilt) - at.value);
}

// Of the sums that stand for M(0) and M(-1), whose values are known: the rule and what lies beyond the ends.
double WindowNodes::log_base_error() const {
    double total = log_add(log_dropped_, log_dropped_);
    for (const double tilt : {0.0, -1.0}) total = log_add(total, log_best_rule(tilt, 0.0, {0.0, 0.0, 0.0}));
    return total;
}

double WindowNodes::inner_error(double tilt, double frequency, const Moment& at) const {
    const double rule = std::exp(log_best_rule(tilt, frequency, at));
    if (!whole_) return rule;
    // Weights that do not add up to 1 and a centre that is not quite the mean: see docs/contour.md, "The inner rule".
    const double steep = 1.0 + 2.0 * std::abs(tilt);
    return rule + std::exp(base_error_ - at.value) * (steep * (1.0 + frequency * std::abs(at.first)) + 2.0 * frequency);
}

double WindowNodes::real_error(double tilt, const Moment& at) const {
    const double rule = std::exp(log_best_rule(tilt, 0.0, at));
    return whole_ ? rule + std::exp(base_error_ - at.value) * (1.0 + 2.0 * std::abs(tilt)) : rule;
}

double WindowNodes::log_decay(double tilt, double frequency, const Moment& at, bool /*certified*/) const {
    return whole_ ? 0.0 : WindowDecay(*this, tilt, at)(frequency);
}

}  // namespace hockeystick::contour
