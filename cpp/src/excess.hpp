// SPDX-License-Identifier: Apache-2.0
// e^y - 1 - y without cancellation. Internal to the sources.
#pragma once

#include <cmath>

namespace hockeystick::detail {

// Relative error 16u, plus that of the argument times max(2, y). Never negative.
inline double exponential_excess(double y) {
    if (std::fabs(y) > 0.3) return std::expm1(y) - y;
    // y^2/2 (1 + y/3 (1 + y/4 (...))); what is left out is below 0.3^12 2/14! = 1.2e-17 of it.
    double sum = 1.0;
    sum = 1.0 + sum * y * (1.0 / 13.0);
    sum = 1.0 + sum * y * (1.0 / 12.0);
    sum = 1.0 + sum * y * (1.0 / 11.0);
    sum = 1.0 + sum * y * (1.0 / 10.0);
    sum = 1.0 + sum * y * (1.0 / 9.0);
    sum = 1.0 + sum * y * (1.0 / 8.0);
    sum = 1.0 + sum * y * (1.0 / 7.0);
    sum = 1.0 + sum * y * (1.0 / 6.0);
    sum = 1.0 + sum * y * (1.0 / 5.0);
    sum = 1.0 + sum * y * (1.0 / 4.0);
    sum = 1.0 + sum * y * (1.0 / 3.0);
    return 0.5 * y * y * sum;
}

}  // namespace hockeystick::detail
