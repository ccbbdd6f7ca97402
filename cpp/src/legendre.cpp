// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/legendre.hpp"

#include <cmath>
#include <numbers>

#include "legendre_tables.hpp"

namespace hockeystick::contour {

std::span<const std::size_t> legendre_sizes() { return detail::k_legendre_sizes; }

LegendreRule legendre_rule(std::size_t which) {
    std::size_t first = 0;
    for (std::size_t i = 0; i < which; ++i) first += detail::k_legendre_sizes[i] / 2;
    const std::size_t half = detail::k_legendre_sizes[which] / 2;
    LegendreRule rule;
    for (std::size_t i = half; i-- > 0;) {
        rule.node.push_back(-detail::k_legendre_points[first + i].node);
        rule.weight.push_back(detail::k_legendre_points[first + i].weight);
    }
    for (std::size_t i = 0; i < half; ++i) {
        rule.node.push_back(detail::k_legendre_points[first + i].node);
        rule.weight.push_back(detail::k_legendre_points[first + i].weight);
    }
    return rule;
}

double log_legendre_error(std::size_t size, double log_rho, double log_largest) {
    const double order = 2.0 * static_cast<double>(size);
    const double constant = 2.0 * std::numbers::ln2 + std::log1p(1.0 / (order * order - 1.0));
    return constant + log_largest - order * log_rho - std::log(-std::expm1(-2.0 * log_rho)) + 1e-9;
}

}  // namespace hockeystick::contour
