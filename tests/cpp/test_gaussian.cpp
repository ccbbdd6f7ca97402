// SPDX-License-Identifier: Apache-2.0
// Every bracket holds the mpmath value (gaussian_values.hpp) and is narrow; epsilon undoes delta.
#include "hockeystick/gaussian.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>

#include "check.hpp"
#include "gaussian_values.hpp"
#include "hockeystick/special.hpp"

namespace {

using namespace hockeystick;

// The reference is itself rounded to nearest, hence the neighbour.
bool holds(const Interval& x, double truth) {
    return x.lower <= std::nextafter(truth, k_inf) && x.upper >= std::nextafter(truth, -k_inf);
}

double relative_width(const Interval& x) {
    return x.lower == x.upper ? 0.0 : (x.upper - x.lower) / std::max(std::abs(x.upper), 1e-300);
}

void test_profile_values() {
    double widest = 0.0;
    for (const ProfileValue& value : k_profile) {
        const Interval log_delta = gaussian_log_delta_bounds(value.epsilon, value.mu);
        const Interval complement = gaussian_log_complement_bounds(value.epsilon, value.mu);
        CHECK(holds(log_delta, value.log_delta));
        CHECK(holds(complement, value.log_complement));
        if (!holds(log_delta, value.log_delta) || !holds(complement, value.log_complement)) {
            std::fprintf(stderr, "  eps %a mu %a: [%.17g, %.17g] %.17g\n", value.epsilon, value.mu, log_delta.lower,
                         log_delta.upper, value.log_delta);
        }
        const double estimate = gaussian_log_delta_estimate(value.epsilon, value.mu);
        CHECK(log_delta.lower <= estimate && estimate <= log_delta.upper);
        if (value.log_delta < -1e-290) {
            widest = std::max(widest, relative_width(log_delta));
        }
    }
    std::printf("plain: widest relative bracket of log delta %.3g\n", widest);
    CHECK(widest < 1e-12);
}

void test_sampled_values() {
    double widest = 0.0;
    for (const SampledValue& value : k_sampled) {
        const SubsampledGaussian law{value.noise_multiplier, value.sampling_rate};
        const Interval remove = subsampled_log_delta_bounds(value.epsilon, law, Direction::remove);
        const Interval add = subsampled_log_delta_bounds(value.epsilon, law, Direction::add);
        CHECK(holds(remove, value.log_delta_remove));
        CHECK(holds(add, value.log_delta_add));
        if (!holds(remove, value.log_delta_remove) || !holds(add, value.log_delta_add)) {
            std::fprintf(stderr, "  eps %a sigma %a q %a: remove [%.17g, %.17g] %.17g add [%.17g, %.17g] %.17g\n",
                         value.epsilon, value.noise_multiplier, value.sampling_rate, remove.lower, remove.upper,
                         value.log_delta_remove, add.lower, add.upper, value.log_delta_add);
        }
        widest = std::max(widest, relative_width(remove));
    }
    std::printf("sampled: widest relative bracket of log delta, remove, %.3g\n", widest);
    CHECK(widest < 1e-13);
}

// s = eps/mu - mu/2 of two numbers near 5e13: its low word, up to 4e-3, moves log delta by its slope, and half its
// square is in the bracket. s itself is exact here: fma gives the remainder of the quotient, Sterbenz the difference.
// The bracket holds what the roundings of log(1 + (e^eps - 1)/q) may come to by their proof, 8u, which no known libm
// reaches: d log delta / d eps = -s / mu.
void test_amplified_epsilon_is_rounded() {
    const SubsampledGaussian law{7608.6, 0.5218638585681885};
    for (const Direction direction : {Direction::remove, Direction::add}) {
        const Interval found = subsampled_log_delta_bounds(0.035548717223685, law, direction);
        CHECK(found.upper - found.lower >= 2.0 * 8.0 * k_unit_roundoff * 2.0 * std::abs(found.lower));
    }
}

void test_low_word_of_the_shift() {
    double largest = 0.0;
    for (int i = 0; i < 200; ++i) {
        const double mu = 1e14 * (1.0 + i / 777.0);
        const double epsilon = mu * (0.5 * mu + 0.01 * i);
        const double quotient = epsilon / mu;
        const double low = std::fma(-quotient, mu, epsilon) / mu;
        const double truth = log_normal_cdf(-((quotient - 0.5 * mu) + low));
        const Interval found = gaussian_log_delta_bounds(epsilon, mu);
        const double doubt = 1e-13 * (1.0 - truth);  // R(s + mu), and the roundings of log Phi
        CHECK(found.lower <= truth + doubt && truth - doubt <= found.upper);
        CHECK(found.upper - found.lower < 1e-4);
        largest = std::max(largest, std::abs(low));
    }
    CHECK(largest > 1e-3);
}

void test_known_epsilons() {
    struct Known {
        double noise_multiplier, delta, epsilon, relative;
    };
    for (const Known& known : {Known{1.0, 1e-5, 4.3771774, 1e-6}, Known{0.5, 1e-5, 9.99726, 1e-5},
                               Known{2.4 / std::sqrt(20.0), 1e-5, 9.165977, 1e-6}, Known{243.785, 1e-5, 0.01, 1e-5},
                               Known{1.0 / std::sqrt(10.0), 1e-5, 17.85659, 1e-6}}) {
        const Interval epsilon = gaussian_epsilon_bounds(std::log(known.delta), 1.0 / known.noise_multiplier);
        CHECK_CLOSE(epsilon.lower, known.epsilon, known.relative);
        CHECK_CLOSE(epsilon.upper, known.epsilon, known.relative);
    }
    // A total variation of 4.0207e-4 is below the delta asked for.
    const SubsampledGaussian small{1.0, 0.00105};
    for (const Direction direction : {Direction::remove, Direction::add}) {
        const Interval zero = subsampled_epsilon_bounds(std::log(1e-3), small, direction);
        CHECK(zero.lower == 0.0 && zero.upper == 0.0);
        CHECK_CLOSE(std::exp(subsampled_log_delta_bounds(0.0, small, direction).upper), 4.0207e-4, 1e-5);
    }
}

// Both ends of an epsilon bracket, put back into the profile, enclose the delta asked for; the bracket is narrow.
template <class Profile>
void check_epsilon(const Interval& epsilon, double log_delta, double width, Profile profile) {
    CHECK(epsilon.lower <= epsilon.upper);
    CHECK(epsilon.upper - epsilon.lower <= width * epsilon.upper);
    CHECK(profile(epsilon.upper).upper <= log_delta);
    CHECK(epsilon.lower == 0.0 || profile(epsilon.lower).lower >= log_delta);
}

void test_epsilon_undoes_delta() {
    for (const double mu : {1e-12, 1e-6, 1e-3, 0.3, 1.0, 7.0, 60.0, 1e3, 1e6}) {
        for (const double log_delta : {-1e-3, -0.5, -2.0, -11.5, -100.0, -690.0, -1e4, -700000.0}) {
            const auto profile = [mu](double epsilon) { return gaussian_log_delta_bounds(epsilon, mu); };
            check_epsilon(gaussian_epsilon_bounds(log_delta, mu), log_delta, 1e-13, profile);
        }
    }
    for (const SubsampledGaussian law :
         {SubsampledGaussian{1.0, 0.01}, SubsampledGaussian{0.3, 1e-6}, SubsampledGaussian{20.0, 0.9},
          SubsampledGaussian{0.01, 0.5}, SubsampledGaussian{1.0, 1e-12}, SubsampledGaussian{5.0, 1.0}}) {
        for (const Direction direction : {Direction::remove, Direction::add}) {
            for (const double log_delta : {-0.5, -5.0, -30.0, -690.0, -700000.0}) {
                const auto profile = [&](double epsilon) {
                    return subsampled_log_delta_bounds(epsilon, law, direction);
                };
                check_epsilon(subsampled_epsilon_bounds(log_delta, law, direction), log_delta, 1e-11, profile);
            }
        }
    }
}

void test_ends() {
    CHECK(gaussian_log_delta_bounds(3.0, k_inf).lower == 0.0);
    CHECK(gaussian_log_delta_bounds(3.0, 0.0).upper == -k_inf);
    CHECK(holds(gaussian_log_delta_bounds(-3.0, 0.0), std::log(-std::expm1(-3.0))));
    CHECK(gaussian_log_delta_bounds(-k_inf, 1.0).lower == 0.0);
    CHECK(gaussian_log_delta_bounds(k_inf, 1.0).upper == -k_inf);
    for (const double mu : {5e-324, 1e-200, 1e-12, 1.0, 1e6, 1e200, 1.7e308}) {
        for (const double epsilon : {-1e308, -1.0, -1e-300, 0.0, 5e-324, 1e-12, 1.0, 1e12, 1e308}) {
            const Interval x = gaussian_log_delta_bounds(epsilon, mu);
            const Interval y = gaussian_log_complement_bounds(epsilon, mu);
            CHECK(x.lower <= x.upper && x.upper <= 0.0 && y.lower <= y.upper && y.upper <= 0.0);
        }
        for (const double log_delta : {0.0, -1e-300, -1.0, -700000.0, -1e300, -k_inf}) {
            const Interval epsilon = gaussian_epsilon_bounds(log_delta, mu);
            CHECK(epsilon.lower <= epsilon.upper && epsilon.lower >= 0.0);
        }
    }
    // A shift so large that mu over its square is no number.
    for (const double mu : {3.13e-133, 1e-150}) {
        const Interval log_delta = gaussian_log_delta_bounds(0.2, mu);
        CHECK(log_delta.lower <= log_delta.upper && log_delta.upper < -1e200);
    }
    CHECK(gaussian_epsilon_bounds(-1.0, k_inf).lower == k_inf);
    CHECK(gaussian_epsilon_bounds(0.0, k_inf).upper == 0.0);
    CHECK(gaussian_epsilon_bounds(-1.0, 0.0).upper == 0.0);
    CHECK(gaussian_epsilon_bounds(-k_inf, 1.0).lower == k_inf);
    // No noise at all: seen whenever sampled, so delta never falls below q; bounded in the other direction.
    const SubsampledGaussian bare{0.0, 0.25};
    CHECK(subsampled_epsilon_bounds(std::log(0.2), bare, Direction::remove).lower == k_inf);
    CHECK(subsampled_epsilon_bounds(std::log(0.3), bare, Direction::remove).upper == 0.0);
    CHECK_CLOSE(subsampled_epsilon_bounds(-k_inf, {1.0, 0.25}, Direction::add).upper, -std::log(0.75), 1e-14);
    CHECK(subsampled_epsilon_bounds(-5.0, {1.0, 0.0}, Direction::add).upper == 0.0);
}

void test_refusals() {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS(gaussian_log_delta_bounds(nan, 1.0), std::invalid_argument);
    CHECK_THROWS(gaussian_log_delta_bounds(1.0, nan), std::invalid_argument);
    CHECK_THROWS(gaussian_log_delta_bounds(1.0, -1.0), std::invalid_argument);
    CHECK_THROWS(gaussian_epsilon_bounds(0.1, 1.0), std::invalid_argument);
    CHECK_THROWS(gaussian_epsilon_bounds(nan, 1.0), std::invalid_argument);
    CHECK_THROWS(subsampled_log_delta_bounds(1.0, {1.0, 1.5}, Direction::add), std::invalid_argument);
    CHECK_THROWS(subsampled_log_delta_bounds(nan, {1.0, 0.5}, Direction::add), std::invalid_argument);
    CHECK_THROWS(subsampled_epsilon_bounds(-1.0, {-1.0, 0.5}, Direction::add), std::invalid_argument);
}

}  // namespace

int main() {
    test_profile_values();
    test_sampled_values();
    test_amplified_epsilon_is_rounded();
    test_low_word_of_the_shift();
    test_known_epsilons();
    test_epsilon_undoes_delta();
    test_ends();
    test_refusals();
    return hockeystick_test::failures();
}
