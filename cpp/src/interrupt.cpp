// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/interrupt.hpp"

#include <chrono>
#include <utility>

namespace hockeystick {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds k_least_pause{20};

struct Inquiry {
    InterruptQuestion question = nullptr;
    Clock::time_point last{};
};

// Of a thread and set by a scope only: no call leaves anything here.
thread_local Inquiry inquiry;

}  // namespace

InterruptScope::InterruptScope(InterruptQuestion question) : outer_(std::exchange(inquiry.question, question)) {
    inquiry.last = Clock::now();
}

InterruptScope::~InterruptScope() { inquiry.question = outer_; }

void poll() {
    if (inquiry.question == nullptr) return;
    const Clock::time_point now = Clock::now();
    if (now - inquiry.last < k_least_pause) return;
    inquiry.last = now;
    inquiry.question();
}

}  // namespace hockeystick
