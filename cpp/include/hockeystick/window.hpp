// SPDX-License-Identifier: Apache-2.0
#pragma once

// A smooth window on the axis x of the noise of one Poisson-subsampled Gaussian, direction remove,
//   Phi((x - lower) / width) - Phi((x - upper) / width),
// the weight that the noise x, blurred by N(0, width^2), lies between lower and upper. Windows of the same width that
// share their ends add up to 1, so a release is split into measures without an edge. On the line Im x = a a window is
// at most e^{a^2 / (2 width^2)} times its value on the axis, since it is an integral over such Gaussians. Pure
// functions.

#include "hockeystick/loss_law.hpp"
#include "hockeystick/release_nodes.hpp"

namespace hockeystick::contour {

// lower = -inf: 1 - Phi((x - upper) / width).
struct Window {
    double lower;
    double upper;
    double width;
};

// log of the window at x, right to `error`, where x itself is off by some roundings.
struct WindowWeight {
    double log;
    double error;
};
WindowWeight window_weight(const Window& window, double x);

// P and Q of a blurred outcome beyond `edge`, E[Phi((x - edge) / width)]: what a window that ends there lacks. The
// convolution is a Gaussian again, so both are closed forms.
MissingMass mass_beyond(const SubsampledGaussian& law, double edge, double width);

}  // namespace hockeystick::contour
