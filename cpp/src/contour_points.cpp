// SPDX-License-Identifier: Apache-2.0
// Where the points of a contour are: its step, by the repetition, and its length, by the cut-off (contour_table.hpp).
#include <algorithm>
#include <cmath>
#include <numbers>

#include "hockeystick/contour_error.hpp"
#include "hockeystick/contour_table.hpp"
#include "hockeystick/error.hpp"

namespace hockeystick::contour {
namespace {

constexpr double k_most_steps = 1e6;
constexpr double k_most_work_bare = 4e5;  // steps times nodes, where nothing makes the transform fall but densities

}  // namespace

// The shift that asks for the least width: shift Lambda'(tilt + shift) - (Lambda(tilt + shift) - Lambda(tilt)) =
// digits.
double ContourTable::shift_for(SaddleSearch& search, bool right) const {
    const double sign = right ? 1.0 : -1.0;
    const bool middle = demand_.strip == Strip::middle;
    const double limit = right ? (middle ? -demand_.tilt : k_infinity) : (middle ? 1.0 + demand_.tilt : demand_.tilt);
    const Moment here = search.moment(demand_.tilt);
    // The second derivative rises with the tilt, as a rule steeply where the tilt is large.
    double shift = std::min(std::sqrt(2.0 * demand_.log_digits / here.second), limit);
    if (right && !middle) shift = std::min(shift, 0.3 * (1.0 + demand_.tilt));
    if (std::isfinite(limit)) {
        const Moment end = search.moment(demand_.tilt + sign * limit);
        if (sign * limit * end.first - (end.value - here.value) < demand_.log_digits) return sign * limit;
    }
    double low = 0.0;
    double high = limit;
    for (int attempt = 0; attempt < 40; ++attempt) {
        const Moment there = search.moment(demand_.tilt + sign * shift);
        const double excess = sign * shift * there.first - (there.value - here.value) - demand_.log_digits;
        if (std::abs(excess) < 3.0 || (shift >= limit && excess < 0.0)) break;
        (excess > 0.0 ? high : low) = shift;
        // Newton for the logarithm: the function may rise like the exponential of an exponential.
        const double value = excess + demand_.log_digits;
        const double move = value > 0.0 ? value * std::log(value / demand_.log_digits) : excess;
        double next = shift - move / std::max(shift * there.second, 1e-300);
        if (!(next > low && next < high)) next = std::isfinite(high) ? 0.5 * (low + high) : 2.0 * shift;
        shift = std::min(limit, std::clamp(next, 0.2 * shift, 3.0 * shift));
    }
    return sign * shift;
}

void ContourTable::choose_step(SaddleSearch& search) {
    const Moment here = search.moment(demand_.tilt);
    width_ = 0.0;
    for (const bool right : {true, false}) {
        const double shift = shift_for(search, right);
        const double tilt = demand_.tilt + shift;
        const double constant = demand_.strip == Strip::right ? log_chernoff_constant(std::max(0.0, tilt)) : 0.0;
        const double gain = search.moment(tilt).value - here.value;
        const double epsilon = right ? demand_.epsilon_lower : demand_.epsilon_upper;
        const double width = (gain - shift * epsilon + constant - target_) / std::abs(shift);
        width_ = std::max(width_, width);
        sides_[right ? 1 : 0] = {shift, 0.0, constant};
    }
    width_ *= 1.0 + 1e-6;
    if (on_lattice()) {
        const double points = 2.0 * std::floor(0.5 * width_ / composition_.lattice.step + 0.5) + 1.0;
        width_ = points * composition_.lattice.step;
    }
    step_ = 2.0 * std::numbers::pi / width_;
}

void ContourTable::choose_length(SaddleSearch& search) {
    const Moment here = search.moment(demand_.tilt);
    length_ = std::sqrt(2.0 * demand_.log_digits / (here.second + demand_.tau_squared));
    // The last point of a lattice's period, beyond which they repeat themselves.
    const double half_period = on_lattice() ? 0.5 * (width_ / composition_.lattice.step - 1.0) * step_ : k_infinity;
    double power = 2.0;  // log |phi| falls about like -t^power
    double last_length = 0.0;
    double last_decay = 0.0;
    const auto missing_at = [&](double length, double decay) {
        const double kernel = on_lattice() ? cut_off(length, 0.0, 0.0) : 1.0 / (std::numbers::pi * length);
        return std::log(kernel) + decay - target_;
    };
    const bool bare = !composition_.has_noise() && !on_lattice() && demand_.tau_squared == 0.0;
    const double most_steps = bare ? k_most_work_bare / 24.0 : k_most_steps;
    const double longest = most_steps * step_;
    if (bare && missing_at(longest, search.log_decay(demand_.tilt, longest)) > 0.0) {
        throw accuracy_error("contour: the transform of the composed loss does not decay (atoms)");
    }
    for (int attempt = 0; attempt < 16 && length_ < longest; ++attempt) {
        if (length_ >= half_period) break;
        const double decay = search.log_decay(demand_.tilt, length_) - 0.5 * demand_.tau_squared * length_ * length_;
        const double missing = missing_at(length_, decay);
        if (missing <= 0.0) return;
        if (last_decay < 0.0 && decay < last_decay) {
            power = std::clamp(std::log(decay / last_decay) / std::log(length_ / last_length), 0.3, 2.0);
        }
        // Where a bound stands still, between the returns of a law with atoms, only 1 / t helps.
        const bool still = decay > 1.01 * last_decay;
        last_length = length_;
        last_decay = decay;
        const double ratio = decay < 0.0 && !still ? std::pow((missing - decay) / -decay, 1.0 / power) : 2.0;
        length_ *= std::clamp(1.02 * ratio, 1.05, 3.0);
    }
    whole_ = half_period < longest;
    if (!whole_) throw accuracy_error("contour: the transform of the composed loss does not decay (rare jumps)");
    length_ = half_period;
}

double ContourTable::cut_off(double frequency, double log_decay, double gap) const {
    if (on_lattice()) {
        return lattice_cut_off_error(frequency, log_decay, gap, demand_.tilt, composition_.lattice.step);
    }
    return cut_off_error(frequency, log_decay, gaussian_);
}

}  // namespace hockeystick::contour
