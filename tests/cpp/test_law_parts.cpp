// SPDX-License-Identifier: Apache-2.0
// Laws of every kind in the contour engine: atoms, lattices, mass at infinity, and compositions of several kinds.
#include "hockeystick/law_parts.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include "check.hpp"
#include "hockeystick/atom_nodes.hpp"
#include "hockeystick/atoms_law.hpp"
#include "hockeystick/contour.hpp"
#include "hockeystick/contour_table.hpp"
#include "hockeystick/discrete_gaussian_law.hpp"
#include "hockeystick/error.hpp"
#include "hockeystick/fft_engine.hpp"
#include "hockeystick/gaussian_law.hpp"
#include "hockeystick/gaussian_mixture_law.hpp"
#include "hockeystick/laplace_law.hpp"
#include "hockeystick/sampled_law.hpp"
#include "law_reference.hpp"

using namespace hockeystick;
using namespace hockeystick::contour;
using hockeystick_test::Complex;
using hockeystick_test::slow_two_point_delta;

namespace {

using Laws = std::vector<LawTerm>;

// One direction.
std::vector<Laws> only(const Laws& laws) { return {laws}; }

LawHandle two_points(double loss, double infinite, double loss_error = 0.0) {
    const double up = std::log1p(-infinite) - std::log1p(std::exp(-loss));
    return atoms_law({{loss, -loss}, {up, up - loss}, {infinite, infinite}, {infinite, infinite}, 2e-15, loss_error});
}

void lattice_compositions_hold_the_binomial_sum() {
    struct Case {
        double loss, infinite;
        int count;
        double share;  // of the greatest loss
    };
    for (const Case& c : {Case{0.5, 0.0, 1, 0.4}, Case{1.0, 0.0, 3, 0.85}, Case{0.1, 0.0, 1000, 0.15},
                          Case{0.1, 1e-9, 100, 0.3}, Case{0.01, 1e-7, 5000, 0.05}, Case{2.0, 1e-3, 40, 0.8}}) {
        const Laws laws{{two_points(c.loss, c.infinite), static_cast<std::uint64_t>(c.count)}};
        // On a lattice point, just beside it, and within a cell; above and below the mean.
        const double middle = c.share * c.count * c.loss;
        std::vector<double> epsilons{0.3 * middle, middle, std::nextafter(middle, 1e9), middle + 0.37 * c.loss};
        const auto found = contour_log_delta_bounds(only(laws), epsilons, 1e-9);
        for (std::size_t i = 0; i < epsilons.size(); ++i) {
            const long double truth = slow_two_point_delta(c.loss, c.infinite, c.count, epsilons[i]);
            const auto want = static_cast<double>(std::log(truth));
            const double slack = 1e-14 * (1.0 + std::abs(want)) + 1e-15 / static_cast<double>(truth);
            CHECK(found[i].lower <= want + slack);
            CHECK(found[i].upper >= want - slack);
            CHECK(found[i].upper - found[i].lower <= 1e-9 * std::max(1.0, std::abs(want)));
        }
    }
}

// The lattice's own terms: without the copies below the value is too high, without the cut-off it is off.
void repetition_and_cut_off_on_a_lattice_are_needed_and_enough() {
    const Laws laws{{two_points(0.1, 0.0), 400}};
    const Composition composition = make_composition(laws);
    CHECK_CLOSE(composition.lattice.step, 0.2, 1e-15);
    const double epsilon = 7.03;
    const auto truth = static_cast<double>(slow_two_point_delta(0.1L, 0, 400, epsilon));
    double repeated = 0.0;
    for (const double digits : {4.0, 6.0, 8.0}) {
        SaddleSearch search(composition);
        const Saddle saddle = search.at_epsilon(epsilon, Strip::right);
        const ContourTable table(search, {saddle.tilt, Strip::right, epsilon, epsilon, 0.0, digits});
        const Interval found = table.log_value_bounds(epsilon);
        CHECK(found.lower <= std::log(truth) && found.upper >= std::log(truth));
        const double value = std::exp(table.estimate(epsilon).log_value);
        const ErrorLedger ledger = table.ledger(epsilon);
        const double unit = truth / (1.0 - 0.5 * (ledger.aliasing + ledger.cut_off));
        CHECK(std::abs(value - truth) > 1e-9 * truth);
        CHECK(ledger.cut_off > 0.0 && ledger.aliasing > 0.0 && ledger.cut_off < std::exp(1.0 - digits));
        repeated = std::max(repeated, (value - truth) / (unit * ledger.aliasing));
    }
    CHECK(repeated > 1e-3);
    const double cut = lattice_cut_off_error(2.0, -3.0, 0.05, 1.5, 0.2);
    CHECK(cut > lattice_cut_off_error(2.5, -3.0, 0.05, 1.5, 0.2));
    CHECK_CLOSE(lattice_cut_off_error(2.0, -4.0, 0.05, 1.5, 0.2), cut * std::exp(-1.0), 1e-12);
}

void place_on_a_lattice_is_the_point_above() {
    const LossLattice lattice{0.3, 0.2};
    for (const double epsilon : {-1.0, 0.29, 0.3, 0.31, 0.5, 7.77}) {
        const LatticePlace at = place_on(lattice, epsilon);
        CHECK(at.gap >= 0.0 && at.gap <= 0.2);
        CHECK_CLOSE(at.above, epsilon + at.gap, 1e-15);
        const double number = (at.above - 0.3) / 0.2;
        CHECK(std::abs(number - std::nearbyint(number)) * 0.2 <= at.error + 1e-15);
    }
}

// Outcomes left out of a wide table are counted, and what is counted is needed.
void outcomes_left_out_of_the_sums_are_counted() {
    const LawHandle law = discrete_gaussian_law(20.0, 1);
    const AtomNodes nodes(law, {3.0, -1.0, 3.0, 10.0, 0.0, -12.0});
    CHECK(nodes.size() < law->atoms().size() / 2);
    const Moment at = nodes.moment(3.0);
    for (const double t : {0.0, 10.0}) {
        const Complex z(3.0L, t);
        Complex all = 0, kept = 0;
        for (const Atom& atom : law->atoms()) {
            all += std::exp(static_cast<long double>(atom.log_mass) + z * static_cast<long double>(atom.loss));
        }
        const NodeArrays arrays = nodes.arrays();
        for (std::size_t j = 0; j < nodes.size(); ++j) {
            kept +=
                std::exp(static_cast<long double>(arrays.log_weight[j]) + z * static_cast<long double>(arrays.loss[j]));
        }
        const double error = static_cast<double>(std::abs(all - kept)) / std::exp(at.value);
        CHECK(error > 1e-12);
        CHECK(error <= nodes.inner_error(3.0, t, at));
        CHECK(nodes.inner_error(3.0, t, at) < 1e-4);
    }
}

// M(tilt) of a law with mass at infinity on both sides, to the last digits of log M.
void missing_mass_enters_the_identities() {
    const double loss = 1e-4, infinite = 1e-6;
    const AtomNodes nodes(two_points(loss, infinite), {50.0, -1.0, 50.0, 10.0, 0.0, -30.0});
    const long double up = (1 - static_cast<long double>(infinite)) / (1 + std::exp(-static_cast<long double>(loss)));
    const long double down = 1 - static_cast<long double>(infinite) - up;
    const long double rise = 50.0L * static_cast<long double>(loss);
    const long double excess = up * std::expm1(rise) + down * std::expm1(-rise) - infinite;
    const Moment at = nodes.moment(50.0);
    const auto want = static_cast<double>(std::log1p(excess));
    CHECK(std::abs(at.value - want) <= nodes.rounding(50.0, at).value);
    CHECK(std::abs(want) > 1e-6);
    // Both masses count: taken for none, log M would be off by (1 + tilt) infinite - tilt infinite = infinite.
    const AtomNodes whole(two_points(loss, 0.0), {50.0, -1.0, 50.0, 10.0, 0.0, -30.0});
    CHECK_CLOSE(whole.moment(50.0).value - at.value, infinite, 1e-3);
}

void decay_of_atoms_bounds_the_transform_up_to_half_the_period() {
    const LawHandle law = discrete_gaussian_law(3.0, 1);
    const double step = 1.0 / 9.0;
    NodeDemand demand{2.0, -1.0, 2.0, 10.0, 0.0, -30.0};
    CHECK(AtomNodes(law, demand).log_decay(2.0, 1.0, AtomNodes(law, demand).moment(2.0), true) == 0.0);
    demand.half_period = std::numbers::pi / step;
    const AtomNodes nodes(law, demand);
    const Moment at = nodes.moment(2.0);
    double largest = 0.0;
    for (double t = demand.half_period; t > 0.1; t *= 0.97) {
        Complex sum = 0;
        for (const Atom& atom : law->atoms()) {
            sum += std::exp(static_cast<long double>(atom.log_mass) +
                            Complex(2.0L, t) * static_cast<long double>(atom.loss));
        }
        largest = std::max(largest, static_cast<double>(std::abs(sum)) / std::exp(at.value));
        if (t < demand.half_period) CHECK(nodes.log_decay(2.0, t, at, true) >= std::log(largest) - 1e-9);
    }
    CHECK(nodes.log_decay(2.0, 3.0, at, true) < -0.3);
}

// Losses that may be off shift epsilon by all of it, and M(-1), which the moments take for known, by as much again.
void errors_of_the_losses_are_counted_once_a_release() {
    const double error = 1e-6;
    const Laws exact{{two_points(0.1, 0.0), 1000}}, rough{{two_points(0.1, 0.0, error), 1000}};
    const double log_delta = std::log(1e-5);
    const Interval narrow = contour_epsilon_bounds(only(exact), log_delta, 1e-9);
    const Interval wide = contour_epsilon_bounds(only(rough), log_delta, 1e-2);
    CHECK(wide.lower <= narrow.lower - 1900.0 * error && wide.upper >= narrow.upper + 1900.0 * error);
    CHECK(wide.upper - wide.lower < 0.1 * narrow.upper);
}

Laws mixed(Direction direction) {
    return {{std::make_shared<GaussianLaw>(SubsampledGaussian{1.0, 0.01}, direction), 300},
            {laplace_law(2.0), 3},
            {two_points(0.2, 1e-8), 2},
            {discrete_gaussian_law(4.0, 1), 5}};
}

void mixed_compositions_agree_with_the_other_engine_for_any_number_of_threads() {
    const std::vector<Laws> both{mixed(Direction::remove), mixed(Direction::add)};
    const Interval found = contour_epsilon_bounds(both, std::log(1e-6), 1e-9);
    const Interval other = fft_epsilon_bounds(both, std::log(1e-6), 1e-4);
    CHECK(found.lower <= other.upper && other.lower <= found.upper);
    CHECK(found.upper - found.lower <= 1e-9 * found.upper);
    const Interval threads = contour_epsilon_bounds(both, std::log(1e-6), 1e-9, 3);
    CHECK(threads.lower == found.lower && threads.upper == found.upper);
    CHECK(contour_epsilon_bounds(both, std::log(1e-8), 1e-9).upper == k_infinity);  // below the mass at infinity
    const std::vector<double> epsilons{0.0, 1.0, 4.0, 50.0, 500.0};
    const auto profile = contour_log_delta_bounds(both, epsilons, 1e-9);
    const auto witness = fft_log_delta_bounds(both, epsilons, 1e-3);
    for (std::size_t i = 0; i < epsilons.size(); ++i) {
        CHECK(profile[i].lower <= witness[i].upper && witness[i].lower <= profile[i].upper);
        CHECK(profile[i].upper - profile[i].lower <= 1e-9 * std::max(1.0, std::abs(profile[i].upper)));
    }
}

void what_cannot_be_served_is_refused() {
    const auto ask = [](const Laws& laws) { return contour_epsilon_bounds(only(laws), std::log(1e-5), 1e-9); };
    CHECK_THROWS(ask({{laplace_law(1.0), 3}}), accuracy_error);  // kinks, and nothing that smooths them
    CHECK_THROWS(ask({{two_points(0.1, 0.0), 10}, {two_points(0.1 * std::numbers::sqrt2, 0.0), 10}}), accuracy_error);
    CHECK_THROWS(ask({{gaussian_mixture_law(1.0, {1.0, 2.0}, {0.5, 0.5}), 10}}), accuracy_error);
    const LawHandle remove = std::make_shared<GaussianLaw>(SubsampledGaussian{1.0, 0.1}, Direction::remove);
    const LawHandle add = std::make_shared<GaussianLaw>(SubsampledGaussian{1.0, 0.1}, Direction::add);
    CHECK_THROWS(ask({{remove, 10}, {add, 10}}), accuracy_error);
    CHECK(!has_nodes(*gaussian_mixture_law(1.0, {1.0, 2.0}, {0.5, 0.5})) && has_nodes(*remove));
}

}  // namespace

int main() {
    lattice_compositions_hold_the_binomial_sum();
    repetition_and_cut_off_on_a_lattice_are_needed_and_enough();
    place_on_a_lattice_is_the_point_above();
    outcomes_left_out_of_the_sums_are_counted();
    missing_mass_enters_the_identities();
    decay_of_atoms_bounds_the_transform_up_to_half_the_period();
    errors_of_the_losses_are_counted_once_a_release();
    mixed_compositions_agree_with_the_other_engine_for_any_number_of_threads();
    what_cannot_be_served_is_refused();
    return hockeystick_test::failures();
}
