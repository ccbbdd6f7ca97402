// SPDX-License-Identifier: Apache-2.0
// delta and epsilon read back off curves: both sides hold the closed form, the two questions undo each other, ends.
#include "hockeystick/conjugate.hpp"

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "hockeystick/gaussian.hpp"

namespace {

using namespace hockeystick;

ProfileTable gaussian_table(double mu, double end, std::size_t count) {
    ProfileTable table;
    for (std::size_t i = 0; i < count; ++i) {
        const double eps = end * static_cast<double>(i) / static_cast<double>(count - 1);
        const Interval delta = gaussian_log_delta_bounds(eps, mu);
        table.epsilon.push_back(eps);
        table.log_delta_upper.push_back(std::min(0.0, delta.upper));
        table.log_delta_lower.push_back(delta.lower);
    }
    return table;
}

void test_gaussian() {
    for (const double mu : {1e-3, 0.5, 3.0}) {
        const double end = 9.0 * mu + mu * mu;
        const ProfileTable table = gaussian_table(mu, end, 400);
        const Envelope lower = lower_envelope(table.points()), upper = upper_envelope(table.points());
        double widest = 0.0;
        for (double share = 0.0; share < 0.9; share += 0.0137) {
            const double eps = share * end;
            const double truth = gaussian_log_delta_estimate(eps, mu);
            const double above = curve_log_deltas(lower, {{eps}})[0], below = curve_log_deltas(upper, {{eps}})[0];
            CHECK(above >= truth - 1e-12 && below <= truth + 1e-12);
            widest = std::max(widest, above - below);
            const Interval back = gaussian_epsilon_bounds(truth, mu);
            CHECK(curve_epsilons(lower, {{truth}})[0] >= back.lower * (1.0 - 1e-12));
            CHECK(curve_epsilons(upper, {{truth}})[0] <= back.upper * (1.0 + 1e-12));
        }
        std::printf("mu %g: log delta apart by at most %.2g\n", mu, widest);
        CHECK(widest < 0.06);  // 400 points, as a curve of this many is
    }
}

// Between two points the upper bound is the chord in e^eps, and epsilon its inverse.
void test_chord() {
    ProfileTable table;
    table.epsilon = {0.0, 2.0};
    table.log_delta_upper = {std::log(0.5), std::log(0.01)};
    table.log_delta_lower = {-k_infinity, -k_infinity};
    const Envelope lower = lower_envelope(table.points());
    const double eps = 1.3, weight = (std::exp(eps) - 1.0) / (std::exp(2.0) - 1.0);
    const double chord = 0.5 + (0.01 - 0.5) * weight;
    CHECK_CLOSE(curve_log_deltas(lower, {{eps}})[0], std::log(chord), 1e-13);
    CHECK_CLOSE(curve_epsilons(lower, {{std::log(chord)}})[0], eps, 1e-12);
    CHECK(curve_epsilons(lower, {{std::log(chord)}})[0] >= eps * (1.0 - 1e-15));
    CHECK(curve_log_deltas(lower, {{2.0}})[0] == std::log(0.01));
    CHECK(curve_log_deltas(lower, {{k_infinity}})[0] == std::log(0.01));
    CHECK(curve_epsilons(lower, {{std::log(0.6)}})[0] == 0.0);
    CHECK(curve_epsilons(lower, {{std::log(0.001)}})[0] == k_infinity);
    CHECK(curve_epsilons(lower, {{-k_infinity}})[0] == k_infinity);
}

void test_refusals() {
    const ProfileTable table = gaussian_table(1.0, 5.0, 10);
    const Envelope lower = lower_envelope(table.points());
    CHECK_THROWS(curve_log_deltas(lower, {{-1.0}}), std::invalid_argument);
    CHECK_THROWS(curve_log_deltas(lower, {{std::nan("")}}), std::invalid_argument);
    CHECK_THROWS(curve_epsilons(lower, {{0.5}}), std::invalid_argument);
    CHECK_THROWS(curve_epsilons(lower, {{std::nan("")}}), std::invalid_argument);
}

}  // namespace

int main() {
    test_gaussian();
    test_chord();
    test_refusals();
    return hockeystick_test::failures();
}
