// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/chernoff.hpp"

#include <algorithm>
#include <cmath>

#include "hockeystick/cumulant.hpp"
#include "hockeystick/dots.hpp"
#include "hockeystick/profile.hpp"

namespace hockeystick {
namespace {

// Steps a standard deviation of the tilted law: the bound loosens by about theta^2 variance / (8 * 100) in log delta.
constexpr double k_steps = 10.0;
constexpr double k_negligible = 1e-9;

}  // namespace

ChernoffBound::ChernoffBound(std::span<const Term> terms, Direction direction, double theta)
    : theta_(theta), intercept_(log_largest_weight(theta)) {
    double releases = 0.0;
    for (const Term& term : terms) releases += static_cast<double>(term.count);
    double rounding = std::fabs(intercept_);
    for (const Term& term : terms) {
        const Term one{term.law, 1};
        const Cumulant estimate = CumulantEstimate(std::span(&one, 1), direction).at(theta);
        const double step = std::max(std::sqrt(estimate.second), 1e-300) / k_steps;
        const TiltedAtoms atoms =
            connect_the_dots(term.law, direction, {theta, step, estimate.value, k_negligible / releases}).pessimistic;
        const double count = static_cast<double>(term.count);
        intercept_ += count * (atoms.log_mass + std::log1p(atoms.truncated + atoms.rounding));
        rounding += count * std::fabs(atoms.log_mass);
    }
    intercept_ += 8.0 * k_unit_roundoff * (rounding + 1.0);
}

double ChernoffBound::log_delta_upper(double epsilon) const {
    const double product = theta_ * epsilon;
    return std::min(intercept_ - product + 8.0 * k_unit_roundoff * (std::fabs(product) + std::fabs(intercept_)), 0.0);
}

}  // namespace hockeystick
