// SPDX-License-Identifier: Apache-2.0
// The loss of one Poisson-subsampled Gaussian on the axis x of its noise, for what is asked at single points; the nodes
// themselves are filled by node_kernel.cpp. Internal to the sources.
#pragma once

#include <algorithm>
#include <cmath>

#include "hockeystick/loss_law.hpp"

namespace hockeystick::contour::detail {

inline constexpr double k_log_sqrt_two_pi = 0.91893853320467274178;

// log(1 - q + q e^u), u = (x - 1/2) / sigma^2: each branch keeps small losses exact.
inline double log_likelihood(const SubsampledGaussian& law, double x) {
    const double q = law.sampling_rate;
    const double u = (x - 0.5) / (law.noise_multiplier * law.noise_multiplier);
    if (u > 700.0) return (u + std::log(q)) + std::log1p((1.0 - q) / q * std::exp(-u));
    const double y = q * std::expm1(u);
    return y < -0.5 ? std::log((1.0 - q) + q * std::exp(u)) : std::log1p(y);
}

// q r / (1 - q + q r), r = e^u.
inline double posterior(const SubsampledGaussian& law, double x) {
    const double u = (x - 0.5) / (law.noise_multiplier * law.noise_multiplier);
    return std::min(1.0, std::exp((std::log(law.sampling_rate) + u) - log_likelihood(law, x)));
}

// arg(1 - q + q r e^{i angle}) through the posterior p.
inline double phase_at(double p, double angle) {
    return std::atan2(p * std::sin(angle), (1.0 - p) + p * std::cos(angle));
}

// Lines through 0 above and below the phase at all angles up to the one given: in the angle it is concave for p < 1/2,
// else convex, with the slope p at 0.
inline double steepest_phase(double p, double angle) { return std::max(phase_at(p, angle), p * angle); }
inline double flattest_phase(double p, double angle) { return std::min(phase_at(p, angle), p * angle); }

// log(e^a + e^b) for bounds: a few roundings.
inline double log_add(double a, double b) {
    const double high = std::max(a, b);
    return std::isinf(high) ? high : high + std::log1p(std::exp(std::min(a, b) - high));
}

}  // namespace hockeystick::contour::detail
