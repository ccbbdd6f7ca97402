// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace hockeystick {

// Whether to go on: long computations ask now and then, at places where nothing is held that an exception would lose.
// The question is the caller's, put for one thread and the time of a scope; a question that throws ends the
// computation, and everything on the way is freed. Without a scope nothing is asked and the core stays a set of pure
// functions.
//
// poll() costs a nanosecond without a scope and thirty with one; the question itself is put every 20 milliseconds at
// most. Between two polls lies at most one batch of transforms or one table of the contour engine.
using InterruptQuestion = void (*)();

class InterruptScope {
public:
    explicit InterruptScope(InterruptQuestion question);  // null asks nothing
    ~InterruptScope();
    InterruptScope(const InterruptScope&) = delete;
    InterruptScope& operator=(const InterruptScope&) = delete;

private:
    InterruptQuestion outer_;
};

// Throws what the question throws.
void poll();

}  // namespace hockeystick
