// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/binomial.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace hockeystick {
namespace {

constexpr double k_u = k_unit_roundoff;
constexpr double k_half_log_2pi = 0x1.d67f1c864beb5p-1;
constexpr std::uint64_t k_most_trials = 10'000'000'000;
constexpr std::uint64_t k_series_start = 16;
constexpr int k_most_steps = 2200;  // halvings from 1 to the least double, and then to one unit in the last place

struct Estimate {
    double value;
    double error;
};

// log k!, from the exact product below 16 and Stirling's series from there on; the first term left out is
// 1 / (1188 k^9).
Estimate log_factorial(std::uint64_t count) {
    if (count < k_series_start) {
        double product = 1.0;
        for (std::uint64_t i = 2; i <= count; ++i) {
            product *= static_cast<double>(i);
        }
        const double value = std::log(product);
        return {value, 2.0 * k_u * value};
    }
    const auto k = static_cast<double>(count);
    const double r = 1.0 / (k * k);
    const double series = (1.0 / 12.0 - r * (1.0 / 360.0 - r * (1.0 / 1260.0 - r / 1680.0))) / k;
    const double main = (k + 0.5) * std::log(k);
    return {main - k + k_half_log_2pi + series, k_u * (6.0 * main + 4.0 * k) + 1e-3 * std::pow(r, 4.5)};
}

// P[X >= k] / P[X = k]: terms fall since p <= k / n, each right to 4u times its number; the rest is geometric.
double tail_over_first_upper(double successes, double trials, double odds) {
    double sum = 1.0, term = 1.0, count = 1.0;
    for (double i = 1.0; i <= trials - successes; i += 1.0) {
        const double ratio = (trials - successes - i + 1.0) / (successes + i) * odds;
        term *= ratio;
        sum += term;
        count += 1.0;
        if (term < 1e-18 * sum && ratio < 1.0) {
            sum += term * ratio / (1.0 - ratio);
            break;
        }
    }
    return sum * (1.0 + 6.0 * k_u * count);
}

// Whole steps towards the limit: the greatest p found whose tail is certainly at most the significance.
double lower_limit(std::uint64_t successes, std::uint64_t trials, double log_significance) {
    if (successes == 0) {
        return 0.0;
    }
    double high = static_cast<double>(successes) / static_cast<double>(trials);
    double low = high;
    int step = 0;
    while (log_binomial_tail_upper(successes, trials, low) > log_significance) {
        high = low;
        low *= 0.5;
        if (low == 0.0 || ++step > k_most_steps) {
            return 0.0;
        }
    }
    for (; step < k_most_steps && high - low > 4.0 * k_u * low; ++step) {
        const double middle = 0.5 * (low + high);
        (log_binomial_tail_upper(successes, trials, middle) > log_significance ? high : low) = middle;
    }
    return low;
}

}  // namespace

double log_binomial_tail_upper(std::uint64_t successes, std::uint64_t trials, double p) {
    if (successes == 0) {
        return 0.0;
    }
    const Estimate all = log_factorial(trials);
    const Estimate hits = log_factorial(successes);
    const Estimate misses = log_factorial(trials - successes);
    const auto k = static_cast<double>(successes);
    const auto n = static_cast<double>(trials);
    const double log_hits = k * std::log(p);
    const double log_misses = successes == trials ? 0.0 : (n - k) * std::log1p(-p);
    const double first = all.value - hits.value - misses.value + log_hits + log_misses;
    const double error =
        all.error + hits.error + misses.error +
        4.0 * k_u * (all.value + hits.value + misses.value + std::abs(log_hits) + std::abs(log_misses));
    return first + error + std::log(tail_over_first_upper(k, n, p / (1.0 - p))) + 8.0 * k_u;
}

Interval clopper_pearson(std::uint64_t successes, std::uint64_t trials, double significance) {
    if (trials == 0 || trials > k_most_trials) {
        throw std::invalid_argument("trials must be in [1, 1e10], got " + std::to_string(trials));
    }
    if (successes > trials) {
        throw std::invalid_argument("successes must be at most trials, got " + std::to_string(successes));
    }
    if (!(significance > 0.0 && significance <= 0.5)) {
        throw std::invalid_argument("significance must be in (0, 0.5], got " + std::to_string(significance));
    }
    const double log_significance = std::log(significance) - 4.0 * k_u * (1.0 - std::log(significance));
    const double lower = lower_limit(successes, trials, log_significance);
    const double upper = 1.0 - lower_limit(trials - successes, trials, log_significance);
    return {lower, std::min(1.0, std::nextafter(upper, 2.0))};
}

}  // namespace hockeystick
