// SPDX-License-Identifier: Apache-2.0
// Checks for the plain test programs: each failure prints its place, and main() returns hockeystick_test::failures().
#pragma once

#include <cmath>
#include <cstdio>

namespace hockeystick_test {

inline int& failure_count() {
    static int count = 0;
    return count;
}

// The exit code of a test program: 0 only if every check passed.
inline int failures() {
    if (failure_count() > 0) std::fprintf(stderr, "%d check(s) failed\n", failure_count());
    return failure_count() > 0 ? 1 : 0;
}

inline void check(bool passed, const char* text, const char* file, int line) {
    if (passed) return;
    ++failure_count();
    std::fprintf(stderr, "%s:%d: failed: %s\n", file, line, text);
}

// Relative to the wanted value; equal infinities and equal zeros pass, NaN never does.
inline void check_close(double got, double want, double relative, const char* text, const char* file, int line) {
    if (got == want || std::abs(got - want) <= relative * std::abs(want)) return;
    ++failure_count();
    std::fprintf(stderr, "%s:%d: failed: %s: got %.17g, want %.17g, relative tolerance %g\n", file, line, text, got,
                 want, relative);
}

}  // namespace hockeystick_test

// Variadic, so that a condition may hold commas of its own.
#define CHECK(...) hockeystick_test::check(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)
#define CHECK_CLOSE(got, want, relative) \
    hockeystick_test::check_close((got), (want), (relative), #got " ~ " #want, __FILE__, __LINE__)
#define CHECK_THROWS(expression, type)                                                    \
    do {                                                                                  \
        bool threw = false;                                                               \
        try {                                                                             \
            static_cast<void>(expression);                                                \
        } catch (const type&) {                                                           \
            threw = true;                                                                 \
        } catch (...) {                                                                   \
        }                                                                                 \
        hockeystick_test::check(threw, #expression " throws " #type, __FILE__, __LINE__); \
    } while (false)
