// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/quantile_kernel.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "vector_math.hpp"

namespace hockeystick {
namespace {

using lane::Pack;

constexpr int k_halvings = 36;
constexpr double k_half_log_2pi = 0x1.d67f1c864beb5p-1;

// (1 + t) R(t) on t >= 0 in powers of (t - 4) / (t + 4): relative error 1.6e-9 (least squares on Chebyshev points).
constexpr double k_mills[] = {1.1832619141836749,      -0.24239965322841184,    0.03509191845514853,
                              0.07168999012744424,     -0.08070863386106425,    0.04496313583056665,
                              -0.012535248041860608,   -0.0007300993388873408,  0.0017303342355817935,
                              -0.00021194549210351669, -0.00020201737969235926, 3.15046745940823e-05,
                              1.8801415626709676e-05};

HOCKEYSTICK_INLINE Pack log_tail_of(Pack t) {
    const Pack u = (t - 4.0) / (t + 4.0);
    Pack sum = lane::broadcast(k_mills[std::size(k_mills) - 1]);
    for (std::size_t i = std::size(k_mills) - 1; i-- > 0;) {
        sum = sum * u + k_mills[i];
    }
    return lane::log(sum / (t + 1.0)) - 0.5 * t * t - k_half_log_2pi;
}

HOCKEYSTICK_CLONES
void halve(const double* log_tails, const double* ends, double* quantiles) {
    const Pack wanted = lane::load(log_tails);
    Pack low = lane::broadcast(0.0);
    Pack high = lane::load(ends);
    for (int step = 0; step < k_halvings; ++step) {
        const Pack middle = 0.5 * (low + high);
        const lane::Mask above = lane::less(wanted, log_tail_of(middle));
        low = lane::choose(above, middle, low);
        high = lane::choose(above, high, middle);
    }
    lane::store(quantiles, 0.5 * (low + high));
}

}  // namespace

void estimate_tail_quantiles(std::span<const double> log_tails, std::span<double> quantiles) {
    std::array<double, lane::k_width> tails, ends, found;
    for (std::size_t start = 0; start < log_tails.size(); start += lane::k_width) {
        const std::size_t length = std::min(lane::k_width, log_tails.size() - start);
        for (std::size_t i = 0; i < lane::k_width; ++i) {
            tails[i] = i < length ? log_tails[start + i] : -1.0;
            ends[i] = std::sqrt(-2.0 * tails[i]);
        }
        halve(tails.data(), ends.data(), found.data());
        std::copy_n(found.begin(), length, quantiles.begin() + static_cast<std::ptrdiff_t>(start));
    }
}

}  // namespace hockeystick
