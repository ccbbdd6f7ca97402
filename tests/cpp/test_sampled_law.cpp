// SPDX-License-Identifier: Apache-2.0
// Laws made of laws against the ones they must equal: sampling, merging, reversal, mixtures and maxima.
#include "hockeystick/sampled_law.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "check.hpp"
#include "hockeystick/atoms_law.hpp"
#include "hockeystick/bounded_range_law.hpp"
#include "hockeystick/combined_law.hpp"
#include "hockeystick/gaussian.hpp"
#include "hockeystick/gaussian_law.hpp"
#include "hockeystick/gaussian_mixture_law.hpp"
#include "hockeystick/laplace_law.hpp"

namespace {

using namespace hockeystick;

LawHandle plain(double noise) {
    return std::make_shared<GaussianLaw>(SubsampledGaussian{noise, 1.0}, Direction::remove);
}

double delta(const LossLaw& law, double epsilon) { return std::exp(law.log_delta_bounds(epsilon).upper); }

// A law that is no GaussianLaw, so that the general path is taken.
LawHandle disguised(double noise) { return mixture_law({plain(noise), plain(noise)}, {0.5, 0.5}); }

void test_poisson_of_any_base_is_that_of_the_gaussian() {
    const LawHandle general = poisson_law(disguised(0.9), 0.07);
    const GaussianLaw known({0.9, 0.07}, Direction::remove);
    for (const double loss : {-0.08, -0.07, -0.01, 0.0, 0.3, 2.0}) {
        const TailMasses a = general->tails(loss), b = known.tails(loss);
        CHECK_CLOSE(a.p_above, b.p_above, 1e-12);
        CHECK_CLOSE(a.q_above, b.q_above, 1e-12);
        if (b.p_below > 0.0) CHECK_CLOSE(a.p_below, b.p_below, 1e-9);
    }
    const LawHandle add = reversed_law(general);
    CHECK_CLOSE(delta(*add, 0.02), delta(GaussianLaw({0.9, 0.07}, Direction::add), 0.02), 1e-12);
    CHECK(reversed_law(add) == general);
}

// Theory: the merged profile is remove's for epsilon >= 0 and the reversal of that below.
void test_merged_is_symmetric() {
    for (const LawHandle& base : {disguised(1.0), laplace_law(1.0)}) {
        const LawHandle remove = poisson_law(base, 0.3), merged = merged_law(remove);
        for (const double epsilon : {0.0, 0.01, 0.2, 1.0}) {
            CHECK_CLOSE(delta(*merged, epsilon) + 1e-300, delta(*remove, epsilon) + 1e-300, 1e-12);
            CHECK_CLOSE(delta(*reversed_law(merged), epsilon) + 1e-300, delta(*remove, epsilon) + 1e-300, 1e-11);
        }
        const TailMasses below = merged->tails(-1e-12), at = merged->tails(0.0);
        CHECK(at.p_below - below.p_below > 1e-3);  // the atom at 0
        CHECK_CLOSE(at.p_below + at.p_above, 1.0, 1e-15);
        CHECK_CLOSE(at.q_below + at.q_above, 1.0, 1e-15);
    }
}

void test_mixture_and_maximum() {
    const LawHandle a = laplace_law(1.0), b = plain(1.5), mixture = mixture_law({a, b}, {0.25, 0.75});
    const LawHandle larger = maximum_law({a, b});
    for (double epsilon = 0.0; epsilon < 3.0; epsilon += 0.07) {
        CHECK_CLOSE(delta(*mixture, epsilon), 0.25 * delta(*a, epsilon) + 0.75 * delta(*b, epsilon), 1e-12);
        CHECK_CLOSE(delta(*larger, epsilon), std::max(delta(*a, epsilon), delta(*b, epsilon)), 1e-12);
        CHECK_CLOSE(delta(*reversed_law(larger), epsilon), std::max(delta(*a, epsilon), delta(*b, epsilon)), 1e-9);
    }
}

// Choice among releases one of which tells all: the mass at infinity of a maximum is the largest, of a mixture the
// mean.
void test_mass_at_infinity() {
    const LawHandle leak = atoms_law({{0.0}, {std::log(0.9)}, {0.1, 0.1}, {0.1, 0.1}, 0.0, 0.0});
    const LawHandle b = plain(1.0);
    CHECK_CLOSE(mixture_law({leak, b}, {0.5, 0.5})->infinity_mass().upper, 0.05, 1e-15);
    const LawHandle larger = maximum_law({leak, b});
    CHECK_CLOSE(larger->infinity_mass().upper, 0.1, 1e-15);
    for (double epsilon = 0.0; epsilon < 5.0; epsilon += 0.25) {
        CHECK_CLOSE(delta(*larger, epsilon), std::max(0.1, delta(*b, epsilon)), 1e-12);
    }
    const LawHandle sampled = poisson_law(leak, 0.3);
    CHECK_CLOSE(sampled->infinity_mass().upper, 0.03, 1e-14);
    CHECK_CLOSE(delta(*reversed_law(sampled), 0.0), 0.03, 1e-12);
}

void test_gaussian_mixture_inverse() {
    const LawHandle law = gaussian_mixture_law(1.3, {0.4, 1.0, 2.2}, {0.5, 0.3, 0.2});
    for (const double loss : {-20.0, -3.0, -1e-8, 0.0, 0.5, 8.0, 300.0}) {
        const TailMasses at = law->tails(loss);
        CHECK_CLOSE(at.p_below + at.p_above, 1.0, 1e-14);
        CHECK(at.p_above >= std::exp(loss) * at.q_above * (1.0 - 1e-12));
        // The threshold belongs to this loss: a step to either side changes which of P and e^l Q is the larger.
        const TailMasses above = law->tails(loss + 1e-6), below = law->tails(loss - 1e-6);
        const double p = below.p_above - above.p_above, q = below.q_above - above.q_above;
        if (p > 1e-9) CHECK(std::fabs(std::log(p / q) - loss) < 2e-6);
    }
}

void test_refusals() {
    CHECK_THROWS(poisson_law(plain(1.0), 0.0), std::invalid_argument);
    CHECK_THROWS(mixture_law({plain(1.0)}, {0.5, 0.5}), std::invalid_argument);
    CHECK_THROWS(atoms_law({{0.0}, {std::log(0.9)}, {0.0, 0.0}, {0.1, 0.1}, 0.0, 0.0}), std::invalid_argument);
    CHECK_THROWS(gaussian_mixture_law(1.0, {1.0}, {0.5}), std::invalid_argument);
    // Adding a record, the loss is above 0 nearly always under P and under Q: no symmetric pair has that profile.
    const auto added = std::make_shared<GaussianLaw>(SubsampledGaussian{0.1, 0.02}, Direction::add);
    CHECK_THROWS(merged_law(added), std::invalid_argument);
}

}  // namespace

int main() {
    test_poisson_of_any_base_is_that_of_the_gaussian();
    test_merged_is_symmetric();
    test_mixture_and_maximum();
    test_mass_at_infinity();
    test_gaussian_mixture_inverse();
    test_refusals();
    return hockeystick_test::failures();
}
