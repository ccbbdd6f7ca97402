// SPDX-License-Identifier: Apache-2.0
// Elementary functions without branches, so that loops over them vectorise. Each states its relative error in units of
// u = 2^-53 (tests/cpp/test_kernels.cpp); none raises a flag that anyone reads. Included by the kernels alone.
#pragma once

#include <cstdint>
#include <limits>

#include "pack.hpp"

namespace hockeystick::lane {

constexpr double k_magic = 0x1.8p52;  // adding it rounds to a whole number, which the low bits of the sum hold
constexpr double k_log2e = 1.4426950408889634074;
constexpr double k_ln2_high = 0x1.62e42fefa3800p-1;  // 42 bits, so k * k_ln2_high is exact
constexpr double k_ln2_low = 0x1.ef35793c76730p-45;
constexpr double k_pi_high = 0x1.921fb54442d18p1;
constexpr double k_pi_low = 0x1.1a62633145c07p-53;

HOCKEYSTICK_INLINE Pack scale_of(Pack shifted) { return from_bits((bits_of(shifted) + 1023U) << 52U); }

// x = k ln 2 + r, |r| <= ln(2)/2; k = shifted - k_magic.
HOCKEYSTICK_INLINE Pack reduce(Pack x, Pack& shifted) {
    shifted = x * k_log2e + k_magic;
    const Pack k = shifted - k_magic;
    return (x - k * k_ln2_high) - k * k_ln2_low;
}

HOCKEYSTICK_INLINE Pack clamped(Pack x) { return larger(broadcast(-708.0), smaller(broadcast(709.0), x)); }

// (e^r - 1 - r) / r^2 to degree 11: remainder 5e-18 of e^r on |r| <= ln(2)/2.
HOCKEYSTICK_INLINE Pack excess_ratio(Pack r) {
    Pack p = broadcast(1.0 / 6227020800.0);
    p = p * r + 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    return p * r + 0.5;
}

// e^x: 4u for |x| <= 708; 0 below -708, infinity above 709.
HOCKEYSTICK_INLINE Pack exp(Pack x) {
    Pack shifted;
    const Pack r = reduce(clamped(x), shifted);
    const Pack p = (excess_ratio(r) * r + 1.0) * r + 1.0;
    const Pack low = choose(less(x, -708.0), broadcast(0.0), p * scale_of(shifted));
    return choose(less(709.0, x), broadcast(std::numeric_limits<double>::infinity()), low);
}

// e^x - 1: 8u for x <= 708; infinity above 709.
HOCKEYSTICK_INLINE Pack expm1(Pack x) {
    Pack shifted;
    const Pack r = reduce(clamped(x), shifted);
    const Pack scale = scale_of(shifted);
    const Pack value = scale * (r + r * r * excess_ratio(r)) + (scale - 1.0);
    return choose(less(709.0, x), broadcast(std::numeric_limits<double>::infinity()), value);
}

// e^x - 1 - x, given e^x: a series for |x| < 1 (8u), else the difference, which errs by 4u e^x + 2u (1 + |x|).
HOCKEYSTICK_INLINE Pack exp_excess(Pack x, Pack exp_x) {
    Pack p = broadcast(1.0 / 6402373705728000.0);  // 1/18!
    p = p * x + 1.0 / 355687428096000.0;
    p = p * x + 1.0 / 20922789888000.0;
    p = p * x + 1.0 / 1307674368000.0;
    p = p * x + 1.0 / 87178291200.0;
    p = p * x + 1.0 / 6227020800.0;
    p = p * x + 1.0 / 479001600.0;
    p = p * x + 1.0 / 39916800.0;
    p = p * x + 1.0 / 3628800.0;
    p = p * x + 1.0 / 362880.0;
    p = p * x + 1.0 / 40320.0;
    p = p * x + 1.0 / 5040.0;
    p = p * x + 1.0 / 720.0;
    p = p * x + 1.0 / 120.0;
    p = p * x + 1.0 / 24.0;
    p = p * x + 1.0 / 6.0;
    p = p * x + 0.5;
    return choose(less(absolute(x), 1.0), x * x * p, (exp_x - 1.0) - x);
}

// log z of a normal z > 0, where z = 1 + y rounded and y is known: 6u of log(1 + y), y > -1/2. With y = -1, which
// stands for "not known", log z itself to 6u of it or u, whichever is more.
HOCKEYSTICK_INLINE Pack log_with(Pack z, Pack y) {
    constexpr std::uint64_t k_root_half = 0x3FE6A09E667F3BCDU;
    constexpr std::uint64_t k_bias = 1023ULL << 52U;
    const BitPack bits = bits_of(z);
    const BitPack biased = (bits - k_root_half + k_bias) >> 52U;  // k + 1023
    const Pack k = from_bits(biased | 0x4330000000000000U) - (0x1p52 + 1023.0);
    const Pack m = from_bits(bits - (biased << 52U) + k_bias);
    const Pack f = choose(less(absolute(k), 0.5), choose(less(-0.5, y), y, m - 1.0), m - 1.0);
    const Pack s = f / (f + 2.0);
    const Pack w = s * s;
    Pack r = broadcast(1.479819860511658591e-01);
    r = r * w + 1.531383769920937332e-01;
    r = r * w + 1.818357216161805012e-01;
    r = r * w + 2.222219843214978396e-01;
    r = r * w + 2.857142874366239149e-01;
    r = r * w + 3.999999999940941908e-01;
    r = r * w + 6.666666666666735130e-01;
    r = r * w;
    const Pack half_square = 0.5 * f * f;
    return k * k_ln2_high - ((half_square - (s * (half_square + r) + k * k_ln2_low)) - f);
}

HOCKEYSTICK_INLINE Pack log1p(Pack y) { return log_with(y + 1.0, y); }  // y > -1/2
HOCKEYSTICK_INLINE Pack log(Pack z) { return log_with(z, broadcast(-1.0)); }

// The angle of (x, y) in [-pi, pi]: 6u; 0 at the origin.
HOCKEYSTICK_INLINE Pack atan2(Pack y, Pack x) {
    const Pack ax = absolute(x);
    const Pack ay = absolute(y);
    const Pack small = smaller(ax, ay);
    const Pack large = larger(ax, ay);
    const Mask wide = less(0.41421356237309503 * large, small);  // beyond pi / 8
    const Pack below = choose(wide, small + large, large);
    const Pack w = choose(wide, small - large, small) /
                   choose(less(below, std::numeric_limits<double>::denorm_min()), broadcast(1.0), below);
    const Pack s = w * w;
    Pack p = broadcast(0x1.0acd9e91a5a35p-6);  // Chebyshev fit of (atan(w) / w - 1) / w^2, error 2^-59
    p = p * s - 0x1.1b311bb48c215p-5;
    p = p * s + 0x1.74dccfb93fff0p-5;
    p = p * s - 0x1.ac7a5a79b3f26p-5;
    p = p * s + 0x1.e19a0bfa3eef9p-5;
    p = p * s - 0x1.110e87b4357d2p-4;
    p = p * s + 0x1.3b1392d519db1p-4;
    p = p * s - 0x1.745d165dc9713p-4;
    p = p * s + 0x1.c71c71c303dbbp-4;
    p = p * s - 0x1.249249248d7dcp-3;
    p = p * s + 0x1.9999999999953p-3;
    p = p * s - 0x1.5555555555555p-2;
    const Pack core = w + w * (s * p);
    const Pack octant = choose(wide, 0.25 * k_pi_high + (core + 0.25 * k_pi_low), core);
    const Pack quadrant = choose(less(ax, ay), 0.5 * k_pi_high - (octant - 0.5 * k_pi_low), octant);
    const Pack half = choose(less(x, 0.0), k_pi_high - (quadrant - k_pi_low), quadrant);
    return choose(less(y, 0.0), -half, half);
}

// Sine and cosine of |x| <= 5e5, absolute error 2u.
HOCKEYSTICK_INLINE void sin_cos(Pack x, Pack& sine, Pack& cosine) {
    const Pack shifted = x * 0.63661977236758134308 + k_magic;
    const Pack k = shifted - k_magic;
    // pi / 2 in pieces of 33 bits: the products with k are exact.
    Pack r = x - k * 0x1.921fb544p0;
    r = r - k * 0x1.0b4611a6p-34;
    r = r - k * 0x1.3198a2e037073p-69;
    const Pack s = r * r;
    Pack a = broadcast(1.58969099521155010221e-10);
    a = a * s - 2.50507602534068634195e-08;
    a = a * s + 2.75573137070700676789e-06;
    a = a * s - 1.98412698298579493134e-04;
    a = a * s + 8.33333333332248946124e-03;
    a = a * s - 1.66666666666666324348e-01;
    const Pack sin_r = r + r * (s * a);
    Pack b = broadcast(-1.13596475577881948265e-11);
    b = b * s + 2.08757232129817482790e-09;
    b = b * s - 2.75573143513906633035e-07;
    b = b * s + 2.48015872894767294178e-05;
    b = b * s - 1.38888888888741095749e-03;
    b = b * s + 4.16666666666666019037e-02;
    const Pack cos_r = 1.0 - (0.5 * s - s * (s * b));
    const BitPack quadrant = bits_of(shifted);
    const Mask odd = is_odd(quadrant);
    const Pack u = choose(odd, cos_r, sin_r);
    const Pack v = choose(odd, sin_r, cos_r);
    sine = choose(is_odd(quadrant >> 1U), -u, u);
    cosine = choose(is_odd((quadrant + 1U) >> 1U), -v, v);
}

}  // namespace hockeystick::lane
