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

// A point above f: rates rounded towards the diagonal, log_gain <= log(TPR - alpha).
struct PointAbove {
    double log_alpha;
    double log_beta;
    double log_tpr;
    double log_gain;
};

// The mu that such a point implies, from below.
inline double implied_mu_lower(const PointAbove& point) {
    const double x = point.log_tpr < -k_log_2 ? normal_quantile_of_log(point.log_tpr)
                                              : normal_quantile_of_log_complement(point.log_beta);
    const double z = normal_quantile_of_log_complement(point.log_alpha);
    const double m = x + z - quantile_error(x) - quantile_error(z) - 2.0 * k_u * std::abs(x + z);
    const double near_diagonal = mu_from_gain(point.log_alpha, point.log_gain, z);
    return std::isinf(near_diagonal) ? m
                                     : std::max(m, near_diagonal * (1.0 - 1e-12));  // twice the error counted upward
}

}  // namespace hockeystick::detail
