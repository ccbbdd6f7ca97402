// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/transform_decay.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "hockeystick/contour_kernel.hpp"

namespace hockeystick::contour {
namespace {

constexpr double k_rounding = 1e-9;  // relative, of the moments
constexpr double k_stride = 0.1;     // of the grid, in turning points
constexpr double k_most_work = 4e6;  // grid points times nodes

double fourth_moment(const TiltedNodes& nodes) {
    double total = 0.0;
    for (std::size_t j = 0; j < nodes.weights.size(); ++j) {
        const double square = nodes.centred[j] * nodes.centred[j];
        total += nodes.weights[j] * square * square;
    }
    return total;
}

// The largest |phi|^2 - 1 on the grid of so many steps to `last`, from t = from on.
double largest_on_grid(const TiltedNodes& nodes, double from, double last, std::size_t steps) {
    const double stride = last / static_cast<double>(steps);
    std::vector<double> re(steps + 1), im(steps + 1);
    phase_sums(nodes.weights, nodes.centred, stride, re, im);
    double largest = -1.0;
    for (auto n = std::min(steps, static_cast<std::size_t>(from / stride)); n <= steps; ++n) {
        largest = std::max(largest, (2.0 * re[n] + re[n] * re[n]) + im[n] * im[n]);
    }
    const double between = 0.25 * nodes.second * stride * stride * (1.0 + k_rounding);
    const double rounding = 1.1 * rotation_error(steps, nodes.weights.size()) * nodes.second * last * last;
    return largest + between + rounding;
}

}  // namespace

double log_transform_bound(const TiltedNodes& nodes, double frequency, double last, double error) {
    const double second = nodes.second * (1.0 - k_rounding);
    const double quartic = (fourth_moment(nodes) + 3.0 * nodes.second * nodes.second) * (1.0 + k_rounding) / 12.0;
    if (!(second > 0.0) || !std::isfinite(quartic) || !(error < 0.1)) return 0.0;
    const double turning = std::sqrt(0.5 * second / quartic);
    const auto near = [&](double t) { return t * t * (quartic * t * t - second); };
    double largest = -1.0;
    if (frequency < turning) largest = std::max(near(frequency), near(std::min(turning, last)));
    if (last > turning) {
        const double steps = std::ceil(last / (k_stride * turning));
        if (!(steps * static_cast<double>(nodes.weights.size()) < k_most_work)) return 0.0;
        const double from = std::max(frequency, turning);
        largest = std::max(largest, largest_on_grid(nodes, from, last, static_cast<std::size_t>(steps)));
    }
    // (sqrt(1 - x) + e)^2 <= 1 - x + 2.1 e for e <= 0.1, and as much for weights that sum to 1 + e.
    return 0.5 * std::log1p(std::clamp(largest + 4.2 * error, -1.0 + 1e-15, 0.0));
}

}  // namespace hockeystick::contour
