// SPDX-License-Identifier: Apache-2.0
#pragma once

// Gauss-Legendre rules on [-1, 1], by table: nodes and weights are the nearest doubles. u = 2^-53.

#include <cstddef>
#include <span>
#include <vector>

namespace hockeystick::contour {

struct LegendreRule {
    std::vector<double> node;    // increasing, each right to u
    std::vector<double> weight;  // each right to u relative
};

// The sizes that there are, increasing; all are even.
std::span<const std::size_t> legendre_sizes();
// The rule of legendre_sizes()[which].
LegendreRule legendre_rule(std::size_t which);

// Bound on log |rule(f) - int_{-1}^1 f| for f analytic in the ellipse with foci -1 and 1 and semi-axes cosh(log_rho),
// sinh(log_rho) and at most e^{log_largest} there. With f = sum a_k T_k, |a_k| <= 2 e^{log_largest} rho^{-k}; the rule
// is exact for k < 2 size and for odd k, and errs by at most 2 + 2 / (k^2 - 1) for the others.
double log_legendre_error(std::size_t size, double log_rho, double log_largest);

}  // namespace hockeystick::contour
