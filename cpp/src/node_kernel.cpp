// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/node_kernel.hpp"

#include <cmath>

#include "vector_math.hpp"

namespace hockeystick::contour {
namespace {

using lane::Pack;

constexpr double k_unit_roundoff = 0x1p-53;
constexpr double k_log_sqrt_two_pi = 0.91893853320467274178;
constexpr double k_far = 600.0;  // log r beyond which l = log q + log r

constexpr Pack k_lane_number{0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0};

// log(1 - q + q e^u): small losses are exact, and so is what is left of 1 - q + q r where it is far below 1.
HOCKEYSTICK_INLINE Pack likelihood(Pack u, double q, double log_q) {
    const Pack y = q * lane::expm1(lane::smaller(u, lane::broadcast(k_far)));
    const lane::Mask low = lane::less(y, -0.5);
    const Pack z = lane::choose(low, (1.0 - q) + q * lane::exp(u), 1.0 + y);
    const Pack near = lane::log_with(z, lane::choose(low, lane::broadcast(-1.0), y));
    return lane::choose(lane::less(k_far, u), (u + log_q) + ((1.0 - q) / q) * lane::exp(-u), near);
}

// w (e^{-l} - 1 + l).
HOCKEYSTICK_INLINE Pack weighted_excess(Pack log_weight, Pack weight, Pack loss) {
    const Pack direct = (lane::exp(log_weight - loss) - weight) + weight * loss;
    return lane::choose(lane::less(lane::absolute(loss), 1.0), weight * lane::exp_excess(-loss, loss), direct);
}

}  // namespace

HOCKEYSTICK_CLONES
void fill_excess(std::span<const double> log_weight, std::span<const double> loss, std::span<double> weight,
                 std::span<double> reverse_excess) {
    for (std::size_t j = 0; j < loss.size(); j += k_lanes) {
        const Pack log_w = lane::load(&log_weight[j]);
        const Pack l = lane::load(&loss[j]);
        const Pack w = lane::exp(log_w);
        lane::store(&weight[j], w);
        lane::store(&reverse_excess[j], weighted_excess(log_w, w, l));
    }
}

HOCKEYSTICK_CLONES
void fill_nodes(const NodeGrid& grid, const NodeColumns& columns) {
    const double log_unit = std::log(grid.step / std::sqrt(grid.variance)) - k_log_sqrt_two_pi;
    const double log_q = std::log(grid.rate);
    const double u = k_unit_roundoff;
    for (std::size_t j = 0; j < columns.loss.size(); j += k_lanes) {
        const Pack number = static_cast<double>(j) + k_lane_number;
        const Pack offset = (grid.first + number) * grid.step;
        const Pack x = 0.5 + offset;
        const Pack log_ratio = offset / grid.variance;
        const Pack l = likelihood(log_ratio, grid.rate, log_q);
        const Pack p = lane::smaller(lane::exp((log_q + log_ratio) - l), lane::broadcast(1.0));
        const Pack exponent = x * x / (2.0 * grid.variance);
        const Pack log_weight = grid.remove ? (log_unit - exponent) + l : log_unit - exponent;
        const Pack loss = grid.remove ? l : -l;
        // log r errs by 3u relative, x by u, the functions by 8u each (vector_math.hpp).
        const Pack loss_error = u * (16.0 * lane::absolute(l) + 8.0 * p * lane::absolute(log_ratio));
        const Pack relative = u * (8.0 + 8.0 * exponent + (2.0 / grid.variance) * lane::absolute(x) +
                                   2.0 * std::abs(log_unit) + 2.0 * lane::absolute(log_weight));
        const Pack weight = lane::exp(log_weight);
        const Pack zero{};
        const lane::Mask real = lane::less(number, static_cast<double>(grid.count));
        lane::store(&columns.log_weight[j], lane::choose(real, log_weight, lane::broadcast(k_no_node)));
        lane::store(&columns.loss[j], lane::choose(real, loss, zero));
        lane::store(&columns.weight[j], lane::choose(real, weight, zero));
        lane::store(&columns.reverse_excess[j], lane::choose(real, weighted_excess(log_weight, weight, loss), zero));
        lane::store(&columns.weight_error[j], lane::choose(real, grid.remove ? relative + loss_error : relative, zero));
        lane::store(&columns.loss_error[j], lane::choose(real, loss_error, zero));
        lane::store(&columns.posterior[j], lane::choose(real, p, zero));
    }
}

// Term by term: stored weights err by weight_error, losses by loss_error, each function of the kernel by 8u, each
// exponent by u times its parts.
HOCKEYSTICK_CLONES
RoundingSums rounding_sums(const NodeArrays& nodes, const NodeErrors& errors, double tilt, double log_moment,
                           double mean, bool plain, double sum_error) {
    const double u = k_unit_roundoff;
    const double unit = plain ? std::exp(-log_moment) : 0.0;
    const double steep = std::abs(tilt);
    Pack value{}, first{}, second{};
    for (std::size_t j = 0; j < nodes.loss.size(); j += k_lanes) {
        const Pack loss = lane::load(&nodes.loss[j]);
        const Pack log_weight = lane::load(&nodes.log_weight[j]);
        const Pack loss_error = lane::load(&errors.loss_error[j]);
        const Pack relative = lane::load(&errors.weight_error[j]) + sum_error;
        const Pack x = tilt * loss;
        const Pack size = lane::absolute(loss);
        const Pack step = lane::absolute(x);
        const Pack exponents = u * (8.0 + 2.0 * (lane::absolute(log_weight) + step + std::abs(log_moment)));
        const Pack tilted = lane::exp((log_weight + x) - log_moment);  // relative to M
        const Pack distance = lane::absolute(loss - mean);
        second += tilted * distance *
                  (distance * (relative + exponents) + 2.0 * (loss_error + 2.0 * u * (size + std::abs(mean))));
        if (!plain) {
            value += tilted * (relative + exponents + steep * loss_error);
            first += tilted * (size * (relative + exponents) + loss_error * (1.0 + step));
            continue;
        }
        const Pack weight = lane::load(&nodes.weight[j]) * unit;
        const Pack reverse = lane::load(&nodes.reverse_excess[j]) * unit;
        const Pack reverse_local = lane::choose(lane::less(size, 1.0), 24.0 * u * reverse,
                                                exponents * (reverse + 2.0 * weight * (1.0 + size)));
        const lane::Mask series = lane::less(step, 1.0);
        const Pack curved =
            lane::choose(series, weight * lane::exp_excess(x, x), lane::absolute((tilted - weight) - weight * x));
        const Pack local = lane::choose(series, 24.0 * u * curved, exponents * (tilted + weight * (1.0 + step)));
        const Pack steep_slope = tilted + lane::absolute(reverse) + weight * (1.0 + size);
        const Pack slope = lane::choose(
            series,
            lane::choose(lane::less(size, 1.0), lane::absolute(curved - reverse + weight * (x + loss)), steep_slope),
            steep_slope);
        value += (curved + steep * reverse) * relative + local + steep * reverse_local + steep * slope * loss_error;
        first += (size * (curved + weight * step) + reverse) * (relative + 8.0 * u) + size * local + reverse_local +
                 loss_error * (curved + 2.0 * weight * step + step * tilted + reverse + weight * size);
    }
    return {lane::sum(value), lane::sum(first), lane::sum(second)};
}

}  // namespace hockeystick::contour
