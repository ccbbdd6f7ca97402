// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/window.hpp"

#include <cmath>
#include <numbers>

#include "check.hpp"

using namespace hockeystick;
using namespace hockeystick::contour;

namespace {

long double cdf(long double z) { return 0.5L * std::erfc(-z / std::numbers::sqrt2_v<long double>); }

// By the definition in long double, from the side where nothing cancels.
long double slow_window(const Window& w, long double x) {
    if (std::isinf(w.lower)) return cdf((w.upper - x) / w.width);
    const long double low = (x - w.lower) / w.width, high = (x - w.upper) / w.width;
    return 2.0L * x > static_cast<long double>(w.lower) + w.upper ? cdf(-high) - cdf(-low) : cdf(low) - cdf(high);
}

void weights_are_right_to_their_error() {
    for (const Window& w : {Window{2.0, 5.0, 0.3}, Window{-k_infinity, 4.0, 0.2}, Window{1.0, 1.5, 0.7}}) {
        double largest = 0.0;
        for (double x = -3.0; x < 9.0; x += 0.37) {
            const WindowWeight got = window_weight(w, x);
            const long double want = std::log(slow_window(w, x));
            if (!std::isfinite(want)) continue;
            CHECK(std::abs(static_cast<double>(got.log - want)) <= got.error + 1e-18);  // of long double
            largest = std::max(largest, got.error / std::max(1.0, -got.log));
        }
        CHECK(largest < 1e-12);
    }
}

// The windows of a split add up to 1, what lies beyond the last one included.
void windows_add_up() {
    const double edges[] = {0.7, 1.9, 4.0};
    for (double x = -2.0; x < 8.0; x += 0.61) {
        double total = std::exp(window_weight({-k_infinity, edges[0], 0.4}, x).log);
        for (int i = 0; i < 2; ++i) total += std::exp(window_weight({edges[i], edges[i + 1], 0.4}, x).log);
        total += 1.0 - std::exp(window_weight({-k_infinity, edges[2], 0.4}, x).log);
        CHECK_CLOSE(total, 1.0, 1e-14);
    }
}

void mass_beyond_is_the_integral() {
    for (const SubsampledGaussian& law : {SubsampledGaussian{1.0, 0.01}, SubsampledGaussian{3.0, 1e-5}}) {
        const double edge = 2.5 * law.noise_multiplier, width = 0.3 * law.noise_multiplier;
        long double p = 0.0L, q = 0.0L;
        const long double sigma = law.noise_multiplier, step = sigma / 64;
        for (long double x = -16 * sigma; x < 1 + 16 * sigma; x += step) {
            const long double far =
                cdf((x - edge) / width) * step / (sigma * std::sqrt(2 * std::numbers::pi_v<long double>));
            const long double plain = far * std::exp(-x * x / (2 * sigma * sigma));
            q += plain;
            p += plain * (1 + law.sampling_rate * std::expm1((2 * x - 1) / (2 * sigma * sigma)));
        }
        const MissingMass got = mass_beyond(law, edge, width);
        CHECK(std::abs(static_cast<double>(got.p - p)) <= got.p_error + 1e-17 * got.p);
        CHECK(std::abs(static_cast<double>(got.q - q)) <= got.q_error + 1e-17 * got.q);
        CHECK(std::abs(static_cast<double>(*got.gap - (p - q))) <= got.gap_error + 1e-18 * got.p);
        CHECK(got.p_error < 1e-13 * got.p && got.gap_error < 1e-12 * *got.gap);
    }
}

}  // namespace

int main() {
    weights_are_right_to_their_error();
    windows_add_up();
    mass_beyond_is_the_integral();
    return hockeystick_test::failures();
}
