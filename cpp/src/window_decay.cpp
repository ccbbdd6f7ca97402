// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/window_decay.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "hockeystick/strip_kernel.hpp"
#include "likelihood.hpp"

namespace hockeystick::contour {
namespace {

using detail::log_add;

constexpr double k_log_safety = 1e-3;    // covers the roundings of the bounds themselves
constexpr double k_slice = 1.5;          // widths of a slice
constexpr double k_log_outside = -60.0;  // of the mass of a slice in a cell, at which it is not moved with the slice
// Half widths tried, as parts of the one that is best for a Gaussian.
constexpr std::array k_parts{0.45, 0.6, 0.75, 0.9, 1.1};

}  // namespace

WindowDecay::WindowDecay(const WindowNodes& nodes, double tilt, const Moment& at)
    : nodes_(nodes), log_left_tail_(nodes.log_left_tail(tilt) - at.value) {
    const std::size_t size = nodes.size_;
    const double log_step = std::log(nodes.step_);
    // Without the window: log of mass at the nodes and at both ends.
    std::vector<double> density(size + 2);
    density[0] = nodes.log_density(nodes.left_, tilt) + log_step - at.value;
    for (std::size_t j = 0; j < size; ++j) density[j + 1] = nodes.log_weight_[j] + tilt * nodes.loss_[j] - at.value;
    density[size + 1] = nodes.log_density(nodes.right_, tilt) + log_step - at.value;
    const Window& whole = nodes.window_;
    for (std::size_t j = 0; j < size + 2; ++j) density[j] -= window_weight(whole, edge(j)).log;
    const double range = whole.upper - whole.lower;
    const auto count = static_cast<std::size_t>(std::ceil(range / (k_slice * whole.width)));
    for (std::size_t k = 0; k < count; ++k) {
        const auto end = [&](std::size_t i) {
            return whole.lower + range * (static_cast<double>(i) / static_cast<double>(count));
        };
        slices_.push_back(slice({end(k), end(k + 1), whole.width}, density));
    }
}

// The ends of the cells: half a step before the first node, the nodes, half a step beyond the last.
double WindowDecay::edge(std::size_t j) const {
    if (j == 0) return nodes_.left_;
    return j > nodes_.size_ ? nodes_.right_ : nodes_.left_ + (static_cast<double>(j) - 0.5) * nodes_.step_;
}

WindowDecay::Slice WindowDecay::slice(const Window& window, const std::vector<double>& density) const {
    // At y widths from it a slice is at most e^{-y^2 / 2}.
    const auto most = [&](std::size_t j) {
        const double y = std::max({0.0, window.lower - edge(j + 1), edge(j) - window.upper}) / window.width;
        return std::max(density[j], density[j + 1]) - 0.5 * y * y;
    };
    std::size_t first = 0;
    std::size_t last = nodes_.size_;
    while (first < last && most(first) < k_log_outside) ++first;
    while (last > first && most(last) < k_log_outside) --last;
    const std::size_t count = last + 1 - first;
    const double bend = nodes_.step_ * nodes_.step_ * nodes_.sharpness_ / 8.0 + k_log_safety;
    Slice result{std::vector<double>(padded(count), -k_infinity),
                 std::vector<double>(padded(count), 0.0),
                 0.0,
                 0.0,
                 0.0,
                 0.0,
                 0.0,
                 0.0,
                 0.0};
    const auto value = [&](std::size_t j) { return density[j] + window_weight(window, edge(j)).log; };
    double here = value(first);
    result.left_density = here - std::log(nodes_.step_);
    double total = 0.0;
    double mean = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
        const double there = value(first + i + 1);
        result.mass[i] = std::max(here, there) + bend;
        result.posterior[i] = nodes_.posterior_left_[first + i];
        total += std::exp(result.mass[i]);
        mean += std::exp(result.mass[i]) * result.posterior[i];
        here = there;
    }
    result.right_density = here - std::log(nodes_.step_);
    result.left_posterior = result.posterior[0];
    result.right_posterior = nodes_.posterior_right_[first + count - 1];
    result.log_total = std::log(total);
    result.mean_posterior = mean / total;
    result.log_outside = k_log_outside + bend + std::log(static_cast<double>(nodes_.size_ + 1));
    return result;
}

// With a suitable half width a: e^{a^2 S / 2} int density e^{-t phase(x)} dx over the moved cells, where phase >= 0
// rises with x; and the two ends of the moved axis, on which y^2 S / 2 - t phase, with a line below the phase, is
// convex in y and so at most the larger of its values at 0 and a. What a slice has beyond its cells stays as it is.
double WindowDecay::log_slice(const Slice& slice, double frequency) const {
    const double variance = nodes_.variance_;
    const double sharpness = nodes_.sharpness_;
    const double limit = 0.9 * std::numbers::pi * variance;
    const double middle = std::min(frequency * slice.mean_posterior / (variance * sharpness), limit);
    double best = slice.log_total;
    for (const double part : k_parts) {
        const double half_width = std::min(part * middle, limit);
        const double angle = half_width / variance;
        const double growth = 0.5 * half_width * half_width * sharpness;
        double bound = growth + log_strip_sum(slice.mass, slice.posterior, {0.0, -frequency, angle}) + k_log_safety;
        const auto end = [&](double density, double p) {
            const double fall = frequency * detail::flattest_phase(p, angle);
            return density + std::log(half_width) + std::max(0.0, growth - fall) + k_log_safety;
        };
        bound = log_add(bound, end(slice.left_density, slice.left_posterior));
        bound = log_add(bound, end(slice.right_density, slice.right_posterior));
        best = std::min(best, bound);
    }
    return log_add(best, slice.log_outside);
}

double WindowDecay::operator()(double frequency) const {
    double total = log_left_tail_;
    for (const Slice& each : slices_) total = log_add(total, log_slice(each, frequency));
    return std::min(0.0, total);
}

}  // namespace hockeystick::contour
