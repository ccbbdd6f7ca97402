// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/tilt.hpp"

#include <array>
#include <cmath>

namespace hockeystick {
namespace {

// Excesses worth a try, in units of log delta.
constexpr std::array k_excesses{1.5, 3.0, 6.0};
// A variance this many times that at half the saddle is taken for a law about to be taken over by rare losses.
constexpr double k_heavy = 1.5;
// The log of what is left outside a window, roughly: widths grow like the root of it.
constexpr double k_log_odds = 18.0;

double window_estimate(double variance, double excess) { return std::sqrt(variance * (k_log_odds + excess)); }

// The tilt below the saddle at which K(theta) - theta epsilon exceeds its value there by the excess.
double tilt_at_excess(CumulantEstimate& cumulant, double saddle, double epsilon, double excess) {
    const double target = cumulant.at(saddle).value - saddle * epsilon + excess;
    double low = 0.0, high = saddle;
    for (int step = 0; step < 16; ++step) {
        const double middle = 0.5 * (low + high);
        (cumulant.at(middle).value - middle * epsilon > target ? low : high) = middle;
    }
    return high;
}

}  // namespace

Tilt choose_tilt(CumulantEstimate& cumulant, double saddle, double epsilon) {
    const double variance = cumulant.at(saddle).second;
    Tilt best{saddle, 0.0};
    if (variance <= k_heavy * cumulant.at(0.5 * saddle).second) return best;
    double narrowest = window_estimate(variance, 0.0);
    for (const double excess : k_excesses) {
        const double theta = tilt_at_excess(cumulant, saddle, epsilon, excess);
        const double width = window_estimate(cumulant.at(theta).second, excess);
        if (width < 0.9 * narrowest) {
            narrowest = width;
            best = {theta, excess};
        }
    }
    return best;
}

}  // namespace hockeystick
