// SPDX-License-Identifier: Apache-2.0
// Refinement ends, and ends tight: a curve grown from a handful of points meets its tolerance with few more; wide
// brackets are left alone; a profile that stops above the floor is continued.
#include "hockeystick/refine.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "check.hpp"
#include "hockeystick/gaussian.hpp"
#include "hockeystick/gdp.hpp"

namespace {

using namespace hockeystick;

constexpr SubsampledGaussian k_law{1.0, 0.05};

// A table with brackets `noise` wide in log delta, grown at the epsilons asked for.
struct Grown {
    double noise;
    std::vector<double> epsilon{};
    ProfileTable table{};

    void ask(const std::vector<double>& more) {
        epsilon.insert(epsilon.end(), more.begin(), more.end());
        std::ranges::sort(epsilon);
        table = {};
        table.epsilon = epsilon;
        for (const double eps : epsilon) {
            const Interval delta = subsampled_log_delta_bounds(eps, k_law, Direction::remove);
            table.log_delta_upper.push_back(std::min(0.0, delta.upper + noise));
            table.log_delta_lower.push_back(delta.lower - noise);
        }
    }
    Envelope lower() const { return lower_envelope(table.points()); }
    Envelope upper() const { return upper_envelope(table.points()); }
};

template <class Refinement>
int rounds(Grown& grown, Refinement find, double log_floor, double tolerance) {
    for (int round = 0; round < 40; ++round) {
        const std::vector<double> wanted =
            find(grown.table.points(), grown.lower(), grown.upper(), log_floor, tolerance);
        if (wanted.empty()) return round;
        CHECK(std::ranges::is_sorted(wanted));
        grown.ask(wanted);
    }
    return 40;
}

Grown start(double noise) {
    Grown grown{noise};
    grown.ask({0.0, 0.2, 0.5, 1.0});
    return grown;
}

void test_mu() {
    Grown grown = start(0.0);
    const double log_floor = std::log(1e-10);
    const int needed = rounds(grown, mu_refinement, log_floor, 1e-7);
    const Envelope lower = grown.lower();
    const MuFit fit = fit_mu(lower, log_floor, Solver::closed_form);
    const double below = fit_mu_lower(lower, grown.upper(), log_floor, fit);
    std::printf("mu %.12g, from below by %.2g, %zu points, %d rounds\n", fit.mu, fit.mu - below, grown.epsilon.size(),
                needed);
    CHECK(needed < 20);
    CHECK(fit.mu - below <= 2e-7 * fit.mu);
    CHECK(grown.epsilon.size() < 300);
}

void test_mu_given_delta0() {
    Grown grown = start(0.0);
    const double log_delta0 = std::log(1e-9);
    CHECK(std::isinf(fit_mu_given_delta0(grown.lower(), log_delta0, Solver::closed_form).mu));
    CHECK(rounds(grown, mu_given_delta0_refinement, log_delta0, 1e-6) < 20);
    const MuFit fit = fit_mu_given_delta0(grown.lower(), log_delta0, Solver::closed_form);
    const double below = fit_mu_given_delta0_lower(grown.lower(), grown.upper(), log_delta0, fit);
    CHECK(below <= fit.mu && fit.mu - below <= 1e-5 * fit.mu);
}

void test_curve() {
    Grown grown = start(0.0);
    const double log_floor = std::log(1e-12), tolerance = 1e-4;
    CHECK(rounds(grown, curve_refinement, log_floor, tolerance) < 20);
    CHECK(grown.epsilon.size() < 600);
    const Envelope lower = grown.lower(), upper = grown.upper();
    for (double log_alpha = log_floor; log_alpha < log_diagonal(lower); log_alpha += 0.37) {
        const OperatingPoint a = operating_point(lower, abscissa_of_log(log_alpha, Side::lower));
        const OperatingPoint b = operating_point(upper, abscissa_of_log(log_alpha, Side::upper));
        CHECK(a.log_tpr - b.log_tpr <= 2.0 * tolerance * (1.0 - a.log_tpr));
        CHECK(b.log_beta - a.log_beta <= 2.0 * tolerance * (1.0 - b.log_beta));
    }
}

// Widths of the brackets themselves cannot be refined away, and the search for it ends.
void test_wide_brackets_end_the_search() {
    Grown grown = start(1e-3);
    CHECK(rounds(grown, mu_refinement, std::log(1e-10), 1e-9) < 20);
    CHECK(grown.epsilon.size() < 300);
    Grown curve = start(1e-3);
    CHECK(rounds(curve, curve_refinement, std::log(1e-10), 1e-9) < 20);
    CHECK(curve.epsilon.size() < 600);
}

}  // namespace

int main() {
    test_mu();
    test_mu_given_delta0();
    test_curve();
    test_wide_brackets_end_the_search();
    return hockeystick_test::failures();
}
