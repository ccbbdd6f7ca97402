// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/window_nodes.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "check.hpp"
#include "hockeystick/contour_kernel.hpp"
#include "hockeystick/window_decay.hpp"

using namespace hockeystick;
using namespace hockeystick::contour;
using Complex = std::complex<long double>;

namespace {

struct Setting {
    SubsampledGaussian law;
    Window window;
    double tilt;
    double frequency;
};

const std::vector<Setting> k_jumps = {
    {{1.0, 1e-3}, {5.0, 8.0, 0.25}, 8.0, 300.0},
    {{0.5, 1e-2}, {2.0, 4.0, 0.12}, 2.0, 24.0},
    {{2.5, 1e-4}, {14.0, 22.0, 0.5}, 900.0, 60000.0},
};
const std::vector<Setting> k_cores = {
    {{1.0, 1e-3}, {-k_infinity, 5.0, 0.25}, 8.0, 30.0},
    {{2.5, 1e-4}, {-k_infinity, 14.0, 0.5}, 900.0, 9000.0},
};

long double cdf(long double z) { return 0.5L * std::erfc(-z / std::numbers::sqrt2_v<long double>); }

// E_N0[window e^{(1 + z) l}; x <= end] on a fine grid, by the definition.
Complex slow_moment(const Setting& s, Complex z, long double end) {
    const long double sigma = s.law.noise_multiplier, step = std::min<long double>(s.window.width, sigma) / 150;
    Complex total = 0.0L;
    for (long double x = -14 * sigma; x < end; x += step) {
        const long double q = s.law.sampling_rate;
        const long double loss = std::log1p(q * std::expm1((2 * x - 1) / (2 * sigma * sigma)));
        const long double above = std::isinf(s.window.lower) ? 1.0L : cdf((x - s.window.lower) / s.window.width);
        const long double weight = above * cdf((s.window.upper - x) / s.window.width);
        total += weight * std::exp(-x * x / (2 * sigma * sigma)) * std::exp((1.0L + z) * loss);
    }
    return total * step / (sigma * std::sqrt(2 * std::numbers::pi_v<long double>));
}

WindowNodes make(const Setting& s, double log_error) {
    return {s.law, s.window, {s.tilt, 0.5 * s.tilt, 1.2 * s.tilt, s.frequency, 0.0, log_error}, -80.0};
}

Complex fast_moment(const WindowNodes& nodes, Complex z) {
    Complex total = 0.0L;
    const NodeArrays a = nodes.arrays();
    for (std::size_t j = 0; j < nodes.size(); ++j) {
        total += std::exp(static_cast<long double>(a.log_weight[j]) + z * static_cast<long double>(a.loss[j]));
    }
    return total;
}

// Nodes for few digits, so that the rule's error shows: the bound holds and is not idle.
void inner_error_is_needed_and_suffices() {
    for (const Setting& s : k_jumps) {
        const WindowNodes coarse = make(s, -4.0);
        const Moment at = coarse.moment(s.tilt);
        const double bound = coarse.inner_error(s.tilt, s.frequency, at);
        double worst = 0.0;
        for (const double part : {0.0, 0.5, 0.9, 1.0}) {
            const Complex z(s.tilt, part * s.frequency);
            const Complex error = fast_moment(coarse, z) - slow_moment(s, z, 40.0L);
            worst = std::max(worst, static_cast<double>(std::abs(error)) / std::exp(at.value));
        }
        CHECK(worst <= bound);
        CHECK(worst > 1e-9 * bound);
        CHECK(make(s, -30.0).inner_error(s.tilt, s.frequency, at) < 1e-9);
    }
}

// A core by its identities of second order, with what is missing in closed form.
void cores_are_summed_to_second_order() {
    for (const Setting& s : k_cores) {
        const WindowNodes nodes = make(s, -40.0);
        const Moment at = nodes.moment(s.tilt);
        const long double want = std::log(slow_moment(s, s.tilt, 40.0L)).real();
        const double allowed = nodes.rounding(s.tilt, at).value + nodes.real_error(s.tilt, at);
        CHECK(std::abs(static_cast<double>(at.value - want)) <= allowed + 1e-16);
        CHECK(allowed < 1e-10 * std::max(1e-3, std::abs(at.value)));
        CHECK(log_moment_upper(nodes, s.tilt) >= static_cast<double>(want));
    }
}

// The bound on |M| along the line holds, falls, and is within a few digits of the truth.
void decay_is_bounded() {
    for (const Setting& s : k_jumps) {
        const WindowNodes nodes = make(s, -40.0);
        const Moment at = nodes.moment(s.tilt);
        const WindowDecay decay(nodes, s.tilt, at);
        double last = 0.0;
        for (const double part : {0.25, 0.5, 1.0, 2.0}) {
            const double t = part * s.frequency;
            const double bound = decay(t);
            const double truth = static_cast<double>(std::log(std::abs(slow_moment(s, {s.tilt, t}, 40.0L)))) - at.value;
            CHECK(truth <= bound && bound <= last);
            CHECK(bound == nodes.log_decay(s.tilt, t, at, true));
            last = bound;
        }
        CHECK(last < -2.0);
    }
}

// What ends beyond the nodes is bounded, and little.
void what_is_dropped_is_little() {
    for (const Setting& s : k_jumps) CHECK(make(s, -20.0).log_dropped() <= -80.0);
}

}  // namespace

int main() {
    inner_error_is_needed_and_suffices();
    cores_are_summed_to_second_order();
    decay_is_bounded();
    what_is_dropped_is_little();
    return hockeystick_test::failures();
}
