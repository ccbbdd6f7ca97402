// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/window.hpp"

#include <algorithm>
#include <cmath>

#include "hockeystick/special.hpp"

namespace hockeystick::contour {
namespace {

constexpr double k_cdf_error = 12.0 * k_unit_roundoff;  // of log_normal_cdf, relative

// log Phi of a argument that errs by argument_error: the derivative phi / Phi is at most |a| + 1 below 0.
WindowWeight log_cdf(double a, double argument_error) {
    const double value = log_normal_cdf(a);
    const double slope = a < 0.0 ? 1.0 - a : std::min(0.8, std::exp(-0.5 * a * a));
    return {value, k_cdf_error * std::abs(value) + slope * argument_error};
}

// log Phi(sign (edge - x) / width): sign = 1 for the weight below the edge.
WindowWeight below(double edge, double width, double x, double sign) {
    const double a = sign * ((edge - x) / width);
    return log_cdf(a, k_unit_roundoff * (2.0 * (std::abs(x) + std::abs(edge)) / width + 2.0 * std::abs(a)));
}

}  // namespace

// The difference from the side where both terms are small: the smaller of them is then at most Phi(-r) / Phi(r) times
// the larger, r half the distance of the edges in widths.
WindowWeight window_weight(const Window& window, double x) {
    if (window.lower == -k_infinity) return below(window.upper, window.width, x, 1.0);
    const bool right = x > 0.5 * (window.lower + window.upper);
    const double sign = right ? 1.0 : -1.0;
    const WindowWeight large = below(right ? window.upper : window.lower, window.width, x, sign);
    const WindowWeight small = below(right ? window.lower : window.upper, window.width, x, sign);
    const double ratio = std::exp(small.log - large.log);
    const double lost = ratio / (1.0 - ratio);
    return {large.log + std::log1p(-ratio), large.error + lost * (large.error + small.error) +
                                                4.0 * k_unit_roundoff * (1.0 + std::abs(large.log)) +
                                                8.0 * k_unit_roundoff * lost * (1.0 + std::abs(small.log - large.log))};
}

MissingMass mass_beyond(const SubsampledGaussian& law, double edge, double width) {
    const double spread = std::hypot(law.noise_multiplier, width);
    const auto part = [&](double mean) {
        const double a = (mean - edge) / spread;
        return log_cdf(a, 6.0 * k_unit_roundoff * (std::abs(a) + std::abs(mean) / spread));
    };
    const WindowWeight plain = part(0.0);
    const WindowWeight shifted = part(1.0);
    const double rate = law.sampling_rate;
    const double q = std::exp(plain.log);
    const double u = 8.0 * k_unit_roundoff;
    const double q_error = q * (plain.error + u * (1.0 + std::abs(plain.log)));
    const double sampled = std::exp(shifted.log);
    const double sampled_error = sampled * (shifted.error + u * (1.0 + std::abs(shifted.log)));
    // p - q = rate (Phi_1 - Phi_0).
    const double gap = rate * (sampled - q);
    return {q + gap, q,   (1.0 - rate) * q_error + rate * sampled_error + u * q,
            q_error, gap, rate * (q_error + sampled_error) + u * std::abs(gap)};
}

}  // namespace hockeystick::contour
