// SPDX-License-Identifier: Apache-2.0
// Renyi divergences against sums that share nothing with the rule, and the conversion against brute force.
#include "hockeystick/renyi.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>

#include "check.hpp"
#include "hockeystick/atoms_law.hpp"
#include "hockeystick/capped_law.hpp"
#include "hockeystick/gaussian_law.hpp"
#include "hockeystick/laplace_law.hpp"
#include "hockeystick/renyi_conversion.hpp"
#include "renyi_sum.hpp"

namespace {

using namespace hockeystick;

Interval one(double noise, double rate, Direction direction, double order) {
    return renyi_bounds(SubsampledGaussian{noise, rate}, direction, std::array{order}).front();
}

// Whole orders, remove: the binomial sum of (1 - q + q r)^a about 1, all terms positive.
double by_binomial_sum(double noise, double rate, int order) {
    long double sum = 0.0L;
    for (int i = 2; i <= order; ++i) {
        const long double log_choose =
            std::lgamma(order + 1.0L) - std::lgamma(i + 1.0L) - std::lgamma(order - i + 1.0L);
        const long double exponent = (1.0L * i * i - i) / (2.0L * noise * noise);
        const long double log_weight = log_choose + i * std::log(1.0L * rate) + (order - i) * std::log1p(-1.0L * rate);
        sum += exponent > 1.0L ? std::exp(log_weight + exponent) - std::exp(log_weight)
                               : std::exp(log_weight) * std::expm1(exponent);
    }
    return static_cast<double>(std::log1p(sum) / (order - 1));
}

// Any order: a fine trapezoid rule over the whole line in long doubles, of r^p - 1 - p (r - 1) as it stands.
double by_fine_rule(double noise, double rate, Direction direction, double order) {
    const long double p = direction == Direction::remove ? order : 1.0 - order;
    const long double s2 = 1.0L * noise * noise, step = noise / 200.0L;
    const long double from = -16.0L * noise - (p < 0 ? -p : 0), to = 16.0L * noise + (p > 0 ? p : 1);
    long double sum = 0.0L;
    for (long double x = from; x < to; x += step) {
        const long double l = std::log1p(rate * std::expm1((2 * x - 1) / (2 * s2)));
        sum += std::exp(-x * x / (2 * s2)) * (std::expm1(p * l) - p * std::expm1(l));
    }
    const long double root = std::sqrt(2 * std::acos(-1.0L));
    return static_cast<double>(std::log1p(sum * step / (noise * root)) / (order - 1.0L));
}

// Rules and tails far coarser than those in use, so that what they leave out is far above rounding: it must be inside.
void test_what_the_sum_leaves_out() {
    double by_rule = 0.0, by_tails = 0.0;
    for (const double noise : {0.5, 1.0, 3.0})
        for (const double rate : {1e-3, 0.05, 0.5})
            for (const double order : {1.5, 2.0, 2.7, 7.0})
                for (const Direction direction : {Direction::remove, Direction::add})
                    for (const detail::SumAccuracy accuracy :
                         {detail::SumAccuracy{0.1, 1e-16}, {1e-3, 1e-16}, {1e-16, 0.03}, {1e-16, 1e-3}}) {
                        const double power = direction == Direction::remove ? order : 1.0 - order;
                        const double step = detail::rule_step(noise, power, accuracy);
                        detail::RenyiNodes nodes({noise, rate}, direction, step);
                        const Interval bounds = *detail::renyi_by_rule(nodes, order, accuracy);
                        const double truth = by_fine_rule(noise, rate, direction, order);
                        CHECK(bounds.lower <= truth * (1 + 1e-12) && truth * (1 - 1e-12) <= bounds.upper);
                        const double off = std::abs(0.5 * (bounds.lower + bounds.upper) / truth - 1.0);
                        (accuracy.rule > accuracy.tail ? by_rule : by_tails) =
                            std::max(accuracy.rule > accuracy.tail ? by_rule : by_tails, off);
                    }
    CHECK(by_rule > 1e-6 && by_tails > 1e-6);  // each was really off
}

void test_whole_orders() {
    for (const double noise : {0.5, 0.8, 1.0, 3.0, 50.0})  // at 0.4 the sum overflows
        for (const double rate : {1e-6, 1e-3, 0.05, 0.5, 0.99})
            for (const int order : {2, 3, 7, 20, 64}) {
                const Interval bounds = one(noise, rate, Direction::remove, order);
                const double truth = by_binomial_sum(noise, rate, order);
                CHECK(bounds.lower <= truth * (1 + 1e-13) && truth * (1 - 1e-13) <= bounds.upper);
                CHECK(bounds.upper - bounds.lower <= 1e-12 * truth);
            }
}

void test_fractional_orders() {
    for (const Direction direction : {Direction::remove, Direction::add})
        for (const double noise : {0.4, 1.0, 4.0})
            for (const double rate : {0.01, 0.3, 0.97})
                for (const double order : {1.001, 1.3, 1.9999, 2.5, 7.7, 33.3}) {
                    const Interval bounds = one(noise, rate, direction, order);
                    const double truth = by_fine_rule(noise, rate, direction, order);
                    const double slack = 1e-12 / std::min(1.0, (order - 1.0) * (order - 1.0));
                    CHECK(bounds.lower <= truth * (1 + slack) && truth * (1 - slack) <= bounds.upper);
                    CHECK(bounds.upper - bounds.lower <= 1e-12 * truth);
                }
}

// D = a q^2 (e^{1/s^2} - 1)/2 (1 + O(q) + O(1/s)): where other libraries have no digit left.
void test_tiny_divergences() {
    for (const Direction direction : {Direction::remove, Direction::add})
        for (const double rate : {1e-3, 1e-7, 1e-12})
            for (const double order : {1.0, 1.0 + 1e-9, 1.5, 2.0, 64.0, 256.0}) {
                const Interval bounds = one(1e6, rate, direction, order);
                const double leading = 0.5 * order * rate * rate * std::expm1(1e-12);
                CHECK_CLOSE(bounds.lower, leading, 1e-8);
                CHECK_CLOSE(bounds.upper, leading, 1e-8);
                CHECK(bounds.upper - bounds.lower <= 1e-12 * leading);
            }
    const Interval vanishing = one(1.0, 1e-200, Direction::remove, 2.0);
    CHECK(vanishing.lower == 0.0 && vanishing.upper > 0.0 && vanishing.upper <= 1e-299);
}

void test_widths_and_limits() {
    for (const Direction direction : {Direction::remove, Direction::add})
        for (const double noise : {0.05, 0.1, 0.5, 1.0, 30.0, 1e6})
            for (const double rate : {1e-12, 1e-4, 0.3, 0.999999})
                for (const double order : {1.0, 1.0000001, 1.7, 2.0, 12.3, 1000.0}) {
                    const Interval bounds = one(noise, rate, direction, order);
                    CHECK(bounds.lower >= 0.0 && bounds.lower <= bounds.upper);
                    const bool cancels = noise < 0.5;  // the exponents a^2/s^2 round more than the sum
                    CHECK(bounds.upper - bounds.lower <= (cancels ? 1e-10 : 1e-12) * bounds.upper);
                    CHECK(bounds.lower <= order / (2 * noise * noise));
                    if (direction == Direction::add) CHECK(bounds.lower <= -std::log1p(-rate));
                }
    CHECK(one(1.0, 0.0, Direction::remove, 3.0).upper == 0.0);
    CHECK_CLOSE(one(2.0, 1.0, Direction::add, 3.0).upper, 0.375, 1e-15);
    CHECK(one(0.0, 0.1, Direction::remove, 3.0).lower == k_infinity);
    CHECK_CLOSE(one(0.0, 0.1, Direction::add, 3.0).upper, -std::log1p(-0.1), 1e-15);
    CHECK(one(1.0, 0.1, Direction::remove, k_infinity).lower == k_infinity);
    CHECK_CLOSE(one(1.0, 0.1, Direction::add, k_infinity).upper, -std::log1p(-0.1), 1e-15);
}

// Out of the range of the rule: bounds that still hold, at once.
void test_far_out() {
    for (const Direction direction : {Direction::remove, Direction::add})
        for (const double noise : {1e-300, 1e-9, 1e-4, 1e-3, 1e9, 1e200})
            for (const double order : {1.0, 1.5, 2.0, 1e6, 1e300}) {
                const Interval bounds = one(noise, 0.01, direction, order);
                CHECK(bounds.lower <= bounds.upper && bounds.lower >= 0.0);
                if (noise < 1e-3 && direction == Direction::remove) CHECK(bounds.upper >= 1e5 || order == 1.0);
            }
    // A whole order needs no strip, and is sharp at any noise.
    const Interval bounds = one(1e-4, 0.01, Direction::remove, 2.0);
    CHECK_CLOSE(bounds.upper, 1e8 + 2 * std::log(0.01), 1e-12);
    CHECK_THROWS(one(1.0, 0.1, Direction::remove, 0.5), std::invalid_argument);
    CHECK_THROWS(one(1.0, 0.1, Direction::remove, std::nan("")), std::invalid_argument);
    CHECK_THROWS(one(1.0, 1.5, Direction::remove, 2.0), std::invalid_argument);
    CHECK_THROWS(one(-1.0, 0.5, Direction::remove, 2.0), std::invalid_argument);
}

// theorem 5 of Mironov, Talwar and Zhang (2019): removing is the worse direction at every order.
void test_remove_is_larger() {
    for (const double noise : {0.4, 1.0, 5.0})
        for (const double rate : {1e-3, 0.2, 0.9})
            for (const double order : {1.0, 1.2, 2.0, 9.5, 80.0})
                CHECK(one(noise, rate, Direction::remove, order).upper >=
                      one(noise, rate, Direction::add, order).lower);
}

void test_atoms() {
    // Two outcomes with losses +1 and -1.
    const double p = 1.0 / (1.0 + std::exp(-1.0));
    const std::array losses{1.0, -1.0}, masses{p, 1.0 - p};
    const std::array orders{1.0, 1.0 + 1e-12, 2.0, 50.0, 5000.0, k_infinity};
    const auto bounds = renyi_bounds_of_atoms(losses, masses, 0.0, 0.0, orders);
    const auto direct = [&](double a) {
        return std::log(p * std::exp(a - 1.0) + (1.0 - p) * std::exp(1.0 - a)) / (a - 1.0);
    };
    CHECK_CLOSE(bounds[0].upper, 2.0 * p - 1.0, 1e-14);
    CHECK_CLOSE(bounds[1].upper, 2.0 * p - 1.0, 1e-11);
    CHECK_CLOSE(bounds[2].upper, direct(2.0), 1e-14);
    CHECK_CLOSE(bounds[3].upper, direct(50.0), 2e-14);
    CHECK_CLOSE(bounds[4].upper, 1.0 + std::log(p) / 4999.0, 1e-14);
    CHECK_CLOSE(bounds[5].upper, 1.0, 1e-15);
    for (const Interval& each : bounds) CHECK(each.upper - each.lower <= 1e-13 * each.upper);
    // Mass of Q outside the support of P: D_2 = log sum m e^l all the same.
    const std::array half_loss{std::log(2.0)}, all{1.0}, two{2.0};
    CHECK_CLOSE(renyi_bounds_of_atoms(half_loss, all, 0.0, 0.5, two)[0].upper, std::log(2.0), 1e-14);
    CHECK(renyi_bounds_of_atoms(half_loss, std::array{0.9}, 0.1, 0.0, two)[0].lower == k_infinity);
}

void test_closed_forms() {
    for (const double separation : {1e-9, 0.1, 1.0, 20.0})
        for (const double a : {1.5, 2.0, 40.0}) {
            const Interval bounds = laplace_renyi_bounds(separation, std::array{a}).front();
            const long double s = separation, b = a;
            const long double excess = (b * std::expm1((b - 1) * s) + (b - 1) * std::expm1(-b * s)) / (2 * b - 1);
            const double truth = static_cast<double>(std::log1p(excess) / (b - 1));
            const double slack = 1e-18 / (separation * separation) + 1e-13;  // of the reference
            CHECK(bounds.lower <= truth * (1 + slack) && truth * (1 - slack) <= bounds.upper);
            CHECK(bounds.upper - bounds.lower <= 1e-12 * bounds.upper);
        }
    CHECK_CLOSE(laplace_renyi_bounds(1e-6, std::array{1.0})[0].upper, 0.5e-12, 1e-6);
    for (const double sigma : {0.2, 0.39, 0.41, 1.0, 6.0})
        for (const double shift : {1.0, 3.0})
            for (const double a : {1.000001, 1.25, 2.0, 9.6}) {
                const Interval bounds = discrete_gaussian_renyi_bounds(sigma, shift, std::array{a}).front();
                long double above = 0.0L, whole = 0.0L;
                const long double centre = a * shift;
                for (int n = -200; n <= 300; ++n) {
                    above += std::exp(-(n - centre) * (n - centre) / (2.0L * sigma * sigma));
                    whole += std::exp(-1.0L * n * n / (2.0L * sigma * sigma));
                }
                const long double main = a * shift * shift / (2.0L * sigma * sigma);
                const double truth = static_cast<double>(main + std::log(above / whole) / (a - 1.0L));
                CHECK_CLOSE(bounds.lower, truth, 1e-11);
                CHECK_CLOSE(bounds.upper, truth, 1e-11);
            }
}

// Any law by its tails: above the closed form or the rule, and by no more than promised.
void test_of_law() {
    const std::array orders{1.0, 1.0001, 1.5, 2.0, 5.0, 16.0};
    const auto compare = [&](const LawHandle& law, const std::vector<Interval>& truth, double excess) {
        const std::vector<double> upper = RenyiOfLaw(law).upper(orders);
        for (std::size_t i = 0; i < orders.size(); ++i) {
            CHECK(upper[i] >= truth[i].lower);
            CHECK(upper[i] <= truth[i].upper * (1.0 + excess));
        }
    };
    for (const double separation : {0.1, 1.0, 10.0})
        compare(laplace_law(1.0 / separation), laplace_renyi_bounds(separation, orders), 1e-6);
    for (const Direction direction : {Direction::remove, Direction::add})
        for (const SubsampledGaussian release : {SubsampledGaussian{1.0, 0.01}, {4.0, 0.001}, {1.5, 0.3}})
            compare(std::make_shared<GaussianLaw>(release, direction), renyi_bounds(release, direction, orders), 1e-4);
    CHECK(RenyiOfLaw(laplace_law(0.5)).upper(std::array{k_infinity})[0] >= 2.0);
    // Far beyond the cells the law's own bound on its tail serves.
    const SubsampledGaussian release{1.0, 0.01};
    const std::array far{1000.0};
    const double upper = RenyiOfLaw(std::make_shared<GaussianLaw>(release, Direction::remove)).upper(far)[0];
    CHECK(upper >= renyi_bounds(release, Direction::remove, far)[0].lower && upper <= 501.0);
    CHECK_THROWS(RenyiOfLaw(laplace_law(1.0)).upper(std::array{0.9}), std::invalid_argument);
}

double binary(double order, double p, double r) {
    const double sum =
        std::pow(p, order) * std::pow(r, 1 - order) + std::pow(1 - p, order) * std::pow(1 - r, 1 - order);
    return std::log(sum) / (order - 1);
}

// The largest p - e^epsilon r on a fine grid of pairs within the divergences.
// A law that has some of its tail at infinity is as good as the whole one where that tail hardly matters, and no worse
// than the limit where it does; without a limit it tells nothing.
void test_mass_at_infinity_with_a_limit() {
    const SubsampledGaussian release{1.0, 0.1};
    const auto whole = std::make_shared<GaussianLaw>(release, Direction::remove);
    const auto plain = std::make_shared<GaussianLaw>(SubsampledGaussian{1.0, 1.0}, Direction::remove);
    const double cap = probability_cap(*whole, std::log(1e-40));
    const LawHandle cut = std::make_shared<CappedLaw>(whole, cap);
    const std::vector<double> orders{1.0, 1.001, 1.5, 2.0, 4.0, 8.0, 20.0, 60.0};
    CHECK(std::isinf(RenyiOfLaw(cut).upper(orders)[2]));
    const std::vector<double> found = RenyiOfLaw(cut, plain).upper(orders);
    const std::vector<double> limits = RenyiOfLaw(plain).upper(orders);
    const std::vector<Interval> truth = renyi_bounds(release, Direction::remove, orders);
    for (std::size_t i = 0; i < orders.size(); ++i) {
        CHECK(found[i] >= truth[i].lower && found[i] <= limits[i]);
        if (orders[i] < 5.0) CHECK_CLOSE(found[i], truth[i].upper, 1e-3);
    }
    // All at infinity: the limit alone.
    const LawHandle nothing = atoms_law({{}, {}, {1.0, 1.0}, {1.0, 1.0}});
    CHECK(RenyiOfLaw(nothing, plain).upper(orders)[3] <= limits[3]);
}

void test_optimal_conversion() {
    for (const double order : {1.5, 3.0, 12.0})
        for (const double rho : {0.05, 0.5})
            for (const double epsilon : {0.0, 0.3, 1.0}) {
                const double log_delta = renyi_optimal_log_delta_upper(std::array{order}, std::array{rho},
                                                                       std::array{rho}, epsilon, 1e-12)[0];
                double best = 0.0;
                for (int i = 1; i < 1500; ++i)
                    for (int j = 1; j < 1500; ++j) {
                        const double p = std::pow(i / 1500.0, 3), r = std::pow(j / 1500.0, 3);
                        const double delta = p - std::exp(epsilon) * r;
                        if (delta > best && binary(order, p, r) <= rho && binary(order, r, p) <= rho) best = delta;
                    }
                CHECK(best <= std::exp(log_delta));
                CHECK(best >= 0.97 * std::exp(log_delta) - 1e-4);
                // And back: epsilon at that delta is that epsilon.
                const double back = renyi_optimal_epsilon_upper(std::array{order}, std::array{rho}, std::array{rho},
                                                                log_delta, 1e-12)[0];
                CHECK(std::fabs(back - epsilon) <= 1e-8);
            }
    // A large divergence at a large order, where the improved conversion says nothing of delta.
    const double large =
        renyi_optimal_log_delta_upper(std::array{101.0}, std::array{1.0}, std::array{1.0}, 0.85616, 1e-12)[0];
    CHECK(std::fabs(large - std::log(0.1)) < 1e-3);
    // Never above the improved conversion, also where rounding decides or nothing is known of the reverse.
    for (const double order : {1.0001, 2.0, 300.0})
        for (const double rho : {1e-18, 1e-6, 0.1, 30.0})
            for (const double log_delta : {-1.0, -20.0, -690.0}) {
                const double improved =
                    std::max(0.0, rho + std::log1p(-1 / order) - (log_delta + std::log(order)) / (order - 1));
                const double optimal = renyi_optimal_epsilon_upper(std::array{order}, std::array{rho},
                                                                   std::array{k_infinity}, log_delta, 1e-12)[0];
                CHECK(optimal >= 0.0 && optimal <= improved * (1 + 1e-12) + 1e-12 / (order - 1));
            }
}

}  // namespace

int main() {
    test_what_the_sum_leaves_out();
    test_whole_orders();
    test_fractional_orders();
    test_tiny_divergences();
    test_widths_and_limits();
    test_far_out();
    test_remove_is_larger();
    test_atoms();
    test_closed_forms();
    test_of_law();
    test_mass_at_infinity_with_a_limit();
    test_optimal_conversion();
    return hockeystick_test::failures();
}
