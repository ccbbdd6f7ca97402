// SPDX-License-Identifier: Apache-2.0
#pragma once

// The hot loops over the contour itself: from the sums over nodes of each release to the integrand, and from the
// integrand to the sum at an epsilon. Pure functions, no threads. u = 2^-53.

#include <cstddef>
#include <span>
#include <vector>

namespace hockeystick::contour {

// The points z = tilt + i n step, n = 0 .. count - 1; columns are padded to a multiple of k_lanes by zeros.
struct Line {
    Line() = default;
    Line(std::size_t points, double spacing);

    std::size_t count = 0;
    double step = 0.0;
    // log phi with bounds on its rounding error and on the inner rule's share, both of the log; finish_line turns the
    // bounds into errors of the amplitude.
    std::vector<double> log_modulus, phase, rounding, inner;
    // phi's modulus times step / pi (half at n = 0) as it is, as factor of 1 / (z (z + 1)) and of 1 / (z + 1); and
    // 1 / |z (z + 1)|.
    std::vector<double> amplitude, value_re, value_im, derivative_re, derivative_im, kernel;
};

// What one kind of release adds to log phi: count log(1 + re + i im), where re + i im errs by at most
// half_square_error (n step)^2 / 2 (1 + n / 16 growth) by rounding and by at most inner[n] by the inner rule.
struct LinePart {
    std::span<const double> re;  // of the line's padded length
    std::span<const double> im;
    std::span<const double> inner;
    double count;
    double half_square_error;
    double growth;
};
void add_part(Line& line, const LinePart& part);

// A Gaussian of mu^2 = gaussian, an error of the mean, and the weights; to be called once, after all parts.
void finish_line(Line& line, double tilt, double gaussian, double mean_error);

// The same for losses on a lattice of step d (lattice_line.hpp), with the kernels
//   value: 1 / (1 - e^{-zd}) - 1 / (1 - e^{-(z + 1) d}),   derivative: 1 / (1 - e^{-(z + 1) d}),   times d each.
void finish_lattice_line(Line& line, double tilt, double lattice_step, double mean_error);

// Re sum phi(t_n) e^{i t_n slope} / (z (z + 1)), with / (z + 1) for the derivative and alone for the density, and the
// sums of the moduli, each times its rounding error or its inner rule error. slope = mean - epsilon.
struct LineSums {
    double value;
    double derivative;
    double density;
    double modulus;
    double inner;
    double density_modulus;
};
LineSums line_sums(const Line& line, double slope);

}  // namespace hockeystick::contour
