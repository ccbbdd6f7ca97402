// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hockeystick/cumulant.hpp"

namespace hockeystick {

// The tilt a question is answered under, and what it costs against the saddle: the error terms, which are relative to
// e^{K(theta) - theta epsilon}, grow by e^{log_excess}.
struct Tilt {
    double theta;
    double log_excess;
};

// At or below the saddle. Where rare large losses are about to take over the tilted law (its variance shoots up in
// theta), a tilt short of the saddle keeps the window narrow at a small excess. Any tilt is valid: an ESTIMATE chooses.
Tilt choose_tilt(CumulantEstimate& cumulant, double saddle, double epsilon);

}  // namespace hockeystick
