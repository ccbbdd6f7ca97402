// SPDX-License-Identifier: Apache-2.0
// Transforms against long double sums, within a tenth of the error bound; batches equal single transforms.
#include "hockeystick/fft.hpp"

#include <cmath>
#include <random>
#include <vector>

#include "check.hpp"

namespace {

using namespace hockeystick;
using Spectrum = std::vector<std::complex<double>>;

std::vector<double> random_values(std::size_t n) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(0.0, 1.0);
    std::vector<double> values(n);
    for (double& value : values) value = std::pow(uniform(random), 8.0);
    return values;
}

void test_error_bound() {
    for (const std::size_t n : {std::size_t{16}, std::size_t{120}, std::size_t{3000}, std::size_t{4096}}) {
        const std::vector<double> in = random_values(n);
        Spectrum out(n / 2 + 1);
        forward_fft(n, 1, in, out);
        long double error = 0.0L, norm = 0.0L;
        const long double turn = 2.0L * std::acos(-1.0L) / static_cast<long double>(n);
        for (std::size_t k = 0; k < out.size(); ++k) {
            long double re = 0.0L, im = 0.0L;
            for (std::size_t j = 0; j < n; ++j) {
                const long double angle = turn * static_cast<long double>((j * k) % n);
                re += in[j] * std::cos(angle);
                im -= in[j] * std::sin(angle);
            }
            error += (out[k].real() - re) * (out[k].real() - re) + (out[k].imag() - im) * (out[k].imag() - im);
            norm += re * re + im * im;
        }
        CHECK(std::sqrt(error / norm) <= 0.1L * fft_error(n));
        CHECK(error > 0.0L);
        std::vector<double> back(n);
        inverse_fft(n, 1, out, back);
        double worst = 0.0, square = 0.0;
        for (std::size_t j = 0; j < n; ++j) {
            worst += (back[j] - in[j]) * (back[j] - in[j]);
            square += in[j] * in[j];
        }
        CHECK(std::sqrt(worst / square) <= 0.2 * fft_error(n));
    }
}

void test_batch_equals_singles() {
    const std::size_t n = 240, batch = 5;
    const std::vector<double> in = random_values(n * batch);
    Spectrum together(batch * (n / 2 + 1)), alone(n / 2 + 1);
    forward_fft(n, batch, in, together);
    for (std::size_t b = 0; b < batch; ++b) {
        forward_fft(n, 1, std::span(in).subspan(b * n, n), alone);
        for (std::size_t k = 0; k < alone.size(); ++k) {
            CHECK(std::abs(alone[k] - together[b * alone.size() + k]) <= 1e-13 * std::abs(together[b * alone.size()]));
        }
    }
}

void test_good_sizes() {
    for (const std::size_t least : {1u, 17u, 1001u, 65537u, 999983u}) {
        const std::size_t n = good_fft_size(least);
        CHECK(n >= least && n >= 16 && n < 2 * (least + 16));
        std::size_t rest = n;
        for (const std::size_t factor : {2u, 3u, 5u}) {
            while (rest % factor == 0) rest /= factor;
        }
        CHECK(rest == 1);
    }
}

}  // namespace

int main() {
    test_error_bound();
    test_batch_equals_singles();
    test_good_sizes();
    return hockeystick_test::failures();
}
