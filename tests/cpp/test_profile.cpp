// SPDX-License-Identifier: Apache-2.0
// A composed law read as a profile, against the sum from its definition; every entry of the ledger moves its bound.
#include "hockeystick/profile.hpp"

#include <cmath>
#include <vector>

#include "check.hpp"

namespace {

using namespace hockeystick;

ComposedLaw bell(double theta) {
    ComposedLaw law;
    law.theta = theta;
    law.step = 0.01;
    law.first = -100;
    law.log_mass = 0.5 * theta * (theta + 1.0) * 0.09;
    double sum = 0.0;
    for (int i = 0; i < 400; ++i) {
        const double loss = 0.01 * (i - 100);
        law.weights.push_back(std::exp(-0.5 * std::pow((loss - (theta + 0.5) * 0.09) / 0.3, 2)));
        sum += law.weights.back();
    }
    for (double& weight : law.weights) weight /= sum;
    return law;
}

long double direct_delta(const ComposedLaw& law, double epsilon) {
    long double sum = 0.0L;
    for (std::size_t i = 0; i < law.weights.size(); ++i) {
        const long double loss = (law.first + static_cast<std::int64_t>(i)) * static_cast<long double>(law.step);
        if (loss <= epsilon) continue;
        sum -= law.weights[i] * std::exp(law.log_mass - law.theta * loss) * std::expm1(epsilon - loss);
    }
    return sum;
}

void test_against_the_definition() {
    for (const double theta : {0.5, 4.0, 9.0}) {
        const ComposedLaw law = bell(theta);
        const std::vector<double> epsilons{-0.5, 0.0, 0.123, 0.5, 0.98765, 1.5};
        const std::vector<double> upper = log_delta_bounds(law, Bound::upper, epsilons);
        const std::vector<double> lower = log_delta_bounds(law, Bound::lower, epsilons);
        for (std::size_t i = 0; i < epsilons.size(); ++i) {
            const double exact = static_cast<double>(std::log(direct_delta(law, epsilons[i])));
            CHECK(lower[i] <= exact + 1e-15 && exact - 1e-15 <= upper[i]);
            CHECK(upper[i] - lower[i] < 1e-9);
        }
    }
}

void test_epsilon_inverts_delta() {
    const ComposedLaw law = bell(4.0);
    for (const double epsilon : {0.1, 0.5003, 1.0}) {
        const double log_delta = static_cast<double>(std::log(direct_delta(law, epsilon)));
        const double upper = epsilon_bound(law, Bound::upper, log_delta);
        const double lower = epsilon_bound(law, Bound::lower, log_delta);
        CHECK(lower <= epsilon && epsilon <= upper);
        CHECK(upper - lower < 1e-9);
    }
    CHECK(epsilon_bound(law, Bound::upper, 0.0) == 0.0);
    CHECK(epsilon_bound(law, Bound::lower, -0.1) == 0.0);
}

// Widths of log delta at one epsilon with one entry of the ledger set.
double upper_with(double ComposedLaw::* entry, double value) {
    ComposedLaw law = bell(4.0);
    law.*entry = value;
    const double epsilon = 0.6;
    return log_delta_bounds(law, Bound::upper, std::span(&epsilon, 1)).front();
}

double lower_with(double ComposedLaw::* entry, double value) {
    ComposedLaw law = bell(4.0);
    law.*entry = value;
    const double epsilon = 0.6;
    return log_delta_bounds(law, Bound::lower, std::span(&epsilon, 1)).front();
}

void test_every_entry_of_the_ledger_counts() {
    const double plain_upper = upper_with(&ComposedLaw::noise, 0.0), plain_lower = lower_with(&ComposedLaw::noise, 0.0);
    for (const auto entry :
         {&ComposedLaw::outside_above, &ComposedLaw::truncated, &ComposedLaw::rounding, &ComposedLaw::noise}) {
        CHECK(upper_with(entry, 1e-6) > plain_upper + 1e-7);
    }
    for (const auto entry :
         {&ComposedLaw::outside_above, &ComposedLaw::outside_below, &ComposedLaw::rounding, &ComposedLaw::noise}) {
        CHECK(lower_with(entry, 1e-6) < plain_lower - 1e-7);
    }
    // Mass below the window wraps in and only adds: nothing to pay on the upper side.
    CHECK(upper_with(&ComposedLaw::outside_below, 1e-6) == plain_upper);
}

// The noise term by Cauchy-Schwarz: a perturbation of that 2-norm, the worst there is, stays inside.
void test_noise_covers_the_worst_perturbation() {
    ComposedLaw law = bell(4.0);
    const double epsilon = 0.6;
    std::vector<double> weight(law.weights.size(), 0.0);
    double square = 0.0;
    for (std::size_t i = 0; i < weight.size(); ++i) {
        const double s = law.step * static_cast<double>(law.first + static_cast<std::int64_t>(i)) - epsilon;
        if (s > 0.0) weight[i] = -std::expm1(-s) * std::exp(-4.0 * s);
        square += weight[i] * weight[i];
    }
    const double noise = 1e-5;
    for (std::size_t i = 0; i < weight.size(); ++i) law.weights[i] += noise * weight[i] / std::sqrt(square);
    const double perturbed = static_cast<double>(std::log(direct_delta(law, epsilon)));
    CHECK(perturbed <= upper_with(&ComposedLaw::noise, noise));
    CHECK(perturbed > upper_with(&ComposedLaw::noise, 0.0));
}

void test_ledger() {
    ComposedLaw law = bell(4.0);
    law.truncated = 1e-8;
    law.noise = 1e-12;
    const ProfileLedger ledger = ledger_at(law, Bound::upper, 0.6);
    CHECK(ledger.log_truncation > ledger.log_rounding && ledger.log_rounding > -60.0);
}

// A lattice that lies a step higher, or anywhere up to there: the upper bound is read a step further down.
void test_offset_counts() {
    ComposedLaw law = bell(4.0);
    const std::vector<double> here{0.605}, below{0.595};
    const double upper = log_delta_bounds(law, Bound::upper, below).front();
    const double lower = log_delta_bounds(law, Bound::lower, here).front();
    const double target = upper;
    const double plain = epsilon_bound(law, Bound::upper, target);
    law.offset = {0.0, law.step};
    CHECK_CLOSE(log_delta_bounds(law, Bound::upper, here).front(), upper, 1e-12);
    CHECK(log_delta_bounds(law, Bound::lower, here).front() == lower);
    CHECK_CLOSE(epsilon_bound(law, Bound::upper, target), plain + law.step, 1e-12);
}

}  // namespace

int main() {
    test_offset_counts();
    test_against_the_definition();
    test_epsilon_inverts_delta();
    test_every_entry_of_the_ledger_counts();
    test_noise_covers_the_worst_perturbation();
    test_ledger();
    return hockeystick_test::failures();
}
