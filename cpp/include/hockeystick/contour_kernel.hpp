// SPDX-License-Identifier: Apache-2.0
#pragma once

// The hot loops of the contour engine: plain loops over arrays, k_lanes nodes at a time, each lane with sums of its
// own, so that they vectorise for any instruction set and give the same result on all of them (no contraction is relied
// on). All arrays are padded to a multiple of k_lanes by nodes of weight zero. u = 2^-53. Pure functions, no threads.

#include <cstddef>
#include <span>
#include <vector>

namespace hockeystick::contour {

inline constexpr std::size_t k_lanes = 8;

// Smallest multiple of k_lanes that is at least n.
constexpr std::size_t padded(std::size_t n) { return (n + k_lanes - 1) / k_lanes * k_lanes; }

// e^x, relative error 4u for |x| <= 708; 0 below -708, infinity above 709.
double fast_exp(double x);

// Nodes (weight w under P, loss l) with what the sums over them need: log w, and w (e^{-l} - 1 + l).
struct NodeArrays {
    std::span<const double> log_weight;
    std::span<const double> loss;
    std::span<const double> weight;
    std::span<const double> reverse_excess;
};

// Sums of E = w e^{tilt l - shift}. With shift = 0:
//   excess = sum E - w - w tilt l + tilt w (e^{-l} - 1 + l)  = M(tilt) - 1 by the two identities M(0) = M(-1) = 1,
//   first  = sum l (E - w) + w (e^{-l} - 1 + l)              = M'(tilt),
// both of second order in l term by term, so that nothing cancels when l is small. With shift != 0 (large exponents):
//   excess = sum E, first = sum l E.        second = sum l^2 E in both.
struct TiltedSums {
    double excess;
    double first;
    double second;
};
TiltedSums tilted_sums(const NodeArrays& nodes, double tilt, double shift);
double largest_exponent(const NodeArrays& nodes, double tilt);

// weights[j] = e^{log_weight + tilt l - log_moment}, centred[j] = l - centre. Returns sum w centred^2.
double tilt_nodes(const NodeArrays& nodes, double tilt, double log_moment, double centre, std::span<double> weights,
                  std::span<double> centred);

// sum e^{x_i}, without overflow: log of it. -inf for no terms.
double log_sum_exp(std::span<const double> x);

// re[n] + i im[n] = sum_j weights[j] (e^{i y} - 1 - i y), y = n step centred[j], n = 0 .. count - 1.
// |error| <= rotation_error(n, nodes) * (n step)^2 / 2 * sum_j weights[j] centred[j]^2: nothing of first order cancels.
// Cost: about 20 flops a node and step.
void phase_sums(std::span<const double> weights, std::span<const double> centred, double step, std::span<double> re,
                std::span<double> im);
double rotation_error(std::size_t n, std::size_t nodes);

}  // namespace hockeystick::contour
