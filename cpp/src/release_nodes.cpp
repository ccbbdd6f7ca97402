// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/release_nodes.hpp"

#include <algorithm>
#include <cmath>

#include "hockeystick/node_kernel.hpp"

namespace hockeystick::contour {
namespace {

// Above this exponent M(tilt) is summed with a shift and K is large, so nothing is gained by second-order sums.
constexpr double k_largest_plain_exponent = 300.0;

}  // namespace

Moment ReleaseNodes::moment(double tilt) const {
    const NodeArrays nodes = arrays();
    const double largest = largest_exponent(nodes, tilt);
    if (whole_ && largest <= k_largest_plain_exponent) {
        const TiltedSums sums = tilted_sums(nodes, tilt, 0.0);
        const double excess = sums.excess - (missing_.p + tilt * missing_.difference());
        const double mass = 1.0 + excess;
        const double first = (sums.first - missing_.difference()) / mass;
        return {std::log1p(excess), first, std::max(0.0, sums.second / mass - first * first)};
    }
    const double shift = largest == 0.0 ? 1.0 : largest;  // 0 would ask for second order
    const TiltedSums sums = tilted_sums(nodes, tilt, shift);
    const double first = sums.first / sums.excess;
    return {shift + std::log(sums.excess), first, std::max(0.0, sums.second / sums.excess - first * first)};
}

MomentError ReleaseNodes::rounding(double tilt, const Moment& at) const {
    const double u = k_unit_roundoff;
    const bool plain = whole_ && largest_exponent(arrays(), tilt) <= k_largest_plain_exponent;
    // Sums of n terms in lanes err by n / lanes + lanes roundings.
    const double sum_error = u * (static_cast<double>(size_) / static_cast<double>(k_lanes) + 12.0);
    const RoundingSums sums =
        rounding_sums(arrays(), {weight_error_, loss_error_}, tilt, at.value, at.first, plain, sum_error);
    // What is missing enters with its error and four roundings of its own.
    const double unit = plain ? std::exp(-at.value) : 0.0;
    const double p = missing_.p_error + 4.0 * u * missing_.p;
    const double gap = missing_.difference_error() + 4.0 * u * std::abs(missing_.difference());
    const double value = sums.value + unit * (p + std::abs(tilt) * gap) + 4.0 * u * std::abs(at.value);
    return {value, sums.first + unit * gap + std::abs(at.first) * (value + 4.0 * u), sums.second};
}

double log_moment_upper(const ReleaseNodes& nodes, double tilt) {
    const Moment at = nodes.moment(tilt);
    const double error = nodes.real_error(tilt, at);
    if (!(error < 0.25)) return k_infinity;
    const double value = at.value + std::log1p(2.0 * error) + nodes.rounding(tilt, at).value;
    return value + 1e-12 * std::abs(value);
}

}  // namespace hockeystick::contour
