// SPDX-License-Identifier: Apache-2.0
// mu from below: any point above f implies one that the least mu cannot be under.
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "hockeystick/gdp.hpp"
#include "implied_mu.hpp"
#include "rounding.hpp"

namespace hockeystick {
namespace {

using detail::implied_mu_lower;
using detail::k_u;
using Point = detail::PointAbove;

constexpr std::size_t k_window = 12;  // corners looked at on either side of the one that decided
constexpr std::size_t k_along = 64;   // and along the whole curve

// Abscissas worth a try: the corners of both curves about the one that decided and the middles between them, since
// there the brackets are narrow; and corners of the upper curve all along, since on each of its segments m is less than
// at an end.
void add_about(std::span<const double> corners, double log_alpha, std::vector<double>& tried) {  // decreasing
    const auto found = std::partition_point(corners.begin(), corners.end(), [&](double a) { return a > log_alpha; });
    const auto at = static_cast<std::size_t>(found - corners.begin());
    for (std::size_t i = at < k_window ? 0 : at - k_window; i < std::min(at + k_window, corners.size()); ++i) {
        tried.push_back(corners[i]);
        if (i + 1 < corners.size()) {
            tried.push_back(0.5 * (corners[i] + corners[i + 1]));
        }
    }
}

std::vector<double> abscissas_about(const EnvelopeView& lower, const EnvelopeView& upper, double log_alpha) {
    std::vector<double> tried;
    add_about(lower.log_alpha, log_alpha, tried);
    add_about(upper.log_alpha, log_alpha, tried);
    const std::size_t stride = 1 + upper.log_alpha.size() / k_along;
    for (std::size_t i = 0; i < upper.log_alpha.size(); i += stride) {
        tried.push_back(upper.log_alpha[i]);
    }
    // Rounding may leave corners of an upper curve beyond the diagonal, where its mirror image counts.
    const double end = log_diagonal(upper);
    std::erase_if(tried, [end](double log_rate) { return log_rate > end; });
    return tried;
}

Point point_at(const EnvelopeView& upper, double log_alpha) {
    const OperatingPoint point = operating_point(upper, abscissa_of_log(log_alpha, Side::upper));
    return {log_alpha, point.log_beta, point.log_tpr, log_gain_bound(upper, log_alpha)};
}

}  // namespace

double fit_mu_lower(const EnvelopeView& lower, const EnvelopeView& upper, double log_floor, const MuFit& fit) {
    if (upper.log_complement[0] == -k_infinity) {  // delta(0) is 1 for sure: f is 0
        return fit.mu;
    }
    const double start = std::min(log_floor, log_diagonal(lower));
    std::vector<double> tried = abscissas_about(lower, upper, fit.log_alpha);
    tried.push_back(start);
    double best = 0.0;
    for (const double log_alpha : tried) {
        if (log_alpha >= start && log_alpha > -k_infinity) {
            best = std::max(best, implied_mu_lower(point_at(upper, log_alpha)));
        }
    }
    return std::min(best, fit.mu);
}

double fit_mu_given_delta0_lower(const EnvelopeView& lower, const EnvelopeView& upper, double log_delta0,
                                 const MuFit& fit) {
    const double scale = log1mexp(log_delta0);
    const double error = 10.0 * k_u * std::abs(scale);
    const auto outside = [&](double log_rate) {
        const double left = detail::log_minus(log_rate, log_delta0, 0.0, Side::lower);
        return detail::outward(left - scale, error, Side::lower);
    };
    double best = 0.0;
    for (const double log_alpha : abscissas_about(lower, upper, fit.log_alpha)) {
        const Point above = point_at(upper, log_alpha);
        const Point point{detail::outward(log_alpha - scale, error, Side::upper),
                          detail::outward(above.log_beta - scale, error, Side::upper), outside(above.log_tpr),
                          outside(above.log_gain)};
        if (point.log_tpr > -k_infinity && point.log_alpha < 0.0) {
            best = std::max(best, implied_mu_lower(point));
        }
    }
    return std::min(best, fit.mu);
}

}  // namespace hockeystick
