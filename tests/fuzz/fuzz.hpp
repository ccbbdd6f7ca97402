// SPDX-License-Identifier: Apache-2.0
// What the fuzz targets share: values out of bytes, and checks that stop the fuzzer.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace hockeystick_fuzz {

// Reads values off a string of bytes; past its end all bytes are 0, so that every input means something.
class Bytes {
public:
    Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

    bool empty() const { return at_ >= size_; }

    std::uint64_t integer(int bytes) {
        std::uint64_t value = 0;
        for (int i = 0; i < bytes; ++i) value = value << 8 | (at_ < size_ ? data_[at_++] : 0);
        return value;
    }

    // Uniform in [low, high], both included.
    double within(double low, double high) {
        return low + (high - low) * static_cast<double>(integer(4)) / 4294967295.0;
    }

    // Log-uniform in [low, high].
    double scale(double low, double high) { return std::exp(within(std::log(low), std::log(high))); }

    // Any double at all, NaN, infinities and denormals included.
    double any() {
        const std::uint64_t bits = integer(8);
        double value;
        std::memcpy(&value, &bits, sizeof value);
        return value;
    }

private:
    const std::uint8_t* data_;
    std::size_t size_;
    std::size_t at_ = 0;
};

inline void require(bool held, const char* what, int line, double a, double b) {
    if (held) return;
    std::fprintf(stderr, "line %d: %s does not hold: %.17g, %.17g\n", line, what, a, b);
    std::abort();
}

}  // namespace hockeystick_fuzz

// The two numbers that the condition is about are printed.
#define REQUIRE(condition, a, b) hockeystick_fuzz::require((condition), #condition, __LINE__, (a), (b))
