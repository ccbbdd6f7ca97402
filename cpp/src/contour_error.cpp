// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/contour_error.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace hockeystick::contour {
namespace {

constexpr double k_safety = 1.0 + 1e-9;  // for the roundings of the bounds themselves

}  // namespace

double log_chernoff_constant(double s) {
    if (s <= 0.0) return 0.0;
    return s * std::log(s / (1.0 + s)) - std::log1p(s);
}

double aliasing_error(double shift, double log_moment_shift, double epsilon, double log_constant, double width) {
    const double decay = std::abs(shift) * width;
    const double exponent = log_moment_shift - shift * epsilon + log_constant - decay;
    return std::exp(exponent) / -std::expm1(-decay) * k_safety;
}

double cut_off_error(double frequency, double log_decay, double gaussian) {
    const double exponent = log_decay - 0.5 * gaussian * frequency * frequency;
    return std::exp(exponent) / (std::numbers::pi * frequency) * k_safety;
}

double density_cut_off_error(double frequency, double log_decay, double gaussian) {
    const double exponent = log_decay - 0.5 * gaussian * frequency * frequency;
    return std::exp(exponent) / (std::numbers::pi * gaussian * frequency) * k_safety;
}

double tiny_gaussian_error(double tau_squared, double density) {
    return tau_squared * std::exp(tau_squared / 8.0) * density * k_safety;
}

}  // namespace hockeystick::contour
