// SPDX-License-Identifier: Apache-2.0
// A law without its far outcomes: dots with what is taken out at infinity stay above the truth, and need that; those
// below stay below.
#include "hockeystick/capped_law.hpp"

#include <cmath>
#include <vector>

#include "check.hpp"
#include "hockey_stick.hpp"
#include "hockeystick/dots.hpp"
#include "hockeystick/gaussian.hpp"
#include "hockeystick/gaussian_law.hpp"
#include "hockeystick/laplace_law.hpp"

namespace {

using namespace hockeystick;
using hockeystick_test::hockey_stick;

void test_either_side_of_the_truth() {
    const SubsampledGaussian release{1.0, 0.01};
    const CappedLaw law(std::make_shared<GaussianLaw>(release, Direction::remove), 0.05);
    const double beyond = law.infinity_mass().upper;
    CHECK(law.infinity_mass().lower == 0.0 && beyond > 1e-3);
    bool needed = false;
    for (const double theta : {0.0, 20.0}) {
        const DotsPair dots = connect_the_dots(law, {theta, 1e-3, 0.0, 1e-18});
        CHECK(dots.pessimistic.truncated == 0.0);
        for (double epsilon = 0.0; epsilon < 0.06; epsilon += 0.0017) {
            const Interval exact = subsampled_log_delta_bounds(epsilon, release, Direction::remove);
            const double upper = hockey_stick(dots.pessimistic, theta, 1e-3, epsilon);
            CHECK(upper + beyond >= std::exp(exact.lower) * (1.0 - 1e-12));
            CHECK(hockey_stick(dots.optimistic, theta, 1e-3, epsilon) <= std::exp(exact.upper) * (1.0 + 1e-12));
            needed = needed || upper < std::exp(exact.lower);
        }
    }
    CHECK(needed);
}

void test_only_far_outcomes_are_taken_out() {
    const std::vector<LawTerm> terms{
        {std::make_shared<GaussianLaw>(SubsampledGaussian{1.0, 0.001}, Direction::remove), 10}, {laplace_law(2.0), 3}};
    const std::vector<LawTerm> kept = capped(terms, std::log(1e-9));
    CHECK(kept[0].law->greatest_loss() < k_infinity && kept[0].law->infinity_mass().upper <= 1e-9 / 13.0 * 1.01);
    CHECK(kept[1].law == terms[1].law);  // its greatest loss is an atom
}

}  // namespace

int main() {
    test_either_side_of_the_truth();
    test_only_far_outcomes_are_taken_out();
    return hockeystick_test::failures();
}
