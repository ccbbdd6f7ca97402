// SPDX-License-Identifier: Apache-2.0
// What the nodes of a subsampled Gaussian leave out (docs/contour.md, "The inner rule" and "The far range").
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "hockeystick/nodes.hpp"
#include "likelihood.hpp"

namespace hockeystick::contour {
namespace {

constexpr double k_log_sqrt_two_pi = 0.91893853320467274178;
constexpr double k_log_safety = 1e-3;  // covers the roundings of the bounds themselves
constexpr int k_deepest_split = 8;
constexpr double k_segment_digits = 5.0;  // natural digits below the density at its start that a stretch needs not have
constexpr int k_most_extra_cells = 300;

using detail::log_add;
using detail::phase_at;

// log |1 - q + q r e^{i angle}| - log(1 - q + q r), at most 0.
double log_shrink(double p, double angle) {
    const double s = std::sin(angle / 2.0);
    return 0.5 * std::log1p(-4.0 * p * (1.0 - p) * s * s);
}

// 2 e^{log_mass} / (e^{2 pi a / dx} - 1): the trapezoid rule on a function analytic in |Im x| < a.
double log_trapezoid(double log_mass, double half_width, double step) {
    const double decay = 2.0 * std::numbers::pi * half_width / step;
    return std::numbers::ln2 + log_mass - decay - std::log1p(-std::exp(-decay)) + k_log_safety;
}

}  // namespace

double SubsampledNodes::log_rule_error(double half_width, double log_mass) const {
    return log_trapezoid(half_width * half_width / (2.0 * variance_) + log_mass, half_width, step_);
}

SubsampledNodes::Knot SubsampledNodes::knot(double x, double power) const {
    const double loss = log_likelihood(x);
    return {x, loss, -x * x / (2.0 * variance_) - (k_log_sqrt_two_pi + std::log(law_.noise_multiplier)) + power * loss};
}

// Both the integral and the trapezoid sum of N0 e^{power l} over a stretch without other knowledge: l is convex, so it
// lies below its chord, under which the density is a Gaussian; a stretch holds at most its length plus one step times
// the largest value. Where the density falls throughout, at the rate of its end or faster, it holds no more than an
// exponential. Split while that helps and the bound is not below `enough`.
double SubsampledNodes::log_right_segment(double power, const Knot& from, const Knot& to, double enough,
                                          int depth) const {
    const double length = to.x - from.x;
    const double rise = (to.loss - from.loss) / length;
    const double peak = std::clamp(power * variance_ * rise, from.x, to.x);
    const double value =
        from.log_density + power * rise * (peak - from.x) - (peak - from.x) * (peak + from.x) / (2.0 * variance_);
    double bound = value + std::log(std::min(length, 2.6 * law_.noise_multiplier) + step_) + k_log_safety;
    const double last = std::exp(std::log(law_.sampling_rate) + (to.x - 0.5) / variance_ - to.loss);
    const double fall = (from.x - power * std::min(1.0, last)) / variance_ * (1.0 - k_log_safety);
    if (fall > 0.0) {
        bound = std::min(bound, from.log_density + std::log(std::min(length, 1.0 / fall) + step_) + k_log_safety);
    }
    const double floor = std::max(from.log_density, to.log_density) - 3.0;
    if (depth >= k_deepest_split || bound < std::max(floor + 6.0, enough)) return bound;
    const Knot middle = knot(0.5 * (from.x + to.x), power);
    return std::min(bound, log_add(log_right_segment(power, from, middle, enough, depth + 1),
                                   log_right_segment(power, middle, to, enough, depth + 1)));
}

// Bound on integral and sum of the density beyond x > 0. Beyond max(x, power) it falls at least as fast as a Gaussian
// of variance sigma^2 about max(0, power), because l' is between 0 and 1 / sigma^2.
double SubsampledNodes::log_right_tail(double power, double x) const {
    const double centre = std::max(0.0, power);
    const double start = std::max(x, centre);
    const double fall = (start - centre) / variance_;
    const double width =
        std::min(1.2534 * law_.noise_multiplier, fall > 0.0 ? 1.0 / fall : k_infinity) + (start > x ? step_ : 0.0);
    const Knot last = knot(start, power);
    const double end = last.log_density + std::log(width) + k_log_safety;
    if (start <= x) return end;
    const Knot first = knot(x, power);
    const double enough = std::max(end, first.log_density + std::log(step_)) - k_segment_digits;
    return log_add(end, log_right_segment(power, first, last, enough, 0));
}

// A truncated measure has nothing there.
double SubsampledNodes::log_tilted_right_tail(double power, double x) const {
    return truncated_ ? -k_infinity : log_right_tail(power, x);
}

// The same below x < 0. With power >= 0 the density rises towards 0 at least like N0; with power < 0 it is log-concave.
double SubsampledNodes::log_left_tail(double power, double x) const {
    const double rise = (-x + std::min(0.0, power) * posterior(x)) / variance_;
    if (!(rise > 0.0)) return k_infinity;
    const double width = power >= 0.0 ? std::min(1.2534 * law_.noise_multiplier, 1.0 / rise) : 1.0 / rise;
    return log_density(x, power) + std::log(width) + k_log_safety;
}

// On one cell of the line Im x = half_width: log of the largest of density (its log curves downwards by at most
// bend / sigma^2), modulus and phase factor e^{frequency phase}.
double SubsampledNodes::log_cell(const Strip& strip, double largest, double width, double p_left,
                                 double p_right) const {
    double modulus = 0.0;
    double bend = 1.0;
    if (strip.power < 0.0) {
        const bool crosses = p_left <= 0.5 && p_right >= 0.5;
        const double spread = crosses ? 0.25 : std::max(p_left * (1.0 - p_left), p_right * (1.0 - p_right));
        bend -= strip.power * spread / variance_;
        modulus = crosses ? strip.widest
                          : strip.power * std::min(log_shrink(p_left, strip.angle), log_shrink(p_right, strip.angle));
    }
    return largest + modulus + bend * width * width / (8.0 * variance_) +
           strip.frequency * phase_at(p_right, strip.angle);
}

SubsampledNodes::Strip SubsampledNodes::strip_at(double tilt, double frequency, double half_width) const {
    const double power = tilt_power(tilt);
    const double angle = half_width / variance_;
    return {power, frequency, angle, power < 0.0 ? power * std::log(std::cos(angle / 2.0)) : 0.0};
}

// log of int |integrand| over the line Im x = half_width outside the nodes, up to e^{a^2 / 2 sigma^2}: cells go on to
// the right until the worst phase and modulus no longer matter.
double SubsampledNodes::log_outside_mass(const Strip& strip, double log_enough) const {
    const double width = 0.25 * law_.noise_multiplier;
    double x = first_x_ + step_ * static_cast<double>(size_ - 1);
    double p = posterior_[size_ - 1];
    double left_log = log_density(x, strip.power) + std::log(width);
    double total = -k_infinity;
    // |.|^power <= (1 - q)^power for power < 0 and angle <= pi / 2: the better bound where the likelihood is large.
    const double flat = strip.power < 0.0 && strip.angle <= 0.5 * std::numbers::pi
                            ? strip.power * std::log1p(-law_.sampling_rate)
                            : k_infinity;
    const auto beyond = [&](double from) {
        return std::min(log_right_tail(strip.power, from) + strip.widest, log_right_tail(0.0, from) + flat) +
               strip.frequency * strip.angle;
    };
    double right = truncated_ ? -k_infinity : beyond(x);
    for (int extra = 0; extra < k_most_extra_cells && right > log_enough; ++extra) {
        x += width;
        const double next_p = posterior(x);
        const double right_log = log_density(x, strip.power) + std::log(width);
        total = log_add(total, log_cell(strip, std::max(left_log, right_log), width, p, next_p));
        left_log = right_log;
        p = next_p;
        right = beyond(x);
    }
    const double first_p = posterior_[0];
    const double modulus = first_p <= 0.5 ? strip.power * log_shrink(first_p, strip.angle) : strip.widest;
    const double left = log_left_tail(strip.power, first_x_) + strip.frequency * phase_at(first_p, strip.angle) +
                        std::max(0.0, modulus);
    return log_add(log_add(total, right), left) + k_log_safety;
}

// The same between the first and the last node, relative to M(tilt).
double SubsampledNodes::log_inside_mass(const Strip& strip, double tilt, double log_moment) const {
    return log_cell_sum({arrays(), posterior_, size_, step_, variance_}, tilt, log_moment, strip.shape()) +
           k_log_safety;
}

double SubsampledNodes::log_strip_mass(double tilt, double frequency, double half_width, double log_moment) const {
    const Strip strip = strip_at(tilt, frequency, half_width);
    const double inside = log_inside_mass(strip, tilt, log_moment);
    return log_add(inside, log_outside_mass(strip, inside + log_moment - 3.0) - log_moment);
}

// The two short sides of the rectangle about the nodes, at x half a step beyond them: there 1 / (e^{2 pi i x / dx} - 1)
// is at most e^{-2 pi |y| / dx}, which also outweighs e^{y^2 / 2 sigma^2}, so each side adds at most dx / pi times the
// largest modulus and phase.
double SubsampledNodes::log_edges(const Strip& strip) const {
    double total = -k_infinity;
    const double last_x = first_x_ + step_ * static_cast<double>(size_ - 1);
    for (const double x : {first_x_ - 0.5 * step_, last_x + 0.5 * step_}) {
        const double p = posterior(x);
        const double turn =
            strip.angle <= 0.5 * std::numbers::pi
                ? phase_at(p, strip.angle)
                : (p < 0.5 ? std::max(std::asin(p / (1.0 - p)), phase_at(p, strip.angle)) : strip.angle);
        const double modulus = strip.power < 0.0 ? strip.power * log_shrink(p, strip.angle) : 0.0;
        total = log_add(total, log_density(x, strip.power) + std::log(step_) + modulus + strip.frequency * turn);
    }
    return total + k_log_safety;
}

// Error of the sums of the two densities of the pair, N0 and the mixture, whose integrals are 1 exactly.
double SubsampledNodes::log_base_error() const {
    const double last_x = first_x_ + step_ * static_cast<double>(size_ - 1);
    const double width = std::min(2.0 * std::numbers::pi * variance_ / step_, 0.95 * std::numbers::pi * variance_);
    double total = std::numbers::ln2 + log_rule_error(width, 0.0);
    for (const double power : {0.0, 1.0}) {
        total = log_add(total, log_right_tail(power, last_x));
        total = log_add(total, log_left_tail(power, first_x_));
    }
    return total;
}

double SubsampledNodes::inner_error(double tilt, double frequency, const Moment& at) const {
    const double power = tilt_power(tilt);
    const double last_x = first_x_ + step_ * static_cast<double>(size_ - 1);
    const Strip strip = strip_at(tilt, frequency, half_width_);
    const double rule = log_rule_error(half_width_, log_inside_mass(strip, tilt, at.value));
    const double tails =
        log_add(log_edges(strip), log_add(log_tilted_right_tail(power, last_x), log_left_tail(power, first_x_))) -
        at.value;
    const double base = std::exp(log_base_error() - at.value);
    const double modulus = std::abs(tilt) + frequency;
    // The kernel centres the losses at K', which uses the identities once more, to first order in frequency K'.
    const double turn = frequency * std::abs(at.first);
    const double identities =
        base * ((1.0 + 2.0 * modulus) + turn * (2.0 * (1.0 + 2.0 * std::abs(tilt)) +
                                                frequency * (2.0 + std::abs(at.first) * (1.0 + 2.0 * std::abs(tilt)))));
    return std::exp(log_add(rule, tails)) + identities;
}

double SubsampledNodes::real_error(double tilt, const Moment& at) const {
    const double power = tilt_power(tilt);
    const double last_x = first_x_ + step_ * static_cast<double>(size_ - 1);
    const double widest = std::min(2.0 * std::numbers::pi * variance_ / step_, 0.95 * std::numbers::pi * variance_);
    const double rule = power >= 0.0 ? log_rule_error(widest, 0.0)
                                     : log_rule_error(half_width_, log_strip_mass(tilt, 0.0, half_width_, at.value));
    const double tails = log_add(log_tilted_right_tail(power, last_x), log_left_tail(power, first_x_)) - at.value;
    const double edges = log_edges(strip_at(tilt, 0.0, power >= 0.0 ? widest : half_width_)) - at.value;
    const double base = std::exp(log_base_error() - at.value) * (1.0 + 2.0 * std::abs(tilt));
    return std::exp(log_add(log_add(rule, edges), tails)) + base;
}

SubsampledNodes::DecayNodes SubsampledNodes::decay_nodes(double tilt, const Moment& at) const {
    const double power = tilt_power(tilt);
    std::vector<double> all(log_weight_.size()), unused(log_weight_.size());
    tilt_nodes(arrays(), tilt, at.value, 0.0, all, unused);
    double likely = 0.0;
    for (std::size_t j = 0; j < size_; ++j) likely = std::max(likely, all[j] * posterior_[j]);
    // With power >= 0 a node left out only weakens the bound; else |.|^power is at most 2^{-power / 2} here.
    const double negligible = power >= 0.0 ? 1e-7 * likely : 1e-30 * std::exp2(0.5 * power);
    DecayNodes result;
    std::size_t kept = 0;
    for (std::size_t j = 0; j < size_; ++j) {
        const double share = all[j] * posterior_[j];
        if (share < negligible) continue;
        unused[kept] = posterior_[j];
        all[kept++] = all[j];
        result.mean_posterior += share;
    }
    for (auto* column : {&all, &unused}) {
        column->resize(kept);
        column->resize(padded(kept), 0.0);
    }
    result.weight = std::move(all);
    result.posterior = std::move(unused);
    return result;
}

// |M(z)| <= e^{a^2 / 2 sigma^2} int N0 |1 - q + q r e^{i angle}|^power e^{-t phase(x)} dx with phase >= 0, so the right
// side falls with t. The integral J is summed by the same trapezoid rule: its integrand is N0(x) exp(power (l(x + ia) +
// l(x - ia)) / 2 - t (l(x + ia) - l(x - ia)) / 2i), analytic in |Im x| <= b. There |e^{-t ...}| <= 1 while a + b <= pi
// sigma^2 / 2, since the phase rises with the angle up to pi / 2, and the modulus is at most that at the angle of a +
// b.
double SubsampledNodes::log_decay(double tilt, double frequency, const Moment& at, bool certified) const {
    const double power = tilt_power(tilt);
    const DecayNodes nodes = decay_nodes(tilt, at);
    const auto lost = [&](double width) {
        return strip_loss(nodes.weight, nodes.posterior, {power, frequency, width / variance_});
    };
    const double quarter = 0.5 * std::numbers::pi * variance_;
    double best = 0.0;
    double best_width = 0.0;
    double best_lost = 0.0;
    double width = std::min(1.2 * frequency * nodes.mean_posterior, 0.7 * quarter);
    for (int attempt = 0; attempt < 8; ++attempt, width *= 0.6) {
        const double here = lost(width);
        const double value = width * width / (2.0 * variance_) + std::log1p(-std::min(here, 1.0 - 1e-15));
        if (value >= best && best < 0.0) break;
        if (value >= best) continue;
        best = value;
        best_width = width;
        best_lost = here;
    }
    if (!certified || best == 0.0) return best;
    const double other = std::min(quarter, std::max(half_width_, 1.5 * best_width)) - best_width;
    // For power >= 0 the modulus is largest on the real axis, where the mass is M.
    const auto mass = [&](double at_width) {
        return power >= 0.0 ? k_log_safety : log_strip_mass(tilt, 0.0, at_width, at.value);
    };
    const double rule = log_rule_error(other, mass(best_width + other));
    const double whole = log_rule_error(half_width_, mass(half_width_));
    const double outside = log_outside_mass(strip_at(tilt, 0.0, best_width), -60.0 + at.value) - at.value;
    // Where the measure is cut, its two ends cross the strip: as in log_edges, and at full height for the line itself.
    const double edges = log_edges(strip_at(tilt, 0.0, best_width + other)) +
                         std::log1p(std::numbers::pi * best_width / step_) +
                         best_width * best_width / (2.0 * variance_) - at.value;
    const double error =
        std::exp(rule) + std::exp(whole) + std::exp(outside) + std::exp(edges) + 1e-30 * static_cast<double>(size_);
    return best_width * best_width / (2.0 * variance_) + std::log1p(std::min(0.0, error - best_lost * (1.0 - 1e-9)));
}

}  // namespace hockeystick::contour
