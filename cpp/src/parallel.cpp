// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/parallel.hpp"

#include <algorithm>
#include <exception>
#include <thread>
#include <vector>

#if defined(HOCKEYSTICK_OPENMP)
#include <pthread.h>

#include <atomic>
#endif

namespace hockeystick {
namespace {

#if defined(HOCKEYSTICK_OPENMP)

// The pool of OpenMP does not survive a fork and would hang the child, which therefore works alone.
std::atomic<bool> is_forked_child{false};
const int guarded = pthread_atfork(nullptr, nullptr, [] { is_forked_child = true; });

void run(std::size_t count, int threads, const std::function<void(std::size_t)>& task) {
    const auto last = static_cast<std::ptrdiff_t>(count);
    const int used = guarded == 0 && !is_forked_child ? threads : 1;
#pragma omp parallel for schedule(dynamic) num_threads(used)
    for (std::ptrdiff_t i = 0; i < last; ++i) task(static_cast<std::size_t>(i));
}

#else

void run(std::size_t count, int threads, const std::function<void(std::size_t)>& task) {
    const auto step = static_cast<std::size_t>(threads);
    const auto stride = [&](std::size_t first) {
        for (std::size_t i = first; i < count; i += step) task(i);
    };
    std::vector<std::thread> others;
    for (std::size_t first = 1; first < step; ++first) others.emplace_back(stride, first);
    stride(0);
    for (std::thread& other : others) other.join();
}

#endif

}  // namespace

void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t)>& task) {
    const int useful = static_cast<int>(std::min(static_cast<std::size_t>(std::max(threads, 1)), count));
    if (useful <= 1) {
        for (std::size_t i = 0; i < count; ++i) task(i);
        return;
    }
    std::vector<std::exception_ptr> thrown(count);
    run(count, useful, [&](std::size_t i) {
        try {
            task(i);
        } catch (...) {
            thrown[i] = std::current_exception();
        }
    });
    for (const std::exception_ptr& each : thrown) {
        if (each) std::rethrow_exception(each);
    }
}

}  // namespace hockeystick
