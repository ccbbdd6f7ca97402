// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstdint>
#include <span>

namespace hockeystick {

// accumulator[k] *= base[k]^count by binary powers, blockwise in registers. |result| errs by at most
// 2.25 u times the number of factors (count), relative to the product of moduli; results of modulus below 1e-75
// become zero. No threads.
void multiply_by_power(std::span<std::complex<double>> accumulator, std::span<const std::complex<double>> base,
                       std::uint64_t count);

}  // namespace hockeystick
