// SPDX-License-Identifier: Apache-2.0
// Estimates of cumulants and saddles against the plain Gaussian's closed forms.
#include "hockeystick/cumulant.hpp"

#include <cmath>

#include "check.hpp"
#include "hockeystick/gaussian.hpp"
#include "hockeystick/gaussian_law.hpp"
#include "hockeystick/tilt.hpp"

namespace {

using namespace hockeystick;

void test_gaussian_cumulant() {
    const Term term{{2.0, 1.0}, 16};  // mu = 2
    for (const Direction direction : {Direction::remove, Direction::add}) {
        CumulantEstimate cumulant(laws_of(std::span(&term, 1), direction));
        for (const double theta : {-3.0, -1.0, -0.5, 0.25, 4.0, 30.0, 300.0}) {
            const Cumulant k = cumulant.at(theta);
            CHECK(std::fabs(k.value - 2.0 * theta * (theta + 1.0)) < 1e-9 * (1.0 + theta * theta));
            CHECK(std::fabs(k.first - 2.0 * (2.0 * theta + 1.0)) < 1e-9 * (1.0 + std::fabs(theta)));
            CHECK_CLOSE(k.second, 4.0, 1e-9);
        }
    }
}

void test_reversal_and_cap() {
    const Term term{{1.0, 0.2}, 1};
    CumulantEstimate remove(laws_of(std::span(&term, 1), Direction::remove)),
        add(laws_of(std::span(&term, 1), Direction::add));
    CHECK_CLOSE(remove.at(2.5).value, add.at(-3.5).value, 1e-9);  // E_P[e^{tL}] = E_Q[e^{(t+1)L}]
    CumulantEstimate capped(laws_of(std::span(&term, 1), Direction::remove), {1.0});
    CHECK(capped.at(5.0).value < remove.at(5.0).value);
}

void test_saddles() {
    const Term term{{2.0, 1.0}, 16};
    CumulantEstimate cumulant(laws_of(std::span(&term, 1), Direction::remove));
    const double theta = cumulant.saddle_of_epsilon(5.0);
    CHECK_CLOSE(2.0 * (2.0 * theta + 1.0), 5.0 + 1.0 / theta + 1.0 / (1.0 + theta), 1e-2);
    const CumulantEstimate::Saddle saddle = cumulant.saddle_of_delta(std::log(1e-9));
    CHECK_CLOSE(saddle.epsilon, gaussian_epsilon_bounds(std::log(1e-9), 2.0).upper, 1e-2);
}

// Rare large losses: short of the saddle the variance is far smaller, at the excess stated.
void test_tilt_short_of_the_saddle() {
    const Term rare{{1.0, 1e-4}, 10000000};
    CumulantEstimate cumulant(laws_of(std::span(&rare, 1), Direction::remove));
    const CumulantEstimate::Saddle saddle = cumulant.saddle_of_delta(std::log(1e-20));
    const Tilt tilt = choose_tilt(cumulant, saddle.theta, saddle.epsilon);
    CHECK(tilt.theta < saddle.theta && tilt.log_excess > 0.0);
    CHECK(cumulant.at(tilt.theta).second < 0.1 * cumulant.at(saddle.theta).second);
    const Term plain{{2.0, 1.0}, 16};
    CumulantEstimate gaussian(laws_of(std::span(&plain, 1), Direction::remove));
    CHECK(choose_tilt(gaussian, 3.0, 10.0).theta == 3.0);
}

}  // namespace

int main() {
    test_gaussian_cumulant();
    test_reversal_and_cap();
    test_saddles();
    test_tilt_short_of_the_saddle();
    return hockeystick_test::failures();
}
