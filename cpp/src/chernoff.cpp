// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/chernoff.hpp"

#include <algorithm>
#include <cmath>

#include "hockeystick/cumulant.hpp"
#include "hockeystick/dots.hpp"
#include "hockeystick/gaussian_law.hpp"
#include "hockeystick/limits.hpp"
#include "hockeystick/profile.hpp"
#include "hockeystick/renyi.hpp"
#include "hockeystick/special.hpp"

namespace hockeystick {
namespace {

// Steps a standard deviation of the tilted law: the bound loosens by about theta^2 variance / (8 * 100) in log delta.
constexpr double k_steps = 10.0;
constexpr double k_negligible = 1e-9;

// Upper bound on K(theta) of one release.
double cumulant_upper(const LawTerm& term, double theta, double negligible) {
    if (const auto* gaussian = dynamic_cast<const GaussianLaw*>(term.law.get())) {
        const double order = std::nextafter(1.0 + theta, k_infinity);  // divergences grow with the order
        const double divergence =
            renyi_bounds(gaussian->release(), gaussian->direction(), std::span(&order, 1))[0].upper;
        return theta * divergence * (1.0 + 2.0 * k_unit_roundoff);
    }
    const LawTerm one{term.law, 1};
    const Cumulant estimate = CumulantEstimate(std::span(&one, 1)).at(theta);
    const double step = std::max(std::sqrt(estimate.second), 1e-300) / k_steps;
    const TiltedAtoms atoms = connect_the_dots(*term.law, {theta, step, estimate.value, negligible}).pessimistic;
    return atoms.log_mass + std::log1p(atoms.truncated + atoms.rounding);
}

}  // namespace

ChernoffBound::ChernoffBound(std::span<const LawTerm> terms, double theta)
    : theta_(theta), intercept_(log_largest_weight(theta)), log_infinity_mass_(log_infinity_mass(terms).upper) {
    double releases = 0.0;
    for (const LawTerm& term : terms) releases += static_cast<double>(term.count);
    double rounding = std::fabs(intercept_);
    for (const LawTerm& term : terms) {
        const double count = static_cast<double>(term.count);
        const double cumulant = count * cumulant_upper(term, theta, k_negligible / releases);
        intercept_ += cumulant;
        rounding += std::fabs(cumulant);
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

double ChernoffBound::epsilon_upper(double log_delta) const {
    if (log_delta == -k_infinity || intercept_ == k_infinity) return k_infinity;
    const double excess = intercept_ - log_delta + 16.0 * k_unit_roundoff * (std::fabs(intercept_) - log_delta);
    return std::max(0.0, excess / theta_ * (1.0 + 4.0 * k_unit_roundoff));
}

}  // namespace hockeystick
