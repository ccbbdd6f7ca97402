# SPDX-License-Identifier: Apache-2.0
"""Write legendre_tables.hpp by mpmath. Run: python make_legendre_tables.py > ../../cpp/src/legendre_tables.hpp."""

from mpmath import mp, mpf

mp.dps = 40

# With the two ends of an interval they fill whole vectors of eight.
SIZES = (6, 14, 22, 30, 46, 62, 94, 126, 190, 254)


def legendre(n, x):
    """P_n(x) and its derivative."""
    before, value = mpf(1), x
    for k in range(2, n + 1):
        before, value = value, ((2 * k - 1) * x * value - (k - 1) * before) / k
    return value, n * (before - x * value) / (1 - x * x)


def positive_half(n):
    for j in range(n // 2, 0, -1):
        x = mp.cos(mp.pi * (j - mpf(1) / 4) / (n + mpf(1) / 2))
        for _ in range(60):
            value, slope = legendre(n, x)
            x -= value / slope
            if abs(value / slope) < mpf(10) ** -35:
                break
        slope = legendre(n, x)[1]
        yield x, 2 / ((1 - x * x) * slope * slope)


print("""// SPDX-License-Identifier: Apache-2.0
// The positive nodes, increasing, and weights of the Gauss-Legendre rules on [-1, 1], each rounded to the nearest
// double. Written by tests/cpp/make_legendre_tables.py.
#pragma once

#include <array>
#include <cstddef>

namespace hockeystick::detail {

struct LegendrePoint {
    double node;
    double weight;
};
""")
print(f"inline constexpr std::array<std::size_t, {len(SIZES)}> k_legendre_sizes{{{', '.join(map(str, SIZES))}}};\n")
print("// One rule after the other, half as many points as its size.")
print(f"inline constexpr std::array<LegendrePoint, {sum(SIZES) // 2}> k_legendre_points{{{{")
for size in SIZES:
    print(f"    // {size} nodes")
    points = [f"{{{float(x).hex()}, {float(w).hex()}}}," for x, w in positive_half(size)]
    for i in range(0, len(points), 2):
        print("    " + " ".join(points[i : i + 2]))
print("}};\n\n}  // namespace hockeystick::detail")
