// SPDX-License-Identifier: Apache-2.0
#pragma once

// The contour of a loss on a lattice offset + d Z. There the transform repeats itself with the period 2 pi / d, and the
// kernel 1 / (z (z + 1)) summed over its repeats is a closed form: with u the first lattice point at or above epsilon,
//   delta(epsilon) = (d / 2 pi) int_{-pi / d}^{pi / d} e^{Lambda(z) - z u} k(z) dt,
//   k(z) = 1 / (1 - e^{-zd}) - e^{-gap} / (1 - e^{-(z + 1) d}),  gap = u - epsilon,
// for tilt > 0, by summing (1 - e^{-gap - kd}) e^{-zkd} over the points u + kd; between the poles it is delta - 1 as
// ever. The trapezoid rule on one period, with an odd number of points, is the sum of copies of delta at distances W =
// 2 pi / step, a multiple of d, as on the whole line; and nothing is cut off. Everything is in units of A at u. Pure
// functions, no threads.

#include "hockeystick/line_kernel.hpp"

namespace hockeystick::contour {

struct LossLattice {
    double offset = 0.0;
    double step = 0.0;  // d; 0: no lattice
};

// The lattice point at or above epsilon, which is it less `gap`, 0 <= gap <= d, up to `error`.
struct LatticePlace {
    double above;
    double gap;
    double error;
};
LatticePlace place_on(const LossLattice& lattice, double epsilon);

// From line_sums at u (of finish_lattice_line) to those at epsilon: value; derivative = e^{epsilon} Q(L > epsilon);
// moduli with the kernel of epsilon.
LineSums between_points(const LineSums& at_point, double gap, double tilt, double step);

// log of the largest e^{-sy} (1 - e^{-gap - y}) for y a whole multiple of d, s >= 0, or more: Chernoff's constant.
double log_lattice_constant(double s, double gap, double step);

// Bound on the terms from the frequency t_N on to the end of the period, where |phi| <= e^{log_decay}.
double lattice_cut_off_error(double frequency, double log_decay, double gap, double tilt, double step);

}  // namespace hockeystick::contour
