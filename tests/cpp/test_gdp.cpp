// SPDX-License-Identifier: Apache-2.0
// mu against closed forms and published values, from above and from below; the two solvers agree; regret brackets hold
// the maximum found on a fine grid.
#include "hockeystick/gdp.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "hockeystick/gaussian.hpp"
#include "hockeystick/special.hpp"
#include "implied_mu.hpp"

namespace {

using namespace hockeystick;

struct Table {
    std::vector<double> epsilon, upper, lower, rest_lower, rest_upper;
    ProfilePoints points() const { return {epsilon, upper, lower, rest_lower, rest_upper}; }
    void push(double eps, double low, double high) {
        epsilon.push_back(eps);
        lower.push_back(low);
        upper.push_back(std::min(0.0, high));
    }
};

template <class Profile>
Table table_of(double end, std::size_t count, Profile profile) {
    Table table;
    for (std::size_t i = 0; i < count; ++i) {
        const double eps = end * static_cast<double>(i) / static_cast<double>(count - 1);
        const Interval x = profile(eps);
        table.push(eps, x.lower, x.upper);
    }
    return table;
}

Table gaussian_table(double mu, std::size_t count, double log_delta_end) {
    const double end = gaussian_epsilon_bounds(log_delta_end, mu).upper;
    Table table = table_of(end, count, [mu](double eps) { return gaussian_log_delta_bounds(eps, mu); });
    for (const double eps : table.epsilon) {
        const Interval rest = gaussian_log_complement_bounds(eps, mu);
        table.rest_lower.push_back(rest.lower);
        table.rest_upper.push_back(rest.upper);
    }
    return table;
}

Table sampled_table(const SubsampledGaussian& law, std::size_t count, double log_delta_end) {
    const double end = subsampled_epsilon_bounds(log_delta_end, law, Direction::remove).upper;
    return table_of(end, count, [&](double eps) { return subsampled_log_delta_bounds(eps, law, Direction::remove); });
}

Table response_table(double pure) {
    Table table;
    const double exact = std::log1p(-2.0 / (1.0 + std::exp(pure)));
    table.push(0.0, exact * (1.0 + 1e-15), exact * (1.0 - 1e-15));
    table.push(pure, -k_infinity, -k_infinity);
    return table;
}

void test_gaussian_recovers_itself() {
    for (const double mu : {1e-12, 1e-6, 1e-3, 0.05, 0.5, 1.0, 3.0, 14.1, 100.0, 1e3, 1e4}) {
        const Table table = gaussian_table(mu, 3000, -60.0);
        const Envelope lower = lower_envelope(table.points());
        const Envelope upper = upper_envelope(table.points());
        const double log_floor = std::log(1e-10);
        const MuFit fit = fit_mu(lower, log_floor, Solver::closed_form);
        const double below = fit_mu_lower(lower, upper, log_floor, fit);
        std::printf("mu %-8g upper - mu %.3g lower - mu %.3g (relative)\n", mu, fit.mu / mu - 1.0, below / mu - 1.0);
        CHECK(fit.mu >= mu * (1.0 - 1e-15));
        CHECK(below <= mu);
        CHECK(fit.mu <= mu * (1.0 + 1e-5));
        CHECK(below >= mu * (1.0 - 2e-4));
        if (mu > 75.0) {
            // Without complements log delta(0) is no longer a double there, and the points that are left know less.
            const ProfilePoints known = table.points();
            const Envelope poorer = lower_envelope({known.epsilon, known.log_delta_upper, known.log_delta_lower});
            const double larger = fit_mu(poorer, log_floor, Solver::closed_form).mu;
            CHECK(larger > 1.1 * mu && larger <= 2.0 * mu);
            continue;
        }
        const RegretBounds regret = regret_bounds(table.points(), mu);
        CHECK(regret.regret.lower <= 0.0 + 1e-300 && regret.regret.upper >= 0.0 && regret.regret.upper < 1e-3);
        CHECK(std::isinf(fit_mu_literal(lower, Solver::closed_form).mu));
    }
}

void test_pure_epsilon() {
    const double known[][2] = {{0.1, 0.125}, {0.5, 0.624}, {1.0, 1.232},  {2.0, 2.358},
                               {4.0, 4.195}, {8.0, 6.803}, {20.0, 11.76}, {30.0, 14.7}};
    for (const auto& [pure, printed] : known) {
        const Table table = response_table(pure);
        const double closed = -2.0 * normal_quantile_of_log(-pure - std::log1p(std::exp(-pure)));
        const Envelope lower = lower_envelope(table.points());
        for (const Solver solver : {Solver::closed_form, Solver::bisection}) {
            const double mu = fit_mu_literal(lower, solver).mu;
            CHECK(mu >= closed * (1.0 - 1e-15));
            CHECK_CLOSE(mu, closed, 1e-12);
            CHECK(std::abs(mu - printed) < 0.006 * printed);
            // A floor below the corner changes nothing; one at the corner or beyond is taken as the corner.
            CHECK_CLOSE(fit_mu(lower, -800.0, solver).mu, closed, 1e-12);
            CHECK_CLOSE(fit_mu(lower, std::log(0.49), solver).mu, closed, 1e-12);
        }
    }
    CHECK_CLOSE(fit_mu_literal(lower_envelope(response_table(1.0).points()), Solver::closed_form).mu, 1.2320353853,
                1e-9);
}

// True with probability .6: mu .5067, delta-divergence .0293.
long double quantile_of_log(long double log_p) {
    long double x = normal_quantile_of_log(static_cast<double>(log_p));
    for (int step = 0; step < 3; ++step) {
        const long double p = 0.5L * std::erfc(-x * std::sqrt(0.5L));
        x -= (std::log(p) - log_p) * p * std::exp(0.5L * x * x) * std::sqrt(2.0L * std::acos(-1.0L));
    }
    return x;
}

// Exact rates, so that nothing but the quantiles' own errors (up to 4u here) separates the bound from mu.
void test_quantiles_are_rounded_outward() {
    CurvePoints points;
    for (int i = 0; i < 4000; ++i) {
        points.log_beta.push_back(-0.01 - 1e-4 * i);
        points.log_tpr.push_back(std::log1p(-std::exp(points.log_beta.back())));
        points.log_alpha.push_back(-0.70 - 3e-3 * i);
        points.log_gain.push_back(points.log_tpr.back());
        if (points.log_tpr.back() < -0.6) points.log_tpr.back() = -0.6;  // beta is what is read
    }
    const std::vector<double> found = implied_mus_closed_form(points);
    int tight = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const long double mu = -quantile_of_log(points.log_beta[i]) - quantile_of_log(points.log_alpha[i]);
        if (mu <= 0.5L) continue;
        CHECK(found[i] >= mu);
        CHECK(found[i] <= mu + 5e-14L);
        const double below =
            detail::implied_mu_lower({points.log_alpha[i], points.log_beta[i], points.log_tpr[i], points.log_gain[i]});
        CHECK(below <= mu && below >= mu - 5e-14L);
        ++tight;
    }
    CHECK(tight > 1000);
}

void test_published_response() {
    const Table table = response_table(std::log(1.5));
    const MuFit fit = fit_mu(lower_envelope(table.points()), std::log(1e-10), Solver::closed_form);
    CHECK(std::abs(fit.mu - 0.5067) < 5e-5);
    const RegretBounds regret = regret_bounds(table.points(), fit.mu);
    CHECK(std::abs(regret.delta_divergence.upper - 0.0293) < 5e-5);
    CHECK(regret.delta_divergence.upper >= regret.delta_divergence.lower);
    CHECK(regret.regret.lower > regret.delta_divergence.lower);
}

// One subsampled release: mu is m at the floor, m in closed form from the tails at the point with that alpha.
void test_sampled_release() {
    struct Known {
        double noise_multiplier, log_floor, mu;
    };
    for (const Known& known : {Known{1.0, std::log(1e-10), 0.256}, Known{0.5, std::log(1e-6), 0.744},
                               Known{0.5, std::log(1e-10), 1.08}, Known{1.0, std::log(1e-299), 0.872}}) {
        const SubsampledGaussian law{known.noise_multiplier, 0.01};
        const Table table = sampled_table(law, 4000, known.log_floor - 10.0);
        const Envelope lower = lower_envelope(table.points());
        const Envelope upper = upper_envelope(table.points());
        const MuFit fit = fit_mu(lower, known.log_floor, Solver::closed_form);
        // Q = N(0, s^2), so the test with alpha cuts at x = s z; TPR = (1 - q) alpha + q Phi(1/s - z).
        const double z = normal_quantile_of_log_complement(known.log_floor);
        const double rate = logaddexp(std::log(0.99) + known.log_floor,
                                      std::log(0.01) + log_normal_cdf(1.0 / law.noise_multiplier - z));
        const double truth = normal_quantile_of_log(rate) + z;
        CHECK(std::abs(truth - known.mu) < 0.006 * known.mu);
        CHECK(fit.mu >= truth * (1.0 - 1e-12));
        CHECK(fit.mu <= truth + 2e-4);
        CHECK_CLOSE(fit.log_alpha, known.log_floor, 1e-12);
        const double below = fit_mu_lower(lower, upper, known.log_floor, fit);
        CHECK(below <= truth * (1.0 + 1e-12) && below >= truth - 2e-4);
        std::printf("sampled sigma %g floor %.0f: truth %.10g upper +%.2g lower %.2g\n", law.noise_multiplier,
                    known.log_floor, truth, fit.mu - truth, below - truth);
    }
}

void test_solvers_agree() {
    for (const double mu : {1e-6, 1e-2, 0.4, 2.0, 30.0, 1000.0}) {
        const Table table = gaussian_table(mu, 400, -600.0);
        const Envelope lower = lower_envelope(table.points());
        CurvePoints points{lower.log_alpha, lower.log_beta, lower.log_tpr, lower.log_tpr};
        double worst = 0.0;
        const std::vector<double> closed = implied_mus_closed_form(points);
        const std::vector<double> halved = implied_mus_bisection(points);
        for (std::size_t i = 0; i < closed.size(); ++i) {
            const double z = normal_quantile_of_log_complement(points.log_alpha[i]);
            worst = std::max(worst, std::abs(closed[i] - halved[i]) / (1.0 + z + mu));
        }
        std::printf("solvers, mu %g: apart by %.3g of 1 + z + mu\n", mu, worst);
        CHECK(worst < 1e-13);
    }
}

// Points so close that e^eps - 1 is below the rounding of delta(0), which the second point knows better: the corner
// that counts is on the diagonal, and mu what its own closed form says, whatever the first point claims.
void test_points_at_the_diagonal() {
    const std::vector<double> epsilon{0.0, 6.87e-308};
    const double pi_half = 1.5707963267948966;
    for (const double claimed : {-1.0, -700.0, -2.7e-40, 0.0}) {
        const std::vector<double> pure{claimed, -k_infinity}, rest{claimed, -2.0}, none{-k_infinity, -k_infinity};
        const Envelope tiny = lower_envelope({epsilon, pure, none}), flat = lower_envelope({epsilon, rest, none});
        // The line 1 - e^-2 - alpha alone decides at the floor.
        const double log_floor = std::log(1e-10);
        const double at_floor =
            normal_quantile_of_log(std::log(std::exp(-2.0) + 1e-10)) - normal_quantile_of_log(log_floor);
        for (const Solver solver : {Solver::closed_form, Solver::bisection}) {
            CHECK_CLOSE(fit_mu(tiny, log_floor, solver).mu, epsilon[1] * std::sqrt(pi_half), 1e-11);
            CHECK(fit_mu(tiny, log_floor, solver).mu >= epsilon[1] * std::sqrt(pi_half) * (1.0 - 1e-15));
            CHECK_CLOSE(fit_mu_literal(tiny, solver).mu, epsilon[1] * std::sqrt(pi_half), 1e-11);
            if (claimed >= -2.0) {  // else the first point knows better
                CHECK_CLOSE(fit_mu(flat, log_floor, solver).mu, at_floor, 1e-12);
            }
        }
    }
}

void test_delta0() {
    for (const double delta0 : {1e-6, 1e-10}) {
        const Table table = sampled_table({1.0, 0.01}, 3000, std::log(delta0) - 3.0);
        const Envelope lower = lower_envelope(table.points());
        const double mu = fit_mu_given_delta0(lower, std::log(delta0), Solver::closed_form).mu;
        CHECK_CLOSE(fit_mu_given_delta0(lower, std::log(delta0), Solver::bisection).mu, mu, 1e-12);
        bool touched = false;
        for (double eps = 0.0; eps < 8.0; eps += 0.001) {
            const double delta = std::exp(subsampled_log_delta_bounds(eps, {1.0, 0.01}, Direction::remove).lower);
            const double bound = delta0 + (1.0 - delta0) * std::exp(gaussian_log_delta_bounds(eps, mu).upper);
            CHECK(delta <= bound);
            const double less = delta0 + (1.0 - delta0) * std::exp(gaussian_log_delta_bounds(eps, mu * 0.995).upper);
            touched = touched || delta > less;
        }
        CHECK(touched);  // half a per cent less would not do
    }
    const Table table = gaussian_table(1.0, 100, -20.0);
    CHECK(std::isinf(fit_mu_given_delta0(lower_envelope(table.points()), -30.0, Solver::closed_form).mu));
    CHECK(fit_mu_given_delta0(lower_envelope(table.points()), std::log(0.5), Solver::closed_form).mu == 0.0);
}

// A (1, 1e-5) guarantee has no literal mu; with a floor it has one.
void test_approximate() {
    Table table;
    const double start = std::log(1e-5 + (1.0 - 1e-5) * std::tanh(0.5));
    table.push(0.0, start - 1e-15, start + 1e-15);
    table.push(1.0, std::log(1e-5), std::log(1e-5));
    const Envelope lower = lower_envelope(table.points());
    CHECK(std::isinf(fit_mu_literal(lower, Solver::closed_form).mu));
    CHECK(std::isinf(fit_mu(lower, -k_infinity, Solver::bisection).mu));
    const double mu = fit_mu(lower, std::log(1e-10), Solver::closed_form).mu;
    CHECK_CLOSE(
        mu, normal_quantile_of_log(std::log(1e-5 + std::exp(1.0) * 1e-10)) - normal_quantile_of_log(std::log(1e-10)),
        1e-9);
    CHECK_CLOSE(fit_mu_given_delta0(lower, std::log(1e-5), Solver::closed_form).mu, 1.2320353853, 1e-9);
    // Where nothing is hidden, no mu is enough.
    const std::vector<double> zero{0.0};
    CHECK(std::isinf(fit_mu(lower_envelope({zero, zero, zero}), -23.0, Solver::closed_form).mu));
}

void test_residual() {
    const Envelope curve = lower_envelope(gaussian_table(0.5, 200, -40.0).points());
    const double rate = residual_upper(curve, std::log(1e-10), 0.5222);
    CHECK_CLOSE(rate, std::exp(log_normal_cdf(normal_quantile_of_log(std::log(1e-10)) + 0.5222)), 1e-11);
    CHECK(residual_upper(curve, -k_infinity, 3.0) == 0.0);
    CHECK(residual_upper(curve, -5.0, k_infinity) == 1.0);
    // A floor beyond the diagonal point is not covered by mu: the curve itself is read.
    const Table table = response_table(1.0);
    const double at = std::log(0.8);
    CHECK_CLOSE(residual_upper(lower_envelope(table.points()), at, 0.0), 1.0 - 0.2 * std::exp(-1.0), 1e-12);
}

// Against the maximum on a fine grid of the exact difference.
void test_regret() {
    const SubsampledGaussian law{1.0, 0.01};
    const Table table = sampled_table(law, 2000, -40.0);
    const double mu = fit_mu(lower_envelope(table.points()), std::log(1e-10), Solver::closed_form).mu;
    const RegretBounds found = regret_bounds(table.points(), mu);
    double regret = 0.0, divergence = 0.0, where = 0.0;
    for (double eps = 0.0; eps < 4.0; eps += 1e-4) {
        const double delta = std::exp(subsampled_log_delta_bounds(eps, law, Direction::remove).upper);
        const double gap = std::exp(gaussian_log_delta_bounds(eps, mu).lower) - delta;
        where = gap > regret ? eps : where;
        regret = std::max(regret, gap);
        divergence = std::max(divergence, gap / (1.0 + std::exp(eps)));
    }
    std::printf("regret [%.12g, %.12g] grid %.12g; divergence [%.12g, %.12g] grid %.12g\n", found.regret.lower,
                found.regret.upper, regret, found.delta_divergence.lower, found.delta_divergence.upper, divergence);
    CHECK(found.regret.upper >= regret - 1e-14 && found.regret.lower <= regret + 1e-14);
    CHECK(found.delta_divergence.upper >= divergence - 1e-14 && found.delta_divergence.lower <= divergence + 1e-14);
    CHECK(found.regret.upper - found.regret.lower < 1e-4);
    CHECK(std::abs(found.regret_epsilon - where) < 0.02);
    // Points are wanted until the bracket is as narrow as asked, and only then.
    CHECK(!regret_refinement(table.points(), mu, 1e-9, 0.0).empty());
    CHECK(regret_refinement(table.points(), mu, 2e-4, 0.0).empty());
    // mu infinite: f_mu is 0, the regret is f at 0.
    CHECK_CLOSE(regret_bounds(table.points(), k_infinity).regret.upper, 1.0, 1e-9);
    CHECK(regret_bounds(table.points(), k_infinity).regret.upper <= 1.0);
    CHECK(regret_bounds(table.points(), 0.0).regret.upper <= 1e-13);
}

// One point above 0 and delta straight between: the maximum is at 0, where Gd = 2 Phi(mu / 2) - 1 less delta.
void test_regret_is_rounded_outward() {
    for (int i = 0; i < 400; ++i) {
        const double mu = 0.5 + 0.02 * i, log_delta = -0.3 - 0.01 * i;
        const std::vector<double> epsilon{0.0, 30.0}, deltas{log_delta, -k_infinity};
        const RegretBounds found = regret_bounds({epsilon, deltas, deltas, {}, {}, Between::linear}, mu);
        const long double gap = std::erf(0.5L * mu * std::sqrt(0.5L)) - std::exp(1.0L * log_delta);
        if (gap <= 0.0L || found.regret_epsilon > 0.0) continue;
        CHECK(found.regret.lower <= gap && gap <= found.regret.upper);
        CHECK(found.delta_divergence.lower <= 0.5L * gap && 0.5L * gap <= found.delta_divergence.upper);
        // The proof counts 24u for Gd and 3u delta for delta, on either side; Gd stops at 1.
        const double counted = (24.0 + 24.0 + 6.0 * std::exp(log_delta)) * k_unit_roundoff;
        CHECK(mu > 4.0 || found.regret.upper - found.regret.lower >= counted);
    }
}

void test_refusals() {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const Table table = response_table(1.0);
    const Envelope lower = lower_envelope(table.points());
    const Envelope upper = upper_envelope(table.points());
    CHECK_THROWS(fit_mu(lower, nan, Solver::closed_form), std::invalid_argument);
    CHECK_THROWS(fit_mu(lower, 0.5, Solver::closed_form), std::invalid_argument);
    CHECK_THROWS(fit_mu(upper, -3.0, Solver::closed_form), std::invalid_argument);
    CHECK_THROWS(fit_mu_given_delta0(lower, nan, Solver::bisection), std::invalid_argument);
    CHECK_THROWS(regret_bounds(table.points(), nan), std::invalid_argument);
    CHECK_THROWS(residual_upper(lower, -3.0, -1.0), std::invalid_argument);
}

}  // namespace

int main() {
    test_gaussian_recovers_itself();
    test_pure_epsilon();
    test_quantiles_are_rounded_outward();
    test_published_response();
    test_sampled_release();
    test_solvers_agree();
    test_points_at_the_diagonal();
    test_delta0();
    test_approximate();
    test_residual();
    test_regret();
    test_regret_is_rounded_outward();
    test_refusals();
    return hockeystick_test::failures();
}
