// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/fft.hpp"

#include <cmath>

#include "hockeystick/loss_law.hpp"

// No pool: one transform never uses it, and it would hang a forked child.
#define POCKETFFT_NO_MULTITHREADING
#if __has_include(<pocketfft_hdronly.h>)
#include <pocketfft_hdronly.h>
#else
#include <pocketfft.hpp>
#endif

namespace hockeystick {
namespace {

pocketfft::stride_t rows(std::size_t length, std::size_t element) {
    return {static_cast<std::ptrdiff_t>(length * element), static_cast<std::ptrdiff_t>(element)};
}

}  // namespace

std::size_t good_fft_size(std::size_t at_least) {
    return pocketfft::detail::util::good_size_real(at_least < 16 ? 16 : at_least);
}

void forward_fft(std::size_t n, std::size_t batch, std::span<const double> in, std::span<std::complex<double>> out) {
    pocketfft::r2c({batch, n}, rows(n, sizeof(double)), rows(n / 2 + 1, sizeof(std::complex<double>)), 1, true,
                   in.data(), out.data(), 1.0, 1);
}

void inverse_fft(std::size_t n, std::size_t batch, std::span<const std::complex<double>> in, std::span<double> out) {
    pocketfft::c2r({batch, n}, rows(n / 2 + 1, sizeof(std::complex<double>)), rows(n, sizeof(double)), 1, false,
                   in.data(), out.data(), 1.0 / static_cast<double>(n), 1);
}

double fft_error(std::size_t n) { return 8.0 * k_unit_roundoff * std::log2(static_cast<double>(n)); }

}  // namespace hockeystick
