// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/parallel.hpp"

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "hockeystick/contour.hpp"

using namespace hockeystick;

namespace {

void every_task_runs_once() {
    for (const int threads : {-1, 1, 2, 5}) {
        for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{3}, std::size_t{1000}}) {
            std::vector<std::atomic<int>> runs(count);
            parallel_for(count, threads, [&](std::size_t i) { ++runs[i]; });
            for (const auto& times : runs) CHECK(times == 1);
        }
    }
}

void the_first_exception_is_thrown_and_all_tasks_are_done() {
    for (const int threads : {2, 3}) {
        std::atomic<int> runs{0};
        std::string message;
        try {
            parallel_for(40, threads, [&](std::size_t i) {
                ++runs;
                if (i == 7 || i == 30) throw std::runtime_error(std::to_string(i));
            });
        } catch (const std::runtime_error& error) {
            message = error.what();
        }
        CHECK(message == "7");
        CHECK(runs == 40);
    }
}

void brackets_are_the_same_for_any_number_of_threads() {
    std::vector<Term> terms;
    for (int i = 0; i < 40; ++i) terms.push_back({{1.0 + 0.02 * i, 0.02}, 10});
    const std::vector<Direction> both{Direction::remove, Direction::add};
    const Interval alone = contour_epsilon_bounds(terms, both, -12.0, 1e-9);
    const auto curve = contour_log_delta_bounds(terms, both, std::vector<double>{0.5, 1.0}, 1e-9);
    for (const int threads : {2, 3}) {
        const Interval x = contour_epsilon_bounds(terms, both, -12.0, 1e-9, threads);
        CHECK(x.lower == alone.lower && x.upper == alone.upper);
        const auto y = contour_log_delta_bounds(terms, both, std::vector<double>{0.5, 1.0}, 1e-9, threads);
        for (std::size_t i = 0; i < 2; ++i) CHECK(y[i].lower == curve[i].lower && y[i].upper == curve[i].upper);
    }
}

}  // namespace

int main() {
    every_task_runs_once();
    the_first_exception_is_thrown_and_all_tasks_are_done();
    brackets_are_the_same_for_any_number_of_threads();
    return hockeystick_test::failures();
}
