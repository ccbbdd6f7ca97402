// SPDX-License-Identifier: Apache-2.0
#pragma once

// How |phi|, phi(t) = sum_j nu_j e^{itd_j}, falls along the line for any law, from its tilted nodes alone.

#include <span>

namespace hockeystick::contour {

// Tilted weights that sum to 1 (up to what `error` below covers) and losses centred at their mean, as tilt_nodes makes
// them.
struct TiltedNodes {
    std::span<const double> weights;
    std::span<const double> centred;
    double second;  // sum w d^2
};

// Upper bound on log |phi(t)|, at most 0, for every t in [frequency, last], where the sum is right to `error`:
//  - up to the turning point t_1, by |phi|^2 <= 1 - t^2 m_2 + t^4 (m_4 + 3 m_2^2) / 12, which is
//    1 - cos y >= y^2 / 2 - y^4 / 24 for the difference y / t of two independent losses; convex in t^2, so that the
//    ends of a stretch bound what is between;
//  - beyond, on a grid: |phi|^2 has a second derivative of at most 2 m_2, so between two points of distance h it
//    exceeds the larger of them by at most m_2 h^2 / 4.
// 0 where the grid would be too long. Cost: some last sqrt(m_4) / m_2 rotations of the nodes.
double log_transform_bound(const TiltedNodes& nodes, double frequency, double last, double error);

}  // namespace hockeystick::contour
