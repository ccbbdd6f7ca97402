// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/kernels.hpp"

#include <algorithm>
#include <cstddef>

#include "pack.hpp"

namespace hockeystick {
namespace {

constexpr std::size_t k_block = 256;
// Moduli below 1e-75 become zero: powers would otherwise crawl through the subnormal range, a hundred times slower.
constexpr double k_flush = 1e-150;

struct Block {
    double re[k_block];
    double im[k_block];
};

HOCKEYSTICK_CLONES
void multiply_block(Block& left, const Block& right) {
    for (std::size_t i = 0; i < k_block; ++i) {
        const double re = left.re[i] * right.re[i] - left.im[i] * right.im[i];
        const double im = left.re[i] * right.im[i] + left.im[i] * right.re[i];
        const bool keep = re * re + im * im > k_flush;
        left.re[i] = keep ? re : 0.0;
        left.im[i] = keep ? im : 0.0;
    }
}

HOCKEYSTICK_CLONES
void square_block(Block& block) {
    for (std::size_t i = 0; i < k_block; ++i) {
        const double re = block.re[i] * block.re[i] - block.im[i] * block.im[i];
        const double im = 2.0 * block.re[i] * block.im[i];
        const bool keep = re * re + im * im > k_flush;
        block.re[i] = keep ? re : 0.0;
        block.im[i] = keep ? im : 0.0;
    }
}

void load(Block& block, std::span<const std::complex<double>> values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        block.re[i] = values[i].real();
        block.im[i] = values[i].imag();
    }
    for (std::size_t i = values.size(); i < k_block; ++i) block.re[i] = block.im[i] = 0.0;
}

}  // namespace

void multiply_by_power(std::span<std::complex<double>> accumulator, std::span<const std::complex<double>> base,
                       std::uint64_t count) {
    Block power, result;
    for (std::size_t start = 0; start < base.size(); start += k_block) {
        const std::size_t length = std::min(k_block, base.size() - start);
        load(power, base.subspan(start, length));
        load(result, accumulator.subspan(start, length));
        for (std::uint64_t rest = count; rest != 0; rest >>= 1) {
            if (rest & 1) multiply_block(result, power);
            if (rest > 1) square_block(power);
        }
        for (std::size_t i = 0; i < length; ++i) accumulator[start + i] = {result.re[i], result.im[i]};
    }
}

}  // namespace hockeystick
