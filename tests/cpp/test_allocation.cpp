// SPDX-License-Identifier: Apache-2.0
// Ratio laws and their means: both sides against closed forms and direct integration, mass kept, errors in the ledger.
#include "hockeystick/allocation.hpp"

#include <cmath>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "check.hpp"
#include "hockeystick/gaussian.hpp"
#include "hockeystick/gaussian_law.hpp"
#include "hockeystick/laplace_law.hpp"

namespace {

using namespace hockeystick;

constexpr std::size_t k_cells = 800;

GaussianLaw gaussian(double noise_multiplier) { return GaussianLaw({noise_multiplier, 1.0}, Direction::remove); }
LawHandle shared(double noise_multiplier) {
    return std::make_shared<GaussianLaw>(SubsampledGaussian{noise_multiplier, 1.0}, Direction::remove);
}

// sum p (1 - e^{eps - l})_+ and the mass at infinity, from the definition, with the error of the masses outward.
double delta_of(const AtomTable& atoms, double epsilon, Dominance side) {
    double sum = 0.0;
    for (std::size_t i = 0; i < atoms.loss.size(); ++i) {
        if (atoms.loss[i] > epsilon) sum -= std::exp(atoms.log_p[i]) * std::expm1(epsilon - atoms.loss[i]);
    }
    return side == Dominance::dominating ? sum * (1.0 + atoms.relative_error) + atoms.infinity_mass.upper
                                         : sum * (1.0 - atoms.relative_error) + atoms.infinity_mass.lower;
}

double mass_of(const AtomTable& atoms) {
    double sum = atoms.infinity_mass.upper;
    for (const double log_p : atoms.log_p) sum += std::exp(log_p);
    return sum;
}

struct Sides {
    AtomTable dominating;
    AtomTable dominated;

    double upper(double epsilon) const { return delta_of(dominating, epsilon, Dominance::dominating); }
    double lower(double epsilon) const { return delta_of(dominated, epsilon, Dominance::dominated); }
};

struct Bracket {
    RatioLaw dominating;
    RatioLaw dominated;
};

Bracket one_release(const LossLaw& law, std::size_t cells = k_cells) {
    return {ratio_law(law, Dominance::dominating, cells), ratio_law(law, Dominance::dominated, cells)};
}

Bracket mean_of(const Bracket& one, std::uint64_t steps) {
    return {mean_of_ratios(one.dominating, Dominance::dominating, steps, k_cells),
            mean_of_ratios(one.dominated, Dominance::dominated, steps, k_cells)};
}

Sides sides(const Bracket& bracket, Direction direction) {
    return {loss_atoms(bracket.dominating, direction, Dominance::dominating),
            loss_atoms(bracket.dominated, direction, Dominance::dominated)};
}

double normal_cdf(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

// E (Y - k)_+ and E (k - Y)_+ of one lognormal ratio of mean 1 and log-deviation 1/s.
double call(double k, double s) {
    if (k <= 0.0) return 1.0 - k;
    const double d = -s * std::log(k) + 0.5 / s;
    return normal_cdf(d) - k * normal_cdf(d - 1.0 / s);
}
double put(double k, double s) { return k <= 0.0 ? 0.0 : call(k, s) - 1.0 + k; }

// 1 of 2 by direct integration over the first release; the trapezoid rule is exact to rounding for such integrands.
double pair_delta(double epsilon, double s, Direction direction) {
    const double e = direction == Direction::remove ? std::exp(epsilon) : std::exp(-epsilon);
    constexpr int points = 4000;
    double sum = 0.0;
    for (int i = -points; i <= points; ++i) {
        const double z = 12.0 * i / points;
        const double first = std::exp(z / s - 0.5 / (s * s));
        const double rest = 2.0 * e - first;
        sum += std::exp(-0.5 * z * z) * 0.5 * (direction == Direction::remove ? call(rest, s) : put(rest, s) / e);
    }
    return sum * 12.0 / points / std::sqrt(2.0 * 3.14159265358979323846);
}

void test_one_step_is_the_release() {
    for (const double s : {0.4, 1.0, 5.0}) {
        const Bracket one = mean_of(one_release(gaussian(s)), 1);
        for (const Direction direction : {Direction::remove, Direction::add}) {
            const Sides law = sides(one, direction);
            for (const double epsilon : {0.0, 0.1, 1.0, 4.0}) {
                const double exact = std::exp(gaussian_log_delta_estimate(epsilon, 1.0 / s));
                CHECK(law.lower(epsilon) <= exact * (1.0 + 1e-13));
                CHECK(law.upper(epsilon) >= exact * (1.0 - 1e-13));
                if (exact > 1e-12) {
                    CHECK_CLOSE(law.lower(epsilon), law.upper(epsilon), 1e-2);
                }
            }
        }
    }
}

void test_a_subsampled_release_keeps_its_support() {
    const SubsampledGaussian release{1.0, 0.1};
    const Sides law = sides(one_release(GaussianLaw(release, Direction::remove)), Direction::add);
    CHECK(law.dominating.loss.back() <= -std::log1p(-0.1) + 1e-9);
    CHECK(law.dominating.infinity_mass.upper == 0.0);
    for (const double epsilon : {0.0, 0.02, 0.08}) {
        const Interval exact = subsampled_log_delta_bounds(epsilon, release, Direction::add);
        CHECK(law.lower(epsilon) <= std::exp(exact.upper) * (1.0 + 1e-12));
        CHECK(law.upper(epsilon) >= std::exp(exact.lower) * (1.0 - 1e-12));
    }
}

void test_two_steps_against_direct_integration() {
    for (const double s : {0.5, 1.0, 3.0}) {
        const Bracket two = mean_of(one_release(gaussian(s)), 2);
        for (const Direction direction : {Direction::remove, Direction::add}) {
            const Sides law = sides(two, direction);
            for (const double epsilon : {0.0, 0.2, 1.0, 2.5}) {
                const double exact = pair_delta(epsilon, s, direction);
                if (exact < 1e-10) continue;
                CHECK(law.lower(epsilon) <= exact * (1.0 + 1e-10));
                CHECK(law.upper(epsilon) >= exact * (1.0 - 1e-10));
                CHECK_CLOSE(law.lower(epsilon), law.upper(epsilon), 1e-2);
            }
        }
    }
}

// Published figures and a simulation of 2e6 samples.
void test_known_figures() {
    const Bracket ten = mean_of(one_release(gaussian(1.0)), 10);
    const Sides remove = sides(ten, Direction::remove), add = sides(ten, Direction::add);
    CHECK_CLOSE(remove.upper(0.5), 0.0268, 5e-3);
    CHECK_CLOSE(remove.lower(0.5), 0.0268, 5e-3);
    CHECK_CLOSE(add.upper(0.5), 0.0191, 5e-3);
    CHECK_CLOSE(add.lower(0.5), 0.0191, 5e-3);
    const Sides hundred = sides(mean_of(one_release(gaussian(1.0)), 100), Direction::remove);
    CHECK(hundred.upper(0.875) <= 1e-6);
    CHECK(hundred.lower(0.843) >= 1e-6);
}

void test_mass_is_kept_and_errors_are_counted() {
    const Bracket one = one_release(gaussian(1.0));
    for (const std::uint64_t steps : {std::uint64_t{2}, std::uint64_t{13}, std::uint64_t{1000}}) {
        const Bracket mean = mean_of(one, steps);
        CHECK(mean.dominating.mass_error > one.dominating.mass_error * static_cast<double>(steps));
        CHECK(mean.dominated.mass_error < 1e-9 && mean.dominating.ratio_error < 1e-10);
        for (const Direction direction : {Direction::remove, Direction::add}) {
            const Sides law = sides(mean, direction);
            CHECK_CLOSE(mass_of(law.dominating), 1.0, 1e-9);
            CHECK_CLOSE(mass_of(law.dominated), 1.0, 1e-9);
            CHECK(law.dominating.relative_error < 1e-8 && law.dominated.relative_error < 1e-8);
        }
    }
}

// A record that is sampled beforehand too: the infinite and the impossible parts of a law go through the mean.
void test_singular_mass_is_averaged() {
    Bracket one = one_release(gaussian(1.0));
    one.dominating.singular = one.dominated.singular = 1e-3;
    const Bracket mean = mean_of(one, 7);
    CHECK_CLOSE(mean.dominating.singular, 1e-3, 1e-9);
    CHECK_CLOSE(mean.dominated.singular, 1e-3, 1e-9);
}

// Laplace has atoms at both ends and a density between; randomized response has atoms alone.
void test_laws_with_atoms() {
    const LawHandle laplace = laplace_law(1.0);
    const LawHandle points =
        atoms_law({{1.0, -1.0}, {std::log(1.0 / (1.0 + std::exp(-1.0))), -std::log1p(std::exp(1.0))}});
    for (const LawHandle& law : {laplace, points}) {
        const Sides one = sides(one_release(*law), Direction::remove);
        const Sides five = sides(mean_of(one_release(*law), 5), Direction::add);
        CHECK(five.dominating.infinity_mass.upper <= 1e-200);
        CHECK_CLOSE(mass_of(one.dominated), 1.0, 1e-9);
        CHECK_CLOSE(five.lower(0.1), five.upper(0.1), 2e-3);
        for (const double epsilon : {0.0, 0.3, 0.9}) {
            const Interval exact = law->log_delta_bounds(epsilon);
            CHECK(one.lower(epsilon) <= std::exp(exact.upper) * (1.0 + 1e-9));
            CHECK(one.upper(epsilon) >= std::exp(exact.lower) * (1.0 - 1e-9));
            CHECK_CLOSE(one.lower(epsilon), one.upper(epsilon), 1e-3);
        }
        CHECK(one.upper(1.0 + 1e-9) <= 1e-9);
    }
}

// All 2^3 outcomes of three steps of two-point releases, from the definition.
void test_atoms_against_enumeration() {
    const double p[] = {1.0 / (1.0 + std::exp(-1.0)), 1.0 / (1.0 + std::exp(1.0))};
    const double ratio[] = {std::exp(1.0), std::exp(-1.0)};
    double exact = 0.0;
    for (int outcome = 0; outcome < 8; ++outcome) {
        double q = 1.0, mean = 0.0;
        for (int i = 0; i < 3; ++i) {
            const int bit = outcome >> i & 1;
            q *= p[1 - bit];
            mean += ratio[bit] / 3.0;
        }
        exact += q * std::max(mean - std::exp(0.2), 0.0);
    }
    const LawHandle points = atoms_law({{1.0, -1.0}, {std::log(p[0]), std::log(p[1])}});
    const Sides three = sides(mean_of(one_release(*points), 3), Direction::remove);
    CHECK(three.lower(0.2) <= exact * (1.0 + 1e-12) && three.upper(0.2) >= exact * (1.0 - 1e-12));
    CHECK_CLOSE(three.lower(0.2), three.upper(0.2), 1e-3);
}

void test_without_noise_all_is_singular() {
    const LawHandle everything = atoms_law({{}, {}, {1.0, 1.0}, {1.0, 1.0}});
    for (const Direction direction : {Direction::remove, Direction::add}) {
        const Sides law = sides(mean_of(one_release(*everything), 5), direction);
        CHECK(law.lower(3.0) >= 1.0 - 1e-12 && law.upper(3.0) <= 1.0 + 1e-12);
    }
}

// Far below what truncation leaves at infinity, the release without amplification is still a bound.
void test_tiny_deltas_stay_finite() {
    const LawHandle base = shared(1.0);
    const AllocationLaws laws = allocation_laws(base, Dominance::dominating, 10, k_cells);
    for (const LawHandle& law : {laws.remove, laws.add}) {
        const double epsilon = epsilon_bounds(*law, -460.0).upper;
        CHECK(epsilon > 5.0 && epsilon <= gaussian_epsilon_bounds(-460.0, 1.0).upper * (1.0 + 1e-9));
    }
}

// Ratios that no double holds: still bounds, by the release without amplification.
void test_extreme_noise() {
    const LawHandle points = atoms_law({{1000.0, -1000.0}, {-1e-300, -1000.0}});
    for (const double s : {1e-3, 0.02, 1e6}) {
        const LawHandle base = shared(s);
        const AllocationLaws upper = allocation_laws(base, Dominance::dominating, 10, k_cells);
        const AllocationLaws lower = allocation_laws(base, Dominance::dominated, 10, k_cells);
        const double most = gaussian_epsilon_bounds(-11.5, 1.0 / s).upper * (1.0 + 1e-3);
        for (const auto& [above, below] : {std::pair(upper.remove, lower.remove), std::pair(upper.add, lower.add)}) {
            const double epsilon = epsilon_bounds(*above, -11.5).upper;
            CHECK(epsilon >= 0.0 && epsilon <= most);
            CHECK(epsilon_bounds(*below, -11.5).lower <= epsilon);
        }
        CHECK(epsilon_bounds(*subset_laws_lower(base, 10, 3, k_cells).remove, -11.5).lower <=
              gaussian_epsilon_bounds(-11.5, std::sqrt(3.0) / s).upper);
    }
    const Sides ten = sides(mean_of(one_release(*points), 10), Direction::remove);
    CHECK(ten.upper(0.0) >= 1.0 - 1e-9 && ten.lower(0.0) >= 0.0);
}

// delta of k = 2 of 3 steps, by summing the definition over a grid of outcomes of randomized response.
double subset_delta(const double (&p)[2], double epsilon, bool remove) {
    double sum = 0.0;
    for (int outcome = 0; outcome < 8; ++outcome) {
        double q = 1.0, with = 0.0;
        for (int i = 0; i < 3; ++i) q *= p[1 - (outcome >> i & 1)];
        for (int out = 0; out < 3; ++out) {
            double product = 1.0 / 3.0;
            for (int i = 0; i < 3; ++i) product *= p[i == out ? 1 - (outcome >> i & 1) : outcome >> i & 1];
            with += product;
        }
        sum += remove ? std::max(with - std::exp(epsilon) * q, 0.0) : std::max(q - std::exp(epsilon) * with, 0.0);
    }
    return sum;
}

// The number of bits set is sufficient there, so that the statistic loses nothing.
void test_subsets_against_enumeration() {
    const double p[] = {1.0 / (1.0 + std::exp(1.0)), 1.0 / (1.0 + std::exp(-1.0))};
    const LawHandle points = atoms_law({{1.0, -1.0}, {std::log(p[1]), std::log(p[0])}});
    const AllocationLaws found = subset_laws_lower(points, 3, 2, k_cells);
    for (const double epsilon : {0.0, 0.3, 1.0}) {
        for (const bool remove : {true, false}) {
            const double exact = subset_delta(p, epsilon, remove);
            const Interval lower = (remove ? found.remove : found.add)->log_delta_bounds(epsilon);
            CHECK(std::exp(lower.lower) <= exact * (1.0 + 1e-13));
            CHECK_CLOSE(std::exp(lower.lower), exact, 1e-9);
        }
    }
}

// One of t: below the law of the mean, and close; all of t: the plain composition, and close.
void test_subsets_of_gaussians() {
    for (const double s : {0.7, 1.0, 4.0}) {
        const AllocationLaws mean = allocation_laws(shared(s), Dominance::dominating, 20, k_cells);
        const AllocationLaws one = subset_laws_lower(shared(s), 20, 1, k_cells);
        const AllocationLaws all = subset_laws_lower(shared(s), 20, 20, k_cells);
        for (const double log_delta : {-5.0, -12.0}) {
            const double above = epsilon_bounds(*mean.remove, log_delta).upper;
            const double below = epsilon_bounds(*one.remove, log_delta).lower;
            CHECK(below <= above && below >= 0.75 * above);
            CHECK(epsilon_bounds(*one.add, log_delta).lower <= epsilon_bounds(*mean.add, log_delta).upper);
            const Interval plain = gaussian_epsilon_bounds(log_delta, std::sqrt(20.0) / s);
            const double composed = epsilon_bounds(*all.remove, log_delta).lower;
            CHECK(composed <= plain.upper && composed >= 0.98 * plain.lower);
        }
    }
}

// Whole moments of the mean of two: (E[r^2] + 1) / 2, (E[r^3] + 3 E[r^2]) / 4; the release itself for one step.
void test_renyi_of_the_mean() {
    const std::vector<double> orders{1.0, 1.5, 2.0, 2.5, 3.0, 4.0};
    const std::vector<double> known{1.0, 1.5};
    const std::vector<double> single = allocation_renyi_upper(known, 1, orders);
    const std::vector<double> pair = allocation_renyi_upper(known, 2, orders);
    CHECK_CLOSE(single[2], 1.0, 1e-13);
    CHECK_CLOSE(single[4], 1.5, 1e-13);
    CHECK_CLOSE(single[3], 4.0 / 3.0, 1e-13);  // the chord of 1 and 3, over the excess 3/2; the truth is 5/4
    const double second = std::log(0.5 * (std::exp(1.0) + 1.0));
    const double third = std::log(0.25 * (std::exp(3.0) + 3.0 * std::exp(1.0)));
    CHECK_CLOSE(pair[2], second, 1e-13);
    CHECK_CLOSE(pair[4], 0.5 * third, 1e-13);
    CHECK(pair[2] >= second && pair[4] >= 0.5 * third);
    CHECK_CLOSE(pair[0], second, 1e-12);  // nothing is known below 2 but the next moment
    CHECK(std::isinf(pair[5]));
    CHECK_THROWS(allocation_renyi_upper(known, 0, orders), std::invalid_argument);
    CHECK_THROWS(allocation_renyi_upper(std::vector{-1.0}, 1, orders), std::invalid_argument);
}

void test_refusals() {
    const Dominance side = Dominance::dominating;
    const RatioLaw one = ratio_law(gaussian(1.0), side, k_least_cells);
    CHECK_THROWS(ratio_law(gaussian(1.0), side, k_least_cells - 1), std::invalid_argument);
    CHECK_THROWS(mean_of_ratios(one, side, 0, k_cells), std::invalid_argument);
    CHECK_THROWS(mean_of_ratios(one, side, 2, 1), std::invalid_argument);
    CHECK_THROWS(subset_ratio_lower(one, 3, 0), std::invalid_argument);
    CHECK_THROWS(subset_ratio_lower(one, 3, 4), std::invalid_argument);
}

}  // namespace

int main() {
    test_one_step_is_the_release();
    test_a_subsampled_release_keeps_its_support();
    test_two_steps_against_direct_integration();
    test_known_figures();
    test_mass_is_kept_and_errors_are_counted();
    test_singular_mass_is_averaged();
    test_laws_with_atoms();
    test_atoms_against_enumeration();
    test_without_noise_all_is_singular();
    test_tiny_deltas_stay_finite();
    test_extreme_noise();
    test_subsets_against_enumeration();
    test_subsets_of_gaussians();
    test_renyi_of_the_mean();
    test_refusals();
    return hockeystick_test::failures();
}
