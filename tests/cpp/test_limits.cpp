// SPDX-License-Identifier: Apache-2.0
// The closed-form limits hold 30-digit values, and are exact where they should be.
#include "hockeystick/limits.hpp"

#include <array>
#include <cmath>
#include <vector>

#include "check.hpp"
#include "hockeystick/atoms_law.hpp"
#include "hockeystick/gaussian.hpp"
#include "hockeystick/gaussian_law.hpp"

namespace {

using namespace hockeystick;

void test_hold_the_reference() {
    const Term run{{1.0, 0.01}, 1000};
    const Interval limits = epsilon_limits(laws_of(std::span(&run, 1), Direction::remove), std::log(1e-5));
    CHECK(limits.lower > 0.0 && limits.lower < 1.82823666651657573 && limits.upper > 1.82823666651657573);
    const Interval log_delta =
        log_delta_limits(laws_of(std::span(&run, 1), Direction::remove), std::array{1.0}).front();
    CHECK(log_delta.lower < -5.94747806267890672 && -5.94747806267890672 < log_delta.upper);
}

void test_exact_for_one_release_and_for_gaussians() {
    const Term one{{1.0, 0.01}, 1};
    const Interval limits = epsilon_limits(laws_of(std::span(&one, 1), Direction::add), std::log(1e-5));
    CHECK_CLOSE(limits.lower, subsampled_epsilon_bounds(std::log(1e-5), one.law, Direction::add).lower, 1e-15);
    const Term gaussians{{5.0, 1.0}, 25};
    CHECK_CLOSE(epsilon_limits(laws_of(std::span(&gaussians, 1), Direction::remove), std::log(1e-5)).upper,
                gaussian_epsilon_bounds(std::log(1e-5), 1.0).upper, 1e-13);
}

// Two rare releases: delta(0) is nearly the sum of theirs, and no larger.
void test_total_variation_adds_up() {
    const Term run{{1.0, 1e-6}, 2};
    const double one = subsampled_log_delta_bounds(0.0, run.law, Direction::add).upper;
    const double sum = log_total_variation_upper(laws_of(std::span(&run, 1), Direction::remove));
    CHECK_CLOSE(sum, one + std::log(2.0), 1e-12);
    CHECK(epsilon_limits(laws_of(std::span(&run, 1), Direction::add), sum).upper == 0.0);
    CHECK(epsilon_limits(laws_of(std::span(&run, 1), Direction::add), one + std::log(1.9)).upper > 0.0);
    const Term many{{1.0, 0.5}, 1000};
    CHECK(log_total_variation_upper(laws_of(std::span(&many, 1), Direction::remove)) == 0.0);
}

// Pinsker where the sum of total variations is 1 long since: sqrt(KL / 2), KL = T / (2 s^2) at rate 1 and about
// T q^2 (e^{1/s^2} - 1) / 2 at small ones.
void test_total_variation_by_pinsker() {
    const Term quiet{{1e6, 1.0}, 10000000};
    CHECK_CLOSE(log_total_variation_upper(laws_of(std::span(&quiet, 1), Direction::remove)), 0.5 * std::log(1e7 / 4e12),
                1e-12);
    const Term rare{{0.5, 1e-9}, 1000000000000};
    const double kl = 0.5 * 1e12 * 1e-18 * std::expm1(4.0);
    CHECK_CLOSE(log_total_variation_upper(laws_of(std::span(&rare, 1), Direction::add)), 0.5 * std::log(0.5 * kl),
                1e-6);
}

// The plain Gaussians in a mixed composition bound it from below by what they compose to.
void test_plain_gaussians_compose_from_below() {
    const std::array mixed{Term{{5.0, 1.0}, 25}, Term{{2.0, 0.5}, 3}};
    const std::vector<LawTerm> laws = laws_of(mixed, Direction::remove);
    CHECK_CLOSE(epsilon_limits(laws, std::log(1e-5)).lower, gaussian_epsilon_bounds(std::log(1e-5), 1.0).lower, 1e-13);
    CHECK_CLOSE(log_delta_limits(laws, std::array{2.0}).front().lower, gaussian_log_delta_bounds(2.0, 1.0).lower,
                1e-13);
}

// Losses that are known to 0.1 each, and mass where Q vanishes: ten releases may lose one more, and all of the mass
// stays at every epsilon.
void test_losses_in_doubt_and_mass_at_infinity() {
    const double yes = std::log(0.75), no = std::log(0.25 - 1e-3), loss = std::log(3.0);
    const auto law =
        atoms_law({{-std::log(0.75 / (0.25 - 1e-3)), loss}, {no, yes}, {1e-3, 1e-3}, {0.0, 0.0}, 0.0, 0.1});
    const std::vector<LawTerm> ten{{law, 10}};
    CHECK(greatest_total_loss(ten) >= 10.0 * loss + 1.0);
    CHECK(greatest_total_loss(ten) <= 10.0 * loss + 1.0 + 1e-12);
    CHECK_CLOSE(log_infinity_mass(ten).upper, std::log(-std::expm1(10.0 * std::log1p(-1e-3))), 1e-12);
    for (const Interval& x : log_delta_limits(ten, std::array{11.0, 11.9, 50.0})) {
        CHECK(x.lower >= log_infinity_mass(ten).lower && x.upper >= log_infinity_mass(ten).upper);
    }
}

// delta never exceeds the total variation, which two releases reach nearly: twice one's.
void test_log_delta_by_the_total_variation() {
    const Term run{{1.0, 0.01}, 2};
    const auto laws = laws_of(std::span(&run, 1), Direction::remove);
    const double single = laws.front().law->log_delta_bounds(0.0).upper;
    for (const Interval& x : log_delta_limits(laws, std::array{0.0, 1e-3})) {
        CHECK(x.lower <= -5.1254 && -5.1254 <= x.upper);
        CHECK(x.upper <= single + std::log(2.0) + 1e-11);
    }
}

}  // namespace

int main() {
    test_hold_the_reference();
    test_exact_for_one_release_and_for_gaussians();
    test_total_variation_adds_up();
    test_total_variation_by_pinsker();
    test_plain_gaussians_compose_from_below();
    test_losses_in_doubt_and_mass_at_infinity();
    test_log_delta_by_the_total_variation();
    return hockeystick_test::failures();
}
