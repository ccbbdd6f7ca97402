// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "excess.hpp"
#include "hockeystick/renyi.hpp"

namespace hockeystick {
namespace {

using detail::exponential_excess;

constexpr double k_pi = 3.14159265358979323846;
// Moments beyond e^this are formed in units of their largest term.
constexpr double k_scaled = 300.0;
constexpr double k_underflow = 1e-300;

void check_orders(std::span<const double> orders) {
    for (const double order : orders)
        if (!(order >= 1.0)) throw std::invalid_argument("orders must be at least 1, got " + std::to_string(order));
}

// Beyond doubles nothing is certified from below.
Interval around(double value, double roundoffs) {
    if (!(value < k_infinity)) return {0.0, k_infinity};
    const double error = roundoffs * k_unit_roundoff;
    return {std::max(0.0, value * (1.0 - error) - k_underflow), value * (1.0 + error) + k_underflow};
}

// log1p(t V) / t; the slope of log1p shrinks a relative error of V.
Interval from_excess(double t, double value, double roundoffs) {
    const double scaled = t * value;
    const double shrink = scaled > 0.0 ? scaled / ((1.0 + scaled) * std::log1p(scaled)) : 1.0;
    return around(t > 0.0 ? std::log1p(scaled) / t : value, roundoffs * std::min(shrink, 1.0) + 8.0);
}

Interval of_atoms(std::span<const double> losses, std::span<const double> masses, double reverse_mass, double t) {
    double scale = 0.0, most = 0.0;
    for (std::size_t j = 0; j < losses.size(); ++j) {
        if (masses[j] > 0.0) scale = std::max(scale, t * losses[j] + std::log(masses[j]));
        most = std::max(most, t * std::fabs(losses[j]));
    }
    if (!(scale < k_infinity)) return {0.0, k_infinity};
    if (scale <= k_scaled) {
        double value = reverse_mass;
        for (std::size_t j = 0; j < losses.size(); ++j)
            value +=
                masses[j] * ((t > 0.0 ? exponential_excess(t * losses[j]) / t : 0.0) + exponential_excess(-losses[j]));
        return from_excess(t, value, 64.0 + 8.0 * most + 2.0 * static_cast<double>(losses.size()));
    }
    double moment = 0.0;
    for (std::size_t j = 0; j < losses.size(); ++j)
        moment += masses[j] > 0.0 ? std::exp(t * losses[j] + std::log(masses[j]) - scale) : 0.0;
    const double logarithm = scale + std::log(moment);
    const double error = (4.0 * most + 4.0 * scale + static_cast<double>(losses.size()) + 16.0) / logarithm;
    return around(logarithm / t, error + 8.0);
}

Interval laplace(double separation, double t) {
    if (t * separation > k_scaled) return around(separation + std::log((1.0 + t) / (1.0 + 2.0 * t)) / t, 16.0);
    const double growing = t > 0.0 ? (1.0 + t) * exponential_excess(t * separation) / t : 0.0;
    const double value = (growing + exponential_excess(-(1.0 + t) * separation)) / (1.0 + 2.0 * t);
    return from_excess(t, value, 40.0 + 2.0 * t * separation);
}

// Log of sum_n e^{-(n - f)^2 / (2 s^2)} over the same at f = 0, divided by t, at most 0, for s >= 0.4: by Poisson's
// summation 1 minus a series that is complete after two terms (e^{-2 pi^2 s^2 9} < 5e-13 of the first).
double dual_correction(double sigma, double fraction, double t) {
    double reduction = 0.0, whole = 1.0;
    for (int k = 1; k <= 6; ++k) {
        const double weight = std::exp(-2.0 * k_pi * k_pi * sigma * sigma * k * k);
        const double sine = std::sin(k_pi * k * fraction);
        reduction += 4.0 * weight * sine * sine;
        whole += 2.0 * weight;
    }
    return std::log1p(-reduction / whole) / t;
}

// The same for s < 0.4 without its term -f^2 / (2 s^2 t), at least 0: the sum itself.
double direct_correction(double sigma, double fraction, double t) {
    double excess = 0.0, whole = 1.0;
    const double scale = 1.0 / (sigma * sigma);
    for (int n = 1; n <= 6; ++n) {
        const double argument = n * fraction * scale, low = -0.25 * n * n * scale - 0.5 * argument;
        const double sine = argument > 30.0 ? std::exp(low + argument) : std::exp(low) * std::expm1(argument);
        excess += sine * sine;  // 2 e^{-n^2/(2 s^2)} (cosh - 1)
        whole += 2.0 * std::exp(-0.5 * n * n * scale);
    }
    return std::log1p(excess / whole) / t;
}

Interval discrete_gaussian(double sigma, double shift, double t) {
    const double variance = 2.0 * sigma * sigma;
    const double main = (1.0 + t) * shift * shift / variance;
    const double fraction = std::fabs(std::remainder(t * shift, 1.0));
    if (t == 0.0 || !(main < k_infinity)) return around(main, 8.0);
    // The fraction is known to u t shift only, which moves the result by its slope times that over t.
    const double slack = 8.0 * k_unit_roundoff * shift * (shift + 1.0) / variance;
    double value = 0.0;
    if (sigma >= 0.4) {
        value = main + dual_correction(sigma, fraction, t);
    } else {
        value = main - fraction * fraction / (t * variance) + direct_correction(sigma, fraction, t);
    }
    const Interval bounds = around(std::min(value, main), 24.0);
    return {std::max(0.0, bounds.lower - slack), bounds.upper + slack};
}

}  // namespace

std::vector<Interval> renyi_bounds_of_atoms(std::span<const double> losses, std::span<const double> masses,
                                            double infinity_mass, double reverse_infinity_mass,
                                            std::span<const double> orders) {
    check_orders(orders);
    if (losses.size() != masses.size()) throw std::invalid_argument("losses and masses must be equally long");
    std::vector<Interval> result;
    double largest = 0.0;
    for (std::size_t j = 0; j < losses.size(); ++j) {
        if (!(masses[j] >= 0.0 && masses[j] < k_infinity) || !std::isfinite(losses[j]))
            throw std::invalid_argument("masses must be finite and at least 0, and losses finite");
        if (masses[j] > 0.0) largest = std::max(largest, losses[j]);
    }
    for (const double order : orders) {
        if (infinity_mass > 0.0) {
            result.push_back({k_infinity, k_infinity});
        } else if (order == k_infinity) {
            result.push_back(around(largest, 2.0));
        } else {
            result.push_back(of_atoms(losses, masses, reverse_infinity_mass, order - 1.0));
        }
    }
    return result;
}

std::vector<Interval> laplace_renyi_bounds(double separation, std::span<const double> orders) {
    check_orders(orders);
    if (!(separation >= 0.0 && separation < k_infinity))
        throw std::invalid_argument("separation must be finite and at least 0, got " + std::to_string(separation));
    std::vector<Interval> result;
    for (const double order : orders)
        result.push_back(order == k_infinity ? around(separation, 2.0) : laplace(separation, order - 1.0));
    return result;
}

std::vector<Interval> discrete_gaussian_renyi_bounds(double sigma, double shift, std::span<const double> orders) {
    check_orders(orders);
    if (!(sigma > 0.0 && sigma < k_infinity))
        throw std::invalid_argument("sigma must be finite and above 0, got " + std::to_string(sigma));
    if (!(shift >= 0.0 && shift < k_infinity && shift == std::floor(shift)))
        throw std::invalid_argument("shift must be a whole number of at least 0, got " + std::to_string(shift));
    std::vector<Interval> result;
    for (const double order : orders)
        result.push_back(shift == 0.0 ? Interval{0.0, 0.0} : discrete_gaussian(sigma, shift, order - 1.0));
    return result;
}

}  // namespace hockeystick
