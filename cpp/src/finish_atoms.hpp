// SPDX-License-Identifier: Apache-2.0
// The last step of every kind of dots. Internal to the sources.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "hockeystick/dots.hpp"
#include "hockeystick/error.hpp"

namespace hockeystick::detail {

// Roundings of a weight besides its exponent's: exp, products, shares, the normalisation.
inline constexpr double k_weight_roundings = 12.0;

// Drops empty atoms, normalises, and counts the rounding of every weight: each exponent theta * loss - log_mass is
// rounded relative to its size, and every mass may be off by `relative_error` as it is.
inline TiltedAtoms finish(std::vector<std::int64_t> index, std::vector<double> weight, double theta, double step,
                          double log_scale, double truncated, double relative_error = 0.0) {
    TiltedAtoms atoms;
    double sum = 0.0, rounding = 0.0;
    for (std::size_t i = 0; i < weight.size(); ++i) {
        if (!(weight[i] > 0.0)) continue;
        const double loss = static_cast<double>(index[i]) * step;
        sum += weight[i];
        rounding += weight[i] * (k_weight_roundings + 2.0 * std::fabs(theta * loss) + 2.0 * std::fabs(log_scale));
        atoms.index.push_back(index[i]);
        atoms.weight.push_back(weight[i]);
    }
    if (sum == 0.0) {
        // Relative to nothing, what was left out cannot be stated.
        if (truncated > 0.0) throw accuracy_error("a tilt so strong leaves no mass on the lattice");
        return atoms;
    }
    for (double& w : atoms.weight) w /= sum;
    atoms.log_mass = log_scale + std::log(sum);
    atoms.truncated = truncated / sum;
    atoms.rounding = k_unit_roundoff * rounding / sum + relative_error;
    return atoms;
}

}  // namespace hockeystick::detail
