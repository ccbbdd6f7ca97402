// SPDX-License-Identifier: Apache-2.0
#pragma once

// The hot loops that make nodes and bound their rounding. Arrays are padded to a multiple of k_lanes. Pure functions,
// no threads.

#include <cstddef>
#include <span>

#include "hockeystick/contour_kernel.hpp"

namespace hockeystick::contour {

// Equally spaced points x = 1/2 + (first + j) step on the axis of the noise of one Poisson-subsampled Gaussian.
struct NodeGrid {
    double variance;  // sigma^2
    double rate;      // q in (0, 1)
    bool remove;
    double first;  // a whole number
    double step;
    std::size_t count;
};

// What fill_nodes writes, one entry a node: log w and w of the measure P, the loss, w (e^{-l} - 1 + l), the posterior q
// r / (1 - q + q r), and bounds on the errors of w (relative) and l (absolute). Padding has weight zero.
struct NodeColumns {
    std::span<double> log_weight, loss, weight, reverse_excess, weight_error, loss_error, posterior;
};
void fill_nodes(const NodeGrid& grid, const NodeColumns& columns);

// The columns that follow from log w and l: w, and w (e^{-l} - 1 + l) without cancellation. Padded alike; padding has
// log weight k_no_node and loss 0.
inline constexpr double k_no_node = -1e4;  // e^{-1e4} = 0
void fill_excess(std::span<const double> log_weight, std::span<const double> loss, std::span<double> weight,
                 std::span<double> reverse_excess);

struct NodeErrors {
    std::span<const double> weight_error;
    std::span<const double> loss_error;
};

// Bounds on the rounding errors of the sums behind a Moment: value = log M and first = its derivative as summed by
// tilted_sums (plain: with shift 0), and second, of sum w (l - first)^2 / M. `sum_error` is relative, of the sums.
struct RoundingSums {
    double value;
    double first;
    double second;
};
RoundingSums rounding_sums(const NodeArrays& nodes, const NodeErrors& errors, double tilt, double log_moment,
                           double mean, bool plain, double sum_error);

}  // namespace hockeystick::contour
