// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where a composition is cut in core, jumps and far outcomes for an epsilon that rare jumps reach. ESTIMATES: any edges
// are valid, bad ones cost width or time.

#include <vector>

#include "hockeystick/saddle.hpp"
#include "hockeystick/window.hpp"

namespace hockeystick::contour {

struct JumpEdges {
    double tilt;                              // of the level that holds epsilon, about
    std::vector<double> widths;               // of the windows, one a release
    std::vector<std::vector<double>> levels;  // edges in x, one a release, from the top down
};

struct EdgeDemand {
    double epsilon;
    double largest_tilt;  // that bounds of the levels below may need
    double rise;          // how much larger than at epsilon the log of the tilted density may be at the top
};
// Throws accuracy_error where no outcome to speak of reaches epsilon by itself.
JumpEdges choose_edges(const Composition& composition, const EdgeDemand& demand);

}  // namespace hockeystick::contour
