// SPDX-License-Identifier: Apache-2.0
// Tails against direct sums of the densities, the mirror between directions, and the bound on tilted tails.
#include "hockeystick/gaussian_law.hpp"

#include <cmath>
#include <initializer_list>

#include "check.hpp"

namespace {

using namespace hockeystick;

double remove_loss(const SubsampledGaussian& law, double x) {
    const double s = law.noise_multiplier;
    return std::log1p(law.sampling_rate * std::expm1((2.0 * x - 1.0) / (2.0 * s * s)));
}

// E_P[e^{theta L}; L > loss] by the midpoint rule, from the definition.
double tilted_mass_above(const SubsampledGaussian& law, Direction direction, double loss, double theta) {
    const double s = law.noise_multiplier, step = s / 4000.0;
    double sum = 0.0;
    for (double x = -14.0 * s - theta + 0.5 * step; x < 2.0 + theta + 14.0 * s; x += step) {
        const double density = std::exp(-0.5 * x * x / (s * s)) / (s * std::sqrt(2.0 * std::acos(-1.0)));
        const double remove = remove_loss(law, x);
        const double l = direction == Direction::remove ? remove : -remove;
        const double p = direction == Direction::remove ? density * std::exp(remove) : density;
        if (l > loss) sum += step * p * std::exp(theta * l);
    }
    return sum;
}

void test_tails_against_direct_sums() {
    for (const SubsampledGaussian law : {SubsampledGaussian{1.0, 0.1}, {0.7, 0.01}, {2.0, 1.0}}) {
        for (const Direction direction : {Direction::remove, Direction::add}) {
            for (const double loss : {-0.02, 0.0, 0.05, 0.1}) {
                const TailMasses tails = GaussianLaw(law, direction).tails(loss);
                CHECK_CLOSE(tails.p_below + tails.p_above, 1.0, 1e-15);
                CHECK_CLOSE(tails.q_below + tails.q_above, 1.0, 1e-15);
                const double p = tilted_mass_above(law, direction, loss, 0.0);
                CHECK(std::fabs(tails.p_above - p) < 2e-4);
                CHECK(std::fabs(tails.q_above - tilted_mass_above(law, direction, loss, -1.0)) < 2e-4);
            }
        }
    }
}

void test_directions_mirror() {
    const SubsampledGaussian law{0.8, 0.03};
    const TailMasses remove = GaussianLaw(law, Direction::remove).tails(0.2);
    const TailMasses add = GaussianLaw(law, Direction::add).tails(-0.2);
    CHECK(remove.p_above == add.q_below && remove.q_above == add.p_below);
}

void test_support_ends() {
    const SubsampledGaussian law{1.0, 0.01};
    CHECK_CLOSE(GaussianLaw(law, Direction::remove).least_loss(), std::log1p(-0.01), 1e-15);
    CHECK_CLOSE(GaussianLaw(law, Direction::add).greatest_loss(), -std::log1p(-0.01), 1e-15);
    CHECK(GaussianLaw(law, Direction::remove).tails(-0.011).p_below == 0.0);
    CHECK(GaussianLaw(law, Direction::add).tails(0.011).p_above == 0.0);
    CHECK(GaussianLaw(law, Direction::remove).greatest_loss() == k_infinity &&
          GaussianLaw(law, Direction::add).least_loss() == -k_infinity);
}

// A far tail keeps its relative accuracy: at rate 1 and sigma 1, P(L > 30.5) = Phi(-30).
void test_relative_accuracy_far_out() {
    CHECK_CLOSE(GaussianLaw({1.0, 1.0}, Direction::remove).tails(30.5).p_above, 4.906713927148187059531e-198, 1e-12);
}

void test_tilted_bound_is_a_bound_and_close() {
    for (const SubsampledGaussian law : {SubsampledGaussian{1.0, 0.1}, {2.0, 1.0}}) {
        for (const Direction direction : {Direction::remove, Direction::add}) {
            for (const double theta : {0.5, 3.0}) {
                for (const double loss : {0.05, 0.09, 1.0, 3.0}) {
                    const double exact = tilted_mass_above(law, direction, loss, theta);
                    const double bound = GaussianLaw(law, direction).log_tilted_mass_above_upper(loss, theta);
                    if (exact == 0.0) continue;
                    CHECK(bound >= std::log(exact) - 1e-3);
                    CHECK(bound <= std::log(exact) + 12.0);
                }
            }
        }
    }
    CHECK(GaussianLaw({1.0, 0.1}, Direction::add).log_tilted_mass_above_upper(0.2, 3.0) == -k_infinity);
}

void test_probability_cap() {
    const SubsampledGaussian law{2.0, 0.001};
    for (const double log_probability : {-5.0, -40.0, -500.0}) {
        const double cap = probability_cap(GaussianLaw(law, Direction::remove), log_probability);
        CHECK(GaussianLaw(law, Direction::remove).tails(cap).p_above <= std::exp(log_probability));
        CHECK(GaussianLaw(law, Direction::remove).tails(0.95 * cap).p_above > std::exp(log_probability));
    }
    CHECK(probability_cap(GaussianLaw(law, Direction::remove), -1000.0) == k_infinity);
}

}  // namespace

int main() {
    test_probability_cap();
    test_tails_against_direct_sums();
    test_directions_mirror();
    test_support_ends();
    test_relative_accuracy_far_out();
    test_tilted_bound_is_a_bound_and_close();
    return hockeystick_test::failures();
}
