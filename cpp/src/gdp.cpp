// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/gdp.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "hockeystick/quantile_kernel.hpp"
#include "hockeystick/special.hpp"
#include "implied_mu.hpp"
#include "rounding.hpp"

namespace hockeystick {
namespace {

using detail::k_log_2;
using detail::k_small_tilt;
using detail::k_u;
using detail::log_complement;
using detail::log_minus;
using detail::magnitude;
using detail::mu_from_gain;
using detail::quantile_error;

// Phi^{-1}(TPR), upper: from the smaller of TPR and beta.
double rate_quantile(const CurvePoints& points, std::size_t i) {
    const double x = points.log_tpr[i] < -k_log_2 ? normal_quantile_of_log(std::min(0.0, points.log_tpr[i]))
                                                  : normal_quantile_of_log_complement(points.log_beta[i]);
    return std::isinf(x) ? x : x + quantile_error(x);
}

double alpha_quantile(double log_alpha) {  // -Phi^{-1}(alpha), upper
    const double z = normal_quantile_of_log_complement(log_alpha);
    return std::isinf(z) ? z : z + quantile_error(z);
}

double closed_form(const CurvePoints& points, std::size_t i) {
    const double z = alpha_quantile(points.log_alpha[i]);
    const double x = rate_quantile(points, i);
    if (x == -k_infinity) {
        return 0.0;
    }
    const double sum = x + z;
    const double direct = std::isinf(sum) ? k_infinity : sum + 2.0 * k_u * std::abs(sum);
    const bool near_diagonal = points.log_tpr[i] - points.log_alpha[i] < 4.0 * k_small_tilt * std::max(1.0, z);
    return std::max(
        0.0, near_diagonal ? std::min(direct, mu_from_gain(points.log_alpha[i], points.log_gain[i], z)) : direct);
}

constexpr double k_estimate_doubt = 2e-8;

// f_mu(alpha) <= beta, with the errors of z and of log Phi counted against it.
bool holds(const CurvePoints& points, std::size_t i, double z, double mu) {
    const double x = (mu - z) * (1.0 - std::copysign(2.0 * k_u, mu - z));
    return points.log_tpr[i] < -k_log_2 ? log_normal_cdf(x) * (1.0 + 12.0 * k_u) >= points.log_tpr[i]
                                        : log_normal_cdf(-x) * (1.0 - 12.0 * k_u) <= points.log_beta[i];
}

void push(CurvePoints& points, const EnvelopeView& lower, std::size_t line, double log_alpha, double log_beta,
          double log_tpr) {
    points.log_alpha.push_back(log_alpha);
    points.log_beta.push_back(log_beta);
    points.log_tpr.push_back(log_tpr);
    // Needed where TPR is close to alpha only; elsewhere any upper bound will do.
    points.log_gain.push_back(log_tpr - log_alpha < 8.0 * k_small_tilt * std::sqrt(1.0 - 2.0 * log_alpha)
                                  ? log_gain(lower, line, log_alpha)
                                  : log_tpr);
}

MuFit greatest(const CurvePoints& points, Solver solver) {
    const std::vector<double> mus =
        solver == Solver::closed_form ? implied_mus_closed_form(points) : implied_mus_bisection(points);
    MuFit fit{0.0, -k_infinity};
    for (std::size_t i = 0; i < mus.size(); ++i) {
        if (mus[i] > fit.mu) {
            fit = {mus[i], points.log_alpha[i]};
        }
    }
    return fit;
}

void check(const EnvelopeView& lower) {
    if (lower.side != Side::lower) {
        throw std::invalid_argument("mu is certified from a lower curve, got an upper one");
    }
}

void check_log(const char* name, double value) {
    if (!(value <= 0.0)) {
        throw std::invalid_argument(std::string(name) + " must be at most 0, got " + std::to_string(value));
    }
}

// The estimate of Phi^{-1}(TPR) turned into a certified mu: its doubt is doubled until the comparison holds at the
// upper end, then halved.
double settled(const CurvePoints& points, std::size_t i, double z, double estimate) {
    if (holds(points, i, z, 0.0)) {
        return 0.0;
    }
    const double guess = std::max(0.0, z + estimate);
    double doubt = k_estimate_doubt * std::max({1.0, std::abs(estimate), guess});
    double low = guess - doubt;
    while (!holds(points, i, z, guess + doubt)) {
        low = guess + doubt;
        doubt *= 2.0;
    }
    double high = guess + doubt;
    low = std::max(low, 0.0);
    while (high - low > 4.0 * k_u * std::max(high, k_u * z)) {
        const double middle = 0.5 * (low + high);
        (holds(points, i, z, middle) ? high : low) = middle;
    }
    return high;
}

// int_0^m e^{z t - t^2/2} dt by Gauss's rule of four points: right to 4u for max(1, z) m below k_small_tilt.
double tilted_length(double z, double m) {
    constexpr double nodes[] = {0x1.b8e6dbcf63985p-1, 0x1.5c23fd9dd3dfcp-2};
    constexpr double weights[] = {0x1.64340f7e7b66bp-2, 0x1.4de5f840c24cap-1};
    double sum = 0.0;
    for (int i = 0; i < 2; ++i) {
        for (const double node : {-nodes[i], nodes[i]}) {
            const double t = 0.5 * m * (1.0 + node);
            sum += weights[i] * std::exp(t * (z - 0.5 * t));
        }
    }
    return 0.5 * m * sum;
}

// The same near the diagonal, where the rates are too close to be told apart: the least m, up to a few roundings, with
// Phi(m - z) - Phi(-z) >= gain; inf away from it.
double settled_gain(const CurvePoints& points, std::size_t i, double z) {
    const double y = std::exp(points.log_gain[i] - points.log_alpha[i]) * mills_ratio(z);
    if (!(y * std::max(1.0, z) < k_small_tilt)) {
        return k_infinity;
    }
    const double error = k_u * (100.0 + 4.0 * (magnitude(points.log_gain[i]) + magnitude(points.log_alpha[i])));
    double low = 0.0, high = 2.0 * y;  // the integrand is above 1/2
    while (high - low > 4.0 * k_u * high + std::numeric_limits<double>::denorm_min()) {
        const double middle = 0.5 * (low + high);
        (tilted_length(z, middle) >= y * (1.0 + error) ? high : low) = middle;
    }
    return high;
}

}  // namespace

CurvePoints points_above(const EnvelopeView& lower, double log_floor) {
    CurvePoints points;
    const double start = std::min(log_floor, log_diagonal(lower));
    if (start > -k_infinity) {
        const OperatingPoint at = operating_point(lower, abscissa_of_log(start, Side::lower));
        push(points, lower, place_of(lower, start).line, start, at.log_beta, at.log_tpr);
    }
    for (std::size_t i = 0; i < lower.log_alpha.size() && lower.log_alpha[i] >= start; ++i) {
        push(points, lower, i, lower.log_alpha[i], lower.log_beta[i], lower.log_tpr[i]);
    }
    return points;
}

CurvePoints conditioned_points(const EnvelopeView& lower, double log_delta0) {
    CurvePoints points = points_above(lower, lower.log_alpha.empty() ? 0.0 : lower.log_alpha.back());
    const double scale = log1mexp(log_delta0);
    const double error = 10.0 * k_u * std::abs(scale);
    const auto outside = [&](double log_rate) {
        const double left = log_minus(log_rate, log_delta0, 0.0, Side::upper);
        return detail::outward(left - scale, error, Side::upper);
    };
    for (std::size_t i = 0; i < points.log_alpha.size(); ++i) {
        points.log_alpha[i] = detail::outward(points.log_alpha[i] - scale, error, Side::lower);
        points.log_beta[i] = detail::outward(points.log_beta[i] - scale, error, Side::lower);
        points.log_tpr[i] = outside(points.log_tpr[i]);
        points.log_gain[i] = outside(points.log_gain[i]);
    }
    return points;
}

std::vector<double> implied_mus_closed_form(const CurvePoints& points) {
    std::vector<double> mus(points.log_alpha.size());
    for (std::size_t i = 0; i < mus.size(); ++i) {
        mus[i] = closed_form(points, i);
    }
    return mus;
}

std::vector<double> implied_mus_bisection(const CurvePoints& points) {
    const std::size_t size = points.log_alpha.size();
    std::vector<double> tails(size), quantiles(size), mus(size);
    for (std::size_t i = 0; i < size; ++i) {
        tails[i] = std::clamp(std::min(points.log_tpr[i], points.log_beta[i]), -1e300, -k_log_2);
    }
    estimate_tail_quantiles(tails, quantiles);
    for (std::size_t i = 0; i < size; ++i) {
        const double z = alpha_quantile(points.log_alpha[i]);
        if (std::isinf(z) || (points.log_beta[i] == -k_infinity && points.log_tpr[i] >= -k_log_2)) {
            mus[i] = k_infinity;
        } else {
            mus[i] = std::min(settled(points, i, z, points.log_tpr[i] < -k_log_2 ? -quantiles[i] : quantiles[i]),
                              settled_gain(points, i, z));
        }
    }
    return mus;
}

MuFit fit_mu(const EnvelopeView& lower, double log_floor, Solver solver) {
    check(lower);
    check_log("log_floor", log_floor);
    if (lower.log_complement[0] == -k_infinity) {  // f is 0
        return {k_infinity, -k_infinity};
    }
    return log_floor == -k_infinity ? fit_mu_literal(lower, solver) : greatest(points_above(lower, log_floor), solver);
}

MuFit fit_mu_given_delta0(const EnvelopeView& lower, double log_delta0, Solver solver) {
    check(lower);
    check_log("log_delta0", log_delta0);
    if (lower.log_delta[0] <= log_delta0) {
        return {0.0, -k_infinity};
    }
    if (lower.log_delta.back() > log_delta0) {
        return {k_infinity, -k_infinity};
    }
    if (log_delta0 == -k_infinity) {
        return fit_mu_literal(lower, solver);
    }
    return greatest(conditioned_points(lower, log_delta0), solver);
}

MuFit fit_mu_literal(const EnvelopeView& lower, Solver solver) {
    check(lower);
    if (lower.log_delta[0] == -k_infinity) {
        return {0.0, -k_infinity};
    }
    if (lower.log_delta.back() > -k_infinity) {
        return {k_infinity, -k_infinity};
    }
    return greatest(points_above(lower, lower.log_alpha.back()), solver);
}

double residual_upper(const EnvelopeView& lower, double log_floor, double mu) {
    check(lower);
    check_log("log_floor", log_floor);
    if (!(mu >= 0.0)) {
        throw std::invalid_argument("mu must be non-negative, got " + std::to_string(mu));
    }
    if (mu == k_infinity || log_floor == 0.0) {
        return 1.0;
    }
    const double log_read = operating_point(lower, abscissa_of_log(log_floor, Side::lower)).log_tpr;
    double log_rate = log_floor <= log_diagonal(lower) ? -k_infinity : log_read;
    if (log_floor > -k_infinity) {
        const double z = normal_quantile_of_log(log_floor);
        const double x = z + mu;
        const double raised = x + quantile_error(z) + 2.0 * k_u * std::abs(x);
        log_rate = std::max(log_rate, log_normal_cdf(raised) * (1.0 - 12.0 * k_u));
    }
    return std::min(1.0, std::exp(log_rate) * (1.0 + 4.0 * k_u));
}

}  // namespace hockeystick
