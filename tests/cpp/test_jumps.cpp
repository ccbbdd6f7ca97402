// SPDX-License-Identifier: Apache-2.0
// Counting jumps against plain integration over the first outcomes, against 30-digit values, and in the engine.
#include "hockeystick/jumps.hpp"

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "check.hpp"
#include "hockeystick/atoms_law.hpp"
#include "hockeystick/combined_law.hpp"
#include "hockeystick/fft_engine.hpp"
#include "hockeystick/gaussian.hpp"
#include "hockeystick/gaussian_law.hpp"

namespace {

using namespace hockeystick;

LawTerm copies(const SubsampledGaussian& release, std::uint64_t count) {
    return {std::make_shared<GaussianLaw>(release, Direction::remove), count};
}

// delta(epsilon) of two releases, one integrated over x by the trapezoid rule, the other in closed form. The integrand
// has a bend where one outcome alone reaches epsilon, so the rule is of second order.
double plain_delta(const SubsampledGaussian& release, double epsilon) {
    const double sigma = release.noise_multiplier, q = release.sampling_rate, step = sigma / 1500.0;
    const double scale = step / (sigma * std::sqrt(2.0 * 3.14159265358979323846));
    double sum = 0.0;
    for (double x = -16.0 * sigma; x <= 1.0 + 16.0 * sigma; x += step) {
        const double loss = std::log1p(q * std::expm1((2.0 * x - 1.0) / (2.0 * sigma * sigma)));
        const double density = std::exp(-0.5 * x * x / (sigma * sigma) + loss);
        if (density * scale < 1e-35) continue;
        const Interval rest = subsampled_log_delta_bounds(epsilon - loss, release, Direction::remove);
        sum += scale * density * std::exp(rest.upper);
    }
    return sum;
}

void test_plain_integration() {
    for (const SubsampledGaussian release : {SubsampledGaussian{1.0, 0.01}, {2.4, 1.6e-4}, {0.4, 1e-5}, {0.8, 0.2}}) {
        for (const double log_delta : {-16.0, -30.0, -60.0}) {
            const Interval found = jump_epsilon_bounds(copies(release, 2), log_delta, 1e-4, k_infinity);
            if (release.sampling_rate < 0.1)
                CHECK(found.lower > 0.0 && found.upper - found.lower <= 1e-4 * found.upper);
            CHECK(plain_delta(release, found.lower) >= std::exp(log_delta) * (1.0 - 1e-5));
            CHECK(plain_delta(release, found.upper) <= std::exp(log_delta) * (1.0 + 1e-5));
        }
    }
}

// Where epsilon is reached by many small losses too: 30-digit values. Without the part that holds no jump the upper end
// would fall below them.
void test_without_a_jump() {
    const std::array deltas{std::pair{1e-5, 1.82823666651657573}, std::pair{1e-40, 12.2862282211181978}};
    for (const auto& [delta, exact] : deltas) {
        const Interval found = jump_epsilon_bounds(copies({1.0, 0.01}, 1000), std::log(delta), 1e-4, k_infinity);
        CHECK(found.lower <= exact && exact <= found.upper);
    }
}

// Both directions, as it is asked for.
void test_the_engine_counts_jumps() {
    const std::array both_directions{Direction::remove, Direction::add};
    for (const Term run : {Term{{1.18, 4.1e-5}, 1300}, Term{{0.37, 1.1e-5}, 600}, Term{{2.23, 1.2e-5}, 38}}) {
        const Interval found = fft_epsilon_bounds(laws_of(std::span(&run, 1), both_directions), -55.0, 1e-4);
        CHECK(found.lower > 0.0 && found.upper - found.lower <= 2e-4 * found.upper);
    }
}

// More jumps than are counted one by one are as likely as not: the upper end must know.
void test_more_jumps_than_are_counted() {
    const Interval found = jump_epsilon_bounds(copies({0.5, 0.3}, 60), std::log(1e-3), 1e-3, k_infinity);
    const std::array remove{Direction::remove};
    const Term run{{0.5, 0.3}, 60};
    const Interval truth = fft_epsilon_bounds(laws_of(std::span(&run, 1), remove), std::log(1e-3), 1e-3);
    CHECK(truth.lower > 10.0 && found.lower <= truth.upper && truth.lower <= found.upper);
}

// Two thirds of delta at infinity: epsilon is that of the last third.
void test_mass_at_infinity() {
    const double delta = 1e-6, infinite = 2e-7;
    const auto finite = std::make_shared<GaussianLaw>(SubsampledGaussian{1.0, 1e-3}, Direction::remove);
    const auto all = atoms_law({{}, {}, {1.0, 1.0}, {1.0, 1.0}});
    const LawTerm term{mixture_law({finite, all}, {1.0 - infinite, infinite}), 3};
    const Interval found = jump_epsilon_bounds(term, std::log(delta), 1e-4, k_infinity);
    const Interval without = jump_epsilon_bounds({finite, 3}, std::log(delta - 3.0 * infinite), 1e-4, k_infinity);
    CHECK(found.lower > 0.0 && found.upper < k_infinity);
    CHECK(found.lower <= without.upper * (1.0 + 1e-4) && without.lower <= found.upper * (1.0 + 1e-4));
}

void test_nothing_to_find() {
    const LawTerm term = copies({1.0, 1e-4}, 10);
    const Interval pure = jump_epsilon_bounds(term, -k_infinity, 1e-4, k_infinity);
    CHECK(pure.lower == 0.0 && pure.upper == k_infinity);
    const Interval all = jump_epsilon_bounds(term, 0.0, 1e-4, k_infinity);
    CHECK(all.lower == 0.0 && all.upper == k_infinity);
}

}  // namespace

int main() {
    test_plain_integration();
    test_without_a_jump();
    test_the_engine_counts_jumps();
    test_more_jumps_than_are_counted();
    test_mass_at_infinity();
    test_nothing_to_find();
    return hockeystick_test::failures();
}
