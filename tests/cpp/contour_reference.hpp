// SPDX-License-Identifier: Apache-2.0
// The slow, obvious evaluation that the contour engine is checked against: every node and every step by its definition
// in long double, no second-order sums, no rotation, no error terms, grids several times finer than needed.
#pragma once

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "hockeystick/loss_law.hpp"
#include "hockeystick/release_nodes.hpp"

namespace hockeystick_test {

using Complex = std::complex<long double>;

struct SlowLaw {
    std::vector<long double> weight;  // under P
    std::vector<long double> loss;

    SlowLaw(const hockeystick::SubsampledGaussian& law, hockeystick::Direction direction, long double reach = 16,
            long double refine = 1) {
        const long double sigma = law.noise_multiplier;
        const long double q = law.sampling_rate;
        const long double variance = sigma * sigma;
        const long double step = std::min(sigma / 4, variance / 6) / refine;
        const bool remove = direction == hockeystick::Direction::remove;
        for (long double x = -reach * sigma; x < 1 + reach * sigma; x += step) {
            const long double likelihood = std::log1p(q * std::expm1((x - 0.5L) / variance));
            const long double density =
                std::exp(-x * x / (2 * variance)) * step / (sigma * std::sqrt(2 * std::numbers::pi_v<long double>));
            weight.push_back(density * (remove ? std::exp(likelihood) : 1.0L));
            loss.push_back(remove ? likelihood : -likelihood);
        }
    }

    Complex moment(Complex z) const {
        Complex total = 0;
        for (std::size_t j = 0; j < loss.size(); ++j) total += weight[j] * std::exp(z * loss[j]);
        return total;
    }

    // M(z) - 1 = sum w (e^{zl} - 1 + z (e^{-l} - 1)), for M so near 1 that moment() has no digits of it.
    long double excess(long double tilt) const {
        long double total = 0;
        for (std::size_t j = 0; j < loss.size(); ++j) {
            total += weight[j] * (std::expm1(tilt * loss[j]) + tilt * std::expm1(-loss[j]));
        }
        return total;
    }
};

// log delta(epsilon) of count copies by the contour integral at the given tilt > 0.
inline double slow_log_delta(const SlowLaw& law, long double count, long double epsilon, long double tilt,
                             long double width, long double longest) {
    const long double step = 2 * std::numbers::pi_v<long double> / width;
    const long double start = std::log(law.moment(tilt)).real();
    long double sum = 0;
    for (long double n = 0; n * step <= longest; ++n) {
        const Complex z(tilt, n * step);
        const Complex exponent = count * (std::log(law.moment(z)) - start) - Complex(0, n * step) * epsilon;
        const long double value = (std::exp(exponent) / (z * (z + 1.0L))).real();
        sum += n == 0 ? value / 2 : value;
    }
    return static_cast<double>(count * start - tilt * epsilon + std::log(sum * step / std::numbers::pi_v<long double>));
}

// What nodes stand for, term by term.
inline Complex sum_of(const hockeystick::contour::ReleaseNodes& nodes, Complex z) {
    Complex total = 0;
    const hockeystick::contour::NodeArrays arrays = nodes.arrays();
    for (std::size_t j = 0; j < nodes.size(); ++j) {
        total +=
            std::exp(static_cast<long double>(arrays.log_weight[j]) + z * static_cast<long double>(arrays.loss[j]));
    }
    return total;
}

}  // namespace hockeystick_test
