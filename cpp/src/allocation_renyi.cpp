// SPDX-License-Identifier: Apache-2.0
// Whole moments of the mean of independent ratios, exact but for rounding.
#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "hockeystick/allocation.hpp"
#include "repeated.hpp"

namespace hockeystick {
namespace {

// Coefficients of a power series in the log domain, rounded up; all are positive.
using LogSeries = std::vector<double>;

// Each logarithm of a sum errs by a few roundings of its terms: the products', the exponentials' and the sum's.
double padded(double value, double magnitude, std::size_t terms) {
    return value + k_unit_roundoff * (8.0 * magnitude + 4.0 * static_cast<double>(terms) + 16.0);
}

LogSeries product(const LogSeries& a, const LogSeries& b) {
    LogSeries result(a.size());
    for (std::size_t k = 0; k < a.size(); ++k) {
        double largest = -k_infinity, magnitude = 0.0, sum = 0.0;
        for (std::size_t i = 0; i <= k; ++i) {
            largest = std::max(largest, a[i] + b[k - i]);
            magnitude = std::max(magnitude, std::fabs(a[i]) + std::fabs(b[k - i]));
        }
        for (std::size_t i = 0; i <= k; ++i) sum += std::exp(a[i] + b[k - i] - largest);
        result[k] = std::isfinite(largest) ? padded(largest + std::log(sum), magnitude, k + 1) : largest;
    }
    return result;
}

// log E[Y^k], k = 0, 1, ..., of the mean: k! [x^k] (sum_j E[r^j] x^j / j!)^steps / steps^k. A factorial is a sum of k
// logarithms, each of which may round by its own size.
LogSeries log_moments_upper(std::span<const double> divergences, std::uint64_t steps) {
    LogSeries one{0.0, 0.0};
    std::vector<double> log_factorials{0.0, 0.0};
    for (std::size_t k = 2; k < divergences.size() + 2; ++k) {
        const double order = static_cast<double>(k);
        log_factorials.push_back(log_factorials.back() + std::log(order));
        const double log_moment = (order - 1.0) * divergences[k - 2];
        one.push_back(padded(log_moment - log_factorials[k], log_moment + order * log_factorials[k], k));
    }
    LogSeries mean = detail::power(std::move(one), steps, product);
    const double log_steps = std::log(static_cast<double>(steps));
    for (std::size_t k = 0; k < mean.size(); ++k) {
        const double shift = log_factorials[k] - static_cast<double>(k) * log_steps;
        const double magnitude = std::fabs(mean[k]) + static_cast<double>(k) * (log_factorials[k] + log_steps);
        mean[k] = padded(mean[k] + shift, magnitude, k);
    }
    mean[0] = mean[1] = 0.0;  // all of Q, and all of P
    return mean;
}

}  // namespace

std::vector<double> allocation_renyi_upper(std::span<const double> divergences, std::uint64_t steps,
                                           std::span<const double> orders) {
    if (steps == 0) throw std::invalid_argument("steps must be at least 1, got 0");
    for (const double divergence : divergences) {
        if (!(divergence >= 0.0)) {
            throw std::invalid_argument("divergences must be at least 0, got " + std::to_string(divergence));
        }
    }
    const LogSeries log_moments = log_moments_upper(divergences, steps);
    std::vector<double> result;
    for (const double order : orders) {
        if (!(order >= 1.0)) throw std::invalid_argument("orders must be at least 1, got " + std::to_string(order));
        const double excess = std::max(order - 1.0, 1e-9);  // divergences grow with the order
        if (!(excess <= static_cast<double>(divergences.size()))) {
            result.push_back(k_infinity);
            continue;
        }
        const double whole = std::min(std::floor(excess), static_cast<double>(divergences.size()) - 1.0);
        const auto low = static_cast<std::size_t>(whole) + 1;
        const double share = excess - whole;
        const double chord =
            share == 0.0 ? log_moments[low] : (1.0 - share) * log_moments[low] + share * log_moments[low + 1];
        result.push_back(chord / excess * (1.0 + 8.0 * k_unit_roundoff));
    }
    return result;
}

}  // namespace hockeystick
