// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hockeystick/dots.hpp"

namespace hockeystick {

// Longest window, in lattice steps: bounds memory at about 100 bytes each.
inline constexpr double k_longest_window = 1 << 22;

// A composed law on a window of the lattice: the P mass at index (first + i) is
// weights[i] * e^{log_mass - theta * (first + i) * step}, up to the ledger below.
struct ComposedLaw {
    double theta = 0.0;
    double step = 0.0;
    std::int64_t first = 0;
    std::vector<double> weights;
    double log_mass = 0.0;
    Interval offset{0.0, 0.0};  // the loss at index i is i * step plus this
    // The ledger, in units of tilted mass (all of it may be missing, or in the wrong place):
    double outside_above = 0.0;  // composed mass above the window (it wraps into it)
    double outside_below = 0.0;  // composed mass below the window (likewise)
    double truncated = 0.0;      // what the dots of one or more releases left out, whatever the others did
    double rounding = 0.0;       // sum over releases of the rounding of their dots and of earlier stages
    double noise = 0.0;          // 2-norm of the transforms' and powers' error in weights
};

// count copies of one tilted law.
struct Factor {
    const TiltedAtoms* atoms;
    std::uint64_t count;
};
using Product = std::vector<Factor>;

// Orders at which the mass outside a window is bounded by P[X > x] <= e^{K(t) - t x}, K the exact cumulant of the
// product's own atoms. Any positive orders are valid; good ones come from an estimate of K.
struct ChernoffOrders {
    double above;
    double below;
};

// One composition to carry out, on the window [first, first + length): what lies outside is pruned into the ledger.
struct Composition {
    Product product;
    double theta = 0.0;
    double step = 0.0;
    std::int64_t first = 0;
    std::size_t length = 0;
    double outside_above = 0.0;
    double outside_below = 0.0;
};

// A composition on the window that the Chernoff bounds give: at most `negligible` mass on either side of it, counted
// from the atoms themselves; wide enough for the losses from `reach_low` to `reach_high` too.
Composition on_window(Product product, double theta, double step, const ChernoffOrders& orders, double negligible,
                      double reach_low, double reach_high);

// All of them by cyclic convolution of the same length n, at least every window's: every distinct law is transformed
// once, laws batched. Mass outside a window wraps into it and is bounded in the ledger, not lost. Cost: one transform a
// distinct law and one a composition, some thirty complex products a bin; memory 8 n bytes for each of up to eight
// rows, 16 n/2 a composition.
std::vector<ComposedLaw> compose(std::span<const Composition> compositions, std::size_t n);

}  // namespace hockeystick
