// SPDX-License-Identifier: Apache-2.0
// Profiles of tabulated losses: randomized response exactly, sums in plain arithmetic, the larger of two directions,
// noise at the low end that must not be read, and what delta near 1 needs.
#include "hockeystick/tabulated.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "hockeystick/gdp.hpp"
#include "hockeystick/special.hpp"

namespace {

using namespace hockeystick;

struct Law {
    std::vector<double> losses, masses;
    double infinity_mass;
    TabulatedLaw view() const { return {losses, masses, infinity_mass}; }
};

ProfileTable profile_of(const std::vector<Law>& laws) {
    std::vector<TabulatedLaw> views;
    for (const Law& law : laws) views.push_back(law.view());
    return tabulated_profile(views);
}

double plain_delta(const Law& law, double epsilon) {
    double delta = law.infinity_mass;
    for (std::size_t i = 0; i < law.losses.size(); ++i) {
        if (law.losses[i] > epsilon) delta += -std::expm1(epsilon - law.losses[i]) * law.masses[i];
    }
    return delta;
}

void test_response() {
    const double e = 1.0, high = 1.0 / (1.0 + std::exp(-e));
    const Law law{{-e, e}, {1.0 - high, high}, 0.0};
    const ProfileTable table = profile_of({law});
    CHECK(table.between == Between::linear);
    CHECK(table.epsilon.size() == 2 && table.epsilon[1] == e);
    CHECK_CLOSE(std::exp(table.log_delta_upper[0]), std::tanh(0.5 * e), 1e-13);
    CHECK(table.log_delta_lower[0] <= std::log(std::tanh(0.5 * e)));
    CHECK(table.log_delta_upper[1] == -k_infinity);  // a pure epsilon stays one
    const MuFit fit = fit_mu_literal(lower_envelope(table.points()), Solver::closed_form);
    CHECK_CLOSE(fit.mu, 1.2320353853, 1e-9);
}

void test_against_plain_sums() {
    Law first{{}, {}, 1e-7}, second{{}, {}, 0.0};
    for (int i = -40; i <= 60; ++i) {
        first.losses.push_back(0.1 * i);
        first.masses.push_back(std::exp(-0.02 * (i - 5) * (i - 5)) / 12.6);
        second.losses.push_back(0.1 * i + 0.03);
        second.masses.push_back(std::exp(-0.01 * (i + 3) * (i + 3)) / 17.8);
    }
    const ProfileTable table = profile_of({first, second});
    CHECK(table.between == Between::convex);
    for (std::size_t j = 0; j < table.epsilon.size(); ++j) {
        const double plain = std::max(plain_delta(first, table.epsilon[j]), plain_delta(second, table.epsilon[j]));
        CHECK(std::exp(table.log_delta_upper[j]) >= plain * (1.0 - 1e-14));
        CHECK(std::exp(table.log_delta_lower[j]) <= plain * (1.0 + 1e-14));
        CHECK_CLOSE(std::exp(table.log_delta_upper[j]), plain, 1e-11);
    }
}

// A transform leaves 1e-18 where there should be nothing: at a loss of -60 it stands for a Q mass of 1e8.
void test_noise_below_is_not_read() {
    Law clean{{-1.0, 1.0}, {0.3, 0.7}, 0.0}, noisy{{-60.0, -1.0, 1.0}, {1e-18, 0.3, 0.7}, 0.0};
    const ProfileTable a = profile_of({clean}), b = profile_of({noisy});
    for (std::size_t j = 0; j < a.epsilon.size(); ++j) {
        CHECK(a.epsilon[j] == b.epsilon[j]);
        CHECK(a.log_delta_upper[j] == b.log_delta_upper[j] ||
              std::abs(a.log_delta_upper[j] - b.log_delta_upper[j]) < 1e-13);
    }
}

// Losses so large that delta(0) is 1 in doubles: its complement holds the digits, and mu comes out of them.
void test_complement() {
    const double e = 200.0, low = 1.0 / (1.0 + std::exp(e));
    const ProfileTable table = profile_of({Law{{-e, e}, {low, 1.0}, 0.0}});
    CHECK(table.log_delta_upper[0] == 0.0);
    CHECK_CLOSE(table.log_complement_lower[0], std::log(2.0) - e, 1e-12);
    const MuFit fit = fit_mu_literal(lower_envelope(table.points()), Solver::closed_form);
    const double closed = -2.0 * normal_quantile_of_log(-e);  // 1 / (1 + e^200) is e^{-200} to all digits
    CHECK_CLOSE(fit.mu, closed, 1e-12);
    CHECK(fit.mu >= closed * (1.0 - 1e-15));
}

// A table whose truncation added mass below: the complement must not count it, or f comes out above the truth.
void test_mass_added_below() {
    const ProfileTable clean = profile_of({Law{{-1.0, 1.0}, {0.3, 0.7}, 0.0}});
    const ProfileTable heavy = profile_of({Law{{-5.0, -1.0, 1.0}, {5e-8, 0.3, 0.7}, 0.0}});
    CHECK(heavy.log_complement_lower[0] <= clean.log_complement_lower[0]);
    CHECK(std::abs(heavy.log_complement_lower[0] - clean.log_complement_lower[0]) < 1e-12);
    CHECK(heavy.log_delta_upper[0] >= clean.log_delta_upper[0] - 1e-13);
}

void test_refusals() {
    CHECK_THROWS(profile_of({}), std::invalid_argument);
    CHECK_THROWS(profile_of({Law{{1.0, 0.0}, {0.5, 0.5}, 0.0}}), std::invalid_argument);
    CHECK_THROWS(profile_of({Law{{0.0, 1.0}, {0.5}, 0.0}}), std::invalid_argument);
    CHECK_THROWS(profile_of({Law{{0.0, 1.0}, {0.5, -0.1}, 0.0}}), std::invalid_argument);
    CHECK_THROWS(profile_of({Law{{0.0, 1.0}, {0.8, 0.8}, 0.0}}), std::invalid_argument);
    CHECK_THROWS(profile_of({Law{{0.0}, {0.5}, 1.5}}), std::invalid_argument);
    CHECK_THROWS(profile_of({Law{{0.0}, {std::nan("")}, 0.0}}), std::invalid_argument);
}

}  // namespace

int main() {
    test_response();
    test_against_plain_sums();
    test_noise_below_is_not_read();
    test_complement();
    test_mass_added_below();
    test_refusals();
    return hockeystick_test::failures();
}
