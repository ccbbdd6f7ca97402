// SPDX-License-Identifier: Apache-2.0
// Curves from finite loss distributions: randomized response exactly, the Gaussian through its dots, directions that
// differ, and mass at infinity.
#include "hockeystick/roc.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "hockeystick/gaussian.hpp"
#include "hockeystick/gdp.hpp"
#include "hockeystick/special.hpp"

namespace {

using namespace hockeystick;

// The curve of tests that are all there are.
Envelope lower_of(std::span<const RocPoints> directions) {
    return lower_envelope(profile_of_tests(directions).points());
}
Envelope upper_of(std::span<const RocPoints> directions) {
    return upper_envelope(profile_of_tests(directions).points());
}
Envelope lower_of(const RocPoints& tests) { return lower_of(std::span(&tests, 1)); }
Envelope upper_of(const RocPoints& tests) { return upper_of(std::span(&tests, 1)); }

// Tests of a law given by losses and P masses, with the masses at both infinities as outcomes of their own.
RocPoints tests_of(const std::vector<double>& losses, std::vector<double> log_p, double log_infinity,
                   double log_minus_infinity) {
    std::vector<double> log_q(log_p);
    for (std::size_t i = 0; i < losses.size(); ++i) {
        log_q[i] -= losses[i];
    }
    log_p.insert(log_p.end(), {log_infinity, -k_infinity});
    log_q.insert(log_q.end(), {-k_infinity, log_minus_infinity});
    return likelihood_ratio_tests(log_p, log_q);
}

double beta_at(const Envelope& curve, double alpha) {
    return std::exp(operating_point(curve, abscissa_of(alpha, Side::lower)).log_beta);
}

void test_response() {
    const double e = 1.0;
    const double high = -std::log1p(std::exp(-e)), low = -std::log1p(std::exp(e));
    const std::vector<double> losses{-e, e}, masses{low, high};
    const RocPoints points = tests_of(losses, masses, -k_infinity, -k_infinity);
    CHECK_CLOSE(std::exp(points.log_fpr[1]), std::exp(low), 1e-14);
    CHECK_CLOSE(std::exp(points.log_tpr[1]), std::exp(high), 1e-14);
    CHECK(std::abs(points.log_tpr[1] - high) <= points.rounding &&
          std::abs(points.log_fpr[1] - low) <= points.rounding);
    const Envelope curve = lower_of(points);
    const double corner = std::exp(low);
    for (double alpha = 0.0; alpha <= 1.0; alpha += 1.0 / 64.0) {
        const double truth = alpha <= corner ? 1.0 - std::exp(e) * alpha : (1.0 - alpha) * std::exp(-e);
        CHECK(beta_at(curve, alpha) <= truth + 1e-15);
        CHECK(std::abs(beta_at(curve, alpha) - truth) < 1e-13);
    }
    const double mu = fit_mu(curve, std::log(1e-10), Solver::closed_form).mu;
    CHECK(mu >= 1.2320353853);
    CHECK_CLOSE(mu, 1.2320353853, 1e-9);
}

struct Dots {
    std::vector<double> losses, log_masses;
    double log_infinity, log_minus_infinity;
};

// Connect-the-dots of the Gaussian on a lattice, cell masses by the smaller tail, in plain numbers.
Dots gaussian_dots(double mu, double step, double reach) {
    Dots dots;
    const auto count = static_cast<int>(std::ceil(reach / step));
    std::vector<double> mass(static_cast<std::size_t>(2 * count + 1), 0.0);
    const auto tail = [](double x) { return std::exp(log_normal_cdf(x)); };
    const auto cell = [&](double a, double b) { return a > 0.0 ? tail(-a) - tail(-b) : tail(b) - tail(a); };
    for (int i = 0; i < 2 * count; ++i) {
        const double l = step * (i - count), u = l + step;
        const double p = cell(l / mu - mu / 2, u / mu - mu / 2), q = cell(l / mu + mu / 2, u / mu + mu / 2);
        const double up = std::clamp((p - std::exp(l) * q) / -std::expm1(-step), 0.0, p);
        mass[static_cast<std::size_t>(i)] += p - up;
        mass[static_cast<std::size_t>(i) + 1] += up;
    }
    const double bottom = -step * count, top = step * count;
    mass.front() += tail(bottom / mu - mu / 2);
    mass.back() += std::exp(top) * tail(-(top / mu + mu / 2));
    for (int i = 0; i <= 2 * count; ++i) {
        if (mass[static_cast<std::size_t>(i)] > 0.0) {
            dots.losses.push_back(step * (i - count));
            dots.log_masses.push_back(std::log(mass[static_cast<std::size_t>(i)]));
        }
    }
    dots.log_infinity = gaussian_log_delta_bounds(top, mu).upper;
    // Q(L <= l_1) less what the mass moved up to l_1 stands for.
    dots.log_minus_infinity = log_normal_cdf(bottom / mu + mu / 2);
    return dots;
}

void test_gaussian_dots() {
    for (const double mu : {0.5, 1.0, 2.0}) {
        const Dots dots = gaussian_dots(mu, 0.01 * mu, 12.0 * mu);
        const RocPoints points = tests_of(dots.losses, dots.log_masses, dots.log_infinity, dots.log_minus_infinity);
        const Envelope curve = lower_of(points);
        for (double log_alpha = -25.0; log_alpha < -0.01; log_alpha += 0.173) {
            const double truth = log_normal_cdf(normal_quantile_of_log_complement(log_alpha) - mu);
            const double found = operating_point(curve, abscissa_of_log(log_alpha, Side::lower)).log_beta;
            CHECK(found <= truth + 1e-13);
            CHECK(found >= truth - 1e-4);
        }
        const double fitted = fit_mu(curve, std::log(1e-10), Solver::closed_form).mu;
        CHECK(fitted >= mu * (1.0 - 1e-12) && fitted < mu * (1.0 + 1e-3));
        std::printf("dots of mu %g: mu %.10g\n", mu, fitted);
        // Twice the same points change nothing, nor does their mirror image.
        const std::vector<RocPoints> twice{points, points};
        CHECK_CLOSE(beta_at(lower_of(twice), 0.05), beta_at(curve, 0.05), 1e-13);
    }
}

// Two directions that differ: the result lies below each of the four curves, found by looking at all tests.
void test_pooling() {
    const std::vector<double> losses{-0.5, 0.2, 1.5};
    std::vector<double> p{0.25, 0.35, 0.4};
    double q_total = 0.0;
    std::vector<double> log_p, add_losses, log_q;
    for (std::size_t i = 0; i < 3; ++i) {
        q_total += p[i] * std::exp(-losses[i]);
    }
    CHECK(q_total < 1.0);  // the rest of Q is at -inf
    for (std::size_t i = 0; i < 3; ++i) {
        log_p.push_back(std::log(p[i]));
        add_losses.push_back(-losses[2 - i]);
        log_q.push_back(std::log(p[2 - i]) - losses[2 - i]);
    }
    const double rest = std::log1p(-q_total);
    const RocPoints remove = tests_of(losses, log_p, -k_infinity, rest);
    const RocPoints add = tests_of(add_losses, log_q, rest, -k_infinity);
    const std::vector<RocPoints> both{remove, add};
    const Envelope pooled = lower_of(both);
    const Envelope alone = lower_of(remove);
    for (double alpha = 0.0; alpha <= 1.0; alpha += 1.0 / 128.0) {
        // delta of all tests and mirror images, at every slope: the definition of the symmetric f.
        double definition = 0.0;
        for (double eps = 0.0; eps <= 3.0; eps += 1.0 / 256.0) {
            double delta = 0.0;
            for (const RocPoints& points : both) {
                for (std::size_t i = 0; i < points.log_fpr.size(); ++i) {
                    const double a = std::exp(points.log_fpr[i]), t = std::exp(points.log_tpr[i]);
                    delta = std::max({delta, t - std::exp(eps) * a, (1.0 - a) - std::exp(eps) * (1.0 - t)});
                }
            }
            definition =
                std::max({definition, 1.0 - delta - std::exp(eps) * alpha, std::exp(-eps) * (1.0 - delta - alpha)});
        }
        CHECK(std::abs(beta_at(pooled, alpha) - definition) < 2e-3);
        CHECK(beta_at(pooled, alpha) >= definition - 1e-13);  // the definition's slopes are a grid
        // A pair and its reverse hold the same tests.
        CHECK_CLOSE(beta_at(alone, alpha), beta_at(pooled, alpha), 1e-12);
    }
}

void test_infinite_mass() {
    const std::vector<double> none;
    const RocPoints disjoint = tests_of(none, none, 0.0, 0.0);
    CHECK(beta_at(lower_of(disjoint), 0.3) == 0.0);
    const std::vector<double> zero{0.0}, most{std::log(0.75)};
    const RocPoints points = tests_of(zero, most, std::log(0.25), std::log(0.25));
    const Envelope curve = lower_of(points);
    CHECK_CLOSE(beta_at(curve, 0.0), 0.75, 1e-13);
    CHECK_CLOSE(beta_at(curve, 0.5), 0.25, 1e-13);
    CHECK(beta_at(curve, 0.76) == 0.0);
    CHECK(std::isinf(fit_mu_literal(curve, Solver::closed_form).mu));
}

// Masses of 1e-280 and losses beyond 700 keep their digits.
void test_far_tails() {
    const std::vector<double> losses{-800.0, 0.0, 800.0}, masses{-1500.0, -0.0, -700.0};
    const RocPoints points = tests_of(losses, masses, -k_infinity, -k_infinity);
    CHECK_CLOSE(points.log_fpr[1], -1500.0, 1e-13);
    CHECK_CLOSE(points.log_tpr[1], -700.0, 1e-13);
    const Envelope curve = lower_of(points);
    const OperatingPoint at = operating_point(curve, abscissa_of_log(-1500.0, Side::lower));
    CHECK_CLOSE(at.log_tpr, -700.0, 1e-12);
}

// Both sides of the polygon, at vertices and between, agree with it to rounding: nothing is lost between the knots.
void test_two_sides_of_a_polygon() {
    const std::vector<double> p{0.05, 0.25, 0.3, 0.4}, q{0.4, 0.3, 0.25, 0.05};
    std::vector<double> log_p, log_q;
    for (std::size_t i = 0; i < p.size(); ++i) {
        log_p.push_back(std::log(p[i]));
        log_q.push_back(std::log(q[i]));
    }
    const RocPoints tests = likelihood_ratio_tests(log_p, log_q);
    const Envelope lower = lower_of(tests), upper = upper_of(tests);
    const double vertices[][2] = {{0.0, 1.0}, {0.05, 0.6}, {0.3, 0.3}, {0.6, 0.05}, {1.0, 0.0}};
    for (double alpha = 0.0; alpha <= 1.0; alpha += 1.0 / 256.0) {
        double truth = 0.0;
        for (int i = 0; i < 4; ++i) {
            const auto& [a, b] = vertices[i];
            const auto& [c, d] = vertices[i + 1];
            if (alpha >= a && alpha <= c) truth = b + (d - b) * (alpha - a) / (c - a);
        }
        const double below = beta_at(lower, alpha);
        const double above = std::exp(operating_point(upper, abscissa_of(alpha, Side::upper)).log_beta);
        CHECK(below <= truth + 1e-15 && above >= truth - 1e-15);
        CHECK(above - below < 1e-12);
    }
    CHECK(lower.log_delta.back() == -k_infinity);  // bounded losses: a pure epsilon, log 8
    CHECK_CLOSE(lower.epsilon.back(), std::log(8.0), 1e-12);
    CHECK(lower.epsilon.back() >= std::log(8.0) * (1.0 - 1e-15));
}

// A polygon below every convex curve through the samples: below the curve they were taken from, and not far.
void test_samples() {
    const double mu = 1.5;
    std::vector<double> fpr, tpr;
    for (double log_alpha = -20.0; log_alpha < -0.05; log_alpha += 0.1) {
        fpr.push_back(std::exp(log_alpha));
        tpr.push_back(std::exp(log_normal_cdf(mu - normal_quantile_of_log_complement(log_alpha))));
    }
    const SampleVertices vertices = vertices_below_samples(fpr, tpr);
    CHECK(vertices.fpr.size() == fpr.size() + 1);
    CHECK(vertices.fpr.front() == 0.0 && vertices.tpr.front() > 0.0 && vertices.tpr.back() == 1.0);
    double worst = 0.0;
    for (std::size_t i = 0; i < vertices.fpr.size(); ++i) {
        const double z = normal_quantile_of_log_complement(std::log(vertices.fpr[i]));  // infinite at 0
        const double truth = std::exp(log_normal_cdf(mu - z));
        CHECK(vertices.tpr[i] >= truth * (1.0 - 1e-14));
        if (i > 1 && i + 2 < vertices.fpr.size()) worst = std::max(worst, vertices.tpr[i] / truth - 1.0);
    }
    CHECK(worst < 2e-3);
    std::printf("samples 0.1 apart: vertices above the TPR by at most %.2g of it\n", worst);
}

void test_refusals() {
    const std::vector<double> masses{-1.0, -1.0}, positive{0.5, -1.0}, one{-1.0};
    const std::vector<double> wrong{-1.0, std::numeric_limits<double>::quiet_NaN()};
    CHECK_THROWS(likelihood_ratio_tests(masses, positive), std::invalid_argument);
    CHECK_THROWS(likelihood_ratio_tests(one, masses), std::invalid_argument);
    CHECK_THROWS(likelihood_ratio_tests(wrong, masses), std::invalid_argument);
    const RocPoints uneven{masses, one, masses, masses};
    const RocPoints above{masses, positive, masses, masses};
    CHECK_THROWS(lower_of(uneven), std::invalid_argument);
    CHECK_THROWS(lower_of(above), std::invalid_argument);
    CHECK_THROWS(vertices_below_samples(one, one), std::invalid_argument);
}

}  // namespace

int main() {
    test_response();
    test_gaussian_dots();
    test_pooling();
    test_infinite_mass();
    test_far_tails();
    test_two_sides_of_a_polygon();
    test_samples();
    test_refusals();
    return hockeystick_test::failures();
}
