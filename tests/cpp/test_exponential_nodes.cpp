// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/exponential_nodes.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "check.hpp"
#include "hockeystick/bounded_range_law.hpp"
#include "hockeystick/combined_law.hpp"
#include "hockeystick/error.hpp"
#include "hockeystick/laplace_law.hpp"
#include "hockeystick/legendre.hpp"
#include "hockeystick/sampled_law.hpp"
#include "law_reference.hpp"

using namespace hockeystick;
using namespace hockeystick::contour;
using hockeystick_test::Complex;
using hockeystick_test::SlowExponential;
using hockeystick_test::sum_of;

namespace {

struct Setting {
    LawHandle law;
    double tilt;
    double frequency;
};

std::vector<Setting> settings() {
    const LawHandle laplace = laplace_law(1.0);
    return {{laplace, 0.7, 30.0},
            {laplace, 25.0, 5.0},
            {laplace, -0.4, 3.0},
            {laplace_law(0.2), 1.0, 10.0},
            {bounded_range_law(0.5), 4.0, 80.0},
            {poisson_law(laplace, 0.01), 30.0, 400.0},
            {poisson_law(laplace, 0.5), -0.3, 20.0},
            {reversed_law(poisson_law(laplace, 0.01)), 60.0, 500.0},
            {reversed_law(poisson_law(laplace_law(0.25), 0.1)), 3.0, 10.0},
            {poisson_law(bounded_range_law(2.0), 0.1), 5.0, 20.0}};
}

void legendre_rules_are_exact_for_polynomials_and_err_by_at_most_their_bound() {
    for (std::size_t which = 0; which < legendre_sizes().size(); ++which) {
        const LegendreRule rule = legendre_rule(which);
        const std::size_t n = legendre_sizes()[which];
        CHECK(rule.node.size() == n && rule.weight.size() == n);
        for (const int power : {0, 2, 8}) {
            long double total = 0;
            for (std::size_t j = 0; j < n; ++j) {
                total += rule.weight[j] * std::pow(static_cast<long double>(rule.node[j]), power);
            }
            CHECK_CLOSE(static_cast<double>(total), 2.0 / (power + 1), 4e-16);
        }
        // e^{ax} is at most e^{a cosh(log rho)} in the ellipse.
        const double a = 1.1 * static_cast<double>(n);
        long double total = 0;
        for (std::size_t j = 0; j < n; ++j) total += rule.weight[j] * std::exp(a * (rule.node[j] - 1.0L));
        const double error = static_cast<double>(std::abs(total - (1 - std::exp(-2.0L * a)) / a));
        double bound = 1.0;
        for (double log_rho = 0.05; log_rho < 3.0; log_rho += 0.05) {
            bound = std::min(bound, std::exp(log_legendre_error(n, log_rho, a * (std::cosh(log_rho) - 1.0))));
        }
        CHECK(error <= bound + 3e-16);
        if (error > 1e-15) CHECK(error > 1e-3 * bound);
    }
}

// Few digits, so that the error of the rule is seen beside rounding.
void inner_error_is_needed_and_enough() {
    double needed = 0.0;
    for (const Setting& s : settings()) {
        const auto shape = s.law->exponential_loss();
        const SlowExponential slow(*shape);
        for (const double digits : {-4.0, -12.0, -38.0}) {
            const ExponentialNodes nodes(*shape, {s.tilt, s.tilt, s.tilt, s.frequency, 0.0, digits});
            const Moment at = nodes.moment(s.tilt);
            const auto unit = static_cast<double>(slow.moment(s.tilt).real());
            for (const double share : {0.0, 0.3, 1.0}) {
                const Complex z(s.tilt, share * s.frequency);
                const auto error = static_cast<double>(std::abs(sum_of(nodes, z) - slow.moment(z))) / unit;
                const double bound = nodes.inner_error(s.tilt, share * s.frequency, at);
                CHECK(error <= bound + 1e-13);
                if (bound < 1.0 && error > 1e-12) needed = std::max(needed, error / bound);
            }
            CHECK(nodes.inner_error(s.tilt, s.frequency, at) <= 1.1 * std::exp(digits));
        }
    }
    CHECK(needed > 1e-4);
}

void moments_keep_their_digits_where_m_is_nearly_one() {
    for (const bool reversed : {false, true}) {
        LawHandle law = poisson_law(laplace_law(1.0), 1e-7);
        if (reversed) law = reversed_law(law);
        const auto shape = law->exponential_loss();
        const ExponentialNodes nodes(*shape, {3.0, 2.0, 4.0, 10.0, 0.0, -65.0});
        const long double want = std::log1p(SlowExponential(*shape).excess(3.0L));
        const Moment at = nodes.moment(3.0);
        CHECK(want > 0 && want < 1e-12L);
        CHECK_CLOSE(at.value, static_cast<double>(want), 1e-12);
        CHECK(std::abs(at.value - static_cast<double>(want)) <= nodes.rounding(3.0, at).value);
        CHECK(nodes.rounding(3.0, at).value < 1e-12 * at.value);
    }
}

void decay_bounds_the_transform_from_there_on() {
    for (const Setting& s : settings()) {
        const auto shape = s.law->exponential_loss();
        const ExponentialNodes nodes(*shape, {s.tilt, s.tilt, s.tilt, s.frequency, 0.0, -30.0});
        const Moment at = nodes.moment(s.tilt);
        const SlowExponential slow(*shape);
        const long double unit = slow.moment(s.tilt).real();
        // From behind: the largest modulus beyond each frequency.
        double largest = 0.0;
        for (double t = 2.0 * s.frequency; t > 0.02 * s.frequency; t *= 0.98) {
            largest = std::max(largest, static_cast<double>(std::abs(slow.moment(Complex(s.tilt, t))) / unit));
            const double bound = nodes.log_decay(s.tilt, t, at, true);
            CHECK(bound >= std::log(largest) - 1e-9);
            CHECK(bound <= 0.0);
        }
        // Where a tilt or a small sample leaves one rare outcome the bound is little use; elsewhere it is.
        if (shape->sampling_rate == 1.0 && s.tilt < 10.0)
            CHECK(nodes.log_decay(s.tilt, 0.5 / std::sqrt(at.second), at, true) < -0.05);
    }
}

void an_upper_bound_on_the_moment_is_one() {
    for (const Setting& s : settings()) {
        const auto shape = s.law->exponential_loss();
        const ExponentialNodes nodes(*shape, {s.tilt, s.tilt, 2.0 * s.tilt, 1.0, 0.0, -20.0});
        const auto want = static_cast<double>(std::log(SlowExponential(*shape).moment(2.0 * s.tilt)).real());
        const double bound = log_moment_upper(nodes, 2.0 * s.tilt);
        CHECK(bound >= want - 1e-14);
        CHECK(bound <= want + 1e-3);
    }
}

void too_many_nodes_are_refused() {
    const auto shape = laplace_law(1.0)->exponential_loss();
    CHECK_THROWS(ExponentialNodes(*shape, {1.0, 1.0, 1.0, 1e4, 0.0, -30.0}), accuracy_error);
}

}  // namespace

int main() {
    legendre_rules_are_exact_for_polynomials_and_err_by_at_most_their_bound();
    inner_error_is_needed_and_enough();
    moments_keep_their_digits_where_m_is_nearly_one();
    decay_bounds_the_transform_from_there_on();
    an_upper_bound_on_the_moment_is_one();
    too_many_nodes_are_refused();
    return hockeystick_test::failures();
}
