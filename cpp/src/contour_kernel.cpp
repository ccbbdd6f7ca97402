// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/contour_kernel.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace hockeystick::contour {
namespace {

constexpr double k_unit_roundoff = 0x1p-53;
constexpr std::size_t k_steps = 4;         // outer steps taken while a node is in registers
constexpr std::size_t k_anchor_span = 16;  // outer steps between anchors; a multiple of k_steps and a power of two

// Taylor to degree 13 on |r| <= log(2)/2 (remainder 5e-18), scaled by 2^k through the exponent bits.
inline double exp_inline(double x) {
    constexpr double k_magic = 0x1.8p52;
    constexpr double k_log2e = 1.4426950408889634074;
    constexpr double k_ln2_high = 0x1.62e42fefa3800p-1;  // 42 bits, so k * k_ln2_high is exact
    constexpr double k_ln2_low = 0x1.ef35793c76730p-45;
    const double clamped = x < -708.0 ? -708.0 : (x > 709.0 ? 709.0 : x);
    const double shifted = clamped * k_log2e + k_magic;
    const double k = shifted - k_magic;
    const double r = (clamped - k * k_ln2_high) - k * k_ln2_low;
    double p = 1.0 / 6227020800.0;
    p = p * r + 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    const auto scale_bits = (std::bit_cast<std::uint64_t>(shifted) + 1023U) << 52U;
    const double value = p * std::bit_cast<double>(scale_bits);
    const double low = x < -708.0 ? 0.0 : value;
    return x > 709.0 ? std::numeric_limits<double>::infinity() : low;
}

// e^x - 1 - x: a series where it would cancel.
inline double exp_excess_inline(double x, double exp_x) {
    double p = 1.0 / 20922789888000.0;  // 1/16!
    p = p * x + 1.0 / 1307674368000.0;
    p = p * x + 1.0 / 87178291200.0;
    p = p * x + 1.0 / 6227020800.0;
    p = p * x + 1.0 / 479001600.0;
    p = p * x + 1.0 / 39916800.0;
    p = p * x + 1.0 / 3628800.0;
    p = p * x + 1.0 / 362880.0;
    p = p * x + 1.0 / 40320.0;
    p = p * x + 1.0 / 5040.0;
    p = p * x + 1.0 / 720.0;
    p = p * x + 1.0 / 120.0;
    p = p * x + 1.0 / 24.0;
    p = p * x + 1.0 / 6.0;
    p = p * x + 0.5;
    const double series = x * x * p;
    const double direct = (exp_x - 1.0) - x;
    return std::abs(x) < 1.0 ? series : direct;
}

double sum_of(const double (&lanes)[k_lanes]) {
    double total = 0.0;
    for (const double x : lanes) total += x;
    return total;
}

TiltedSums second_order_sums(const NodeArrays& nodes, double tilt) {
    double excess[k_lanes] = {};
    double first[k_lanes] = {};
    double second[k_lanes] = {};
    for (std::size_t j = 0; j < nodes.loss.size(); j += k_lanes) {
        for (std::size_t i = 0; i < k_lanes; ++i) {
            const double loss = nodes.loss[j + i];
            const double weight = nodes.weight[j + i];
            const double reverse = nodes.reverse_excess[j + i];
            const double x = tilt * loss;
            const double tilted = exp_inline(nodes.log_weight[j + i] + x);
            const double series = weight * exp_excess_inline(x, 0.0);
            const double direct = (tilted - weight) - weight * x;
            const double curved = std::abs(x) < 1.0 ? series : direct;
            excess[i] += curved + tilt * reverse;
            first[i] += loss * (curved + weight * x) + reverse;
            second[i] += tilted * (loss * loss);
        }
    }
    return {sum_of(excess), sum_of(first), sum_of(second)};
}

TiltedSums first_order_sums(const NodeArrays& nodes, double tilt, double shift) {
    double zeroth[k_lanes] = {};
    double first[k_lanes] = {};
    double second[k_lanes] = {};
    for (std::size_t j = 0; j < nodes.loss.size(); j += k_lanes) {
        for (std::size_t i = 0; i < k_lanes; ++i) {
            const double loss = nodes.loss[j + i];
            const double tilted = exp_inline((nodes.log_weight[j + i] + tilt * loss) - shift);
            zeroth[i] += tilted;
            first[i] += tilted * loss;
            second[i] += tilted * (loss * loss);
        }
    }
    return {sum_of(zeroth), sum_of(first), sum_of(second)};
}

// State of the rotation, one entry a node: b = e^{iy} - 1 - iy at the last step, and a_1 = e^{iy} - 1, b_1 of one step.
struct Rotation {
    std::vector<double> angle, b_re, b_im, step_a_re, step_a_im, step_b_im;

    explicit Rotation(std::size_t n) : angle(n), b_re(n), b_im(n), step_a_re(n), step_a_im(n), step_b_im(n) {}
};

// b_2n = 2 b_n + a_n^2, a_n = b_n + i y_n.
inline void double_angle(double& re, double& im, double& y) {
    const double a_im = im + y;
    const double square_re = re * re - a_im * a_im;
    const double square_im = 2.0 * (re * a_im);
    re = 2.0 * re + square_re;
    im = 2.0 * im + square_im;
    y = 2.0 * y;
}

// b at a small angle by series (|y| <= 1/2, truncation below u/4), then doubled back to the angle wanted.
inline void start_angle(double angle, double scale, int doublings, double& re, double& im, double& a_im) {
    double y = angle * scale;
    const double s = y * y;
    double c = -1.0 / 87178291200.0;
    c = c * s + 1.0 / 479001600.0;
    c = c * s - 1.0 / 3628800.0;
    c = c * s + 1.0 / 40320.0;
    c = c * s - 1.0 / 720.0;
    c = c * s + 1.0 / 24.0;
    c = c * s - 0.5;
    double d = -1.0 / 1307674368000.0;
    d = d * s + 1.0 / 6227020800.0;
    d = d * s - 1.0 / 39916800.0;
    d = d * s + 1.0 / 362880.0;
    d = d * s - 1.0 / 5040.0;
    d = d * s + 1.0 / 120.0;
    d = d * s - 1.0 / 6.0;
    re = c * s;
    im = (d * s) * y;
    for (int k = 0; k < doublings; ++k) double_angle(re, im, y);
    a_im = im + y;
}

void start_rotation(Rotation& state, std::span<const double> centred, double step) {
    const std::size_t n = centred.size();
    double largest = 0.0;
    for (std::size_t j = 0; j < n; ++j) largest = std::max(largest, std::abs(centred[j] * step));
    const int doublings = largest > 0.5 ? std::ilogb(largest) + 2 : 0;
    const double scale = std::ldexp(1.0, -doublings);
    for (std::size_t j = 0; j < n; ++j) {
        state.angle[j] = centred[j] * step;
        start_angle(state.angle[j], scale, doublings, state.step_a_re[j], state.step_b_im[j], state.step_a_im[j]);
        state.b_re[j] = 0.0;
        state.b_im[j] = 0.0;
    }
}

// One step of every node: b <- b + b_1 + a a_1, without sums.
void advance(Rotation& state, double steps_done) {
    const std::size_t n = state.angle.size();
    for (std::size_t j = 0; j < n; ++j) {
        const double re = state.b_re[j];
        const double im = state.b_im[j];
        const double a_im = im + steps_done * state.angle[j];
        const double s_re = state.step_a_re[j];
        const double s_im = state.step_a_im[j];
        state.b_re[j] = (re + s_re) + (re * s_re - a_im * s_im);
        state.b_im[j] = (im + state.step_b_im[j]) + (re * s_im + a_im * s_re);
    }
}

// k_steps steps of every node with the sums after each. The lanes are copied to local arrays, which the compiler keeps
// in registers; through the pointers it would have to assume that they alias.
void advance_and_sum(Rotation& state, const double* weights, double steps_done, double (&sum_re)[k_steps],
                     double (&sum_im)[k_steps]) {
    double acc_re[k_steps][k_lanes] = {};
    double acc_im[k_steps][k_lanes] = {};
    const std::size_t n = state.angle.size();
    for (std::size_t j = 0; j < n; j += k_lanes) {
        double re[k_lanes], im[k_lanes];
        for (std::size_t i = 0; i < k_lanes; ++i) re[i] = state.b_re[j + i];
        for (std::size_t i = 0; i < k_lanes; ++i) im[i] = state.b_im[j + i];
        for (std::size_t k = 0; k < k_steps; ++k) {
            const double steps = steps_done + static_cast<double>(k);
            for (std::size_t i = 0; i < k_lanes; ++i) {
                const double s_re = state.step_a_re[j + i];
                const double s_im = state.step_a_im[j + i];
                const double a_im = im[i] + steps * state.angle[j + i];
                const double product_re = re[i] * s_re - a_im * s_im;
                const double product_im = re[i] * s_im + a_im * s_re;
                re[i] = (re[i] + s_re) + product_re;
                im[i] = (im[i] + state.step_b_im[j + i]) + product_im;
                acc_re[k][i] += weights[j + i] * re[i];
                acc_im[k][i] += weights[j + i] * im[i];
            }
        }
        for (std::size_t i = 0; i < k_lanes; ++i) state.b_re[j + i] = re[i];
        for (std::size_t i = 0; i < k_lanes; ++i) state.b_im[j + i] = im[i];
    }
    for (std::size_t k = 0; k < k_steps; ++k) {
        sum_re[k] = sum_of(acc_re[k]);
        sum_im[k] = sum_of(acc_im[k]);
    }
}

}  // namespace

double fast_exp(double x) { return exp_inline(x); }

double largest_exponent(const NodeArrays& nodes, double tilt) {
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < nodes.loss.size(); ++j) {
        largest = std::max(largest, nodes.log_weight[j] + tilt * nodes.loss[j]);
    }
    return largest;
}

double log_sum_exp(std::span<const double> x) {
    double largest = -std::numeric_limits<double>::infinity();
    for (const double value : x) largest = std::max(largest, value);
    if (std::isinf(largest)) return largest;
    double lanes[k_lanes] = {};
    const std::size_t whole = x.size() / k_lanes * k_lanes;
    for (std::size_t j = 0; j < whole; j += k_lanes) {
        for (std::size_t i = 0; i < k_lanes; ++i) lanes[i] += exp_inline(x[j + i] - largest);
    }
    double total = sum_of(lanes);
    for (std::size_t j = whole; j < x.size(); ++j) total += exp_inline(x[j] - largest);
    return largest + std::log(total);
}

TiltedSums tilted_sums(const NodeArrays& nodes, double tilt, double shift) {
    return shift == 0.0 ? second_order_sums(nodes, tilt) : first_order_sums(nodes, tilt, shift);
}

double tilt_nodes(const NodeArrays& nodes, double tilt, double log_moment, double centre, std::span<double> weights,
                  std::span<double> centred) {
    double second[k_lanes] = {};
    for (std::size_t j = 0; j < nodes.loss.size(); j += k_lanes) {
        for (std::size_t i = 0; i < k_lanes; ++i) {
            const double loss = nodes.loss[j + i];
            const double weight = exp_inline((nodes.log_weight[j + i] + tilt * loss) - log_moment);
            const double distance = loss - centre;
            weights[j + i] = weight;
            centred[j + i] = distance;
            second[i] += weight * (distance * distance);
        }
    }
    return sum_of(second);
}

void phase_sums(std::span<const double> weights, std::span<const double> centred, double step, std::span<double> re,
                std::span<double> im) {
    const std::size_t n = centred.size();
    const std::size_t count = re.size();
    if (count == 0) return;
    Rotation fine(n);
    start_rotation(fine, centred, step);
    Rotation anchor(n);
    start_rotation(anchor, centred, step * static_cast<double>(k_anchor_span));
    re[0] = 0.0;
    im[0] = 0.0;
    for (std::size_t done = 0; done + 1 < count; done += k_steps) {
        if (done % k_anchor_span == 0 && done > 0) {
            advance(anchor, static_cast<double>(done / k_anchor_span - 1));
            std::copy(anchor.b_re.begin(), anchor.b_re.end(), fine.b_re.begin());
            std::copy(anchor.b_im.begin(), anchor.b_im.end(), fine.b_im.begin());
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
