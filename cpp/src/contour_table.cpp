// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/contour_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "hockeystick/contour_error.hpp"
#include "hockeystick/error.hpp"
#include "hockeystick/special.hpp"

namespace hockeystick::contour {
namespace {

constexpr double k_log_digits = 34.5;        // each error term is aimed at e^{-34.5} = 1e-15 of the value
constexpr double k_log_inner_digits = 37.0;  // the inner rule counts once per copy
constexpr double k_log_decay_digits = 90.0;
constexpr std::size_t k_error_blocks = 2;  // the inner rule's bound is taken at the ends of so many stretches
constexpr double k_most_steps = 1e6;
constexpr double k_most_work = 2e7;  // steps times nodes: some 25 ms

}  // namespace

ContourTable::ContourTable(SaddleSearch& search, const TableDemand& demand)
    : composition_(search.composition()), demand_(demand), gaussian_(composition_.gaussian + demand.tau_squared) {
    const Moment at = search.moment(demand.tilt);
    const double t = demand.tilt;
    const double curve = at.second + 1.0 / (t * t) + 1.0 / ((1.0 + t) * (1.0 + t));
    target_ = -std::log(std::abs(t) * (1.0 + t)) - 0.5 * std::log(2.0 * std::numbers::pi * curve) - k_log_digits;
    choose_step(search);
    choose_length(search);
    make_nodes(search);
    finish();
}

// The shift that asks for the least width: shift Lambda'(tilt + shift) - (Lambda(tilt + shift) - Lambda(tilt)) =
// digits.
double ContourTable::shift_for(SaddleSearch& search, bool right) const {
    const double sign = right ? 1.0 : -1.0;
    const bool middle = demand_.strip == Strip::middle;
    const double limit = right ? (middle ? -demand_.tilt : k_infinity) : (middle ? 1.0 + demand_.tilt : demand_.tilt);
    const Moment here = search.moment(demand_.tilt);
    double shift = std::min(std::sqrt(2.0 * k_log_digits / here.second), limit);
    if (right && !middle) shift = std::min(shift, 2.0 * (1.0 + demand_.tilt) + 16.0);
    double low = 0.0;
    double high = limit;
    for (int attempt = 0; attempt < 40; ++attempt) {
        const Moment there = search.moment(demand_.tilt + sign * shift);
        const double excess = sign * shift * there.first - (there.value - here.value) - k_log_digits;
        if (std::abs(excess) < 3.0 || (shift >= limit && excess < 0.0)) break;
        (excess > 0.0 ? high : low) = shift;
        // Newton for the logarithm: the function may rise like the exponential of an exponential.
        const double value = excess + k_log_digits;
        const double move = value > 0.0 ? value * std::log(value / k_log_digits) : excess;
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
    step_ = 2.0 * std::numbers::pi / width_;
}

void ContourTable::choose_length(SaddleSearch& search) {
    const Moment here = search.moment(demand_.tilt);
    length_ = std::sqrt(2.0 * k_log_digits / (here.second + demand_.tau_squared));
    double power = 2.0;  // log |phi| falls about like -t^power
    double last_length = 0.0;
    double last_decay = 0.0;
    for (int attempt = 0; attempt < 16 && length_ < k_most_steps * step_; ++attempt) {
        const double decay = search.log_decay(demand_.tilt, length_) - 0.5 * demand_.tau_squared * length_ * length_;
        const double missing = decay - std::log(std::numbers::pi * length_) - target_;
        if (missing <= 0.0) return;
        if (last_decay < 0.0 && decay < last_decay) {
            power = std::clamp(std::log(decay / last_decay) / std::log(length_ / last_length), 0.3, 2.0);
        }
        last_length = length_;
        last_decay = decay;
        const double ratio = decay < 0.0 ? std::pow((missing - decay) / -decay, 1.0 / power) : 2.0;
        length_ *= std::clamp(1.02 * ratio, 1.05, 3.0);
    }
    throw accuracy_error("contour: the transform of the composed loss does not decay (rare jumps)");
}

void ContourTable::make_nodes(SaddleSearch& search) {
    const auto count = static_cast<std::size_t>(std::ceil(length_ / step_)) + 1;
    for (auto* column : {&frequency_, &log_modulus_, &phase_, &rounding_, &inner_}) column->assign(count, 0.0);
    for (std::size_t n = 0; n < count; ++n) frequency_[n] = static_cast<double>(n) * step_;
    const double longest = frequency_.back();
    at_ = gaussian_moment(gaussian_, demand_.tilt);
    value_error_ = 8.0 * k_unit_roundoff * std::abs(at_.value);
    slope_error_ = 8.0 * k_unit_roundoff * std::abs(at_.first);
    double copies = 0.0;
    for (const Composition::Part& part : composition_.parts) copies += part.count;
    for (std::size_t i = 0; i < composition_.parts.size(); ++i) {
        const Composition::Part& part = composition_.parts[i];
        // Few copies: the bound on the decay sees |phi| only down to about the root of this error, to the power copies.
        const double log_error =
            std::min(-k_log_inner_digits - std::log(part.count * static_cast<double>(composition_.parts.size())),
                     -k_log_decay_digits / copies);
        nodes_.emplace_back(part.law, composition_.direction,
                            NodeDemand{demand_.tilt, demand_.tilt + sides_[0].shift, demand_.tilt + sides_[1].shift,
                                       longest, search.part_moment(i, demand_.tilt).value, log_error, part.ceiling});
        node_count_ += nodes_.back().size();
        if (static_cast<double>(count) * static_cast<double>(nodes_.back().size()) > k_most_work) {
            throw accuracy_error("contour: the transform of the composed loss decays too slowly (rare jumps)");
        }
        add_part(nodes_.back(), part.count);
    }
    for (Side& side : sides_) {
        side.log_moment_shift = log_moment_bound(demand_.tilt + side.shift) - at_.value + value_error_;
    }
}

void ContourTable::add_part(const SubsampledNodes& nodes, double count) {
    const double u = k_unit_roundoff;
    const NodeArrays arrays = nodes.arrays();
    const Moment at = nodes.moment(demand_.tilt);
    const MomentError error = nodes.rounding(demand_.tilt, at);
    std::vector<double> weights(arrays.loss.size()), centred(arrays.loss.size());
    const double second = tilt_nodes(arrays, demand_.tilt, at.value, at.first, weights, centred);
    std::vector<double> re(frequency_.size()), im(frequency_.size());
    phase_sums(weights, centred, step_, re, im);
    at_.value += count * at.value;
    at_.first += count * at.first;
    at_.second += count * second;
    value_error_ += count * (error.value + 4.0 * u * std::abs(at.value)) + 4.0 * u * std::abs(at_.value);
    slope_error_ += count * (error.first + 4.0 * u * std::abs(at.first)) + 4.0 * u * std::abs(at_.first);
    log_decay_ += count * nodes.log_decay(demand_.tilt, frequency_.back(), at, true);
    const std::size_t block = frequency_.size() / k_error_blocks + 1;
    double inner = 0.0;
    for (std::size_t n = 0; n < frequency_.size(); ++n) {
        if (n % block == 0) {
            inner = nodes.inner_error(demand_.tilt, frequency_[std::min(n + block, frequency_.size()) - 1], at);
        }
        const double x = re[n];
        const double y = im[n];
        const double real = 1.0 + x;
        const double square = 2.0 * x + (x * x + y * y);
        const double modulus = std::hypot(real, y);
        log_modulus_[n] += count * (x < -0.5 ? std::log(modulus) : 0.5 * std::log1p(square));
        phase_[n] += count * std::atan2(y, real);
        const double safe = std::max(modulus, 1e-300);
        const double half_square = 0.5 * frequency_[n] * frequency_[n];
        const double sum_error = half_square * (error.second + second * rotation_error(n, arrays.loss.size()));
        // log1p of a sum of squares loses digits only while it is used, |phi| >= 1/2.
        const double function_error =
            x < -0.5 ? 8.0 * u : 4.0 * u * ((2.0 * std::abs(x) + x * x + y * y) / safe + std::abs(y)) / safe;
        // |(phi + d)^T - phi^T| <= |phi|^T ((1 + d / |phi|)^T - 1), also where phi is nothing but noise.
        rounding_[n] += count * (std::log1p(sum_error / safe) + function_error) +
                        4.0 * u * (std::abs(log_modulus_[n]) + std::abs(phase_[n]));
        inner_[n] += count * std::log1p(inner / safe);
    }
}

// An upper bound on Lambda at a neighbouring tilt; +inf where the nodes do not serve it.
double ContourTable::log_moment_bound(double tilt) const {
    if (tilt == 0.0 || tilt == -1.0) return 0.0;
    double total = gaussian_moment(gaussian_, tilt).value;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const double count = composition_.parts[i].count;
        const Moment at = nodes_[i].moment(tilt);
        const double error = nodes_[i].real_error(tilt, at);
        if (!(error < 0.25)) return k_infinity;
        total += count * (at.value + std::log1p(2.0 * error) + nodes_[i].rounding(tilt, at).value);
    }
    return total + 1e-12 * std::abs(total);
}

void ContourTable::finish() {
    const std::size_t count = frequency_.size();
    for (auto* column : {&value_re_, &value_im_, &derivative_re_, &derivative_im_, &amplitude_}) column->resize(count);
    const double tilt = demand_.tilt;
    for (std::size_t n = 0; n < count; ++n) {
        const double t = frequency_[n];
        log_modulus_[n] -= 0.5 * gaussian_ * t * t;
        rounding_[n] +=
            t * slope_error_ + k_unit_roundoff * (4.0 * gaussian_ * t * t + static_cast<double>(count) + 24.0);
        const double amplitude = std::exp(log_modulus_[n]) * step_ / std::numbers::pi * (n == 0 ? 0.5 : 1.0);
        const double re = tilt * (tilt + 1.0) - t * t;
        const double im = t * (2.0 * tilt + 1.0);
        const double square = (tilt * tilt + t * t) * ((tilt + 1.0) * (tilt + 1.0) + t * t);
        value_re_[n] = amplitude * re / square;
        value_im_[n] = -amplitude * im / square;
        const double next = (tilt + 1.0) * (tilt + 1.0) + t * t;
        derivative_re_[n] = amplitude * (tilt + 1.0) / next;
        derivative_im_[n] = -amplitude * t / next;
        amplitude_[n] = amplitude;
    }
}

ContourTable::Sums ContourTable::sums(double epsilon) const {
    Sums total{};
    const double slope = at_.first - epsilon;
    for (std::size_t n = 0; n < frequency_.size(); ++n) {
        const double turn = frequency_[n] * slope;
        const double angle = turn + phase_[n];
        const double c = std::cos(angle);
        const double s = std::sin(angle);
        total.value += c * value_re_[n] - s * value_im_[n];
        total.derivative += c * derivative_re_[n] - s * derivative_im_[n];
        total.density += c * amplitude_[n];
        const double modulus = std::hypot(value_re_[n], value_im_[n]);
        const double relative = rounding_[n] + 4.0 * k_unit_roundoff * std::abs(turn);
        const double rounding = std::expm1(std::min(relative, 700.0));
        const double inner = inner_rule_error(std::min(inner_[n], 700.0)) * (1.0 + rounding);
        total.modulus += modulus * rounding;
        total.inner += modulus * inner;
        total.density_modulus += amplitude_[n] * (rounding + inner);
    }
    return total;
}

double ContourTable::log_scale(double epsilon) const { return at_.value - demand_.tilt * epsilon; }

double ContourTable::log_scale_error(double epsilon) const {
    return value_error_ + 4.0 * k_unit_roundoff * (std::abs(at_.value) + std::abs(demand_.tilt * epsilon));
}

ErrorLedger ContourTable::ledger_of(const Sums& total, double epsilon) const {
    ErrorLedger result{0.0, 0.0, total.inner, total.modulus, 0.0};
    for (const Side& side : sides_) {
        result.aliasing += aliasing_error(side.shift, side.log_moment_shift, epsilon, side.log_constant, width_);
    }
    result.cut_off = cut_off_error(frequency_.back(), log_decay_, gaussian_);
    if (demand_.tau_squared > 0.0) {
        const double density = std::max(0.0, total.density) + total.density_modulus +
                               density_cut_off_error(frequency_.back(), log_decay_, gaussian_);
        result.tiny_gaussian = tiny_gaussian_error(demand_.tau_squared, density);
    }
    return result;
}

ErrorLedger ContourTable::ledger(double epsilon) const { return ledger_of(sums(epsilon), epsilon); }

Interval ContourTable::log_value_bounds(double epsilon) const {
    const Sums total = sums(epsilon);
    const ErrorLedger error = ledger_of(total, epsilon);
    const double value = demand_.strip == Strip::right ? total.value : -total.value;
    const double both = error.cut_off + error.inner_rule + error.rounding;
    const double lower = value - both - error.aliasing - error.tiny_gaussian;
    const double scale = log_scale(epsilon);
    const double slack = log_scale_error(epsilon) + 4.0 * k_unit_roundoff;
    const double upper = scale + std::log(value + both) + slack;
    const double truncated = log_truncated_mass(composition_);
    return {lower > 0.0 ? scale + std::log(lower) - slack : -k_infinity,
            truncated > -k_infinity ? logaddexp(upper, truncated) + 4.0 * k_unit_roundoff * std::abs(upper) : upper};
}

ContourTable::Estimate ContourTable::estimate(double epsilon) const {
    const Sums total = sums(epsilon);
    const double value = demand_.strip == Strip::right ? total.value : -total.value;
    const double derivative = demand_.strip == Strip::right ? -total.derivative : total.derivative;
    return {log_scale(epsilon) + std::log(value), derivative / value};
}

}  // namespace hockeystick::contour
