// SPDX-License-Identifier: Apache-2.0
// Atoms on a lattice are the law itself; off it, either side of it; the step that puts the atoms of several laws on
// one.
#include "hockeystick/atom_dots.hpp"

#include <cmath>
#include <vector>

#include "check.hpp"
#include "hockey_stick.hpp"
#include "hockeystick/alignment.hpp"
#include "hockeystick/atoms_law.hpp"
#include "hockeystick/laplace_law.hpp"

namespace {

using namespace hockeystick;
using hockeystick_test::hockey_stick;
using hockeystick_test::p_mass;

LawHandle two_points(double loss) {
    const double up = -std::log1p(std::exp(-loss));
    return atoms_law({{loss, -loss}, {up, up - loss}, {0.0, 0.0}, {0.0, 0.0}, 0.0, 0.0});
}

double exact_delta(const LossLaw& law, double epsilon) { return std::exp(law.log_delta_bounds(epsilon).upper); }

void test_on_the_lattice_both_sides_are_the_law() {
    const LawHandle law = two_points(0.5);
    for (const double theta : {0.0, 7.0}) {
        const DotsPair dots = split_atoms(*law, {theta, 1.0, 0.0, 1e-18, 0.5});
        CHECK(dots.pessimistic.index == dots.optimistic.index);
        CHECK(dots.pessimistic.index.size() == 2 && dots.pessimistic.index[1] == 0);
        CHECK(dots.pessimistic.offset.lower <= 0.5 && 0.5 <= dots.pessimistic.offset.upper);
        CHECK(dots.pessimistic.offset.upper - dots.pessimistic.offset.lower < 1e-15);
        CHECK_CLOSE(hockey_stick(dots.pessimistic, theta, 1.0, 0.1 - 0.5), exact_delta(*law, 0.1), 1e-13);
        CHECK_CLOSE(hockey_stick(dots.optimistic, theta, 1.0, 0.1 - 0.5), exact_delta(*law, 0.1), 1e-13);
    }
}

void test_off_the_lattice_either_side() {
    const LawHandle law = two_points(0.503);
    for (const double theta : {0.0, 3.0}) {
        for (const double step : {0.1, 0.007}) {
            const DotsPair dots = split_atoms(*law, {theta, step, 0.0, 1e-18});
            CHECK_CLOSE(p_mass(dots.pessimistic, theta, step), 1.0, 1e-13);
            for (double epsilon = 0.0; epsilon < 0.6; epsilon += 0.013) {
                const double exact = exact_delta(*law, epsilon);
                CHECK(hockey_stick(dots.pessimistic, theta, step, epsilon) >= exact - 1e-14);
                CHECK(hockey_stick(dots.optimistic, theta, step, epsilon) <= exact + 1e-14);
                CHECK(hockey_stick(dots.pessimistic, theta, step, epsilon) <= exact + 0.5 * step);
                CHECK(hockey_stick(dots.optimistic, theta, step, epsilon) >= exact - 2.0 * step);
            }
        }
    }
}

void test_common_step() {
    const std::vector<LawTerm> one{{two_points(0.3), 5}};
    CHECK_CLOSE(common_step(one), 0.6, 1e-12);
    const std::vector<LawTerm> two{{two_points(0.3), 5}, {two_points(0.45), 2}};  // 0.6 and 0.9
    CHECK_CLOSE(common_step(two), 0.3, 1e-12);
    const std::vector<LawTerm> none{{two_points(0.3), 5}, {two_points(0.3 * std::sqrt(2.0)), 2}};
    CHECK(common_step(none) == 0.0);
    const std::vector<LawTerm> dense{{two_points(0.3), 5}, {laplace_law(2.0), 1}};
    CHECK(common_step(dense) == 0.0);
}

void test_aligned_step() {
    const std::vector<LawTerm> one{{laplace_law(2.0), 5}};
    const double step = aligned_step(one, 0.013);
    CHECK(step <= 0.013 && step > 0.0065);
    CHECK(std::fabs(std::remainder(1.0, step)) < 1e-12);
    CHECK(std::fabs(std::remainder(0.5 - aligned_offset(*one[0].law, step), step)) < 1e-12);
    const std::vector<LawTerm> two{{two_points(0.5), 5}, {two_points(0.5 * std::sqrt(2.0)), 5}};
    const double shared = aligned_step(two, 1e-3);
    CHECK(shared <= 1e-3 && shared > 4e-4);
    CHECK(std::fabs(std::remainder(std::sqrt(2.0), shared)) < 0.02 * shared);
}

}  // namespace

int main() {
    test_on_the_lattice_both_sides_are_the_law();
    test_off_the_lattice_either_side();
    test_common_step();
    test_aligned_step();
    return hockeystick_test::failures();
}
