// SPDX-License-Identifier: Apache-2.0
#pragma once

// The error terms of the contour integral, one function each (proofs: docs/contour.md). Values are in units of
// A = e^{Lambda(tilt) - tilt epsilon}; pure functions, no threads.

namespace hockeystick::contour {

// C(s) = s^s / (1 + s)^{1 + s}: the maximum of (1 - e^{-y}) e^{-s y} over y >= 0; s >= 0.
double log_chernoff_constant(double s);

// One side of the repetition: with width W = 2 pi / step, the copies on that side add at most
//   e^{log_moment_shift - shift epsilon_distance} C / (e^{|shift| W} - 1),
// log_moment_shift = Lambda(tilt + shift) - Lambda(tilt) (an upper bound), any sign of shift that stays in the strip.
double aliasing_error(double shift, double log_moment_shift, double epsilon, double log_constant, double width);

// The sum beyond t_N = frequency, where |phi| <= e^{log_decay} for all larger t and a Gaussian of mu^2 = gaussian is in
// the composition: (step / pi) sum_{n > N} |phi| / |z (z + 1)|. With log_decay = 0, gaussian = 0 it is the crude 1 /
// (pi t_N).
double cut_off_error(double frequency, double log_decay, double gaussian);
// The same for the density of the loss, without 1 / (z (z + 1)); needs gaussian > 0.
double density_cut_off_error(double frequency, double log_decay, double gaussian);

// What one more Gaussian release of mu = tau adds to delta(epsilon), given the composed density there with it:
// 0 <= delta_tau - delta <= tau^2 e^{tau^2 / 8} density.
double tiny_gaussian_error(double tau_squared, double density);

}  // namespace hockeystick::contour
