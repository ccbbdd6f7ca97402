// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/contour_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>

#include "hockeystick/contour_error.hpp"
#include "hockeystick/error.hpp"
#include "hockeystick/law_parts.hpp"
#include "hockeystick/parallel.hpp"
#include "hockeystick/special.hpp"

namespace hockeystick::contour {
namespace {

constexpr double k_inner_digits = 2.5;        // more for the inner rule, which counts once per copy
constexpr double k_decay_digits = 2.6;        // times as many for the bound on the decay
constexpr std::size_t k_error_blocks = 2;     // the inner rule's bound is taken at the ends of so many stretches
constexpr double k_negligible = 1e-18;        // of the second moment, that a node may hold and be left out
constexpr std::size_t k_block_of_parts = 32;  // worked on before they are added, in their order
constexpr double k_most_work = 2e7;           // steps times nodes: some 25 ms

// Leaves out the nodes whose w d^2 is below `least`, and returns the sum of what was left out: they add at most half of
// that times t^2 to sum w (e^{itd} - 1 - itd).
double drop_negligible(std::vector<double>& weights, std::vector<double>& centred, double least) {
    double dropped = 0.0;
    std::size_t kept = 0;
    for (std::size_t j = 0; j < weights.size(); ++j) {
        const double second = weights[j] * (centred[j] * centred[j]);
        if (second < least) {
            dropped += second;
            continue;
        }
        weights[kept] = weights[j];
        centred[kept++] = centred[j];
    }
    for (auto* column : {&weights, &centred}) {
        column->resize(kept);
        column->resize(padded(kept), 0.0);
    }
    return dropped * (1.0 + 1e-9);
}

}  // namespace

ContourTable::ContourTable(SaddleSearch& search, const TableDemand& demand)
    : composition_(search.composition()), demand_(demand), gaussian_(composition_.gaussian + demand.tau_squared) {
    const Moment at = search.moment(demand.tilt);
    const double t = demand.tilt;
    const double curve = at.second + 1.0 / (t * t) + 1.0 / ((1.0 + t) * (1.0 + t));
    const double saddle = -std::log(std::abs(t) * (1.0 + t)) - 0.5 * std::log(2.0 * std::numbers::pi * curve);
    target_ =
        (demand.log_value ? *demand.log_value - (at.value - t * demand.epsilon_value) : saddle) - demand_.log_digits;
    choose_step(search);
    choose_length(search);
    for (const Composition::Part& part : composition_.parts) copies_ += part.count;
    add_releases(search);
    if (on_lattice()) {
        finish_lattice_line(line_, demand_.tilt, composition_.lattice.step, slope_error_);
    } else {
        finish_line(line_, demand_.tilt, gaussian_, slope_error_);
    }
}

void ContourTable::add_releases(SaddleSearch& search) {
    const double last = whole_ ? std::nearbyint(length_ / step_) : std::ceil(length_ / step_);
    count_ = static_cast<std::size_t>(last) + 1;
    longest_ = static_cast<double>(count_ - 1) * step_;
    at_ = gaussian_moment(gaussian_, demand_.tilt);
    value_error_ = 8.0 * k_unit_roundoff * std::abs(at_.value);
    slope_error_ = 8.0 * k_unit_roundoff * std::abs(at_.first);
    for (Side& side : sides_) {
        side.log_moment_shift = gaussian_moment(gaussian_, demand_.tilt + side.shift).value;
    }
    std::vector<double> log_moments;
    for (std::size_t i = 0; i < composition_.parts.size(); ++i) {
        log_moments.push_back(search.part_moment(i, demand_.tilt).value);
    }
    if (composition_.parts.empty()) line_ = Line(count_, step_);
    std::vector<Share> shares(std::min(composition_.parts.size(), k_block_of_parts));
    for (std::size_t first = 0; first < composition_.parts.size(); first += k_block_of_parts) {
        const std::size_t block = std::min(k_block_of_parts, composition_.parts.size() - first);
        parallel_for(block, search.threads(), [&](std::size_t i) {
            const std::size_t part = first + i;
            shares[i] = share_of(part, log_moments[part]);
        });
        if (first == 0) line_ = Line(count_, step_);  // not before the work is known to be bearable
        for (std::size_t i = 0; i < block; ++i) add_share(shares[i], composition_.parts[first + i].count);
    }
    for (Side& side : sides_) {
        const double tilt = demand_.tilt + side.shift;
        if (tilt == 0.0 || tilt == -1.0) side.log_moment_shift = 0.0;
        side.log_moment_shift += 1e-12 * std::abs(side.log_moment_shift) - at_.value + value_error_;
    }
}

// What one release contributes; nodes live no longer than this.
ContourTable::Share ContourTable::share_of(std::size_t index, double log_moment) const {
    const Composition::Part& part = composition_.parts[index];
    const double parts = static_cast<double>(composition_.parts.size());
    // Few copies: the bound on the decay sees |phi| only down to about the root of this error, to the power copies.
    const double log_error = std::min(-demand_.log_digits - k_inner_digits - std::log(part.count * parts),
                                      -k_decay_digits * demand_.log_digits / copies_);
    const std::unique_ptr<const ReleaseNodes> made =
        make_nodes(composition_, index,
                   {demand_.tilt, demand_.tilt + sides_[0].shift, demand_.tilt + sides_[1].shift, longest_, log_moment,
                    log_error});
    const ReleaseNodes& nodes = *made;
    if (static_cast<double>(count_) * static_cast<double>(nodes.size()) > k_most_work) {
        throw accuracy_error("contour: the transform of the composed loss decays too slowly (rare jumps)");
    }
    const NodeArrays arrays = nodes.arrays();
    const std::size_t length = padded(count_);
    Share share;
    share.nodes = nodes.size();
    share.at = nodes.moment(demand_.tilt);
    share.error = nodes.rounding(demand_.tilt, share.at);
    std::vector<double> weights(arrays.loss.size()), centred(arrays.loss.size());
    share.second = tilt_nodes(arrays, demand_.tilt, share.at.value, share.at.first, weights, centred);
    share.error.second += drop_negligible(weights, centred, k_negligible * share.second);
    share.summed = weights.size();
    share.re.resize(length);
    share.im.resize(length);
    share.inner.resize(length);
    phase_sums(weights, centred, step_, share.re, share.im);
    if (!whole_) share.log_decay = nodes.log_decay(demand_.tilt, longest_, share.at, true);
    const std::size_t block = length / k_error_blocks + 1;
    for (std::size_t n = 0; n < length; n += block) {
        const std::size_t end = std::min(n + block, length);
        const double last = std::min(static_cast<double>(end - 1) * step_, longest_);
        const double bound = nodes.inner_error(demand_.tilt, last, share.at);
        std::fill(share.inner.begin() + static_cast<std::ptrdiff_t>(n),
                  share.inner.begin() + static_cast<std::ptrdiff_t>(end), bound);
    }
    for (std::size_t i = 0; i < 2; ++i) {
        const double tilt = demand_.tilt + sides_[i].shift;
        share.log_moment[i] = tilt == 0.0 || tilt == -1.0 ? 0.0 : log_moment_upper(nodes, tilt);
    }
    return share;
}

void ContourTable::add_share(const Share& share, double count) {
    const double u = k_unit_roundoff;
    node_count_ += share.nodes;
    at_.value += count * share.at.value;
    at_.first += count * share.at.first;
    at_.second += count * share.second;
    value_error_ += count * (share.error.value + 4.0 * u * std::abs(share.at.value)) + 4.0 * u * std::abs(at_.value);
    slope_error_ += count * (share.error.first + 4.0 * u * std::abs(share.at.first)) + 4.0 * u * std::abs(at_.first);
    log_decay_ += count * share.log_decay;
    for (std::size_t i = 0; i < 2; ++i) sides_[i].log_moment_shift += count * share.log_moment[i];
    const double once = rotation_error(0, share.summed);
    add_part(line_, {share.re, share.im, share.inner, count, share.error.second + share.second * once,
                     share.second * (rotation_error(1, share.summed) - once) * (1.0 + 1e-9)});
}

double ContourTable::log_scale(double epsilon) const { return at_.value - demand_.tilt * epsilon; }

double ContourTable::log_scale_error(double epsilon) const {
    return value_error_ + 4.0 * k_unit_roundoff * (std::abs(at_.value) + std::abs(demand_.tilt * epsilon));
}

ContourTable::Place ContourTable::place(double epsilon) const {
    if (!on_lattice()) return {line_sums(line_, at_.first - epsilon), epsilon, 0.0};
    const LatticePlace at = place_on(composition_.lattice, epsilon);
    const LineSums sums = line_sums(line_, at_.first - at.above);
    return {between_points(sums, at.gap, demand_.tilt, composition_.lattice.step), at.above, at.gap};
}

ErrorLedger ContourTable::ledger_of(const Place& at) const {
    const LineSums& total = at.sums;
    ErrorLedger result{0.0, 0.0, total.inner, total.modulus, 0.0};
    for (const Side& side : sides_) {
        double constant = side.log_constant;
        if (on_lattice() && demand_.strip == Strip::right) {
            constant =
                log_lattice_constant(std::max(0.0, demand_.tilt + side.shift), at.gap, composition_.lattice.step);
        }
        result.aliasing += aliasing_error(side.shift, side.log_moment_shift, at.point, constant, width_);
    }
    if (!whole_) result.cut_off = cut_off(longest_, log_decay_, at.gap);
    if (demand_.tau_squared > 0.0) {
        const double density = std::max(0.0, total.density) + total.density_modulus +
                               density_cut_off_error(longest_, log_decay_, gaussian_);
        result.tiny_gaussian = tiny_gaussian_error(demand_.tau_squared, density);
    }
    return result;
}

ErrorLedger ContourTable::ledger(double epsilon) const { return ledger_of(place(epsilon)); }

// Losses that may be off by some error are losses at an epsilon that is: delta falls, 1 - delta rises.
Interval ContourTable::log_value_bounds(double epsilon) const {
    const double error = composition_.loss_error + (on_lattice() ? place_on(composition_.lattice, epsilon).error : 0.0);
    if (error == 0.0) return log_value_at(epsilon);
    const Interval below = log_value_at(epsilon - error), above = log_value_at(epsilon + error);
    return {std::min(below.lower, above.lower), std::max(below.upper, above.upper)};
}

Interval ContourTable::log_value_at(double epsilon) const {
    const Place at = place(epsilon);
    const ErrorLedger error = ledger_of(at);
    const double value = demand_.strip == Strip::right ? at.sums.value : -at.sums.value;
    const double both = error.cut_off + error.inner_rule + error.rounding;
    const double lower = value - both - error.aliasing - error.tiny_gaussian;
    const double scale = log_scale(at.point);
    const double slack = log_scale_error(at.point) + 4.0 * k_unit_roundoff;
    const double upper = scale + std::log(value + both) + slack;
    const double truncated = log_truncated_mass(composition_);
    return {lower > 0.0 ? scale + std::log(lower) - slack : -k_infinity,
            truncated > -k_infinity ? logaddexp(upper, truncated) + 4.0 * k_unit_roundoff * std::abs(upper) : upper};
}

ContourTable::Estimate ContourTable::estimate(double epsilon) const {
    const Place at = place(epsilon);
    const double value = demand_.strip == Strip::right ? at.sums.value : -at.sums.value;
    const double derivative = demand_.strip == Strip::right ? -at.sums.derivative : at.sums.derivative;
    return {log_scale(at.point) + std::log(value), derivative / value};
}

}  // namespace hockeystick::contour
