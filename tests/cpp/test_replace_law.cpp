// SPDX-License-Identifier: Apache-2.0
// Poisson sampling under replace: the inverse loss, tails against the definition, symmetry, tilted tails as bounds.
#include "hockeystick/replace_law.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "check.hpp"

namespace {

using namespace hockeystick;

struct Setting {
    double s;
    double q;
};
constexpr Setting k_settings[] = {{1.0, 0.1}, {0.4, 0.3}, {2.0, 0.9}, {3.0, 1e-3}, {1.0, 1.0}, {0.05, 0.2}};

double normal_cdf(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

double loss_at(const Setting& at, double x) {
    const auto log_mixture = [&](double shift) {
        const double a = (2.0 * shift * x - 1.0) / (2.0 * at.s * at.s);
        if (at.q == 1.0) return a;
        const double without = std::log1p(-at.q), with = std::log(at.q) + a;
        return std::max(without, with) + std::log1p(std::exp(-std::fabs(without - with)));
    };
    return log_mixture(1.0) - log_mixture(-1.0);
}

void test_tails_are_those_of_the_mixtures() {
    for (const Setting& at : k_settings) {
        const LawHandle law = poisson_replace_law({at.s, at.q});
        for (const double x : {-2.0, -0.7, 0.3, 1.0, 2.5}) {
            const double loss = loss_at(at, x);
            if (std::fabs(loss) < 1e-6) continue;  // the difference of two logs has no digits left
            const TailMasses tails = law->tails(loss);
            const double slack = 1e-9;
            CHECK_CLOSE(tails.p_below, (1.0 - at.q) * normal_cdf(x / at.s) + at.q * normal_cdf((x - 1.0) / at.s),
                        slack);
            CHECK_CLOSE(tails.q_above, (1.0 - at.q) * normal_cdf(-x / at.s) + at.q * normal_cdf(-(x + 1.0) / at.s),
                        slack);
            CHECK_CLOSE(tails.p_below + tails.p_above, 1.0, 1e-15);
            CHECK_CLOSE(tails.q_below + tails.q_above, 1.0, 1e-15);
        }
    }
}

void test_symmetry() {
    for (const Setting& at : k_settings) {
        const LawHandle law = poisson_replace_law({at.s, at.q});
        for (const double loss : {0.0, 1e-12, 0.3, 2.0, 30.0}) {
            const TailMasses right = law->tails(loss), left = law->tails(-loss);
            CHECK_CLOSE(right.p_above, left.q_below, 1e-12);
            CHECK_CLOSE(right.q_above, left.p_below, 1e-12);
        }
    }
}

// E[e^{theta L}; L > loss] by the trapezoid rule in x.
double log_tilted_mass(const Setting& at, double loss, double theta) {
    constexpr int points = 40000;
    const double low = -30.0 * at.s - 2.0, high = 60.0 * at.s + 2.0 * theta + 3.0;
    double sum = 0.0, scale = 0.0;
    for (const bool weigh : {false, true}) {
        for (int i = 0; i <= points; ++i) {
            const double x = low + (high - low) * i / points;
            const double l = loss_at(at, x);
            if (l <= loss) continue;
            const double z = x / at.s;
            const double a = (2.0 * x - 1.0) / (2.0 * at.s * at.s);
            const double log_mixture = at.q == 1.0 ? a : std::max(std::log1p(-at.q), std::log(at.q) + a);
            const double exponent = theta * l + log_mixture - 0.5 * z * z;
            if (!weigh) {
                scale = std::max(scale, exponent);
                continue;
            }
            const double exact = at.q == 1.0 ? 1.0 : 1.0 + std::exp(-std::fabs(std::log1p(-at.q) - std::log(at.q) - a));
            sum += exact * std::exp(exponent - scale);
        }
    }
    return std::log(sum * (high - low) / points / at.s / std::sqrt(2.0 * 3.14159265358979323846)) + scale;
}

void test_tilted_tails_are_bounds() {
    for (const Setting& at : {Setting{1.0, 0.1}, Setting{2.0, 0.9}, Setting{1.0, 1.0}, Setting{1.5, 0.01}}) {
        const LawHandle law = poisson_replace_law({at.s, at.q});
        for (const double theta : {0.0, 1.0, 5.0}) {
            for (const double loss : {-1.0, 0.0, 0.5, 3.0}) {
                const double bound = law->log_tilted_mass_above_upper(loss, theta);
                const double exact = log_tilted_mass(at, loss, theta);
                CHECK(bound >= exact - 1e-3);
                CHECK(bound <= exact + 4.0 + 3.0 * theta);
                // The mirrored threshold is a rounding lower, which may cross 0.
                const double mirrored = law->log_tilted_mass_below_upper(-loss, theta);
                CHECK(mirrored >= bound - 1e-9 && mirrored <= bound + 0.7);
            }
        }
    }
}

}  // namespace

int main() {
    test_tails_are_those_of_the_mixtures();
    test_symmetry();
    test_tilted_tails_are_bounds();
    return hockeystick_test::failures();
}
