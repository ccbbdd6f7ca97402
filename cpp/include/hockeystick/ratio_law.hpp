// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "hockeystick/atoms_law.hpp"
#include "hockeystick/loss_law.hpp"

namespace hockeystick {

// The law, under Q, of the likelihood ratio Y = dP/dQ: what privacy amounts to when releases are averaged. Both
// directions are convex functions of Y: H_E(P||Q) = E_Q (Y - E)_+ + singular, H_E(Q||P) = E_Q (1 - E Y)_+. Hence a law
// that is larger in the convex order dominates, and one that is smaller is dominated, in both directions at once.
struct RatioLaw {
    std::vector<double> ratios;  // increasing, at least 0
    std::vector<double> masses;  // under Q; they need not sum to 1: a missing or surplus part errs on the stated side
    double singular = 0.0;       // P mass where Q has none
    // Relative errors that are not yet rounded outward, of every mass (and of singular) and of every ratio.
    double mass_error = 0.0;
    double ratio_error = 0.0;
};

// Which side of the truth a law is on.
enum class Dominance { dominating, dominated };

// Ratios stay within e^{+-this}, and sums of them within doubles: what is beyond counts as singular, or as 0.
inline constexpr double k_most_log_ratio = 500.0;

// P mass beyond the largest knot, and Q mass below the least, that a law may count as singular or as of ratio 0.
inline constexpr double k_negligible_tail = 1e-50;

// The ratio law of one release, of which `law` is the direction remove, on `cells` cells. One of no more atoms than
// that, or of none with a finite loss, is taken as it is, right to its roundings.
// dominating: the mass of every cell of ratios goes to its ends such that P and Q mass are kept (a mean-preserving
//   spread): its Q mass rounded up by its error bound, its mean ratio right to ratio_error.
// dominated: it is merged at the cell's mean ratio; cells whose mean is not known to 1 part in 10^10 are left out.
// The error is of second order: a variance of about w^2/6 and -w^2/12 for cells of width w. Cells are graded: a
// quarter each follows the cube root of the Q density (the best for its variance), that of the P density, their
// sixteenth root (tails), and none (evenly in log Y).
// Cost: 2 * cells evaluations of the law's tails. Throws std::invalid_argument for fewer than k_least_cells.
inline constexpr std::size_t k_least_cells = 16;
RatioLaw ratio_law(const LossLaw& law, Dominance side, std::size_t cells);

// Knots, in log Y, of a grid with that grading: cells + 1 points over the part of the sketch that is not negligible.
// The sketch has cells between log_edges with these masses (any scale); it only steers, nothing rests on it.
std::vector<double> graded_log_knots(std::span<const double> log_edges, std::span<const double> q_masses,
                                     std::span<const double> p_masses, std::size_t cells);

// The loss law of a ratio law in either direction: finitely many outcomes. Every error of a ratio is rounded outward to
// the stated side; masses are divided by their sum, and what that changes joins their relative error.
AtomTable loss_atoms(const RatioLaw& law, Direction direction, Dominance side);

}  // namespace hockeystick
