// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/nodes.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <random>
#include <vector>

#include "check.hpp"
#include "contour_reference.hpp"
#include "hockeystick/contour_kernel.hpp"
#include "hockeystick/error.hpp"

using namespace hockeystick;
using namespace hockeystick::contour;
using hockeystick_test::Complex;
using hockeystick_test::SlowLaw;
using hockeystick_test::sum_of;

namespace {

constexpr double k_u = 0x1p-53;

struct Setting {
    SubsampledGaussian law;
    Direction direction;
    double tilt;
    double frequency;
};

const std::vector<Setting> k_settings = {
    {{1.0, 0.01}, Direction::remove, 5.0, 30.0},  {{1.0, 0.01}, Direction::add, 20.0, 60.0},
    {{1.0, 0.01}, Direction::remove, -0.4, 30.0}, {{0.6, 0.1}, Direction::remove, 2.0, 10.0},
    {{0.6, 0.1}, Direction::add, 9.0, 10.0},      {{4.0, 0.3}, Direction::remove, 8.0, 40.0},
    {{4.0, 0.3}, Direction::add, 8.0, 40.0},      {{2.0, 1e-4}, Direction::add, 300.0, 2000.0},
};

SubsampledNodes make(const Setting& s, double log_error) {
    const double log_moment = std::log(static_cast<double>(SlowLaw(s.law, s.direction, 30).moment(s.tilt).real()));
    return {s.law, s.direction, {s.tilt, s.tilt, s.tilt, s.frequency, log_moment, log_error}};
}

void kernel_exponential_errs_by_at_most_four_roundings() {
    double worst = 0.0;
    for (double x = -708.0; x < 709.0; x += 0.0371) {
        const auto want = static_cast<double>(std::exp(static_cast<long double>(x)));
        worst = std::max(worst, std::abs(fast_exp(x) / want - 1.0));
    }
    CHECK(worst <= 4.0 * k_u);
    CHECK(fast_exp(-709.0) == 0.0);
    CHECK(std::isinf(fast_exp(709.5)));
}

// Against e^{iy} - 1 - iy by long double, with angles from tiny to many turns.
void rotation_stays_within_its_error_bound() {
    std::mt19937_64 random(7);
    std::normal_distribution<double> normal;
    const std::size_t n = 64;
    const std::size_t count = 300;
    for (const double scale : {1e-9, 1e-3, 0.1, 3.0, 40.0}) {
        std::vector<double> weights(n), centred(n), re(count), im(count);
        for (std::size_t j = 0; j < n; ++j) {
            weights[j] = 1.0 / 64.0;
            centred[j] = scale * normal(random);
        }
        phase_sums(weights, centred, 1.0, re, im);
        double worst = 0.0;
        for (std::size_t k = 1; k < count; ++k) {
            long double want_re = 0, want_im = 0, square = 0;
            for (std::size_t j = 0; j < n; ++j) {
                const long double y = static_cast<long double>(centred[j]) * static_cast<long double>(k);
                const long double s = std::sin(y / 2);
                const long double cubic = -y * y * y / 6 * (1 - y * y / 20 * (1 - y * y / 42 * (1 - y * y / 72)));
                want_re -= 2 * s * s / 64;
                want_im += (std::abs(y) < 0.02L ? cubic : std::sin(y) - y) / 64;
                square += y * y / 128;
            }
            const long double error =
                std::hypot(want_re - static_cast<long double>(re[k]), want_im - static_cast<long double>(im[k]));
            worst = std::max(worst, static_cast<double>(error / square) / rotation_error(k, n));
        }
        CHECK(worst <= 1.0);
        CHECK(worst > 1e-6);  // the bound is of the size of what it bounds
    }
}

// Coarse rules on purpose, so that the error is far above rounding: it must be inside the bound, and the bound near it.
void inner_rule_error_bounds_what_the_nodes_leave_out() {
    for (const Setting& s : k_settings) {
        const SlowLaw slow(s.law, s.direction, 30, 4);
        for (const double log_error : {-7.0, -14.0}) {
            const SubsampledNodes nodes = make(s, log_error);
            const Moment at = nodes.moment(s.tilt);
            const double scale = static_cast<double>(slow.moment(s.tilt).real());
            const double bound = nodes.inner_error(s.tilt, s.frequency, at);
            double worst = 0.0;
            for (const double part : {0.0, 0.3, 0.6, 1.0}) {
                const Complex z(s.tilt, part * s.frequency);
                worst = std::max(worst, static_cast<double>(std::abs(sum_of(nodes, z) - slow.moment(z))) / scale);
            }
            CHECK(worst <= bound);
            CHECK(bound < 0.1);
            CHECK(bound < 30.0 * std::exp(log_error));
            CHECK(nodes.real_error(s.tilt, at) * (1.0 + 1e-9) >=
                  static_cast<double>(std::abs(sum_of(nodes, s.tilt) - slow.moment(s.tilt))) / scale);
        }
    }
}

void coarse_rule_is_visibly_wrong_and_still_bounded() {
    const Setting s{{1.0, 0.1}, Direction::remove, 3.0, 40.0};
    const SlowLaw slow(s.law, s.direction, 30, 8);
    const SubsampledNodes nodes = make(s, -4.0);
    const Complex z(s.tilt, s.frequency);
    const double scale = static_cast<double>(slow.moment(s.tilt).real());
    const double error = static_cast<double>(std::abs(sum_of(nodes, z) - slow.moment(z))) / scale;
    const double bound = nodes.inner_error(s.tilt, s.frequency, nodes.moment(s.tilt));
    CHECK(error > 1e-9);  // without the term the sum would be taken for exact
    CHECK(error <= bound);
}

void tails_left_out_are_bounded() {
    // Tilts far outside what the nodes were made for: the range does not serve them, and the bound says so.
    const SubsampledNodes nodes({1.0, 0.01}, Direction::remove, {1.0, 1.0, 1.0, 5.0, 0.0, -20.0});
    const SlowLaw slow({1.0, 0.01}, Direction::remove, 60);
    for (const double tilt : {2.0, 6.0, 12.0, 20.0}) {
        const double truth = static_cast<double>(slow.moment(tilt).real());
        const double sum = static_cast<double>(sum_of(nodes, tilt).real());
        const double bound = nodes.real_error(tilt, nodes.moment(tilt));
        CHECK(std::abs(truth - sum) <= bound * sum * 1.000001 + 1e-13 * truth);
        CHECK(std::abs(truth - sum) <=
              nodes.inner_error(tilt, 0.0, nodes.moment(tilt)) * sum * 1.000001 + 1e-13 * truth);
        if (tilt == 20.0) CHECK(truth > 1.5 * sum && bound > 0.5);
    }
}

void moments_agree_with_the_slow_sums() {
    for (const Setting& s : k_settings) {
        const SlowLaw slow(s.law, s.direction, 30);
        const SubsampledNodes nodes = make(s, -38.0);
        const Moment at = nodes.moment(s.tilt);
        const MomentError error = nodes.rounding(s.tilt, at);
        const auto want = static_cast<double>(std::log1p(slow.excess(s.tilt)));
        long double mass = 0, first = 0, second = 0;
        for (std::size_t j = 0; j < slow.loss.size(); ++j) {
            const long double w = slow.weight[j] * std::exp(static_cast<long double>(s.tilt) * slow.loss[j]);
            mass += w;
            first += w * slow.loss[j];
            second += w * slow.loss[j] * slow.loss[j];
        }
        first /= mass;
        CHECK(std::abs(at.value - want) <= error.value + 1e-15);
        CHECK(std::abs(at.first - static_cast<double>(first)) <= error.first + 1e-16);
        CHECK_CLOSE(at.second, static_cast<double>(second / mass - first * first), 1e-11);
        CHECK(error.value < 1e-13 * (1.0 + std::abs(at.value)));
    }
}

// M - 1 ~ 1e-12 must keep its relative accuracy, or T = 1e12 would lose everything.
void small_losses_keep_relative_accuracy() {
    for (const Direction direction : {Direction::remove, Direction::add}) {
        const SlowLaw slow({1.0, 1e-6}, direction, 20);
        const SubsampledNodes nodes({1.0, 1e-6}, direction, {3.0, 2.0, 4.0, 20.0, 1e-11, -65.0});
        const Moment at = nodes.moment(3.0);
        CHECK_CLOSE(at.value, static_cast<double>(std::log1p(slow.excess(3.0L))), 1e-5);  // the reference has 6 digits
        CHECK(nodes.rounding(3.0, at).value < 1e-13 * at.value);
        CHECK(nodes.rounding(3.0, at).first < 1e-13 * at.first);
        // K ~ z (z + 1) q^2 (e - 1) / 2 for small q.
        CHECK_CLOSE(at.value, 6.0 * 1e-12 * std::expm1(1.0), 1e-4);
    }
}

void the_two_directions_mirror_each_other() {
    const SubsampledNodes remove({0.8, 0.05}, Direction::remove, {2.0, 1.0, 3.0, 10.0, 0.05, -38.0});
    const SubsampledNodes add({0.8, 0.05}, Direction::add, {2.0, 1.0, 3.0, 10.0, 0.05, -38.0});
    for (const double tilt : {-0.9, -0.5, -0.1}) {
        CHECK_CLOSE(remove.moment(tilt).value, add.moment(-1.0 - tilt).value, 1e-12);
        CHECK_CLOSE(remove.moment(tilt).first, -add.moment(-1.0 - tilt).first, 1e-11);
    }
    for (const auto* nodes : {&remove, &add}) {
        CHECK(std::abs(nodes->moment(0.0).value) < 1e-16);
        CHECK(std::abs(nodes->moment(-1.0).value) < 1e-16);
    }
}

void decay_bound_holds_for_all_larger_frequencies() {
    for (const Setting& s : k_settings) {
        const SlowLaw slow(s.law, s.direction, 30, 8);
        const SubsampledNodes nodes = make(s, -30.0);
        const Moment at = nodes.moment(s.tilt);
        const double from = 0.7 * s.frequency;
        const double bound = nodes.log_decay(s.tilt, from, at, true);
        CHECK(bound < 0.0);
        double largest = -1e300;
        const Complex start = slow.moment(s.tilt);
        for (double t = from; t < 8.0 * s.frequency; t *= 1.02) {
            largest =
                std::max(largest, static_cast<double>(std::log(std::abs(slow.moment(Complex(s.tilt, t)) / start))));
        }
        CHECK(largest <= bound);
        CHECK(bound < 0.1 * std::max(largest, -1.0));  // of use: within a factor of ten in the exponent
    }
}

void refuses_more_nodes_than_are_sensible() {
    CHECK_THROWS(SubsampledNodes({1e-4, 0.5}, Direction::remove, {1.0, 1.0, 1.0, 1e9, 1e8, -30.0}), accuracy_error);
}

// Frequencies that no strip serves leave a step of 0: refused before an index of infinity is converted, which the
// undefined-behaviour sanitizer would stop.
void no_step_is_refused() {
    for (const double frequency : {1e18, 1e100, 1e300}) {
        const NodeDemand demand{1.0, 1.0, 1.0, frequency, 0.0, -40.0};
        CHECK_THROWS(SubsampledNodes({0.1152, 1e-12}, Direction::add, demand), accuracy_error);
    }
}

}  // namespace

int main() {
    no_step_is_refused();
    kernel_exponential_errs_by_at_most_four_roundings();
    rotation_stays_within_its_error_bound();
    inner_rule_error_bounds_what_the_nodes_leave_out();
    coarse_rule_is_visibly_wrong_and_still_bounded();
    tails_left_out_are_bounded();
    moments_agree_with_the_slow_sums();
    small_losses_keep_relative_accuracy();
    the_two_directions_mirror_each_other();
    decay_bound_holds_for_all_larger_frequencies();
    refuses_more_nodes_than_are_sensible();
    return hockeystick_test::failures();
}
