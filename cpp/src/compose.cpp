// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/compose.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <string>

#include "hockeystick/error.hpp"
#include "hockeystick/fft.hpp"
#include "hockeystick/interrupt.hpp"
#include "hockeystick/kernels.hpp"

namespace hockeystick {
namespace {

using Spectrum = std::vector<std::complex<double>>;

// Laws transformed in one call: enough for the vectors to run across them, few enough to stay in cache.
constexpr std::size_t k_batch = 8;

// Orders of Chernoff bounds are lowered down to this part of the first; the highest ones may overflow.
constexpr double k_least_order = 1e-9;

constexpr double k_least_product = 1e-290;

std::size_t position(std::int64_t index, std::size_t n) {
    const std::int64_t length = static_cast<std::int64_t>(n);
    const std::int64_t rest = index % length;
    return static_cast<std::size_t>(rest < 0 ? rest + length : rest);
}

// e^{t step index} along the atoms: on consecutive indices by one product, anchored anew every 64 and while it is too
// small to hold its digits, or 0: a product would stay there.
class RunningExponential {
public:
    explicit RunningExponential(double rate) : rate_(rate), ratio_(std::exp(rate)) {}

    double at(std::int64_t index) {
        if (index == last_ + 1 && ++run_ < k_anchor && value_ > k_least_product) {
            value_ *= ratio_;
        } else {
            run_ = 0;
            value_ = std::exp(rate_ * static_cast<double>(index));
        }
        last_ = index;
        return value_;
    }

    static constexpr int k_anchor = 64;

private:
    double rate_;
    double ratio_;
    double value_ = 0.0;
    std::int64_t last_ = std::numeric_limits<std::int64_t>::min();
    int run_ = k_anchor;
};

// log E[e^{t L}] of the product under its tilt, rounded up.
double product_cumulant_upper(const Product& product, double step, double t) {
    double total = 0.0;
    for (const Factor& factor : product) {
        RunningExponential exponential(t * step);
        double excess = 0.0, magnitude = 0.0, exponents = 0.0;
        for (std::size_t i = 0; i < factor.atoms->index.size(); ++i) {
            const double weight = factor.atoms->weight[i];
            const double grown = weight * exponential.at(factor.atoms->index[i]);
            excess += grown - weight;
            magnitude += grown + weight;
            exponents += grown * std::fabs(static_cast<double>(factor.atoms->index[i]));
        }
        // Summation and running products, the weights' own sum being 1 only up to rounding, and the exponents'
        // rounding.
        const double roundings = static_cast<double>(factor.atoms->index.size()) + 3.0 * RunningExponential::k_anchor;
        const double error = k_unit_roundoff * (roundings * (magnitude + 1.0) + 3.0 * std::fabs(t) * step * exponents);
        total += static_cast<double>(factor.count) * std::log1p(excess + error);
    }
    return total;
}

// What is to be added to the losses of the product, rounded outward.
Interval offset_of(const Product& product) {
    Interval total{0.0, 0.0};
    double magnitude = 0.0;
    for (const Factor& factor : product) {
        const double count = static_cast<double>(factor.count);
        const Interval& offset = factor.atoms->offset;
        total.lower += count * offset.lower;
        total.upper += count * offset.upper;
        magnitude += count * (std::fabs(offset.lower) + std::fabs(offset.upper));
    }
    const double rounding = k_unit_roundoff * (2.0 + static_cast<double>(product.size())) * magnitude;
    return {total.lower - rounding, total.upper + rounding};
}

double two_norm(std::span<const double> values) {
    double sum = 0.0;
    for (const double value : values) sum += value * value;
    return std::sqrt(sum);
}

// The distinct laws of all products, with the row each gets.
std::vector<const TiltedAtoms*> distinct_laws(std::span<const Composition> compositions) {
    std::vector<const TiltedAtoms*> laws;
    for (const Composition& composition : compositions) {
        for (const Factor& factor : composition.product) {
            if (std::find(laws.begin(), laws.end(), factor.atoms) == laws.end()) laws.push_back(factor.atoms);
        }
    }
    return laws;
}

// Multiplies every product's spectrum by the powers of its laws, transforming the laws batch by batch.
Spectrum product_spectra(std::span<const Composition> compositions, std::size_t n) {
    const std::size_t bins = n / 2 + 1;
    Spectrum spectra(compositions.size() * bins, {1.0, 0.0});
    const std::vector<const TiltedAtoms*> laws = distinct_laws(compositions);
    std::vector<double> rows(std::min(k_batch, laws.size()) * n);
    Spectrum transforms(std::min(k_batch, laws.size()) * bins);
    for (std::size_t start = 0; start < laws.size(); start += k_batch) {
        poll();
        const std::size_t batch = std::min(k_batch, laws.size() - start);
        std::fill(rows.begin(), rows.end(), 0.0);
        for (std::size_t b = 0; b < batch; ++b) {
            const TiltedAtoms& atoms = *laws[start + b];
            for (std::size_t i = 0; i < atoms.index.size(); ++i) {
                rows[b * n + position(atoms.index[i], n)] += atoms.weight[i];
            }
        }
        forward_fft(n, batch, rows, transforms);
        for (std::size_t c = 0; c < compositions.size(); ++c) {
            for (const Factor& factor : compositions[c].product) {
                for (std::size_t b = 0; b < batch; ++b) {
                    if (factor.atoms != laws[start + b]) continue;
                    multiply_by_power(std::span(spectra).subspan(c * bins, bins),
                                      std::span(transforms).subspan(b * bins, bins), factor.count);
                }
            }
        }
    }
    return spectra;
}

// ||dy||_2: every law's transform error grows by its count (|spectrum| <= 1 but for rounding, which `growth` covers),
// the powers err by 2.25 u a factor, the inverse transform by fft_error.
double noise_bound(const Product& product, std::size_t n, double output_norm) {
    double transforms = 0.0, factors = 0.0, growth = 0.0;
    const double length = static_cast<double>(n);
    for (const Factor& factor : product) {
        const double count = static_cast<double>(factor.count);
        const double norm = two_norm(factor.atoms->weight);
        transforms += count * fft_error(n) * norm;
        factors += count;
        growth += count * (fft_error(n) * std::sqrt(length) * norm + k_unit_roundoff * length);
    }
    return std::exp(growth) * transforms + (2.25 * k_unit_roundoff * factors + fft_error(n)) * output_norm +
           1e-70 * length;
}

std::vector<double> unwrapped(std::span<const double> row, std::int64_t first, std::size_t length) {
    const std::size_t start = position(first, row.size());
    const std::size_t before_end = std::min(length, row.size() - start);
    std::vector<double> window(row.begin() + static_cast<std::ptrdiff_t>(start),
                               row.begin() + static_cast<std::ptrdiff_t>(start + before_end));
    window.insert(window.end(), row.begin(), row.begin() + static_cast<std::ptrdiff_t>(length - before_end));
    return window;
}

void fill_ledger(ComposedLaw& law, const Composition& composition, std::size_t n) {
    const Product& product = composition.product;
    law.outside_above = composition.outside_above;
    law.outside_below = composition.outside_below;
    double log_whole = 0.0;
    for (const Factor& factor : product) {
        const double count = static_cast<double>(factor.count);
        law.log_mass += count * factor.atoms->log_mass;
        log_whole += count * std::log1p(factor.atoms->truncated);
        law.rounding += count * factor.atoms->rounding;
    }
    // One outcome that the dots left out meets kept ones and others left out: (1 + r + t)^T - (1 + r)^T.
    law.truncated = std::exp(law.rounding) * std::expm1(log_whole) * (1.0 + 1e-12);
    law.offset = offset_of(product);
    law.noise = noise_bound(product, n, two_norm(law.weights));
}

// The end of the window on one side (sign +1 above, -1 below): every order bounds it, and as the estimate of the best
// one errs where a cut-off tail dominates, lower ones are tried while they help.
double window_end(const Product& product, double step, double sign, double order, double log_odds) {
    const auto end_at = [&](double t) { return (product_cumulant_upper(product, step, sign * t) + log_odds) / t; };
    double best = end_at(order);
    for (double t = 0.8 * order; t > k_least_order * order; t *= 0.8) {
        const double end = end_at(t);
        if (!(end < best) && best < k_infinity) break;
        best = std::fmin(best, end);
    }
    return sign * best;
}

}  // namespace

Composition on_window(Product product, double theta, double step, const ChernoffOrders& orders, double negligible,
                      double reach_low, double reach_high) {
    const double log_odds = -std::log(negligible);
    const double high = window_end(product, step, 1.0, orders.above, log_odds);
    const double low = window_end(product, step, -1.0, orders.below, log_odds);
    const Interval shift = offset_of(product);
    const double first = std::floor(std::min(low, reach_low - shift.upper) / step) - 1.0;
    const double last = std::ceil(std::max(high, reach_high - shift.lower) / step) + 1.0;
    if (!(last - first < k_longest_window)) {
        throw accuracy_error("the composed law needs a window of " +
                             std::to_string(static_cast<long long>(std::min(last - first, 9e18))) +
                             " lattice steps, more than the transforms here may hold");
    }
    // Beyond the window by at least a step, so the roundings of K and of the ends are covered.
    return {std::move(product),
            theta,
            step,
            static_cast<std::int64_t>(first),
            static_cast<std::size_t>(last - first) + 1,
            negligible,
            negligible};
}

std::vector<ComposedLaw> compose(std::span<const Composition> compositions, std::size_t n) {
    const std::size_t bins = n / 2 + 1;
    std::vector<ComposedLaw> laws;
    laws.reserve(compositions.size());
    Spectrum spectra = product_spectra(compositions, n);
    std::vector<double> rows(std::min(k_batch, compositions.size()) * n);
    for (std::size_t start = 0; start < compositions.size(); start += k_batch) {
        poll();
        const std::size_t batch = std::min(k_batch, compositions.size() - start);
        inverse_fft(n, batch, std::span(spectra).subspan(start * bins, batch * bins), rows);
        for (std::size_t b = 0; b < batch; ++b) {
            const Composition& composition = compositions[start + b];
            ComposedLaw law{composition.theta, composition.step, composition.first, {}};
            law.weights = unwrapped(std::span(rows).subspan(b * n, n), law.first, composition.length);
            fill_ledger(law, composition, n);
            laws.push_back(std::move(law));
        }
    }
    return laws;
}

}  // namespace hockeystick
