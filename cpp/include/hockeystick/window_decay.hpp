// SPDX-License-Identifier: Apache-2.0
#pragma once

// How the transform of a jump (window_nodes.hpp) falls along the line z = tilt + it: its window is cut in slices, which
// have smooth edges too, and the axis of each is moved into the complex plane by as much as suits it. Certified upper
// bounds. Refers to the nodes, which must outlive it; immutable after construction.

#include <vector>

#include "hockeystick/window_nodes.hpp"

namespace hockeystick::contour {

class WindowDecay {
public:
    WindowDecay(const WindowNodes& nodes, double tilt, const Moment& at);

    // Upper bound on log |M(tilt + it) / M(tilt)| for every t >= frequency >= 0, at most 0.
    double operator()(double frequency) const;

private:
    // The cells that a slice reaches, with bounds on its mass in each, and its density at both ends.
    struct Slice {
        std::vector<double> mass;       // log, relative to M(tilt); padded
        std::vector<double> posterior;  // at the left ends
        double left_density, right_density;
        double left_posterior, right_posterior;
        double log_total;
        double mean_posterior;
        double log_outside;  // bound on its mass elsewhere
    };
    Slice slice(const Window& window, const std::vector<double>& density) const;
    double log_slice(const Slice& slice, double frequency) const;
    double edge(std::size_t j) const;

    const WindowNodes& nodes_;
    double log_left_tail_;
    std::vector<Slice> slices_;
};

}  // namespace hockeystick::contour
