// SPDX-License-Identifier: Apache-2.0
// Powers against polar long double ones, within the stated error, at any length and count.
#include "hockeystick/kernels.hpp"

#include <cmath>
#include <vector>

#include "check.hpp"
#include "hockeystick/loss_law.hpp"

namespace {

using namespace hockeystick;
using Values = std::vector<std::complex<double>>;

void test_powers() {
    for (const std::size_t length : {1u, 255u, 256u, 700u}) {
        for (const std::uint64_t count : {0ull, 1ull, 2ull, 7ull, 1000ull, 123457ull}) {
            Values base, accumulator(length, {0.5, -0.25});
            for (std::size_t i = 0; i < length; ++i) {
                const double phase = 0.1 + static_cast<double>(i);
                base.push_back(std::polar(1.0 - 1e-6 * static_cast<double>(i), phase));
            }
            multiply_by_power(accumulator, base, count);
            const auto power = static_cast<long double>(count);
            for (std::size_t i = 0; i < length; ++i) {
                const std::complex<long double> exact =
                    std::polar(std::pow(std::hypot(static_cast<long double>(base[i].real()), base[i].imag()), power),
                               power * std::atan2(static_cast<long double>(base[i].imag()), base[i].real())) *
                    std::complex<long double>(0.5L, -0.25L);
                const long double error =
                    std::abs(std::complex<long double>(accumulator[i].real(), accumulator[i].imag()) - exact);
                const long double bound =
                    2.25L * k_unit_roundoff * static_cast<long double>(count + 1) * std::abs(exact);
                CHECK(error <= bound + 1e-18L * power);
            }
        }
    }
}

void test_vanishing_powers_are_zero() {
    Values accumulator(300, {1.0, 0.0});
    multiply_by_power(accumulator, Values(300, {0.1, 0.1}), 1000);
    for (const auto& value : accumulator) CHECK(value == std::complex<double>(0.0, 0.0));
}

}  // namespace

int main() {
    test_powers();
    test_vanishing_powers_are_zero();
    return hockeystick_test::failures();
}
