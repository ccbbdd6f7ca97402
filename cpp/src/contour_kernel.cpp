// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/contour_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "vector_math.hpp"

namespace hockeystick::contour {
namespace {

using lane::Pack;
static_assert(k_lanes == lane::k_width);

constexpr double k_unit_roundoff = 0x1p-53;
constexpr std::size_t k_steps = 4;         // outer steps taken while a node is in registers
constexpr std::size_t k_anchor_span = 16;  // outer steps between anchors; a multiple of k_steps and a power of two

HOCKEYSTICK_CLONES
TiltedSums second_order_sums(const NodeArrays& nodes, double tilt) {
    Pack excess{}, first{}, second{};
    for (std::size_t j = 0; j < nodes.loss.size(); j += k_lanes) {
        const Pack loss = lane::load(&nodes.loss[j]);
        const Pack weight = lane::load(&nodes.weight[j]);
        const Pack reverse = lane::load(&nodes.reverse_excess[j]);
        const Pack x = tilt * loss;
        const Pack tilted = lane::exp(lane::load(&nodes.log_weight[j]) + x);
        const Pack series = weight * lane::exp_excess(x, x);
        const Pack curved = lane::choose(lane::less(lane::absolute(x), 1.0), series, (tilted - weight) - weight * x);
        excess += curved + tilt * reverse;
        first += loss * (curved + weight * x) + reverse;
        second += tilted * (loss * loss);
    }
    return {lane::sum(excess), lane::sum(first), lane::sum(second)};
}

HOCKEYSTICK_CLONES
TiltedSums first_order_sums(const NodeArrays& nodes, double tilt, double shift) {
    Pack zeroth{}, first{}, second{};
    for (std::size_t j = 0; j < nodes.loss.size(); j += k_lanes) {
        const Pack loss = lane::load(&nodes.loss[j]);
        const Pack tilted = lane::exp((lane::load(&nodes.log_weight[j]) + tilt * loss) - shift);
        zeroth += tilted;
        first += tilted * loss;
        second += tilted * (loss * loss);
    }
    return {lane::sum(zeroth), lane::sum(first), lane::sum(second)};
}

// State of the rotation, one entry a node: b = e^{iy} - 1 - iy at the last step, and a_1 = e^{iy} - 1, b_1 of one step.
struct Rotation {
    std::vector<double> angle, b_re, b_im, step_a_re, step_a_im, step_b_im;

    explicit Rotation(std::size_t n) : angle(n), b_re(n), b_im(n), step_a_re(n), step_a_im(n), step_b_im(n) {}
};

// b_2n = 2 b_n + a_n^2, a_n = b_n + i y_n.
HOCKEYSTICK_INLINE void double_angle(Pack& re, Pack& im, Pack& y) {
    const Pack a_im = im + y;
    const Pack square_re = re * re - a_im * a_im;
    const Pack square_im = 2.0 * (re * a_im);
    re = 2.0 * re + square_re;
    im = 2.0 * im + square_im;
    y = 2.0 * y;
}

// b at a small angle by series (|y| <= 1/2, truncation below u/4), from where it is doubled back to the angle wanted.
HOCKEYSTICK_INLINE void small_angle(Pack y, Pack& re, Pack& im) {
    const Pack s = y * y;
    Pack c = lane::broadcast(-1.0 / 87178291200.0);
    c = c * s + 1.0 / 479001600.0;
    c = c * s - 1.0 / 3628800.0;
    c = c * s + 1.0 / 40320.0;
    c = c * s - 1.0 / 720.0;
    c = c * s + 1.0 / 24.0;
    c = c * s - 0.5;
    Pack d = lane::broadcast(-1.0 / 1307674368000.0);
    d = d * s + 1.0 / 6227020800.0;
    d = d * s - 1.0 / 39916800.0;
    d = d * s + 1.0 / 362880.0;
    d = d * s - 1.0 / 5040.0;
    d = d * s + 1.0 / 120.0;
    d = d * s - 1.0 / 6.0;
    re = c * s;
    im = (d * s) * y;
}

HOCKEYSTICK_CLONES
void start_angles(Rotation& state, const double* centred, double step, int doublings) {
    const double scale = std::ldexp(1.0, -doublings);
    for (std::size_t j = 0; j < state.angle.size(); j += k_lanes) {
        const Pack angle = lane::load(centred + j) * step;
        Pack y = angle * scale;
        Pack re, im;
        small_angle(y, re, im);
        for (int k = 0; k < doublings; ++k) double_angle(re, im, y);
        lane::store(&state.angle[j], angle);
        lane::store(&state.step_a_re[j], re);
        lane::store(&state.step_b_im[j], im);
        lane::store(&state.step_a_im[j], im + y);
    }
}

void start_rotation(Rotation& state, std::span<const double> centred, double step) {
    double largest = 0.0;
    for (const double distance : centred) largest = std::max(largest, std::abs(distance * step));
    start_angles(state, centred.data(), step, largest > 0.5 ? std::ilogb(largest) + 2 : 0);
}

// One step of every node: b <- b + b_1 + a a_1, without sums.
HOCKEYSTICK_CLONES
void advance(Rotation& state, double steps_done) {
    for (std::size_t j = 0; j < state.angle.size(); j += k_lanes) {
        const Pack re = lane::load(&state.b_re[j]);
        const Pack im = lane::load(&state.b_im[j]);
        const Pack a_im = im + steps_done * lane::load(&state.angle[j]);
        const Pack s_re = lane::load(&state.step_a_re[j]);
        const Pack s_im = lane::load(&state.step_a_im[j]);
        lane::store(&state.b_re[j], (re + s_re) + (re * s_re - a_im * s_im));
        lane::store(&state.b_im[j], (im + lane::load(&state.step_b_im[j])) + (re * s_im + a_im * s_re));
    }
}

// k_steps steps of every node with the sums after each.
HOCKEYSTICK_CLONES
void advance_and_sum(Rotation& state, const double* weights, double steps_done, double* sum_re, double* sum_im) {
    Pack acc_re[k_steps] = {};
    Pack acc_im[k_steps] = {};
    for (std::size_t j = 0; j < state.angle.size(); j += k_lanes) {
        Pack re = lane::load(&state.b_re[j]);
        Pack im = lane::load(&state.b_im[j]);
        const Pack weight = lane::load(weights + j);
        const Pack angle = lane::load(&state.angle[j]);
        const Pack s_re = lane::load(&state.step_a_re[j]);
        const Pack s_im = lane::load(&state.step_a_im[j]);
        const Pack d_im = lane::load(&state.step_b_im[j]);
        for (std::size_t k = 0; k < k_steps; ++k) {
            const Pack a_im = im + (steps_done + static_cast<double>(k)) * angle;
            const Pack product_re = re * s_re - a_im * s_im;
            const Pack product_im = re * s_im + a_im * s_re;
            re = (re + s_re) + product_re;
            im = (im + d_im) + product_im;
            acc_re[k] += weight * re;
            acc_im[k] += weight * im;
        }
        lane::store(&state.b_re[j], re);
        lane::store(&state.b_im[j], im);
    }
    for (std::size_t k = 0; k < k_steps; ++k) {
        sum_re[k] = lane::sum(acc_re[k]);
        sum_im[k] = lane::sum(acc_im[k]);
    }
}

HOCKEYSTICK_CLONES
double sum_exp(const double* x, std::size_t whole, double shift) {
    Pack total{};
    for (std::size_t j = 0; j < whole; j += k_lanes) total += lane::exp(lane::load(x + j) - shift);
    return lane::sum(total);
}

HOCKEYSTICK_CLONES
double largest_of(const double* x, std::size_t whole) {
    Pack result = lane::broadcast(-std::numeric_limits<double>::infinity());
    for (std::size_t j = 0; j < whole; j += k_lanes) result = lane::larger(lane::load(x + j), result);
    return lane::largest(result);
}

}  // namespace

double fast_exp(double x) { return lane::exp(lane::broadcast(x))[0]; }

HOCKEYSTICK_CLONES
double largest_exponent(const NodeArrays& nodes, double tilt) {
    Pack result = lane::broadcast(-std::numeric_limits<double>::infinity());
    for (std::size_t j = 0; j < nodes.loss.size(); j += k_lanes) {
        result = lane::larger(lane::load(&nodes.log_weight[j]) + tilt * lane::load(&nodes.loss[j]), result);
    }
    return lane::largest(result);
}

double log_sum_exp(std::span<const double> x) {
    const std::size_t whole = x.size() / k_lanes * k_lanes;
    double largest = largest_of(x.data(), whole);
    for (std::size_t j = whole; j < x.size(); ++j) largest = std::max(largest, x[j]);
    if (std::isinf(largest)) return largest;
    double total = sum_exp(x.data(), whole, largest);
    for (std::size_t j = whole; j < x.size(); ++j) total += fast_exp(x[j] - largest);
    return largest + std::log(total);
}

TiltedSums tilted_sums(const NodeArrays& nodes, double tilt, double shift) {
    return shift == 0.0 ? second_order_sums(nodes, tilt) : first_order_sums(nodes, tilt, shift);
}

HOCKEYSTICK_CLONES
double tilt_nodes(const NodeArrays& nodes, double tilt, double log_moment, double centre, std::span<double> weights,
                  std::span<double> centred) {
    Pack second{};
    for (std::size_t j = 0; j < nodes.loss.size(); j += k_lanes) {
        const Pack loss = lane::load(&nodes.loss[j]);
        const Pack weight = lane::exp((lane::load(&nodes.log_weight[j]) + tilt * loss) - log_moment);
        const Pack distance = loss - centre;
        lane::store(&weights[j], weight);
        lane::store(&centred[j], distance);
        second += weight * (distance * distance);
    }
    return lane::sum(second);
}

void phase_sums(std::span<const double> weights, std::span<const double> centred, double step, std::span<double> re,
                std::span<double> im) {
    const std::size_t count = re.size();
    if (count == 0) return;
    Rotation fine(centred.size());
    start_rotation(fine, centred, step);
    Rotation anchor(centred.size());
    start_rotation(anchor, centred, step * static_cast<double>(k_anchor_span));
    re[0] = 0.0;
    im[0] = 0.0;
    for (std::size_t done = 0; done + 1 < count; done += k_steps) {
        if (done % k_anchor_span == 0 && done > 0) {
            advance(anchor, static_cast<double>(done / k_anchor_span - 1));
            fine.b_re = anchor.b_re;
            fine.b_im = anchor.b_im;
        }
        double sum_re[k_steps];
        double sum_im[k_steps];
        advance_and_sum(fine, weights.data(), static_cast<double>(done), sum_re, sum_im);
        for (std::size_t k = 0; k < k_steps && done + k + 1 < count; ++k) {
            re[done + k + 1] = sum_re[k];
            im[done + k + 1] = sum_im[k];
        }
    }
}

double rotation_error(std::size_t n, std::size_t nodes) {
    return (112.0 + static_cast<double>(n) / static_cast<double>(k_anchor_span) +
            static_cast<double>(nodes) / static_cast<double>(k_lanes)) *
           k_unit_roundoff;
}

}  // namespace hockeystick::contour
