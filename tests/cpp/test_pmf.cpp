// SPDX-License-Identifier: Apache-2.0
// Uniform loss laws: mass kept, dominance after composition, the mass at infinity felt.
#include "hockeystick/pmf.hpp"

#include <array>
#include <cmath>
#include <utility>
#include <vector>

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
        // What the lattice leaves out is at infinity.
        const LossPmf coarse = pessimistic_pmf(GaussianLaw({1.0, 0.3}, direction), 1e-2, 1e-3);
        double most = coarse.infinity_mass;
        for (const double mass : coarse.masses) most += mass;
        CHECK(most >= 1.0 - 1e-13);
        CHECK(direction == Direction::add || coarse.infinity_mass > 1e-5);
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

void test_the_larger_of_two_directions() {
    const LossPmf add = pessimistic_pmf(GaussianLaw({1.0, 0.01}, Direction::add), 1e-3, 1e-30);
    const double own = epsilon_of(add, 1000, 1e-5);
    const auto larger = [&](double least) {
        return pmf_epsilon_upper(add.step, add.first, add.masses, add.infinity_mass, 1000, std::log(1e-5), least);
    };
    // Far above its own epsilon Chernoff's bound tells, close to it the composition, and below it is its own.
    for (const double least : {5.0, 1.83, own * (1.0 + 1e-9)}) CHECK(larger(least) == least);
    for (const double least : {own * (1.0 - 1e-9), 0.1, 0.0}) CHECK(larger(least) == own);
}

void test_mass_at_infinity() {
    LossPmf pmf = pessimistic_pmf(GaussianLaw({10.0, 1.0}, Direction::remove), 1e-2, 1e-30);
    const double without = epsilon_of(pmf, 100, 1e-5);
    pmf.infinity_mass = 5e-8;
    CHECK(epsilon_of(pmf, 100, 1e-5) > without);
    CHECK(epsilon_of(pmf, 100, 4e-6) == k_infinity);
}

// Adding a record to two releases: so small a delta is reached next to the greatest loss, where no tilt has a saddle.
// Seconds went by here, and then an error.
void test_close_to_the_greatest_loss() {
    const LossPmf pmf = pessimistic_pmf(GaussianLaw({1.0, 0.5}, Direction::add), 2e-2, 1e-30);
    const double greatest = 2.0 * std::log(2.0);
    const std::array known{std::pair{1e-2, 0.9012}, std::pair{1e-6, 1.2948}, std::pair{1e-12, 1.3684},
                           std::pair{1e-300, 1.3862}};
    for (const auto& [delta, exact] : known) {
        const double found = epsilon_of(pmf, 2, delta);
        CHECK(found >= exact && found <= greatest + 4e-2 + 1e-9);
    }
}

double delta_of(const LossPmf& pmf, double epsilon) {
    double total = pmf.infinity_mass;
    for (std::size_t i = 0; i < pmf.masses.size(); ++i) {
        const double loss = pmf.step * static_cast<double>(pmf.first + static_cast<std::int64_t>(i));
        if (loss > epsilon) total -= pmf.masses[i] * std::expm1(epsilon - loss);
    }
    return total;
}

// The points of a Gaussian profile, one of them (a slack bound) far above the curve: the law is above the curve, goes
// through the other points, and through the chord where the slack one was.
void test_connected_points_dominate() {
    const double step = 0.05;
    std::vector<double> points;
    for (int i = -80; i <= 120; ++i) points.push_back(gaussian_log_delta_bounds(step * i, 0.7).upper);
    points[100] += 0.1;
    const LossPmf pmf = connected_pmf(step, -80, points);
    double sum = pmf.infinity_mass;
    for (const double mass : pmf.masses) {
        CHECK(mass >= 0.0);
        sum += mass;
    }
    CHECK_CLOSE(sum, 1.0, 1e-12);
    for (double epsilon = -3.9; epsilon < 5.9; epsilon += 0.0137) {
        const double truth = std::exp(gaussian_log_delta_bounds(epsilon, 0.7).lower);
        CHECK(delta_of(pmf, epsilon) >= truth);
        CHECK(delta_of(pmf, epsilon) <= truth * (1.0 + 0.05) + 1e-12);
    }
    CHECK_CLOSE(delta_of(pmf, step * 10), std::exp(points[90]), 1e-12);
    CHECK(delta_of(pmf, step * 20) < 0.95 * std::exp(points[100]));
    CHECK_THROWS(connected_pmf(step, 0, std::vector<double>{}), std::invalid_argument);
    CHECK_THROWS(connected_pmf(step, 0, std::vector<double>{0.5}), std::invalid_argument);
}

}  // namespace

int main() {
    test_connected_points_dominate();
    test_mass_is_kept();
    test_composition_is_above_the_truth_and_close();
    test_the_larger_of_two_directions();
    test_mass_at_infinity();
    test_close_to_the_greatest_loss();
    return hockeystick_test::failures();
}
