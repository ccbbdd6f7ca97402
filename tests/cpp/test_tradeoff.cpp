// SPDX-License-Identifier: Apache-2.0
// Both curves enclose the closed forms (Gaussian, randomized response, subsampled Gaussian) from alpha 1e-300 to 1, and
// are convex, decreasing, symmetric; the fast search agrees with the greatest line found by looking at all of them.
#include "hockeystick/tradeoff.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "hockeystick/gaussian.hpp"
#include "hockeystick/special.hpp"

namespace {

using namespace hockeystick;

struct Table {
    std::vector<double> epsilon, upper, lower;
    ProfilePoints points() const { return {epsilon, upper, lower}; }
};

// `count` epsilons, evenly spaced up to the one where log delta is `log_delta_end`.
Table gaussian_table(double mu, std::size_t count, double log_delta_end) {
    Table table;
    const double end = gaussian_epsilon_bounds(log_delta_end, mu).upper;
    for (std::size_t i = 0; i < count; ++i) {
        table.epsilon.push_back(end * static_cast<double>(i) / static_cast<double>(count - 1));
        const Interval log_delta = gaussian_log_delta_bounds(table.epsilon.back(), mu);
        table.upper.push_back(log_delta.upper);
        table.lower.push_back(log_delta.lower);
    }
    return table;
}

// Randomized response of pure epsilon e: delta = (e^e - e^eps) / (e^e + 1), straight in e^eps.
Table response_table(double pure, std::size_t count) {
    Table table;
    for (std::size_t i = 0; i < count; ++i) {
        const double eps = pure * static_cast<double>(i) / static_cast<double>(count - 1);
        const double exact =
            i + 1 == count ? -k_infinity : eps + std::log(std::expm1(pure - eps)) - std::log1p(std::exp(pure));
        table.epsilon.push_back(eps);
        table.upper.push_back(std::min(0.0, exact + 1e-15 * (1.0 + std::abs(exact))));
        table.lower.push_back(exact - 1e-15 * (1.0 + std::abs(exact)));
        if (std::isinf(exact)) {
            table.upper.back() = table.lower.back() = exact;
        }
    }
    return table;
}

double gaussian_log_beta(double log_alpha, double mu) {
    return log_normal_cdf(normal_quantile_of_log_complement(log_alpha) - mu);
}

// Log abscissas from 1e-300 to nearly 1, dense about 1/2 too.
std::vector<double> abscissas() {
    std::vector<double> out;
    for (double x = -690.0; x < -1e-3; x *= 0.97) {
        out.push_back(x);
    }
    for (double x = -1e-3; x < -1e-12; x *= 0.8) {
        out.push_back(x);
    }
    return out;
}

void test_gaussian() {
    for (const double mu : {1e-6, 1e-3, 0.3, 1.0, 5.0, 40.0}) {
        const Table table = gaussian_table(mu, 2000, -800.0);
        const Envelope lower = lower_envelope(table.points());
        const Envelope upper = upper_envelope(table.points());
        const std::vector<double> at = abscissas();
        const OperatingPoints low = operating_points_at_log(lower, at);
        const OperatingPoints high = operating_points_at_log(upper, at);
        double gap = 0.0;
        for (std::size_t i = 0; i < at.size(); ++i) {
            const double truth = gaussian_log_beta(at[i], mu);
            const double slack = 1e-14 * (1.0 + std::abs(truth)) + 1e-13 * mu;
            CHECK(low.log_beta[i] <= truth + slack);
            CHECK(high.log_beta[i] >= truth - slack);
            CHECK(low.log_beta[i] <= high.log_beta[i]);
            if (std::abs(std::exp(truth) - std::exp(low.log_beta[i])) > 1e-3 || low.log_beta[i] > truth + slack ||
                high.log_beta[i] < truth - slack) {
                std::fprintf(stderr, "  mu %g log alpha %.17g: [%.17g, %.17g] truth %.17g\n", mu, at[i],
                             low.log_beta[i], high.log_beta[i], truth);
            }
            gap = std::max(gap, std::exp(high.log_beta[i]) - std::exp(low.log_beta[i]));
            // The rate is the complement, also where beta is nearly 1.
            const double rate = log_normal_cdf(mu - normal_quantile_of_log_complement(at[i]));
            CHECK(low.log_tpr[i] >= rate - 1e-12 * (1.0 + std::abs(rate) + mu));
        }
        std::printf("gaussian mu %-8g %zu lines, widest gap in beta %.3g\n", mu, lower.epsilon.size(), gap);
        CHECK(gap < 1e-3);
    }
}

void test_response() {
    for (const double pure : {1e-3, 1.0, 20.0, 60.0}) {
        const Table table = response_table(pure, 50);
        const Envelope lower = lower_envelope(table.points());
        const Envelope upper = upper_envelope(table.points());
        const double corner = -std::log1p(std::exp(pure));
        for (const double at : abscissas()) {
            const double alpha = std::exp(at);
            double truth = std::max(0.0, 1.0 - std::exp(pure) * alpha);
            truth = at > corner ? -std::expm1(at) * std::exp(-pure) : truth;
            const OperatingPoint low = operating_point(lower, abscissa_of_log(at, Side::lower));
            const OperatingPoint high = operating_point(upper, abscissa_of_log(at, Side::upper));
            CHECK(std::exp(low.log_beta) <= truth * (1.0 + 1e-12) + 1e-15);
            CHECK(std::exp(high.log_beta) >= truth * (1.0 - 1e-12) - 1e-15);
            CHECK(std::exp(high.log_beta) - std::exp(low.log_beta) <= 1e-9);
        }
    }
    // Two answers, the true one with probability .6.
    const Table table = response_table(std::log(1.5), 20);
    const Envelope curve = lower_envelope(table.points());
    for (const auto& [alpha, beta] : {std::pair{0.05, 0.925}, std::pair{0.1, 0.85}, std::pair{0.2, 0.7},
                                      std::pair{0.5, 1.0 / 3.0}, std::pair{0.9, 1.0 / 15.0}}) {
        CHECK_CLOSE(std::exp(operating_point(curve, abscissa_of(alpha, Side::lower)).log_beta), beta, 1e-12);
    }
}

// The greatest of all lines and mirror images, by looking at each.
double greatest_line(const Table& table, double alpha) {
    double best = 0.0;
    for (std::size_t j = 0; j < table.epsilon.size(); ++j) {
        const double rest = -std::expm1(table.upper[j]);
        best =
            std::max({best, rest - std::exp(table.epsilon[j]) * alpha, std::exp(-table.epsilon[j]) * (rest - alpha)});
    }
    return best;
}

void test_against_all_lines() {
    for (const double mu : {0.2, 1.0, 3.0}) {
        const Table table = gaussian_table(mu, 37, -40.0);
        const Envelope curve = lower_envelope(table.points());
        for (double alpha = 0.0; alpha <= 1.0; alpha += 1.0 / 512.0) {
            const double beta = std::exp(operating_point(curve, abscissa_of(alpha, Side::lower)).log_beta);
            CHECK(beta <= greatest_line(table, alpha) + 1e-15);
            CHECK(std::abs(beta - greatest_line(table, alpha)) < 1e-13);
        }
    }
}

// Left of the diagonal, against the curve's own lines in long doubles, their numbers taken as exact: only outward
// rounding keeps them apart.
void test_lines_are_rounded_outward() {
    const Table table = gaussian_table(1.0, 25, -30.0);
    for (const Envelope& curve : {lower_envelope(table.points()), upper_envelope(table.points())}) {
        for (int i = 120; i < 3000; ++i) {
            const double at = -0.01 * i;
            if (place_of(curve, at).mirrored) continue;
            long double best = 0.0L;
            for (std::size_t j = 0; j < curve.epsilon.size(); ++j) {
                best =
                    std::max(best, std::exp(1.0L * curve.log_complement[j]) - std::exp(1.0L * curve.epsilon[j] + at));
            }
            const double found = operating_point(curve, abscissa_of_log(at, curve.side)).log_beta;
            const long double over = found - std::log(best);  // right to 1e-19
            CHECK(curve.side == Side::lower ? over <= 3e-19L : over >= -3e-19L);
            CHECK(std::abs(over) < 1e-13L);
        }
    }
}

void test_shape() {
    const Table table = gaussian_table(0.7, 60, -100.0);
    for (const Envelope& curve : {lower_envelope(table.points()), upper_envelope(table.points())}) {
        double before = 1.0, before_slope = -k_infinity;
        for (int i = 1; i <= 400; ++i) {
            const double beta = std::exp(operating_point(curve, abscissa_of(i / 400.0, curve.side)).log_beta);
            const double slope = (beta - before) * 400.0;
            CHECK(beta <= before + 1e-14);
            CHECK(i == 1 || slope >= before_slope - 1e-9);
            CHECK(beta <= 1.0 - i / 400.0 + 1e-14);
            before = beta, before_slope = slope;
            if (i < 400 && beta > 0.0 && beta <= 1.0) {  // f(f(alpha)) = alpha
                CHECK_CLOSE(std::exp(operating_point(curve, abscissa_of(beta, curve.side)).log_beta), i / 400.0, 1e-10);
            }
        }
    }
}

void test_certified_corners() {
    const Table table = gaussian_table(2.0, 300, -700.0);
    const Envelope curve = lower_envelope(table.points());
    for (std::size_t i = 0; i < curve.log_alpha.size(); ++i) {
        CHECK(i == 0 || curve.log_alpha[i] < curve.log_alpha[i - 1]);
        CHECK(i == 0 || curve.log_beta[i] > curve.log_beta[i - 1]);
        const double truth = gaussian_log_beta(curve.log_alpha[i], 2.0);
        CHECK(curve.log_beta[i] <= truth + 1e-13);
        const double gain = -std::expm1(curve.log_beta[i]) - std::exp(curve.log_alpha[i]);
        CHECK(std::abs(std::exp(log_gain(curve, i, curve.log_alpha[i])) - gain) < 1e-12);
        CHECK(std::abs(std::exp(curve.log_tpr[i]) + std::exp(curve.log_beta[i]) - 1.0) < 1e-12);
        CHECK(std::exp(curve.log_tpr[i]) + std::exp(curve.log_beta[i]) >= 1.0 - 1e-15);
    }
}

void test_few_points() {
    // One point: only the total variation is known.
    const std::vector<double> zero{0.0}, half{std::log(0.5)}, none{-k_infinity};
    const Envelope one = lower_envelope({zero, half, half});
    CHECK_CLOSE(std::exp(operating_point(one, abscissa_of(0.2, Side::lower)).log_beta), 0.3, 1e-14);
    const Envelope ceiling = upper_envelope({zero, half, half});
    CHECK(std::exp(operating_point(ceiling, abscissa_of(0.2, Side::upper)).log_beta) >= 0.3);
    CHECK(std::exp(operating_point(ceiling, abscissa_of(0.0, Side::upper)).log_beta) >= 0.5);
    // Nothing is released: f = 1 - alpha, on both sides.
    for (const double alpha : {0.0, 0.25, 1.0}) {
        CHECK_CLOSE(
            std::exp(operating_point(lower_envelope({zero, none, none}), abscissa_of(alpha, Side::lower)).log_beta),
            1.0 - alpha, 1e-15);
        CHECK_CLOSE(
            std::exp(operating_point(upper_envelope({zero, none, none}), abscissa_of(alpha, Side::upper)).log_beta),
            1.0 - alpha, 1e-15);
    }
    // (eps, delta) alone, delta(0) unknown: the corner on the diagonal is (1 - delta) / (1 + e^eps).
    const std::vector<double> two{0.0, 1.0}, loose{0.0, std::log(1e-5)}, nothing{-k_infinity, -k_infinity};
    const Envelope approximate = lower_envelope({two, loose, nothing});
    const double corner = (1.0 - 1e-5) / (1.0 + std::exp(1.0));
    CHECK_CLOSE(std::exp(operating_point(approximate, abscissa_of(corner, Side::lower)).log_beta), corner, 1e-12);
    CHECK_CLOSE(std::exp(operating_point(approximate, abscissa_of(1e-9, Side::lower)).log_beta),
                1.0 - 1e-5 - std::exp(1.0) * 1e-9, 1e-14);
}

// Points so close that the breakpoint of the diagonal is anywhere: delta = .9424 e^{-.0294 eps} at four points within
// 3e-7 and one far out. Between them delta may fall to 0.685 early, so that f(e^{-5}) may be .2455.
void test_points_that_all_but_coincide() {
    Table table;
    table.epsilon = {0.0, 1.0000013751058366e-09, 2.605969646636483e-07, 2.6269545603323686e-07, 10.837331891836946};
    for (const double eps : table.epsilon) {
        const double log_delta = std::log(0.942367486713968) - 0.029405471723951596 * eps;
        table.upper.push_back(log_delta + 1e-14);
        table.lower.push_back(log_delta - 1e-14);
    }
    const Envelope below = lower_envelope(table.points()), above = upper_envelope(table.points());
    for (double log_alpha = -30.0; log_alpha < 0.0; log_alpha += 0.125) {
        CHECK(operating_point(below, {log_alpha, log1mexp(log_alpha)}).log_beta <=
              operating_point(above, {log_alpha, log1mexp(log_alpha)}).log_beta);
    }
    CHECK(operating_point(above, {-5.0, log1mexp(-5.0)}).log_beta > std::log(0.24));
}

void test_refusals() {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<double> grid{0.0, 1.0}, values{-1.0, -2.0}, late{0.5, 1.0}, back{0.0, -1.0}, bad{-1.0, nan};
    const std::vector<double> one{0.0}, positive{0.1, -1.0}, empty;
    CHECK_THROWS(lower_envelope({late, values, values}), std::invalid_argument);
    CHECK_THROWS(lower_envelope({back, values, values}), std::invalid_argument);
    CHECK_THROWS(lower_envelope({grid, bad, values}), std::invalid_argument);
    CHECK_THROWS(upper_envelope({grid, values, bad}), std::invalid_argument);
    CHECK_THROWS(lower_envelope({grid, positive, values}), std::invalid_argument);
    CHECK_THROWS(lower_envelope({one, values, values}), std::invalid_argument);
    CHECK_THROWS(lower_envelope({empty, empty, empty}), std::invalid_argument);
    const std::vector<double> below{-1.5, -2.5};
    CHECK_THROWS(upper_envelope({grid, below, values}), std::invalid_argument);
    CHECK_THROWS(abscissa_of(1.5, Side::lower), std::invalid_argument);
    CHECK_THROWS(abscissa_of(nan, Side::lower), std::invalid_argument);
    CHECK_THROWS(abscissa_of_log(0.5, Side::lower), std::invalid_argument);
}

}  // namespace

int main() {
    test_gaussian();
    test_response();
    test_against_all_lines();
    test_lines_are_rounded_outward();
    test_shape();
    test_certified_corners();
    test_few_points();
    test_points_that_all_but_coincide();
    test_refusals();
    return hockeystick_test::failures();
}
