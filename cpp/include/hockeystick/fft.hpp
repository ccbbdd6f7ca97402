// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <span>

namespace hockeystick {

// Real transforms of length n, `batch` of them in one call (vectors run across transforms). The forward transform is
// unnormalised; the inverse divides by n. Each leaves an error of at most fft_error(n) times the 2-norm of its input,
// in the 2-norm that makes the exact transform an isometry. One thread, no state; a plan is made a call.
std::size_t good_fft_size(std::size_t at_least);
void forward_fft(std::size_t n, std::size_t batch, std::span<const double> in, std::span<std::complex<double>> out);
void inverse_fft(std::size_t n, std::size_t batch, std::span<const std::complex<double>> in, std::span<double> out);

// Normwise relative error bound of one transform: 8 u log2(n). A radix-2 step costs at most (sqrt(5) + 2) u (a complex
// product, a rounded root, an addition), larger radices less a halving; the tests measure below a tenth of this.
double fft_error(std::size_t n);

}  // namespace hockeystick
