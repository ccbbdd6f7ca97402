// SPDX-License-Identifier: Apache-2.0
// Laws of other kinds than the Gaussian by their definition, in long double: what their nodes are checked against.
#pragma once

#include <cmath>
#include <complex>
#include <vector>

#include "contour_reference.hpp"
#include "hockeystick/loss_law.hpp"

namespace hockeystick_test {

// Losses before sampling on many Gauss-Legendre panels of five nodes, atoms at the ends, then sampling.
struct SlowExponential {
    std::vector<long double> weight;  // under P
    std::vector<long double> loss;

    explicit SlowExponential(const hockeystick::ExponentialLoss& law, int panels = 400) {
        const long double q = law.sampling_rate, s = law.greatest;
        const auto add = [&](long double base, long double without) {
            const long double l = q == 1 ? base : std::log1p(q * std::expm1(base));
            weight.push_back(law.reversed ? without : without * std::exp(l));
            loss.push_back(law.reversed ? -l : l);
        };
        const long double nodes[5] = {-0.9061798459386639927976L, -0.5384693101056830910363L, 0.0L,
                                      0.5384693101056830910363L, 0.9061798459386639927976L};
        const long double weights[5] = {0.2369268850561890875143L, 0.4786286704993664680413L, 0.5688888888888888888889L,
                                        0.4786286704993664680413L, 0.2369268850561890875143L};
        const long double half = s / panels;
        for (int i = 0; i < panels; ++i) {
            for (int k = 0; k < 5; ++k) {
                const long double base = -s + half * (2 * i + 1 + nodes[k]);
                add(base, half * weights[k] * law.density * std::exp(-base / 2));
            }
        }
        if (law.atom > 0) {
            add(-s, law.atom);
            add(s, law.atom * std::exp(-s));
        }
    }

    Complex moment(Complex z) const {
        Complex total = 0;
        for (std::size_t j = 0; j < loss.size(); ++j) total += weight[j] * std::exp(z * loss[j]);
        return total;
    }

    // M(z) - 1 where M is too near 1, by M(0) = M(-1) = 1; small losses.
    long double excess(long double tilt) const {
        const auto beyond_first = [](long double x) {
            long double term = x * x / 2, sum = 0;
            for (int k = 3; k < 30; ++k) {
                sum += term;
                term *= x / k;
            }
            return sum;
        };
        long double total = 0;
        for (std::size_t j = 0; j < loss.size(); ++j) {
            total += weight[j] * (beyond_first(tilt * loss[j]) + tilt * beyond_first(-loss[j]));
        }
        return total;
    }
};

// Copies of the law with atoms up and down by `loss` and mass `infinite` at infinity, by the binomial sum.
inline long double slow_two_point_delta(long double loss, long double infinite, int count, long double epsilon) {
    const long double up = (1 - infinite) / (1 + std::exp(-loss)), down = 1 - infinite - up;
    long double total = 0;
    for (int k = 0; k <= count; ++k) {  // k of them down
        const long double l = (count - 2 * k) * loss;
        if (l <= epsilon) break;
        const long double log_ways = std::lgamma(count + 1.0L) - std::lgamma(k + 1.0L) - std::lgamma(count - k + 1.0L);
        const long double log_mass = log_ways + (count - k) * std::log(up) + k * std::log(down);
        total += std::exp(log_mass) * -std::expm1(epsilon - l);
    }
    return total - std::expm1(count * std::log1p(-infinite));
}

}  // namespace hockeystick_test
