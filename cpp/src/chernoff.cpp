// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/chernoff.hpp"

#include <algorithm>
#include <cmath>

#include "hockeystick/cumulant.hpp"
#include "hockeystick/dots.hpp"
#include "hockeystick/limits.hpp"
#include "hockeystick/profile.hpp"
#include "hockeystick/special.hpp"

namespace hockeystick {
namespace {

// Steps a standard deviation of the tilted law: the bound loosens by about theta^2 variance / (8 * 100) in log delta.
constexpr double k_steps = 10.0;
constexpr double k_negligible = 1e-9;

}  // namespace

ChernoffBound::ChernoffBound(std::span<const LawTerm> terms, double theta)
    : theta_(theta), intercept_(log_largest_weight(theta)), log_infinity_mass_(log_infinity_mass(terms).upper) {
    double releases = 0.0;
    for (const LawTerm& term : terms) releases += static_cast<double>(term.count);
    double rounding = std::fabs(intercept_);
    for (const LawTerm& term : terms) {
        const LawTerm one{term.law, 1};
        const Cumulant estimate = CumulantEstimate(std::span(&one, 1)).at(theta);
        const double step = std::max(std::sqrt(estimate.second), 1e-300) / k_steps;
        const TiltedAtoms atoms =
            connect_the_dots(*term.law, {theta, step, estimate.value, k_negligible / releases}).pessimistic;
        const double count = static_cast<double>(term.count);
        intercept_ += count * (atoms.log_mass + std::log1p(atoms.truncated + atoms.rounding));
        rounding += count * std::fabs(atoms.log_mass);
    }
    intercept_ += 8.0 * k_unit_roundoff * (rounding + 1.0);
}

double ChernoffBound::log_delta_upper(double epsilon) const {
    const double product = theta_ * epsilon;
    const double finite = intercept_ - product + 8.0 * k_unit_roundoff * (std::fabs(product) + std::fabs(intercept_));
    if (log_infinity_mass_ == -k_infinity) return std::min(finite, 0.0);
    const double total = logaddexp(finite, log_infinity_mass_);
    return std::min(total + 8.0 * k_unit_roundoff * (1.0 + std::fabs(total)), 0.0);
}

}  // namespace hockeystick
