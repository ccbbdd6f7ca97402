// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/far_outcomes.hpp"

#include <algorithm>
#include <cmath>

#include "hockeystick/contour_error.hpp"
#include "hockeystick/special.hpp"
#include "likelihood.hpp"
#include "rounding.hpp"

namespace hockeystick::contour {
namespace {

using detail::log_add;

constexpr double k_log_safety = 1e-3;   // covers the roundings of the bounds themselves
constexpr double k_reach_below = 20.0;  // widths below and above the edge that are gone through cell by cell
constexpr double k_reach_above = 8.0;
constexpr double k_cells = 3.0;    // a width
constexpr int k_least_power = -1;  // beta epsilon = 2^k is tried
constexpr int k_most_power = 10;

}  // namespace

double log_reverse_moment(const SubsampledGaussian& law, double beta) {
    const double q = law.sampling_rate;
    const double low = std::log1p(-q);
    const double variance = q * q * std::expm1(1.0 / (law.noise_multiplier * law.noise_multiplier));
    const double curved = std::log1p(0.5 * beta * (beta + 1.0) * variance * std::exp(-(beta + 2.0) * low));
    const double bound = std::min(-beta * low, curved);
    return bound + 1e-12 * std::abs(bound);
}

// Cell by cell the larger end, which the log of the density exceeds between by an eighth of cell^2 times how fast it
// curves downwards; below the cells the window and the largest e^{-beta l}, above them N0 and the least loss.
double log_far_moment(const SubsampledGaussian& law, const Window& window, double beta) {
    const double sigma = law.noise_multiplier;
    const double variance = sigma * sigma;
    const double sharpness = 1.0 / variance + 1.0 / (window.width * window.width);
    const double cell = window.width / k_cells;
    const double left = window.upper - k_reach_below * window.width;
    const auto log_density = [&](double x) {
        return -x * x / (2.0 * variance) - detail::k_log_sqrt_two_pi - std::log(sigma) -
               beta * detail::log_likelihood(law, x) + log_normal_cdf((x - window.upper) / window.width);
    };
    double total = log_normal_cdf(-k_reach_below) - beta * std::log1p(-law.sampling_rate);
    double here = log_density(left);
    double p = detail::posterior(law, left);
    const int count = static_cast<int>((k_reach_below + k_reach_above) * k_cells);
    for (int i = 1; i <= count; ++i) {
        const double x = left + i * cell;
        const double there = log_density(x);
        const double next = detail::posterior(law, x);
        const double spread = p <= 0.5 && next >= 0.5 ? 0.25 : std::max(p * (1.0 - p), next * (1.0 - next));
        const double bend = cell * cell / 8.0 * (sharpness + beta * spread / (variance * variance));
        total = log_add(total, std::max(here, there) + std::log(cell) + bend);
        here = there;
        p = next;
    }
    const double right = left + count * cell;
    return log_add(total, log_normal_cdf(-right / sigma) - beta * detail::log_likelihood(law, right)) + k_log_safety;
}

FarOutcomes::FarOutcomes(const Composition& composition, std::span<const Window> windows, double epsilon) {
    double p = 0.0, q = 0.0, p_wrong = 0.0, q_wrong = 0.0;
    for (std::size_t i = 0; i < windows.size(); ++i) {
        const Composition::Part& part = composition.parts[i];
        const MissingMass far = mass_beyond(part.law, windows[i].upper, windows[i].width);
        p -= part.count * std::log1p(-far.p);
        q -= part.count * std::log1p(-far.q);
        p_wrong += part.count * far.p_error / (1.0 - far.p);
        q_wrong += part.count * far.q_error / (1.0 - far.q);
    }
    log_p_ = std::log(-std::expm1(-p));
    log_q_ = std::log(-std::expm1(-q));
    // 1 - e^{-p} errs relatively by no more than p does.
    const double fixed = 8.0 * k_unit_roundoff * static_cast<double>(windows.size() + 2);
    p_error_ = 1.01 * p_wrong / p + fixed + 4.0 * k_unit_roundoff * std::abs(log_p_);
    q_error_ = 1.01 * q_wrong / q + fixed + 4.0 * k_unit_roundoff * std::abs(log_q_);
    double best = k_infinity;
    for (int power = k_least_power; power <= k_most_power; ++power) {
        const double beta = std::ldexp(1.0, power) / epsilon;
        double log_rest = log_chernoff_constant(beta) + gaussian_moment(composition.gaussian, -1.0 - beta).value;
        double far = -k_infinity;
        for (std::size_t i = 0; i < windows.size(); ++i) {
            const Composition::Part& part = composition.parts[i];
            log_rest += part.count * log_reverse_moment(part.law, beta);
            far = log_add(far, std::log(part.count) + log_far_moment(part.law, windows[i], beta));
        }
        log_rest += far;
        const double here = log_rest + (1.0 + beta) * epsilon;
        if (here >= best) continue;
        best = here;
        log_rest_ = log_rest + k_log_safety;
        slope_ = 1.0 + beta;
    }
}

double FarOutcomes::log_value(double epsilon) const {
    const double ratio = log_q(epsilon) - log_p_;
    return ratio < 0.0 ? log_p_ + log1mexp(ratio) : -k_infinity;
}

Interval FarOutcomes::log_value_bounds(double epsilon) const {
    using hockeystick::detail::log_minus;
    const double error = p_error_ + q_error_ + 4.0 * k_unit_roundoff * (1.0 + std::abs(epsilon));
    const double lower = log_minus(log_p_ - p_error_, log_q(epsilon), error, Side::lower);
    const double upper = log_minus(log_p_ + p_error_, log_q(epsilon), error, Side::upper);
    return {lower, log_add(upper, log_rest(epsilon)) + 8.0 * k_unit_roundoff * (1.0 + std::abs(upper))};
}

}  // namespace hockeystick::contour
