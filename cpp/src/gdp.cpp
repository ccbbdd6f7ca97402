// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/gdp.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "hockeystick/special.hpp"
#include "rounding.hpp"

namespace hockeystick {
namespace {

using detail::k_log_2;
using detail::k_u;
using detail::log_complement;
using detail::log_minus;
using detail::magnitude;

constexpr double k_small_tilt = 0.05;  // max(1, z) m below which m is found from TPR - alpha
constexpr std::size_t k_window = 24;   // corners looked at on either side of the one that decided
constexpr int k_newton_steps = 4;
constexpr int k_series_terms = 10;  // .05^10 / 11! is far below u

double quantile_error(double x) { return 16.0 * k_u * std::max(1.0, std::abs(x)); }

// m with the integral of e^{z t - t^2/2} over [0, m] equal to y, for max(1, z) y small: Newton on its power series,
// whose coefficients are Hermite polynomials. Relative error 20u.
double small_shift(double z, double y) {
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
double mu_from_gain(double log_alpha, double log_gain, double z) {
    const double y = std::exp(log_gain - log_alpha) * mills_ratio(z);
    const double error = k_u * (100.0 + 4.0 * (magnitude(log_gain) + magnitude(log_alpha)));
    return y * std::max(1.0, std::abs(z)) < k_small_tilt ? small_shift(z, y) * (1.0 + error) : k_infinity;
}

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

// m of a point above f, from below.
double implied_mu_lower(const EnvelopeView& upper, double log_alpha, const OperatingPoint& point) {
    const double x = point.log_tpr < -k_log_2 ? normal_quantile_of_log(point.log_tpr)
                                              : normal_quantile_of_log_complement(point.log_beta);
    const double z = normal_quantile_of_log_complement(log_alpha);
    const double m = x + z - quantile_error(x) - quantile_error(z) - 2.0 * k_u * std::abs(x + z);
    const double near_diagonal = mu_from_gain(log_alpha, log_gain_bound(upper, log_alpha), z);
    return std::isinf(near_diagonal) ? m
                                     : std::max(m, near_diagonal * (1.0 - 1e-12));  // twice the error counted upward
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

// The curve with d0 of mass set apart and the rest scaled to 1: TPR' = (TPR - d0) / (1 - d0), alpha' = alpha / (1 -
// d0).
CurvePoints conditioned(const CurvePoints& points, double log_delta0) {
    CurvePoints out;
    const double scale = log1mexp(log_delta0);
    const double error = 10.0 * k_u * std::abs(scale);
    for (std::size_t i = 0; i < points.log_alpha.size(); ++i) {
        const double rate = log_minus(points.log_tpr[i], log_delta0, 0.0, Side::upper);
        if (rate == -k_infinity) {
            continue;
        }
        const double gain = log_minus(points.log_gain[i], log_delta0, 0.0, Side::upper);
        out.log_alpha.push_back(detail::outward(points.log_alpha[i] - scale, error, Side::lower));
        out.log_beta.push_back(detail::outward(points.log_beta[i] - scale, error, Side::lower));
        out.log_tpr.push_back(detail::outward(rate - scale, error, Side::upper));
        out.log_gain.push_back(detail::outward(gain - scale, error, Side::upper));
    }
    return out;
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

std::vector<double> implied_mus_closed_form(const CurvePoints& points) {
    std::vector<double> mus(points.log_alpha.size());
    for (std::size_t i = 0; i < mus.size(); ++i) {
        mus[i] = closed_form(points, i);
    }
    return mus;
}

std::vector<double> implied_mus_bisection(const CurvePoints& points) {
    const std::size_t size = points.log_alpha.size();
    std::vector<double> z(size), low(size, 0.0), high(size, 1.0);
    std::vector<std::size_t> open;  // lanes that are not settled
    for (std::size_t i = 0; i < size; ++i) {
        z[i] = alpha_quantile(points.log_alpha[i]);
        if (std::isinf(z[i]) || (points.log_beta[i] == -k_infinity && points.log_tpr[i] >= -k_log_2)) {
            high[i] = k_infinity;
        } else if (holds(points, i, z[i], 0.0)) {
            high[i] = 0.0;
        } else {
            open.push_back(i);
        }
    }
    for (std::vector<std::size_t> growing = open; !growing.empty();) {
        std::erase_if(growing, [&](std::size_t i) { return holds(points, i, z[i], high[i]); });
        for (const std::size_t i : growing) {
            low[i] = high[i];
            high[i] *= 2.0;
        }
    }
    while (!open.empty()) {
        for (const std::size_t i : open) {
            const double middle = 0.5 * (low[i] + high[i]);
            (holds(points, i, z[i], middle) ? high[i] : low[i]) = middle;
        }
        std::erase_if(open,
                      [&](std::size_t i) { return high[i] - low[i] <= 4.0 * k_u * std::max(high[i], k_u * z[i]); });
    }
    return high;
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
    return greatest(conditioned(points_above(lower, lower.log_alpha.back()), log_delta0), solver);
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

double fit_mu_lower(const EnvelopeView& lower, const EnvelopeView& upper, double log_floor, const MuFit& fit) {
    double best = 0.0;
    std::vector<double> tried{std::min(log_floor, log_diagonal(lower))};
    const auto& corners = lower.log_alpha;  // decreasing
    const auto found =
        std::partition_point(corners.begin(), corners.end(), [&](double a) { return a > fit.log_alpha; });
    const auto at = static_cast<std::size_t>(found - corners.begin());
    for (std::size_t i = at < k_window ? 0 : at - k_window; i < std::min(at + k_window, corners.size()); ++i) {
        tried.push_back(corners[i]);
        if (i + 1 < corners.size()) {
            tried.push_back(0.5 * (corners[i] + corners[i + 1]));
        }
    }
    for (const double log_alpha : tried) {
        if (!(log_alpha >= tried.front() && log_alpha > -k_infinity)) {
            continue;
        }
        const OperatingPoint point = operating_point(upper, abscissa_of_log(log_alpha, Side::upper));
        best = std::max(best, implied_mu_lower(upper, log_alpha, point));
    }
    return std::min(best, fit.mu);
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
