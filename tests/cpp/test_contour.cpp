// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/contour.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "check.hpp"
#include "contour_reference.hpp"
#include "hockeystick/contour_error.hpp"
#include "hockeystick/contour_table.hpp"
#include "hockeystick/error.hpp"
#include "hockeystick/gaussian.hpp"

using namespace hockeystick;
using namespace hockeystick::contour;
using hockeystick_test::SlowLaw;

namespace {

const double k_pi = std::numbers::pi;

double gaussian_delta(double epsilon, double mu) { return std::exp(gaussian_log_delta_estimate(epsilon, mu)); }

// The trapezoid sum for one Gaussian of mu, N steps of width 2 pi / W, times e^{Lambda - tilt epsilon}.
double gaussian_sum(double epsilon, double mu, double tilt, double width, int steps) {
    const double step = 2.0 * k_pi / width;
    double sum = 0.0;
    for (int n = 0; n <= steps; ++n) {
        const std::complex<double> z(tilt, n * step);
        const double value = (std::exp(0.5 * mu * mu * z * (z + 1.0) - z * epsilon) / (z * (z + 1.0))).real();
        sum += n == 0 ? 0.5 * value : value;
    }
    return sum * step / k_pi;
}

double gaussian_gain(double mu, double from, double shift) {
    return 0.5 * mu * mu * ((from + shift) * (from + shift + 1.0) - from * (from + 1.0));
}

void chernoff_constant_is_the_maximum_of_the_kernel() {
    for (const double s : {1e-9, 0.01, 0.5, 1.0, 7.0, 300.0}) {
        double largest = 0.0;
        for (double y = 1e-4; y < 60.0; y *= 1.0005) largest = std::max(largest, -std::expm1(-y) * std::exp(-s * y));
        CHECK(std::log(largest) <= log_chernoff_constant(s) + 1e-12);
        CHECK(std::log(largest) >= log_chernoff_constant(s) - 1e-5);
    }
    CHECK(log_chernoff_constant(0.0) == 0.0);
}

// A width of a few standard deviations: the sum lies above delta by what the copies add, so without the term the
// "lower bound" would be wrong; with it, it is right, on the high side and on the low side.
void aliasing_term_is_needed_and_enough() {
    const double mu = 1.0;
    const double epsilon = 2.0;
    const double tilt = 2.5;
    const double truth = gaussian_delta(epsilon, mu);
    const double scale = std::exp(0.5 * mu * mu * tilt * (tilt + 1.0) - tilt * epsilon);
    for (const double width : {3.0, 4.0, 6.0}) {
        const double sum = gaussian_sum(epsilon, mu, tilt, width, 400);
        double bound = 0.0;
        for (const double shift : {0.6 * width, -std::min(tilt, 0.6 * width)}) {
            bound += scale * aliasing_error(shift, gaussian_gain(mu, tilt, shift), epsilon,
                                            log_chernoff_constant(tilt + shift), width);
        }
        CHECK(sum > truth * (1.0 + 1e-9));
        CHECK(sum - bound <= truth);
        CHECK(sum - truth > 1e-3 * bound);
    }
}

void cut_off_term_is_needed_and_enough() {
    const double mu = 1.0;
    const double epsilon = 2.0;
    const double tilt = 2.5;
    const double truth = gaussian_delta(epsilon, mu);
    const double scale = std::exp(0.5 * mu * mu * tilt * (tilt + 1.0) - tilt * epsilon);
    const double width = 40.0;
    for (const int steps : {4, 8, 12, 20}) {
        const double frequency = steps * 2.0 * k_pi / width;
        const double error = std::abs(gaussian_sum(epsilon, mu, tilt, width, steps) - truth);
        const double by_gaussian = scale * cut_off_error(frequency, 0.0, mu * mu);
        const double by_decay = scale * cut_off_error(frequency, -0.5 * mu * mu * frequency * frequency, 0.0);
        CHECK(error > 1e-6 * truth);
        CHECK(error <= by_gaussian);
        CHECK_CLOSE(by_decay, by_gaussian, 1e-12);
        CHECK(by_gaussian < scale * cut_off_error(frequency, 0.0, 0.0));  // the crude one
    }
}

// delta_tau is delta with mu^2 + tau^2; the density of the Gaussian loss is closed.
void tiny_gaussian_term_is_needed_and_enough() {
    for (const double mu : {0.3, 1.0, 4.0}) {
        for (const double share : {0.01, 0.1, 0.5}) {
            const double epsilon = 1.5 * mu;
            const double tau_squared = share * mu * mu;
            const double variance = mu * mu + tau_squared;
            const double centred = epsilon - 0.5 * variance;
            const double density = std::exp(-centred * centred / (2.0 * variance)) / std::sqrt(2.0 * k_pi * variance);
            const double excess = gaussian_delta(epsilon, std::sqrt(variance)) - gaussian_delta(epsilon, mu);
            const double bound = tiny_gaussian_error(tau_squared, density);
            CHECK(excess > 0.0);
            CHECK(excess <= bound);
            CHECK(excess > 0.2 * bound);
        }
    }
}

void density_cut_off_bounds_the_gaussian_tail_sum() {
    const double step = 0.05;
    for (const double frequency : {1.0, 3.0}) {
        double tail = 0.0;
        for (double t = frequency + step; t < 30.0; t += step) tail += std::exp(-0.5 * t * t) * step / k_pi;
        CHECK(tail <= density_cut_off_error(frequency, 0.0, 1.0));
    }
}

// Every entry of the ledger is counted: the bracket is at least as wide as their sum, and each is present. With few
// digits asked for, repetition, cut-off and inner rule are all far above rounding, so that none can be left out unseen.
// Taylor's formula with its remainder: never below the slow sum, and within the fourth order of it.
void closed_form_moment_bounds_the_added_direction() {
    for (const SubsampledGaussian law : {SubsampledGaussian{1.0, 0.01}, {0.6, 0.1}, {4.0, 0.3}, {2.0, 1e-4}}) {
        const SlowLaw slow(law, Direction::add, 20, 4);
        const Term term{law, 1};
        const auto composition = contour::make_composition(std::span(&term, 1), Direction::add);
        for (const double tilt : {0.3, 2.0, 9.0, 40.0}) {
            const auto truth = static_cast<double>(std::log1p(slow.excess(tilt)));
            const double bound = contour::log_moment_upper(composition, tilt);
            CHECK(bound >= truth * (1.0 - 1e-12) - 1e-18);
            if (tilt * law.sampling_rate < 0.05 && law.sampling_rate <= 0.01) CHECK(bound <= truth * 1.02);
        }
    }
    const Term wide{{0.03, 0.5}, 1};  // e^{1 / sigma^2} overflows
    CHECK(std::isinf(contour::log_moment_upper(contour::make_composition(std::span(&wide, 1), Direction::add), 3.0)));
}

void ledger_holds_every_term() {
    const std::vector<Term> terms{{{1.0, 0.01}, 1000}};
    SaddleSearch search(make_composition(terms, Direction::remove));
    const Saddle saddle = search.at_epsilon(2.0, Strip::right);
    for (const double digits : {34.5, 12.0}) {
        for (const double tau_squared : {0.0, 1e-8}) {
            const ContourTable table(search, {saddle.tilt, Strip::right, 2.0, 2.0, tau_squared, digits});
            const ErrorLedger ledger = table.ledger(2.0);
            const Interval x = table.log_value_bounds(2.0);
            CHECK(ledger.aliasing > 0.0 && ledger.cut_off > 0.0 && ledger.inner_rule > 0.0 && ledger.rounding > 0.0);
            CHECK((ledger.tiny_gaussian > 0.0) == (tau_squared > 0.0));
            const double unit = std::exp(saddle.moment.value - saddle.tilt * 2.0);
            const double one_sided = ledger.aliasing + ledger.tiny_gaussian;
            const double both = ledger.cut_off + ledger.inner_rule + ledger.rounding;
            const double width = std::exp(x.upper) - std::exp(x.lower);
            CHECK(width >= (1.0 - 1e-6) * (one_sided + 2.0 * both) * unit);
            CHECK(digits < 34.5 || x.upper - x.lower < 1e-6);
            if (digits < 34.5) {
                const double least = std::min({ledger.aliasing, ledger.cut_off, ledger.inner_rule});
                CHECK(least > 1e-5 * (one_sided + 2.0 * both));
            }
        }
    }
}

// e^{Lambda - tilt epsilon} of terms of 1e7 and more: what their rounding costs is all of the bracket there.
void the_scale_is_known_no_better_than_its_rounding() {
    const double mu = 4e6;
    const Term term{{1.0 / mu, 1.0}, 1};
    SaddleSearch search(make_composition({&term, 1}, Direction::remove));
    for (int i = 0; i < 40; ++i) {
        const double epsilon = 0.5 * mu * mu + mu * (2.0 + 0.1 * i);
        const Saddle saddle = search.at_epsilon(epsilon, Strip::right);
        const ContourTable table(search, {saddle.tilt, Strip::right, epsilon, epsilon, 0.0, 34.5});
        const Interval x = table.log_value_bounds(epsilon);
        const Interval want = gaussian_log_delta_bounds(epsilon, mu);
        CHECK(x.lower <= want.upper && want.lower <= x.upper);
        CHECK(x.upper - x.lower < 1e-5);
    }
}

// A composition without the outcomes beyond its ceilings bounds delta from above only with their mass on top.
void mass_above_the_ceilings_is_counted() {
    const Term term{{1.0, 0.01}, 1000};
    const double truth =
        contour_log_delta_bounds({&term, 1}, Direction::remove, std::vector<double>{2.0}, 1e-9)[0].lower;
    const Composition cut = truncated(make_composition({&term, 1}, Direction::remove), std::log(1e-3));
    SaddleSearch search(cut);
    const Saddle saddle = search.at_epsilon(2.0, Strip::right);
    const ContourTable table(search, {saddle.tilt, Strip::right, 2.0, 2.0, 0.0, 20.0});
    const Interval x = table.log_value_bounds(2.0);
    CHECK(x.lower < truth && truth < x.upper);
    CHECK(log_truncated_mass(cut) > truth);  // all of delta may be up there
    CHECK(x.upper <= std::log(1e-3) + 0.1);
}

void plain_gaussians_meet_the_closed_form() {
    const std::vector<Term> terms{{{5.0, 1.0}, 20}, {{10.0, 1.0}, 40}};
    const double mu = std::sqrt(20.0 / 25.0 + 40.0 / 100.0);
    for (const Direction direction : {Direction::remove, Direction::add}) {
        for (const double log_delta : {-2.0, -20.0, -92.0, -700.0, -5000.0}) {
            const Interval x = contour_epsilon_bounds(terms, direction, log_delta, 1e-9);
            const Interval want = gaussian_epsilon_bounds(log_delta, mu);
            CHECK(x.lower <= want.upper && want.lower <= x.upper);
            CHECK(x.upper - x.lower <= 1e-9 * x.upper);
        }
        // All strips: far above the mean, between the poles, far below.
        const std::vector<double> epsilons{-30.0, -5.0, -1.0, -0.55, -0.3, 0.0, 0.2, 0.7, 3.0, 12.0, 40.0};
        const auto bounds = contour_log_delta_bounds(terms, direction, epsilons, 1e-9);
        for (std::size_t i = 0; i < epsilons.size(); ++i) {
            const Interval want = gaussian_log_delta_bounds(epsilons[i], mu);
            CHECK(bounds[i].lower <= want.upper && want.lower <= bounds[i].upper);
            CHECK(bounds[i].upper - bounds[i].lower <= 1e-9 * std::max(1.0, -want.lower));
            CHECK(bounds[i].upper <= 0.0);
        }
    }
}

// Tilt and width by hand, generous; the reference shares no code with the engine.
void subsampled_gaussians_meet_the_slow_reference() {
    struct Case {
        SubsampledGaussian law;
        Direction direction;
        std::uint64_t count;
        double epsilon;
        long double tilt, width, longest;
    };
    for (const Case& c : {Case{{1.0, 0.01}, Direction::remove, 1000, 1.8, 5.0L, 60.0L, 60.0L},
                          Case{{1.0, 0.01}, Direction::add, 1000, 1.8, 15.0L, 40.0L, 60.0L},
                          Case{{2.0, 0.05}, Direction::remove, 100, 0.5, 6.0L, 40.0L, 60.0L},
                          Case{{0.7, 0.3}, Direction::remove, 50, 20.0, 1.0L, 200.0L, 30.0L},
                          Case{{0.7, 0.3}, Direction::add, 50, 12.0, 2.0L, 80.0L, 30.0L}}) {
        const Term term{c.law, c.count};
        const SlowLaw slow(c.law, c.direction, 20, 2);
        const double want = hockeystick_test::slow_log_delta(slow, static_cast<long double>(c.count), c.epsilon, c.tilt,
                                                             c.width, c.longest);
        const auto got = contour_log_delta_bounds({&term, 1}, c.direction, std::vector<double>{c.epsilon}, 1e-9);
        CHECK(got[0].lower <= want && want <= got[0].upper);
        CHECK(got[0].upper - got[0].lower < 1e-9 * std::max(1.0, -want));
        const Interval back = contour_epsilon_bounds({&term, 1}, c.direction, want, 1e-9);
        CHECK(back.lower <= c.epsilon && c.epsilon <= back.upper);
    }
}

void stored_values_lie_inside() {
    const Term term{{1.0, 0.01}, 1000};
    const Interval remove = contour_epsilon_bounds({&term, 1}, Direction::remove, std::log(1e-5), 1e-9);
    CHECK(remove.lower <= 1.82823666651657573 && 1.82823666651657573 <= remove.upper);
    const std::vector<Term> mixed{{{2.0, 0.02}, 300}, {{1.0, 0.01}, 500}, {{2.0, 0.02}, 200}};
    const Interval two = contour_epsilon_bounds(mixed, Direction::remove, std::log(1e-5), 1e-9);
    CHECK(two.lower <= 1.61507139 + 1e-8 && 1.61507139 - 1e-8 <= two.upper);
}

void trillion_steps_cost_no_digits() {
    const Term many{{1.0, 1e-6}, 1000000000000ULL};
    for (const Direction direction : {Direction::remove, Direction::add}) {
        const Interval x = contour_epsilon_bounds({&many, 1}, direction, std::log(1e-5), 1e-9);
        CHECK(x.upper - x.lower <= 1e-9 * x.upper);
        // Its central limit: mu^2 = T q^2 (e - 1), and the correction is O(q).
        CHECK_CLOSE(x.upper, gaussian_epsilon_bounds(std::log(1e-5), std::sqrt(std::expm1(1.0))).upper, 1e-4);
    }
}

// sigma 1e6: the releases together are one Gaussian of mu = q sqrt(T (e^{1 / sigma^2} - 1)) but for 1e-12.
void wide_noise_needs_no_more_nodes() {
    for (const auto& [sigma, rate, count] :
         std::vector<std::tuple<double, double, std::uint64_t>>{{1e6, 1e-12, 1000000000000}, {1e5, 1e-3, 1000000}}) {
        const Term term{{sigma, rate}, count};
        const double mu = rate * std::sqrt(static_cast<double>(count) * std::expm1(1.0 / (sigma * sigma)));
        for (const Direction direction : {Direction::remove, Direction::add}) {
            const std::vector<double> epsilons{0.0, 2.0 * mu};
            const auto got = contour_log_delta_bounds({&term, 1}, direction, epsilons, 1e-9);
            for (std::size_t i = 0; i < 2; ++i) {
                CHECK(got[i].upper - got[i].lower < 1e-7);
                CHECK_CLOSE(got[i].upper, gaussian_log_delta_estimate(epsilons[i], mu), 1e-6);
            }
        }
    }
}

void far_tails_keep_their_accuracy() {
    const Term term{{1.0, 0.01}, 1000};
    const Interval x = contour_epsilon_bounds({&term, 1}, Direction::remove, -2000.0, 1e-9);
    CHECK(x.upper - x.lower <= 1e-9 * x.upper);
    const auto back = contour_log_delta_bounds({&term, 1}, Direction::remove, std::vector<double>{x.upper}, 1e-9);
    CHECK_CLOSE(back[0].upper, -2000.0, 1e-8);
}

void batches_agree_with_single_points_and_fall() {
    const Term term{{1.1, 0.004}, 14000};
    std::vector<double> epsilons;
    for (int i = 0; i < 120; ++i) epsilons.push_back(-3.0 + 0.1 * i);
    const auto batch = contour_log_delta_bounds({&term, 1}, Direction::remove, epsilons, 1e-9);
    double previous = 0.0;
    for (std::size_t i = 0; i < epsilons.size(); ++i) {
        const auto one = contour_log_delta_bounds({&term, 1}, Direction::remove, {&epsilons[i], 1}, 1e-9);
        CHECK(one[0].lower <= batch[i].upper && batch[i].lower <= one[0].upper);
        CHECK(batch[i].lower <= batch[i].upper && batch[i].lower < previous);
        previous = batch[i].upper;
    }
}

// delta(e) = 1 - e^e (1 - delta'(-e)) links the directions: the strips below the poles against the strip above.
void reversal_links_the_directions() {
    const Term term{{1.0, 0.02}, 400};
    for (const double epsilon : {0.3, 1.0, 2.0}) {
        const auto above = contour_log_delta_bounds({&term, 1}, Direction::add, std::vector<double>{epsilon}, 1e-9);
        const auto below = contour_log_delta_bounds({&term, 1}, Direction::remove, std::vector<double>{-epsilon}, 1e-9);
        const double rest = std::exp(-epsilon) * -std::expm1(above[0].upper);
        CHECK_CLOSE(below[0].upper, std::log1p(-rest), 1e-8);
    }
}

void a_rare_jump_is_served_by_the_tiny_gaussian_or_refused() {
    const Term rare{{0.5, 1e-3}, 300};
    const Interval x = contour_epsilon_bounds({&rare, 1}, Direction::remove, -9.21, 1e-2);
    CHECK(x.upper - x.lower <= 1e-2 * x.upper);
    CHECK(1.57 < x.lower && x.upper < 1.59);
    const Term rarer{{0.3, 1e-6}, 20};
    CHECK_THROWS(contour_epsilon_bounds({&rarer, 1}, Direction::remove, std::log(1e-9), 1e-12), accuracy_error);
}

// Two jumps, far out: the range of the nodes was looked for without an end.
void a_range_that_nothing_serves_is_refused() {
    const Term run{{2.0666102991726927, 0.001138903928767134}, 115};
    const std::vector<double> epsilon{7.574393999866819};
    const Interval x = contour_log_delta_bounds({&run, 1}, Direction::remove, epsilon, 1e-5).front();
    CHECK(x.lower <= -440.0 && x.upper >= -445.0);
}

void a_direction_known_to_end_early_needs_no_certificate() {
    // Adding a record: a saddle need not be found, as no loss exceeds 1000 log(1 / .99).
    const Term loud{{0.1, 0.01}, 1000};
    const std::vector<Direction> both{Direction::remove, Direction::add};
    const Interval x = contour_epsilon_bounds({&loud, 1}, both, std::log(1e-5), 1e-9);
    CHECK(x.upper - x.lower <= 1e-9 * x.upper);
    CHECK(1194.75 < x.lower && x.upper < 1194.76);
}

void edges_and_refusals() {
    const Term term{{1.0, 0.01}, 1000};
    const Term none{{1.0, 0.0}, 1000};
    CHECK(contour_epsilon_bounds({&none, 1}, Direction::remove, -10.0, 1e-9).upper == 0.0);
    CHECK(contour_epsilon_bounds({}, Direction::add, -10.0, 1e-9).upper == 0.0);
    CHECK(contour_epsilon_bounds({&term, 1}, Direction::remove, 0.0, 1e-9).upper == 0.0);
    CHECK(contour_epsilon_bounds({&term, 1}, Direction::remove, -0.5, 1e-9).upper == 0.0);  // above the total variation
    CHECK(std::isinf(contour_epsilon_bounds({&term, 1}, Direction::remove, -k_infinity, 1e-9).lower));
    const auto ends =
        contour_log_delta_bounds({&term, 1}, Direction::remove, std::vector<double>{-k_infinity, k_infinity}, 1e-9);
    CHECK(ends[0].upper == 0.0 && ends[1].upper == -k_infinity);
    CHECK(contour_log_delta_bounds({}, Direction::add, std::vector<double>{0.5}, 1e-9)[0].upper == -k_infinity);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS(contour_epsilon_bounds({&term, 1}, Direction::remove, nan, 1e-9), std::invalid_argument);
    CHECK_THROWS(contour_epsilon_bounds({&term, 1}, Direction::remove, 0.1, 1e-9), std::invalid_argument);
    CHECK_THROWS(contour_epsilon_bounds({&term, 1}, Direction::remove, -1.0, 0.0), std::invalid_argument);
    CHECK_THROWS(contour_log_delta_bounds({&term, 1}, Direction::add, std::vector<double>{nan}, 1e-9),
                 std::invalid_argument);
    const Term bad{{-1.0, 0.01}, 10};
    CHECK_THROWS(contour_epsilon_bounds({&bad, 1}, Direction::remove, -1.0, 1e-9), std::invalid_argument);
    const Term worse{{1.0, 1.5}, 10};
    CHECK_THROWS(contour_epsilon_bounds({&worse, 1}, Direction::remove, -1.0, 1e-9), std::invalid_argument);
}

// Two releases hardly ever jump: no line of the whole law certifies a bracket, a split by the largest jump does. The
// values are those of one composition by the FFT engine, to four digits.
void two_releases_are_split() {
    const Term run{{1.0, 0.01}, 2};
    const std::vector<double> epsilons{0.0, 0.5, 1.0, 4.0}, known{-5.1254, -14.6146, -19.0170, -41.8564};
    const std::array both{Direction::remove, Direction::add};
    const auto found = contour_log_delta_bounds({&run, 1}, both, epsilons, 1e-6);
    for (std::size_t i = 0; i < epsilons.size(); ++i) {
        CHECK(found[i].lower <= known[i] + 1e-4 && known[i] - 1e-4 <= found[i].upper);
        CHECK(found[i].upper - found[i].lower < (i == 0 ? 9.0 : 1e-4));
    }
}

}  // namespace

int main() {
    chernoff_constant_is_the_maximum_of_the_kernel();
    aliasing_term_is_needed_and_enough();
    cut_off_term_is_needed_and_enough();
    tiny_gaussian_term_is_needed_and_enough();
    density_cut_off_bounds_the_gaussian_tail_sum();
    closed_form_moment_bounds_the_added_direction();
    ledger_holds_every_term();
    the_scale_is_known_no_better_than_its_rounding();
    mass_above_the_ceilings_is_counted();
    plain_gaussians_meet_the_closed_form();
    subsampled_gaussians_meet_the_slow_reference();
    stored_values_lie_inside();
    trillion_steps_cost_no_digits();
    wide_noise_needs_no_more_nodes();
    far_tails_keep_their_accuracy();
    batches_agree_with_single_points_and_fall();
    reversal_links_the_directions();
    a_rare_jump_is_served_by_the_tiny_gaussian_or_refused();
    a_range_that_nothing_serves_is_refused();
    a_direction_known_to_end_early_needs_no_certificate();
    edges_and_refusals();
    two_releases_are_split();
    return hockeystick_test::failures();
}
