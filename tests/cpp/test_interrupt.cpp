// SPDX-License-Identifier: Apache-2.0
// A question is put while its scope lasts, not too often, on its own thread; what it throws ends the computation, and
// both engines ask.
#include "hockeystick/interrupt.hpp"

#include <array>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "check.hpp"
#include "hockeystick/contour.hpp"
#include "hockeystick/fft_engine.hpp"
#include "hockeystick/gaussian_law.hpp"

namespace {

using namespace hockeystick;

int asked = 0;
void count() { ++asked; }
void stop() { throw std::domain_error("enough"); }

void wait() { std::this_thread::sleep_for(std::chrono::milliseconds(25)); }

void test_asks_within_its_scope_only() {
    asked = 0;
    poll();
    {
        const InterruptScope scope(count);
        poll();
        CHECK(asked == 0);  // too soon
        wait();
        poll();
        poll();
        CHECK(asked == 1);
        {
            const InterruptScope inner(nullptr);
            wait();
            poll();
        }
        CHECK(asked == 1);
        std::thread([] {
            wait();
            poll();
        }).join();
        CHECK(asked == 1);
        wait();
        poll();
        CHECK(asked == 2);
    }
    wait();
    poll();
    CHECK(asked == 2);
}

// Long enough that the pause is over before the end: a table of points, far apart.
std::vector<double> epsilons() {
    std::vector<double> points;
    for (int i = 0; i < 4000; ++i) points.push_back(0.1 * i);
    return points;
}

void test_both_engines_can_be_stopped() {
    const Term run{{1.0, 0.01}, 1000};
    const std::array one{Direction::remove};
    const std::vector<double> points = epsilons();
    const InterruptScope scope(stop);
    CHECK_THROWS(fft_log_delta_bounds(laws_of(std::span(&run, 1), one), points, 1e-3), std::domain_error);
    wait();
    CHECK_THROWS(contour_log_delta_bounds(std::span(&run, 1), one, points, 1e-9), std::domain_error);
}

}  // namespace

int main() {
    test_asks_within_its_scope_only();
    test_both_engines_can_be_stopped();
    return hockeystick_test::failures();
}
