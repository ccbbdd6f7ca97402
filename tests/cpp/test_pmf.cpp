// SPDX-License-Identifier: Apache-2.0
// Uniform loss laws: mass kept, dominance after composition, the mass at infinity felt.
#include "hockeystick/pmf.hpp"

#include <cmath>

#include "check.hpp"
#include "hockeystick/gaussian.hpp"
#include "hockeystick/gaussian_law.hpp"

namespace {

using namespace hockeystick;

double epsilon_of(const LossPmf& pmf, std::uint64_t count, double delta) {
    return pmf_epsilon_upper(pmf.step, pmf.first, pmf.masses, pmf.infinity_mass, count, std::log(delta));
}

void test_mass_is_kept() {
    for (const Direction direction : {Direction::remove, Direction::add}) {
        const LossPmf pmf = pessimistic_pmf(GaussianLaw({1.0, 0.01}, direction), 1e-3, 1e-30);
        double sum = pmf.infinity_mass;
        for (const double mass : pmf.masses) sum += mass;
        CHECK_CLOSE(sum, 1.0, 1e-12);
        CHECK(pmf.infinity_mass <= 1.1e-30);
    }
}

void test_composition_is_above_the_truth_and_close() {
    const LossPmf gaussian =
        pessimistic_pmf(GaussianLaw({10.0, 1.0}, Direction::remove), 1e-3, 1e-30);  // mu = 1 at 100
    for (const double delta : {1e-2, 1e-5, 1e-12}) {
        const double exact = gaussian_epsilon_bounds(std::log(delta), 1.0).upper;
        const double found = epsilon_of(gaussian, 100, delta);
        CHECK(found >= exact && found <= exact * (1.0 + 1e-4));
    }
    const LossPmf sampled = pessimistic_pmf(GaussianLaw({1.0, 0.01}, Direction::remove), 1e-4, 1e-30);
    const double found = epsilon_of(sampled, 1000, 1e-5);
    CHECK(found >= 1.82823666651657573 && found <= 1.82826);
}

void test_mass_at_infinity() {
    LossPmf pmf = pessimistic_pmf(GaussianLaw({10.0, 1.0}, Direction::remove), 1e-2, 1e-30);
    const double without = epsilon_of(pmf, 100, 1e-5);
    pmf.infinity_mass = 5e-8;
    CHECK(epsilon_of(pmf, 100, 1e-5) > without);
    CHECK(epsilon_of(pmf, 100, 4e-6) == k_infinity);
}

}  // namespace

int main() {
    test_mass_is_kept();
    test_composition_is_above_the_truth_and_close();
    test_mass_at_infinity();
    return hockeystick_test::failures();
}
