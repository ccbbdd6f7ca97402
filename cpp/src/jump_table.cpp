// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/jump_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>

#include "hockeystick/contour_error.hpp"
#include "hockeystick/error.hpp"
#include "hockeystick/special.hpp"
#include "likelihood.hpp"

namespace hockeystick::contour {
namespace {

using detail::log_add;

constexpr double k_inner_digits = 8.0;  // more for the inner rule, which all of the line's amplitude multiplies
constexpr double k_most_steps = 2e4;
constexpr int k_most_lengths = 24;
constexpr double k_large = 300.0;  // an exponent that is not taken
// Shifts of the tilt tried for the repetition, as parts of it, above and below.
constexpr std::array k_above{0.06, 0.15, 0.3, 0.6, 1.0};
constexpr std::array k_below{0.2, 0.4, 0.6, 0.8, 1.0};

// log(1 + rho) and a bound on its rounding error, rho = e^{log_modulus + i phase}; relative to rho where that is small.
struct LogOnePlus {
    std::complex<double> value;
    double error;
};
LogOnePlus log_one_plus(double log_modulus, double phase) {
    constexpr double u = k_unit_roundoff;
    if (log_modulus > k_large) return {{log_modulus, phase}, 4.0 * u * (1.0 + log_modulus + std::abs(phase))};
    const double modulus = std::exp(log_modulus);
    const double x = modulus * std::cos(phase);
    const double y = modulus * std::sin(phase);
    const double angle = std::atan2(y, 1.0 + x);
    if (modulus < 0.5) {
        return {{0.5 * std::log1p(2.0 * x + modulus * modulus), angle}, 32.0 * u * modulus};
    }
    const double whole = std::max(std::hypot(1.0 + x, y), 1e-300);
    return {{std::log(whole), angle}, 16.0 * u * (1.0 + (1.0 + modulus) / whole)};
}

// e^x - 1 by its modulus and argument, and a bound on its rounding error relative to it.
struct Excess {
    double log_modulus;
    double argument;
    double error;
};
Excess excess_of(double re, double im) {
    constexpr double u = k_unit_roundoff;
    if (re > k_large) return {re, im, 8.0 * u * (1.0 + re + std::abs(im))};
    const double half = std::sin(0.5 * im);
    const double grown = std::expm1(re);
    const double turned = 2.0 * half * half;
    const double x = grown * std::cos(im) - turned;
    const double y = (grown + 1.0) * std::sin(im);
    const double modulus = std::max(std::hypot(x, y), 1e-300);
    return {std::log(modulus), std::atan2(y, x), 8.0 * u * (1.0 + (std::abs(grown) + turned + std::abs(y)) / modulus)};
}

// log(1 + e^{a} (e^{b} - 1)) for b >= 0, a bound.
double log_grown(double a, double b) {
    if (b == 0.0) return 0.0;
    const double exponent = a + (b > 1.0 ? b : std::log(std::expm1(b)));
    return exponent > 0.0 ? exponent + std::log1p(std::exp(-exponent)) : std::log1p(std::exp(exponent));
}

}  // namespace

// One set of nodes along the line, with bounds: log of M(tilt + it) / M(tilt) e^{-it mean}.
struct JumpTable::Share {
    Moment at;
    MomentError error;
    double second;
    Line line;
};

JumpTable::JumpTable(const Composition& composition, std::span<const JumpWindows> windows, const JumpNodes& nodes,
                     const JumpDemand& demand)
    : composition_(composition), demand_(demand) {
    const double t = demand.tilt;
    const Moment at = nodes.moment(t);
    const double curve = at.second + 1.0 / (t * t) + 1.0 / ((1.0 + t) * (1.0 + t));
    target_ = -std::log(t * (1.0 + t)) - 0.5 * std::log(2.0 * std::numbers::pi * curve) - demand.log_digits;
    choose_step(nodes);
    choose_length(nodes);
    const auto count = static_cast<std::size_t>(std::ceil(length_ / step_)) + 1;
    line_ = Line(count, step_);
    longest_ = static_cast<double>(count - 1) * step_;
    for (auto* column : {&jumps_.re, &jumps_.im, &jumps_.upper, &jumps_.rounding, &jumps_.inner}) {
        column->assign(line_.phase.size(), 0.0);
    }
    const Moment gaussian = gaussian_moment(composition.gaussian, t);
    JumpSum sum(gaussian);
    value_error_ = 8.0 * k_unit_roundoff * std::abs(gaussian.value);
    slope_error_ = 8.0 * k_unit_roundoff * std::abs(gaussian.first);
    for (Side& side : sides_) side.log_value_shift = gaussian_moment(composition.gaussian, t + side.shift).value;
    for (std::size_t i = 0; i < windows.size(); ++i) add_release(composition.parts[i], windows[i], sum);
    finish(sum);
}

void JumpTable::choose_step(const JumpNodes& nodes) {
    const double here = nodes.moment(demand_.tilt).value;
    for (const bool right : {false, true}) {
        double best = k_infinity;
        for (const double part : right ? k_above : k_below) {
            const double shift = (right ? part : -part) * demand_.tilt;
            const double tilt = demand_.tilt + shift;
            const double constant = log_chernoff_constant(tilt);
            const double epsilon = right ? demand_.epsilon_lower : demand_.epsilon_upper;
            const double width =
                (nodes.log_upper(tilt) - here - shift * epsilon + constant - target_) / std::abs(shift);
            if (width >= best) continue;
            best = width;
            sides_[right ? 1 : 0] = {shift, 0.0, constant};
        }
        if (!std::isfinite(best)) throw accuracy_error("contour: no tilt bounds what jumps repeat");
        width_ = std::max(width_, best);
    }
    width_ = std::max(width_ * (1.0 + 1e-6), 1.0 / demand_.tilt);
    step_ = 2.0 * std::numbers::pi / width_;
}

void JumpTable::choose_length(const JumpNodes& nodes) {
    const auto log_decay = nodes.log_decay(demand_.tilt);
    length_ = 4.0 * step_;
    for (int attempt = 0; attempt < k_most_lengths && length_ < k_most_steps * step_; ++attempt) {
        const double decay = log_decay(length_);
        const double missing = decay - std::log(std::numbers::pi * length_) - target_;
        if (missing <= 0.0) return;
        const double ratio = decay < -1.0 ? std::sqrt((missing - decay) / -decay) : 2.0;
        length_ *= std::clamp(1.02 * ratio, 1.05, 2.0);
    }
    throw accuracy_error("contour: the transform of the jumps decays too slowly");
}

JumpTable::Share JumpTable::share_of(const ReleaseNodes& nodes, double tilt) const {
    const NodeArrays arrays = nodes.arrays();
    const std::size_t length = line_.phase.size();
    Share share{nodes.moment(tilt), {}, 0.0, Line(line_.count, step_)};
    share.error = nodes.rounding(tilt, share.at);
    std::vector<double> weights(arrays.loss.size()), centred(arrays.loss.size());
    share.second = tilt_nodes(arrays, tilt, share.at.value, share.at.first, weights, centred);
    std::vector<double> re(length), im(length), inner(length);
    phase_sums(weights, centred, step_, re, im);
    const double half = nodes.inner_error(tilt, 0.5 * longest_, share.at);
    const double whole = nodes.inner_error(tilt, longest_, share.at);
    for (std::size_t n = 0; n < length; ++n) {
        inner[n] = static_cast<double>(n) * step_ <= 0.5 * longest_ ? half : whole;
    }
    const double once = rotation_error(0, weights.size());
    const double growth = rotation_error(1, weights.size()) - once;
    add_part(share.line,
             {re, im, inner, 1.0, share.error.second + share.second * once, share.second * growth * (1.0 + 1e-9)});
    return share;
}

// Nodes live no longer than this.
void JumpTable::add_release(const Composition::Part& part, const JumpWindows& windows, JumpSum& sum) {
    const double t = demand_.tilt;
    const double u = k_unit_roundoff;
    const double parts = static_cast<double>(composition_.parts.size());
    const double log_error = -demand_.log_digits - k_inner_digits - std::log(parts);
    const NodeDemand demand{
        t, t + sides_[0].shift, t + sides_[1].shift, longest_, 0.0, log_error - std::log(part.count)};
    NodeDemand jump_demand = demand;
    jump_demand.log_relative_error = log_error;
    const double negligible = log_share_of(demand_.log_negligible, part.count, composition_.parts.size());
    const WindowNodes core_nodes(part.law, windows.core, demand, negligible);
    const WindowNodes jump_nodes(part.law, windows.jump, jump_demand, negligible);
    const Share core = share_of(core_nodes, t);
    const Share jump = share_of(jump_nodes, t);
    sum.add(part.count, core.at, jump.at);
    add_ratio(part.count, core, jump);
    const double log_ratio = jump.at.value - core.at.value;
    value_error_ +=
        part.count * (core.error.value + 4.0 * u * std::abs(core.at.value)) + 4.0 * u * std::abs(sum.core().value);
    slope_error_ +=
        part.count * (core.error.first + 4.0 * u * std::abs(core.at.first)) + 4.0 * u * std::abs(sum.core().first);
    const double share = 1.0 / (1.0 + std::exp(-log_ratio));
    jump_error_ +=
        part.count * share *
        (core.error.value + jump.error.value + 8.0 * u * (1.0 + std::abs(core.at.value) + std::abs(jump.at.value)));
    const double fall = jump_nodes.log_decay(t, longest_, jump.at, true);
    log_faded_ = log_add(log_faded_, log_jumps(part.count, log_ratio + fall));
    log_dropped_ = log_add(log_dropped_,
                           std::log(part.count) + log_add(core_nodes.log_dropped(), jump_nodes.log_dropped()) + 1e-9);
    for (std::size_t i = 0; i < 2; ++i) {
        const double each = log_moment_upper(core_nodes, t + sides_[i].shift);
        const double other = log_moment_upper(jump_nodes, t + sides_[i].shift);
        sides_[i].log_value_shift += part.count * each;
        log_shifted_[i] = log_add(log_shifted_[i], log_jumps(part.count, other - each));
    }
}

// E and what bounds the error of e^E, from J / G along the line.
void JumpTable::add_ratio(double count, const Share& core, const Share& jump) {
    const double u = k_unit_roundoff;
    const double log_ratio = jump.at.value - core.at.value;
    const double turn = jump.at.first - core.at.first;
    const double turn_error =
        jump.error.first + core.error.first + 2.0 * u * (std::abs(jump.at.first) + std::abs(core.at.first));
    const double fixed = 4.0 * u * (std::abs(jump.at.value) + std::abs(core.at.value));
    for (std::size_t n = 0; n < line_.count; ++n) {
        const double t = static_cast<double>(n) * step_;
        const double log_modulus = log_ratio + (jump.line.log_modulus[n] - core.line.log_modulus[n]);
        const double phase = (jump.line.phase[n] - core.line.phase[n]) + t * turn;
        const double rounding = jump.line.rounding[n] + core.line.rounding[n] + t * turn_error + fixed +
                                4.0 * u * (std::abs(log_modulus) + std::abs(phase) + t * std::abs(turn));
        const LogOnePlus value = log_one_plus(log_modulus, phase);
        const double share = 1.0 / (1.0 + std::exp(-log_modulus));
        // How much T log(1 + |J / G|) grows when |J / G| grows by e^error, J a part `of` G + J.
        const auto grown = [&](double of, double error) {
            return count * (error < k_large ? std::log1p(of * std::expm1(error)) : error);
        };
        jumps_.re[n] += count * value.value.real();
        jumps_.im[n] += count * value.value.imag();
        jumps_.upper[n] += count * (log_modulus > k_large ? log_modulus + 1.0 : std::log1p(std::exp(log_modulus)));
        jumps_.rounding[n] +=
            grown(share, rounding) + count * value.error + 4.0 * u * (std::abs(jumps_.re[n]) + std::abs(jumps_.im[n]));
        jumps_.inner[n] += grown(std::min(1.0, share * std::exp(std::min(rounding, k_large))),
                                 jump.line.inner[n] + core.line.inner[n]);
    }
    Line& all = line_;
    for (std::size_t n = 0; n < line_.count; ++n) {
        all.log_modulus[n] += count * core.line.log_modulus[n];
        all.phase[n] += count * core.line.phase[n];
        all.rounding[n] +=
            count * core.line.rounding[n] + 4.0 * u * (std::abs(all.log_modulus[n]) + std::abs(all.phase[n]));
        all.inner[n] += count * core.line.inner[n];
    }
}

// G^T (e^E - 1) relative to its value at the tilt. With true logs G + a and E's ratios off by a factor of e^b, the
// error is at most |G^T| (|e^E - 1| (e^{|a|} - 1) + e^{|a|} e^{upper} (e^{growth} - 1)), since every coefficient of the
// expansion in J is positive.
void JumpTable::finish(const JumpSum& sum) {
    const double u = k_unit_roundoff;
    const double log_excess = sum.log_excess();
    value_ = sum.total().value;
    mean_ = sum.core().first;
    value_error_ +=
        sum.growth() * jump_error_ * (1.0 + 1e-6) + 8.0 * u * (1.0 + std::abs(log_excess) + std::abs(value_));
    log_decay_ = log_expm1_of(log_faded_) - log_excess + 1e-9;
    for (std::size_t i = 0; i < 2; ++i) {
        Side& side = sides_[i];
        side.log_value_shift += log_expm1_of(log_shifted_[i]);
        side.log_value_shift += 1e-12 * (1.0 + std::abs(side.log_value_shift)) - value_ + value_error_;
    }
    for (std::size_t n = 0; n < line_.count; ++n) {
        const Excess excess = excess_of(jumps_.re[n], jumps_.im[n]);
        const double above = jumps_.upper[n] * (1.0 + 1e-14) - excess.log_modulus + 1e-9;
        line_.log_modulus[n] += excess.log_modulus - log_excess;
        line_.phase[n] += excess.argument;
        const double core_rounding = line_.rounding[n];
        line_.rounding[n] += log_grown(above, jumps_.rounding[n]) + excess.error +
                             8.0 * u * (1.0 + std::abs(excess.log_modulus) + std::abs(log_excess));
        // finish_line puts the rounding in front of the inner rule's share once more.
        const double ahead = core_rounding + jumps_.rounding[n] + line_.inner[n] - line_.rounding[n];
        line_.inner[n] += log_grown(above + ahead, jumps_.inner[n]);
    }
    finish_line(line_, demand_.tilt, composition_.gaussian, slope_error_);
}

ErrorLedger JumpTable::ledger_of(const LineSums& total, double epsilon) const {
    ErrorLedger result{0.0, 0.0, total.inner, total.modulus, 0.0};
    for (const Side& side : sides_) {
        result.aliasing += aliasing_error(side.shift, side.log_value_shift, epsilon, side.log_constant, width_);
    }
    result.cut_off = cut_off_error(longest_, log_decay_, composition_.gaussian);
    return result;
}

ErrorLedger JumpTable::ledger(double epsilon) const { return ledger_of(line_sums(line_, mean_ - epsilon), epsilon); }

Interval JumpTable::log_value_bounds(double epsilon) const {
    const LineSums total = line_sums(line_, mean_ - epsilon);
    const ErrorLedger error = ledger_of(total, epsilon);
    const double both = error.cut_off + error.inner_rule + error.rounding;
    const double lower = total.value - both - error.aliasing;
    const double scale = value_ - demand_.tilt * epsilon;
    const double slack =
        value_error_ + 8.0 * k_unit_roundoff * (1.0 + std::abs(value_) + demand_.tilt * std::abs(epsilon));
    const double upper = scale + std::log(total.value + both) + slack;
    return {lower > 0.0 ? scale + std::log(lower) - slack : -k_infinity,
            logaddexp(std::isnan(upper) ? 0.0 : upper, log_dropped_) + 4.0 * k_unit_roundoff * (1.0 + std::abs(upper))};
}

ContourTable::Estimate JumpTable::estimate(double epsilon) const {
    const LineSums total = line_sums(line_, mean_ - epsilon);
    return {value_ - demand_.tilt * epsilon + std::log(total.value), -total.derivative / total.value};
}

}  // namespace hockeystick::contour
