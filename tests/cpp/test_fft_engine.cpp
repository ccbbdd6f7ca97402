// SPDX-License-Identifier: Apache-2.0
// The whole engine against closed forms and 30-digit values: inside, and as narrow as asked, in one stage and in two.
#include "hockeystick/fft_engine.hpp"

#include <array>
#include <cmath>
#include <vector>

#include "check.hpp"
#include "hockeystick/atoms_law.hpp"
#include "hockeystick/chernoff.hpp"
#include "hockeystick/directions.hpp"
#include "hockeystick/gaussian.hpp"
#include "hockeystick/gaussian_law.hpp"

namespace {

using namespace hockeystick;

constexpr std::array k_both{Direction::remove, Direction::add};

void check_inside(const Interval& bracket, double exact, double tolerance) {
    CHECK(bracket.lower <= exact * (1.0 + 1e-11) && exact * (1.0 - 1e-11) <= bracket.upper);
    CHECK(bracket.upper - bracket.lower <= tolerance * exact);
}

void test_plain_gaussians() {
    for (const std::uint64_t count : {2ull, 30ull, 20000ull}) {
        // mu = 1; a rate so close to 1 changes nothing but that no closed form settles it without a lattice.
        const Term term{{std::sqrt(static_cast<double>(count)), 1.0 - k_unit_roundoff}, count};
        for (const double log_delta : {-3.0, -11.5, -46.0, -200.0}) {
            const Interval exact = gaussian_epsilon_bounds(log_delta, 1.0);
            const std::array one{Direction::add};
            check_inside(fft_epsilon_bounds(laws_of(std::span(&term, 1), one), log_delta, 1e-4), exact.upper, 1e-4);
        }
        const std::vector<double> epsilons{0.0, 0.3, 1.0, 4.0, 9.0, 20.0};
        const std::vector<Interval> found = fft_log_delta_bounds(laws_of(std::span(&term, 1), k_both), epsilons, 1e-3);
        for (std::size_t i = 0; i < epsilons.size(); ++i) {
            const Interval exact = gaussian_log_delta_bounds(epsilons[i], 1.0);
            CHECK(found[i].lower <= exact.upper && exact.lower <= found[i].upper);
            CHECK(found[i].upper - found[i].lower <= 1e-3);
        }
    }
}

void test_subsampled_reference_values() {
    const Term run{{1.0, 0.01}, 1000};
    check_inside(fft_epsilon_bounds(laws_of(std::span(&run, 1), k_both), std::log(1e-5), 1e-4), 1.82823666651657573,
                 1e-4);
    check_inside(fft_epsilon_bounds(laws_of(std::span(&run, 1), k_both), std::log(1e-40), 1e-4), 12.2862282211181978,
                 1e-4);
    check_inside(fft_epsilon_bounds(laws_of(std::span(&run, 1), k_both), std::log(1e-5), 2e-6), 1.82823666651657573,
                 2e-6);
    const std::array add{Direction::add};
    check_inside(fft_epsilon_bounds(laws_of(std::span(&run, 1), add), std::log(1e-5), 1e-4), 1.41666194803617511, 1e-4);
    const Term long_run{{0.8, 0.001}, 1000000};  // two stages
    check_inside(fft_epsilon_bounds(laws_of(std::span(&long_run, 1), add), std::log(1e-6), 1e-4), 10.4000062, 1e-3);
}

void test_heterogeneous() {
    const std::array terms{Term{{1.0, 0.01}, 500}, Term{{2.0, 0.02}, 500}};
    const Interval whole = fft_epsilon_bounds(laws_of(terms, k_both), std::log(1e-5), 1e-4);
    check_inside(whole, 1.6150713, 2e-4);
}

// A setting that uses up every retry of the dots: their step must stay the one that the composition reads them with.
void test_dots_that_never_meet_their_share() {
    const Term run{{1.6067658550151835, 0.0006271616708386591}, 21986};
    const std::array remove{Direction::remove};
    const Interval bracket = fft_epsilon_bounds(laws_of(std::span(&run, 1), remove), -9.032127106340116, 1e-4);
    check_inside(bracket, 0.16422657368, 1e-4);
}

void test_delta_above_total_variation_is_epsilon_zero() {
    const Term run{{1.0, 0.01}, 10};
    const Interval bracket = fft_epsilon_bounds(laws_of(std::span(&run, 1), k_both), std::log(0.5), 1e-4);
    CHECK(bracket.lower == 0.0 && bracket.upper == 0.0);
    // So rare that a tilt for that delta has no saddle: answered at once.
    const Term rare{{480503.0, 6.75e-6}, 367963077};
    CHECK(fft_epsilon_bounds(laws_of(std::span(&rare, 1), k_both), -0.397, 1e-3).upper == 0.0);
}

// Chernoff: above the truth for any theta, and within a factor of the saddle point's prefactor at the best one.
void test_chernoff() {
    const Term term{{5.0, 1.0}, 25};  // mu = 1
    for (const double theta : {1.0, 3.5, 8.0}) {
        const ChernoffBound bound(laws_of(std::span(&term, 1), Direction::remove), theta);
        for (const double epsilon : {0.5, 2.0, 4.0, 8.0}) {
            CHECK(bound.log_delta_upper(epsilon) >= gaussian_log_delta_bounds(epsilon, 1.0).lower);
        }
    }
    const ChernoffBound best(laws_of(std::span(&term, 1), Direction::remove), 3.5);
    CHECK(best.log_delta_upper(4.0) <= gaussian_log_delta_bounds(4.0, 1.0).upper + 3.0);
}

// Where a release's divergence is far below the roundings of dots: K is that of the closed sum, and epsilon follows.
void test_chernoff_of_rare_releases() {
    const Term rare{{0.5, 1e-12}, 1000000000000};
    const ChernoffBound bound(laws_of(std::span(&rare, 1), Direction::remove), 1.0);
    // K(1) = T log1p(q^2 (e^{1/s^2} - 1)), C(1) = 1/4.
    const double cumulant = 1e12 * std::log1p(1e-24 * std::expm1(4.0));
    CHECK_CLOSE(bound.log_delta_upper(0.0), cumulant - std::log(4.0), 1e-12);
    CHECK_CLOSE(bound.epsilon_upper(-20.0), 20.0 - std::log(4.0) + cumulant, 1e-12);
    CHECK(bound.log_delta_upper(bound.epsilon_upper(-20.0)) <= -20.0 + 1e-14 * 20.0);
    CHECK(bound.epsilon_upper(-0.5) == 0.0 && bound.epsilon_upper(-k_infinity) == k_infinity);
}

// Mass at infinity is on top of every bound; dots so coarse that they leave mass out count it as if it had no end.
void test_chernoff_of_laws_with_mass_at_infinity() {
    const auto law = atoms_law(
        {{std::log(0.36 / 0.57), std::log(0.63 / 0.42)}, {std::log(0.36), std::log(0.63)}, {0.01, 0.01}, {0.01, 0.01}});
    const std::vector<LawTerm> ten{{law, 10}};
    const ChernoffBound bound(ten, 3.0);
    CHECK(bound.log_delta_upper(1e3) >= std::log(-std::expm1(10.0 * std::log1p(-0.01))));
    CHECK(bound.log_delta_upper(1e3) <= std::log(0.1));
    CHECK(bound.log_delta_upper(0.0) >= std::log(0.1));
}

// No lattice that memory allows is fine enough: the bracket is that of the limits and of Chernoff's bound, not the
// sum of 10^12 roundings of dots (2e12 and 30 were answered here).
void test_bounds_where_no_lattice_serves() {
    const Term rare{{0.5, 1e-12}, 1000000000000};
    CHECK(fft_epsilon_bounds(laws_of(std::span(&rare, 1), k_both), std::log(1e-5), 1e-4).upper == 0.0);
    const Term quiet{{1e6, 1e-12}, 1000000000000};
    const Interval tiny = fft_epsilon_bounds(laws_of(std::span(&quiet, 1), k_both), std::log(1e-200), 1e-4);
    CHECK(0.0 < tiny.lower && tiny.upper < 1e-9);
    const Term rare_core{{0.5, 1e-9}, 1000000000};
    const Interval core = fft_epsilon_bounds(laws_of(std::span(&rare_core, 1), k_both), std::log(1e-5), 1e-4);
    CHECK(core.lower <= core.upper && core.upper < 0.1);
}

// The larger direction counts wherever it stands in the list.
void test_the_order_of_directions_does_not_matter() {
    const Term run{{1.0, 0.01}, 1000};
    const std::array reverse{Direction::add, Direction::remove};
    const std::array epsilons{0.5, 2.0, 4.0};
    const auto first = fft_log_delta_bounds(laws_of(std::span(&run, 1), k_both), epsilons, 1e-3);
    const auto second = fft_log_delta_bounds(laws_of(std::span(&run, 1), reverse), epsilons, 1e-3);
    for (std::size_t i = 0; i < epsilons.size(); ++i) {
        CHECK(first[i].lower <= second[i].upper && second[i].lower <= first[i].upper);
    }
}

// Adding a record at tiny rates: a window that missed the greatest losses answered -20.25 for -17.11.
void test_bounded_losses_at_tiny_rates() {
    const std::array add{Direction::add};
    const std::array zero{0.0};
    for (const double noise : {1.0, 10.739925156012426, 40.0}) {
        for (double rate = 1e-2; rate > 1e-9; rate *= 0.1) {
            const Term run{{noise, rate}, 1};
            const Interval found = fft_log_delta_bounds(laws_of(std::span(&run, 1), add), zero, 0.3).front();
            const Interval exact = subsampled_log_delta_bounds(0.0, run.law, Direction::add);
            CHECK(found.lower <= exact.upper && exact.lower <= found.upper && found.upper <= exact.upper + 0.6);
        }
    }
}

// So far out that a release's tail underflows where the tilt is: all that counts was left out by the dots, T times over
// (-14907 and -24917 were answered here), or the tilt leaves nothing. The truths are line integrals.
void test_tilts_beyond_the_least_tail() {
    const Term run{{6.119578595021324, 0.11352682075954032}, 18};
    const std::array remove{Direction::remove};
    const std::array epsilons{80.0, 110.02542273677895};
    const std::vector<Interval> found = fft_log_delta_bounds(laws_of(std::span(&run, 1), remove), epsilons, 1e-4);
    const std::array exact{-14715.290321, -23118.673969};
    for (std::size_t i = 0; i < exact.size(); ++i) {
        CHECK(found[i].lower <= exact[i] && exact[i] <= found[i].upper && found[i].upper < exact[i] + 10.0);
    }
}

// The smaller direction is composed only where it is not settled.
void test_directions_composed_only_if_needed() {
    const Term run{{1.0, 0.01}, 1000};
    int calls = 0;
    const Interval far =
        largest_epsilon_bounds(laws_of(std::span(&run, 1), k_both), std::log(1e-5), [&](std::size_t direction) {
            ++calls;
            CHECK(direction == 0);
            return Interval{1.8282, 1.8283};
        });
    CHECK(calls == 1 && far.upper == 1.8283);
    const Term near{{4.0, 0.01}, 100};  // the directions are close: both
    calls = 0;
    const Interval both =
        largest_epsilon_bounds(laws_of(std::span(&near, 1), k_both), std::log(1e-3), [&](std::size_t direction) {
            ++calls;
            return direction == 0 ? Interval{0.01, 0.0101} : Interval{0.0099, 0.0102};
        });
    CHECK(calls == 2 && both.lower == 0.01 && both.upper == 0.0102);
}

// Noise so small that a step is far wider than the core of the law: what the lattice is laid through is the core. The
// values are those of the contour engine, good to 1e-6.
void test_a_core_narrower_than_a_step() {
    const Term run{{0.1, 0.01}, 1000};
    const std::array remove{Direction::remove};
    const std::vector<double> epsilons{30.0, 200.0, 800.0, 1200.0}, known{0.0, 0.0, -4.35420191, -11.6263904};
    const std::vector<Interval> found = fft_log_delta_bounds(laws_of(std::span(&run, 1), remove), epsilons, 1e-3);
    for (std::size_t i = 0; i < epsilons.size(); ++i) {
        CHECK(found[i].upper - found[i].lower <= 1e-3);
        if (known[i] < 0.0) CHECK(found[i].lower <= known[i] + 1e-6 && known[i] - 1e-6 <= found[i].upper);
    }
}

// Where one jump decides, all over a list: no point is left to bounds that say nothing, whatever the others cost.
void test_rare_jumps_all_along_a_list() {
    const Term run{{1.0, 1e-4}, 1000};
    const std::vector<double> epsilons{0.0, 0.01, 0.02, 0.03, 0.05, 0.06, 0.1, 0.3, 0.6, 1.0, 2.0};
    const std::vector<Interval> found = fft_log_delta_bounds(laws_of(std::span(&run, 1), k_both), epsilons, 1e-3);
    for (std::size_t i = 0; i < epsilons.size(); ++i) {
        CHECK(found[i].lower <= found[i].upper);
        CHECK(found[i].upper - found[i].lower <= (epsilons[i] <= 0.1 ? 0.2 : 12.0));
    }
}

}  // namespace

int main() {
    test_plain_gaussians();
    test_subsampled_reference_values();
    test_heterogeneous();
    test_dots_that_never_meet_their_share();
    test_delta_above_total_variation_is_epsilon_zero();
    test_chernoff();
    test_chernoff_of_rare_releases();
    test_bounds_where_no_lattice_serves();
    test_chernoff_of_laws_with_mass_at_infinity();
    test_the_order_of_directions_does_not_matter();
    test_bounded_losses_at_tiny_rates();
    test_tilts_beyond_the_least_tail();
    test_directions_composed_only_if_needed();
    test_a_core_narrower_than_a_step();
    test_rare_jumps_all_along_a_list();
    return hockeystick_test::failures();
}
