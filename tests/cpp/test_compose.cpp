// SPDX-License-Identifier: Apache-2.0
// Compositions against direct convolution, within the noise bound; what a short window wraps is in the ledger.
#include "hockeystick/compose.hpp"

#include <cmath>
#include <vector>

#include "check.hpp"
#include "hockeystick/error.hpp"

namespace {

using namespace hockeystick;

TiltedAtoms three_atoms(double low, double middle, double high) {
    TiltedAtoms atoms;
    atoms.index = {-2, 0, 3};
    atoms.weight = {low, middle, high};
    atoms.log_mass = 0.25;
    atoms.truncated = 1e-9;
    atoms.rounding = 1e-16;
    return atoms;
}

// The slow reference: repeated convolution of a vector whose entry 0 stands for index -2 * count.
std::vector<long double> convolved(const TiltedAtoms& atoms, std::size_t count) {
    std::vector<long double> result{1.0L};
    for (std::size_t k = 0; k < count; ++k) {
        std::vector<long double> next(result.size() + 5, 0.0L);
        for (std::size_t i = 0; i < result.size(); ++i) {
            for (std::size_t a = 0; a < atoms.index.size(); ++a) {
                next[i + static_cast<std::size_t>(atoms.index[a] + 2)] += result[i] * atoms.weight[a];
            }
        }
        result = std::move(next);
    }
    return result;
}

void test_against_direct_convolution() {
    const TiltedAtoms first = three_atoms(0.3, 0.5, 0.2), second = three_atoms(0.1, 0.8, 0.1);
    const Composition all =
        on_window({{&first, 9}, {&second, 1}}, 1.0, 0.1, {1.0, 1.0}, 1e-12, -100.0 * 0.1, 100.0 * 0.1);
    const ComposedLaw law = compose(std::span(&all, 1), 320).front();
    const std::vector<long double> nine = convolved(first, 9);
    long double error = 0.0L;
    for (std::size_t i = 0; i < law.weights.size(); ++i) {
        const std::int64_t index = law.first + static_cast<std::int64_t>(i);
        long double exact = 0.0L;
        for (std::size_t a = 0; a < 3; ++a) {
            const std::int64_t at = index - second.index[a] + 18;
            if (at >= 0 && at < static_cast<std::int64_t>(nine.size())) {
                exact += second.weight[a] * nine[static_cast<std::size_t>(at)];
            }
        }
        error += (law.weights[i] - exact) * (law.weights[i] - exact);
    }
    CHECK(std::sqrt(error) <= law.noise);
    CHECK(law.noise < 1e-13);
    CHECK_CLOSE(law.log_mass, 10 * 0.25, 1e-15);
    CHECK_CLOSE(law.truncated, 1e-8, 1e-8);
    CHECK_CLOSE(law.rounding, 1e-15, 1e-12);
}

// The tails outside the window are at most what was allowed, and not far below.
void test_window_holds_what_it_says() {
    const TiltedAtoms atoms = three_atoms(0.3, 0.5, 0.2);
    const double allowed = 1e-4;
    // Mean 0, variance 3 a factor: orders near sqrt(2 log(1e4) / 120) a step.
    const Composition composition = on_window({{&atoms, 40}}, 1.0, 0.1, {3.9, 3.9}, allowed, 0.0, 0.0);
    CHECK(composition.outside_above == allowed && composition.outside_below == allowed);
    const std::vector<long double> exact = convolved(atoms, 40);
    long double below = 0.0L, above = 0.0L;
    for (std::size_t i = 0; i < exact.size(); ++i) {
        const std::int64_t index = static_cast<std::int64_t>(i) - 80;
        if (index < composition.first) below += exact[i];
        if (index >= composition.first + static_cast<std::int64_t>(composition.length)) above += exact[i];
    }
    CHECK(below <= allowed && above <= allowed);
    CHECK(below > 1e-4 * allowed && above > 1e-4 * allowed);
    CHECK(composition.length < 130);
}

// A window shorter than the law: what wraps in is no more than the ledger says, cell by cell in the sum.
void test_wrapping_is_counted() {
    const TiltedAtoms atoms = three_atoms(0.3, 0.5, 0.2);
    const Composition composition = on_window({{&atoms, 40}}, 1.0, 0.1, {2.0, 2.0}, 1e-2, 0.0, 0.0);
    const ComposedLaw law = compose(std::span(&composition, 1), composition.length).front();
    const std::vector<long double> exact = convolved(atoms, 40);
    long double excess = 0.0L;
    for (std::size_t i = 0; i < law.weights.size(); ++i) {
        const auto at = static_cast<std::size_t>(law.first + static_cast<std::int64_t>(i) + 80);
        const long double gain = law.weights[i] - exact[at];
        CHECK(gain >= -1e-14L);
        excess += gain;
    }
    CHECK(excess > 1e-8L);
    CHECK(excess <= law.outside_above + law.outside_below);
}

// e^{t l} underflows at the lowest of many consecutive atoms and is large at the highest: the window must hold those.
void test_a_window_over_underflow() {
    TiltedAtoms atoms;
    for (std::int64_t i = -57; i <= 52; ++i) {
        atoms.index.push_back(i);
        atoms.weight.push_back(1.0 / 110.0);
    }
    const Composition one = on_window({{&atoms, 1}}, 1.0, 1.0, {14.0, 14.0}, 1e-8, 0.0, 0.0);
    CHECK(one.first <= -57 && one.first + static_cast<std::int64_t>(one.length) > 52);
}

// Left out are all outcomes but those with every release kept, and rounding multiplies them too.
void test_left_out_mass_is_that_of_the_product() {
    TiltedAtoms atoms = three_atoms(0.3, 0.5, 0.2);
    atoms.truncated = 2.0;
    atoms.rounding = 0.1;
    const Composition four = on_window({{&atoms, 4}}, 1.0, 0.1, {1.0, 1.0}, 1e-4, 0.0, 0.0);
    const ComposedLaw law = compose(std::span(&four, 1), four.length).front();
    CHECK(law.truncated >= std::pow(3.1, 4.0) - std::pow(1.1, 4.0));
    CHECK(law.truncated <= 1.5 * (std::pow(3.1, 4.0) - std::pow(1.1, 4.0)));
}

void test_too_wide_a_window_is_refused() {
    const TiltedAtoms atoms = three_atoms(0.3, 0.5, 0.2);
    CHECK_THROWS(on_window({{&atoms, 40}}, 1.0, 1e-9, {2.0, 2.0}, 1e-4, 0.0, 100.0), accuracy_error);
}

}  // namespace

int main() {
    test_against_direct_convolution();
    test_window_holds_what_it_says();
    test_wrapping_is_counted();
    test_a_window_over_underflow();
    test_left_out_mass_is_that_of_the_product();
    test_too_wide_a_window_is_refused();
    return hockeystick_test::failures();
}
