// SPDX-License-Identifier: Apache-2.0
// Dots on either side of the closed form at every epsilon, mass kept, second order in the step; the atom split.
#include "hockeystick/dots.hpp"

#include <cmath>
#include <vector>

#include "check.hpp"
#include "finish_atoms.hpp"
#include "hockey_stick.hpp"
#include "hockeystick/atoms_law.hpp"
#include "hockeystick/combined_law.hpp"
#include "hockeystick/error.hpp"
#include "hockeystick/gaussian.hpp"
#include "hockeystick/gaussian_law.hpp"
#include "hockeystick/laplace_law.hpp"
#include "hockeystick/lattice.hpp"

namespace {

using namespace hockeystick;
using hockeystick_test::hockey_stick;
using hockeystick_test::p_mass;
using hockeystick_test::q_mass;

double exact_delta(double epsilon, const SubsampledGaussian& law, Direction direction, bool upper) {
    const Interval log_delta = subsampled_log_delta_bounds(epsilon, law, direction);
    return std::exp(upper ? log_delta.upper : log_delta.lower);
}

void check_bracket(const SubsampledGaussian& law, Direction direction, double step, double theta) {
    const DotsPair dots = connect_the_dots(GaussianLaw(law, direction), {theta, step, 0.0, 1e-18});
    for (double epsilon = -1.0; epsilon < 2.0; epsilon += 0.017) {
        const double low = exact_delta(epsilon, law, direction, false);
        const double high = exact_delta(epsilon, law, direction, true);
        const double rounding = 1e-13 * high;
        CHECK(hockey_stick(dots.pessimistic, theta, step, epsilon) >= low - rounding - 1e-17);
        CHECK(hockey_stick(dots.optimistic, theta, step, epsilon) <= high + rounding);
    }
    CHECK_CLOSE(p_mass(dots.pessimistic, theta, step), 1.0, 1e-11);
    // Q mass far below the lattice is raised to its first atom, with the little P mass there; none is made.
    const double q = q_mass(dots.pessimistic, theta, step);
    CHECK(q <= 1.0 + 1e-11 && q >= (direction == Direction::remove ? 1.0 - 1e-9 : 0.999));
}

void test_either_side_of_the_truth() {
    for (const SubsampledGaussian law : {SubsampledGaussian{1.0, 0.1}, {0.7, 0.01}, {2.0, 1.0}, {0.4, 0.05}}) {
        for (const Direction direction : {Direction::remove, Direction::add}) {
            for (const double step : {0.1, 0.003}) {
                check_bracket(law, direction, step, 0.0);
                check_bracket(law, direction, step, 4.0);
            }
        }
    }
}

// The tails of a Gaussian release, off by most of the error that they state: one way for P, the other for Q.
class InexactLaw final : public LossLaw {
public:
    InexactLaw(const SubsampledGaussian& release, double error, double share)
        : law_(release, Direction::remove), error_(error), share_(share) {}

    TailMasses tails(double loss) const override {
        TailMasses tails = law_.tails(loss);
        tails.p_below *= 1.0 + share_ * error_;
        tails.p_above *= 1.0 + share_ * error_;
        tails.q_below *= 1.0 - share_ * error_;
        tails.q_above *= 1.0 - share_ * error_;
        tails.relative_error += error_;
        return tails;
    }
    double least_loss() const override { return law_.least_loss(); }
    double greatest_loss() const override { return law_.greatest_loss(); }
    double log_tilted_mass_above_upper(double loss, double theta) const override {
        return law_.log_tilted_mass_above_upper(loss, theta);
    }
    double log_tilted_mass_below_upper(double loss, double theta) const override {
        return law_.log_tilted_mass_below_upper(loss, theta);
    }

private:
    GaussianLaw law_;
    double error_;
    double share_;
};

// P too small and Q too large would lower the pessimistic law, the other way round raise the optimistic one, were the
// masses and the up-shares not rounded by the error of the tails.
void test_errors_of_the_tails_are_rounded_outward() {
    const SubsampledGaussian release{1.0, 0.1};
    const double error = 1e-5;
    for (const double theta : {0.0, 4.0}) {
        const DotsRequest request{theta, 0.01, 0.0, 1e-18};
        const DotsPair few = connect_the_dots(InexactLaw(release, error, -0.9), request);
        const DotsPair many = connect_the_dots(InexactLaw(release, error, 0.9), request);
        CHECK(p_mass(few.pessimistic, theta, request.step) >= 1.0 - 1e-11);
        CHECK(p_mass(many.optimistic, theta, request.step) <= 1.0 + 1e-11);
        for (double epsilon = -1.0; epsilon < 2.0; epsilon += 0.01) {
            const double low = exact_delta(epsilon, release, Direction::remove, false);
            const double high = exact_delta(epsilon, release, Direction::remove, true);
            CHECK(hockey_stick(few.pessimistic, theta, request.step, epsilon) >= low * (1.0 - 1e-12));
            CHECK(hockey_stick(many.optimistic, theta, request.step, epsilon) <= high * (1.0 + 1e-12));
        }
    }
}

// log E_P[e^{theta L}] from either side: the gap falls with the square of the step, whichever end of the support is
// hard.
void test_second_order() {
    for (const Direction direction : {Direction::remove, Direction::add}) {
        const SubsampledGaussian law{1.0, 0.01};
        const auto gap = [&](double step) {
            const DotsPair dots = connect_the_dots(GaussianLaw(law, direction), {6.0, step, 0.0, 1e-18});
            return dots.pessimistic.log_mass - dots.optimistic.log_mass;
        };
        const double coarse = gap(4e-4), fine = gap(1e-4);
        CHECK(fine > 0.0);
        CHECK(coarse / fine > 13.0 && coarse / fine < 19.0);
        // theta (theta + 1) / 2 times h^2 (1/6 + 1/12), and a few percent for the grading.
        CHECK_CLOSE(fine, 21.0 * 1e-8 * 0.25, 0.15);
    }
}

void test_lattice_is_graded_and_aligned() {
    const Lattice lattice = build_lattice(GaussianLaw({1.0, 0.01}, Direction::remove), {6.0, 1e-4, 0.0, 1e-14});
    CHECK(lattice.knots.size() < 6000);
    CHECK(lattice.truncated <= 1e-14);
    for (std::size_t i = 1; i < lattice.knots.size(); ++i) {
        const std::int64_t width = lattice.knots[i] - lattice.knots[i - 1];
        CHECK(width > 0 && (width & (width - 1)) == 0 && lattice.knots[i] % width == 0);
    }
}

// What is cut off above is in the ledger, not lost: the bound covers the tail that is missing.
void test_truncation_is_counted() {
    const SubsampledGaussian law{1.0, 1.0};
    const DotsPair dots = connect_the_dots(GaussianLaw(law, Direction::remove), {0.0, 0.01, 0.0, 1e-3});
    const double missing = 1.0 - p_mass(dots.pessimistic, 0.0, 0.01);
    CHECK(missing > 1e-6);
    CHECK(dots.pessimistic.truncated >= missing && dots.pessimistic.truncated < 1.1e-3);
}

TiltedAtoms as_atoms(const std::vector<double>& weights, std::int64_t first) {
    TiltedAtoms atoms;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        atoms.index.push_back(first + static_cast<std::int64_t>(i));
        atoms.weight.push_back(weights[i]);
    }
    return atoms;
}

void test_atom_split() {
    const std::vector<double> one{1.0};
    const TiltedAtoms split = coarsen_pessimistic(one, 3, 0.0, 0.5, 4);  // loss 1.5 between 0 and 2
    const double up = std::expm1(-1.5) / std::expm1(-2.0);
    CHECK(split.index.size() == 2 && split.index[0] == 0 && split.index[1] == 1);
    CHECK_CLOSE(split.weight[1], up, 1e-15);
    CHECK_CLOSE(split.weight[0], 1.0 - up, 1e-14);
}

void test_coarsening_either_side() {
    std::vector<double> weights;
    double sum = 0.0;
    for (int i = 0; i < 400; ++i) {
        weights.push_back(std::exp(-0.5 * std::pow((i - 180) / 40.0, 2)) * (1.0 + 0.5 * std::sin(i)));
        sum += weights.back();
    }
    for (double& weight : weights) weight /= sum;
    const double theta = 2.0, step = 0.01;
    for (const std::int64_t factor : {2, 5, 8}) {
        const TiltedAtoms fine = as_atoms(weights, -150);
        const TiltedAtoms above = coarsen_pessimistic(weights, -150, theta, step, factor);
        const TiltedAtoms below = coarsen_optimistic(weights, -150, theta, step, factor);
        const double coarse = step * static_cast<double>(factor);
        for (double epsilon = -2.0; epsilon < 2.5; epsilon += 0.0137) {
            const double exact = hockey_stick(fine, theta, step, epsilon);
            CHECK(hockey_stick(above, theta, coarse, epsilon) >= exact * (1.0 - 1e-13));
            CHECK(hockey_stick(below, theta, coarse, epsilon) <= exact * (1.0 + 1e-13));
        }
        CHECK_CLOSE(p_mass(above, theta, coarse), p_mass(fine, theta, step), 1e-13);
        CHECK_CLOSE(q_mass(above, theta, coarse), q_mass(fine, theta, step), 1e-13);
        CHECK(above.log_mass > 0.0 && above.log_mass < 4.0 * coarse * coarse);
        CHECK(below.log_mass < 0.0 && below.log_mass > -4.0 * coarse * coarse);
    }
}

// Relative to nothing, what was left out cannot be stated.
void test_a_tilt_that_leaves_nothing() {
    CHECK_THROWS(detail::finish({0, 1}, {0.0, 0.0}, 1.0, 0.1, 0.0, 1e-3), accuracy_error);
    CHECK(detail::finish({0, 1}, {0.0, 0.0}, 1.0, 0.1, 0.0, 0.0).weight.empty());
}

// Losses that are known to 0.1 among others: all of the lattice may be off by that.
void test_losses_in_doubt() {
    const auto doubtful =
        atoms_law({{std::log(0.5), std::log(1.5)}, {std::log(0.25), std::log(0.75)}, {0.0, 0.0}, {0.0, 0.0}, 0.0, 0.1});
    const auto law = mixture_law({doubtful, laplace_law(1.0)}, {0.5, 0.5});
    CHECK(law->loss_error() >= 0.1);
    const DotsPair dots = connect_the_dots(*law, {1.0, 0.01, 0.0, 1e-12});
    for (const TiltedAtoms* atoms : {&dots.pessimistic, &dots.optimistic}) {
        CHECK(atoms->offset.upper - atoms->offset.lower >= 0.2 * (1.0 - 1e-12));
    }
}

}  // namespace

// Losses up to a million on steps of 1e-301: refused, where doubling an index would never come to an end.
void test_lattice_beyond_all_indices() {
    const SubsampledGaussian law{1e-3, 1e-12};
    CHECK_THROWS(connect_the_dots(GaussianLaw(law, Direction::remove), {1e-3, 1e-301, 0.0, 1e-9}), accuracy_error);
}

int main() {
    test_errors_of_the_tails_are_rounded_outward();
    test_either_side_of_the_truth();
    test_second_order();
    test_lattice_is_graded_and_aligned();
    test_truncation_is_counted();
    test_atom_split();
    test_coarsening_either_side();
    test_lattice_beyond_all_indices();
    test_a_tilt_that_leaves_nothing();
    test_losses_in_doubt();
    return hockeystick_test::failures();
}
