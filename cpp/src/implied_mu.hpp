// SPDX-License-Identifier: Apache-2.0
// m = Phi^{-1}(TPR) - Phi^{-1}(alpha), its error and its form near the diagonal. Internal to the sources.
#pragma once

#include <algorithm>
#include <cmath>

#include "hockeystick/special.hpp"
#include "rounding.hpp"

namespace hockeystick::detail {

constexpr double k_small_tilt = 0.05;  // max(1, z) m below which m is found from TPR - alpha
constexpr int k_newton_steps = 4;
constexpr int k_series_terms = 10;  // .05^10 / 11! is far below u

inline double quantile_error(double x) { return 16.0 * k_u * std::max(1.0, std::abs(x)); }

// m with the integral of e^{z t - t^2/2} over [0, m] equal to y, for max(1, z) y small: Newton on its power series,
// whose coefficients are Hermite polynomials. Relative error 20u.
inline double small_shift(double z, double y) {
    double m = y;
    for (int step = 0; step < k_newton_steps; ++step) {
        double before = 0.0, term = 1.0, sum = 1.0;
        for (int k = 1; k < k_series_terms; ++k) {
            const double next = (z * m * term - m * m * before) / k;
            before = term, term = next;
            sum += term / (k + 1);
        }
        m -= (m * sum - y) * std::exp(m * (0.5 * m - z));
    }
    return m;
}

// Phi(m - z) - Phi(-z) = gain with z = -Phi^{-1}(alpha): in units of phi(z) it is y = gain R(z) / alpha.
inline double mu_from_gain(double log_alpha, double log_gain, double z) {
    const double y = std::exp(log_gain - log_alpha) * mills_ratio(z);
    const double error = k_u * (100.0 + 4.0 * (magnitude(log_gain) + magnitude(log_alpha)));
    return y * std::max(1.0, std::abs(z)) < k_small_tilt ? small_shift(z, y) * (1.0 + error) : k_infinity;
}

}  // namespace hockeystick::detail
