// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/nodes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "hockeystick/error.hpp"
#include "hockeystick/node_kernel.hpp"
#include "hockeystick/special.hpp"
#include "hockeystick/strip_kernel.hpp"
#include "likelihood.hpp"

namespace hockeystick::contour {
namespace {

using detail::k_log_sqrt_two_pi;
constexpr double k_largest_count = 5e4;
// Half widths of the strip tried, in units of pi sigma^2 or, where that is less, of so many sigmas: wide noise gains
// nothing from wider strips, in which N0 grows like e^{a^2 / 2 sigma^2}.
constexpr double k_widest_strip = 16.0;
constexpr std::array k_fractions{1e-3, 5e-3, 0.02, 0.05, 0.1, 0.2, 0.27, 0.35, 0.42, 0.5, 0.65, 0.8, 0.95};
constexpr std::size_t k_first_fraction = 5;
constexpr double k_tail_digits = 6.0;   // natural digits that a tail may be below the density at its start
constexpr double k_edge_digits = 40.0;  // that phase and modulus may add at the ends

}  // namespace

double log_mass_beyond(const SubsampledGaussian& law, Direction direction, double ceiling) {
    const double plain = log_normal_cdf(-ceiling / law.noise_multiplier);
    if (direction == Direction::add) return plain;
    const double shifted = log_normal_cdf((1.0 - ceiling) / law.noise_multiplier);
    return logaddexp(std::log1p(-law.sampling_rate) + plain, std::log(law.sampling_rate) + shifted);
}

SubsampledNodes::SubsampledNodes(SubsampledGaussian law, Direction direction, const NodeDemand& demand)
    : law_(law), direction_(direction), variance_(law.noise_multiplier * law.noise_multiplier) {
    choose_range(demand);
    choose_step(demand);
    fill();
}

double SubsampledNodes::log_likelihood(double x) const { return detail::log_likelihood(law_, x); }

double SubsampledNodes::posterior(double x) const { return detail::posterior(law_, x); }

// log of N0's density times e^{power l(x)}.
double SubsampledNodes::log_density(double x, double power) const {
    const double base = -x * x / (2.0 * variance_) - (k_log_sqrt_two_pi + std::log(law_.noise_multiplier));
    return power == 0.0 ? base : base + power * log_likelihood(x);
}

// Enough of the axis for the tilted density and for both densities of the pair.
void SubsampledNodes::choose_range(const NodeDemand& demand) {
    const double sigma = law_.noise_multiplier;
    const double log_error = demand.log_relative_error - 3.0 - std::log1p(std::abs(demand.tilt) + demand.frequency);
    // A frequency that overflowed, or an error that may exceed the moment: no range would end.
    if (!(log_error < 0.0)) throw accuracy_error("contour: the loss asks for frequencies that no range serves");
    const double reach = sigma * std::sqrt(-2.0 * log_error);
    step_ = sigma;  // an upper limit, for the tail bounds
    double right = 1.0 + reach;
    double left = -reach;
    const double power = tilt_power(demand.tilt);
    const double target = demand.log_relative_error - 3.0 + demand.log_moment;
    // At the ends the phase may add up to k_edge_digits to the tails (see choose_step and log_edges).
    const auto edge = [&](double x) {
        return std::min(k_edge_digits, (std::numbers::pi * demand.frequency + std::max(0.0, -power)) * posterior(x));
    };
    // The bound on the tail is dear: first to where the density itself has fallen so far, and over the valley before a
    // far mode at one go.
    const auto is_far = [&](double x) { return log_density(x, power) + edge(x) <= target + k_tail_digits; };
    for (double stride = 0.5 * sigma; right < demand.ceiling; stride *= 1.15) {
        if (is_far(right)) {
            if (log_right_tail(power, right) + edge(right) <= target) break;
            if (right < power && !is_far(power)) {
                right = std::min(power, demand.ceiling);
                stride = 0.5 * sigma;
                continue;
            }
        }
        right += stride;
    }
    for (double stride = 0.5 * sigma; log_left_tail(power, left) > target; stride *= 1.15) left -= stride;
    // The neighbouring tilts need some digits only; where even these are missing, real_error says so.
    const double far = tilt_power(demand.tilt_upper);
    const double digits = std::min(-8.0, demand.log_relative_error + 32.0);
    if (far > power) {
        const double end = std::min(far + reach, 3.0 * right + reach);
        for (double x = right; x < std::min(end, demand.ceiling); x += 0.5 * sigma) {
            if (log_density(x, far) > digits) right = x;
        }
    }
    if (far < power) {
        for (double stride = 0.5 * sigma; log_left_tail(far, left) > digits; stride *= 1.15) left -= stride;
    }
    truncated_ = std::isfinite(demand.ceiling);
    if (truncated_) right = valley(demand.ceiling, std::max(power, far));
    first_x_ = left;
    half_width_ = right;
}

// Bound on the log of int N0 |1 - q + q r e^{i angle}|^power over M >= 1: the modulus shrinks at most to cos(angle /
// 2), and for angle <= pi / 2 it is at least 1 - q.
double SubsampledNodes::log_modulus_bound(double power, double angle) const {
    if (power >= 0.0) return 0.0;
    const double widest = power * std::log(std::cos(0.5 * angle));
    return angle <= 0.5 * std::numbers::pi ? std::min(widest, power * std::log1p(-law_.sampling_rate)) : widest;
}

// From the ceiling on to where the tilted density has its minimum before the far mode, or has become negligible:
// keeping more of the measure than asked for is free, and its end disturbs the rule least there.
double SubsampledNodes::valley(double ceiling, double power) const {
    const double stride = 0.25 * law_.noise_multiplier;
    const double start = log_density(ceiling, power);
    double x = ceiling;
    while (x > power * posterior(x) && log_density(x, power) > start - k_edge_digits) x += stride;
    return x > ceiling ? x - stride : x;
}

// The tilted mass on coarse points of the real axis, those that matter nowhere left out.
SubsampledNodes::MassPoints SubsampledNodes::mass_points(double left, double right, const NodeDemand& demand,
                                                         double log_least) const {
    const double spacing = std::max(0.5 * law_.noise_multiplier, (right - left) / 400.0);
    const double first = std::floor((left - 0.5) / spacing);
    const auto count = static_cast<std::size_t>(std::ceil((right - 0.5) / spacing) - first) + 1;
    const std::size_t n = padded(count);
    std::vector<double> store(7 * n);
    const auto column = [&](std::size_t i) { return std::span<double>(store).subspan(i * n, n); };
    fill_nodes({variance_, law_.sampling_rate, direction_ == Direction::remove, first, spacing, count},
               {column(0), column(1), column(2), column(3), column(4), column(5), column(6)});
    MassPoints result;
    for (std::size_t j = 0; j < count; ++j) {
        const double log_mass = column(0)[j] + demand.tilt * column(1)[j] - demand.log_moment;
        if (log_mass < log_least) continue;
        result.log_mass.push_back(log_mass);
        result.posterior.push_back(column(6)[j]);
    }
    result.log_mass.resize(padded(result.log_mass.size()), -k_infinity);
    result.posterior.resize(result.log_mass.size(), 0.0);
    return result;
}

// The widest step whose rule error meets the demand, over a few strips. The mass in the strip is estimated here on
// coarse points; inner_error bounds it.
void SubsampledNodes::choose_step(const NodeDemand& demand) {
    const double left = first_x_;
    const double right = half_width_;
    const double sigma = law_.noise_multiplier;
    const double power = tilt_power(demand.tilt);
    const double log_error = demand.log_relative_error - 1.0;
    const double pi = std::numbers::pi;
    const double unit = std::min(pi * variance_, k_widest_strip * sigma);
    const double worst = demand.frequency * pi + 2.6 * std::max(0.0, -power);  // 2.6: |log cos| at the widest strip
    const double end = posterior(right);
    // What modulus and phase may add at the ends before they matter (log_edges).
    const double room = std::max(
        2.0, demand.log_relative_error - 4.0 + demand.log_moment - log_density(right, power) - std::log(sigma));
    // On the real axis the modulus is all there is, and its largest value will do.
    const bool real = demand.frequency == 0.0;
    const MassPoints points = real ? MassPoints{} : mass_points(left, right, demand, log_error - worst);
    double best = 0.0;
    // Whether a strip of half width fraction unit allows a wider step, which is then taken.
    const auto improves = [&](double fraction) {
        const double width = fraction * unit;
        const double angle = width / variance_;
        if (angle > 0.5 * pi && power < -20.0) return false;  // see log_outside_mass
        const double turn = std::sin(angle / 2.0);
        const double fixed = width * width / (2.0 * variance_) + std::numbers::ln2 - log_error;
        if (2.0 * pi * width / fixed <= best) return false;
        const double edge_phase = std::atan2(end * std::sin(angle), (1.0 - end) + end * std::cos(angle));
        const double edge_shrink = 0.5 * std::min(0.0, power) * std::log1p(-4.0 * end * (1.0 - end) * turn * turn);
        if (demand.frequency * edge_phase + edge_shrink > room) return false;
        const double mass = real ? log_modulus_bound(power, angle)
                                 : log_strip_sum(points.log_mass, points.posterior, {power, demand.frequency, angle});
        const double step = 2.0 * pi * width / (fixed + std::max(mass, 0.0) + 0.7);
        if (step <= best) return false;
        best = step;
        half_width_ = width;
        return true;
    };
    // Up from the middle of the list while that helps, else down, past what is forbidden.
    std::size_t at = k_first_fraction;
    while (at < k_fractions.size() && improves(k_fractions[at])) ++at;
    for (at = k_first_fraction; at-- > 0;) {
        if (!improves(k_fractions[at]) && best > 0.0) break;
    }
    // The identities M(0) = M(-1) = 1 ask the plain Gaussian to be summed as well.
    const double identity = log_error - std::log1p(2.0 * (std::abs(demand.tilt) + demand.frequency)) +
                            std::min(0.0, demand.log_moment) - 1.0;
    for (const double fraction : {0.3, 0.5, 0.7, 0.95}) {
        const double width = fraction * unit;
        const double step = 2.0 * pi * width / (width * width / (2.0 * variance_) + std::numbers::ln2 - identity);
        if (fraction == 0.3) step_ = step;
        step_ = std::max(step_, step);
    }
    step_ = std::min({step_, best, sigma});
    const double first = std::floor((left - 0.5) / step_);
    // A truncated measure ends beyond its ceiling, never before. A step of 0, where no strip will do, counts without
    // end.
    const double count = std::ceil((right - 0.5) / step_) - first + 1.0;
    if (!(count < k_largest_count)) throw accuracy_error("contour: the loss needs more nodes than are allowed");
    first_index_ = static_cast<long long>(first);
    size_ = static_cast<std::size_t>(count);
}

void SubsampledNodes::fill() {
    const std::size_t n = padded(size_);
    for (auto* column : {&log_weight_, &loss_, &weight_, &reverse_excess_, &weight_error_, &loss_error_, &posterior_}) {
        column->resize(n);
    }
    const auto first = static_cast<double>(first_index_);
    fill_nodes({variance_, law_.sampling_rate, direction_ == Direction::remove, first, step_, size_},
               {log_weight_, loss_, weight_, reverse_excess_, weight_error_, loss_error_, posterior_});
    first_x_ = 0.5 + first * step_;
}

}  // namespace hockeystick::contour
