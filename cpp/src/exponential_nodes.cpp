// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/exponential_nodes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "hockeystick/error.hpp"
#include "hockeystick/legendre.hpp"
#include "hockeystick/node_kernel.hpp"
#include "hockeystick/transform_decay.hpp"

namespace hockeystick::contour {
namespace {

constexpr double k_safety = 1.0 + 1e-9;                      // for the roundings of the bounds themselves
constexpr std::array k_shares{0.1, 0.25, 0.45, 0.65, 0.85};  // of the widest ellipse
constexpr int k_arcs = 16;
constexpr double k_widest = 3.0;       // log rho
constexpr double k_few_digits = -8.0;  // at the neighbouring tilts
constexpr double k_far_share = 0.125;
constexpr double k_far_turn = 128.0;

// Largest log of |1 - q + q e^{x + iy}|^power e^{t arg} on a box, 0 <= y < pi.
struct Box {
    double left, right, low, high;
};
double log_largest(const Box& box, double rate, double power, double frequency) {
    const double rest = 1.0 - rate;
    const double left = rate * std::exp(box.left), right = rate * std::exp(box.right);
    const auto square = [rest](double x, double angle) {
        const double turn = std::sin(0.5 * angle);
        return (rest + x) * (rest + x) - 4.0 * rest * x * turn * turn;
    };
    double modulus = 0.0;
    if (power >= 0.0) {
        modulus = std::max(square(left, box.low), square(right, box.low));
    } else {
        const double lowest = -rest * std::cos(box.high);
        modulus = lowest > left && lowest < right ? rest * rest * std::sin(box.high) * std::sin(box.high)
                                                  : std::min(square(left, box.high), square(right, box.high));
    }
    // The angle rises with x; in y it rises up to cos y = -x / (1 - q), if there is such a y.
    const double turning = right < rest ? std::acos(-right / rest) : std::numbers::pi;
    const double y = std::clamp(turning, box.low, box.high);
    return 0.5 * power * std::log(modulus) + frequency * std::atan2(right * std::sin(y), rest + right * std::cos(y));
}

}  // namespace

ExponentialNodes::ExponentialNodes(const ExponentialLoss& law, const NodeDemand& demand) : law_(law) {
    longest_ = std::max(demand.frequency, far_frequency(demand.tilt));
    const double steep = std::abs(demand.tilt) + longest_;
    const double wanted = demand.log_relative_error + log_moment_lower(demand.tilt);
    // The mean by which losses are centred is at most the greatest loss.
    const double identity = wanted - std::log((1.0 + 2.0 * steep) * (1.0 + steep * law.greatest)) - 1.0;
    const std::array rules{ellipses(0.0, 0.0), ellipses(-1.0, 0.0), ellipses(demand.tilt, longest_),
                           ellipses(demand.tilt_lower, 0.0), ellipses(demand.tilt_upper, 0.0)};
    const std::array allowed{identity, identity, wanted - 1.0, k_few_digits + log_moment_lower(demand.tilt_lower),
                             k_few_digits + log_moment_lower(demand.tilt_upper)};
    for (std::size_t which = 0; which < legendre_sizes().size(); ++which) {
        order_ = legendre_sizes()[which];
        bool enough = true;
        for (std::size_t i = 0; i < rules.size(); ++i) enough = enough && log_rule_error(rules[i]) <= allowed[i];
        if (!enough) continue;
        base_error_ = std::exp(std::max(log_rule_error(rules[0]), log_rule_error(rules[1])));
        fill(which);
        return;
    }
    throw accuracy_error("contour: the loss needs more nodes than are allowed");
}

// log(1 - q + q e^{l0}), to a few roundings of itself.
double ExponentialNodes::loss(double base_loss) const {
    const double q = law_.sampling_rate;
    if (q == 1.0) return base_loss;
    return base_loss > 30.0 ? base_loss + std::log(q + (1.0 - q) * std::exp(-base_loss))
                            : std::log1p(q * std::expm1(base_loss));
}

// log of the density of l0 times e^{tilt L}, under P.
double ExponentialNodes::log_density(double base_loss, double tilt) const {
    return std::log(law_.density) - 0.5 * base_loss + power(tilt) * loss(base_loss);
}

// log of the largest modulus of the integrand, dl0 = greatest dx included, in the ellipse about [-greatest, greatest];
// it is on the boundary, which boxes cover.
double ExponentialNodes::log_ellipse(double log_rho, double tilt, double frequency) const {
    const double wide = law_.greatest * std::cosh(log_rho), high = law_.greatest * std::sinh(log_rho);
    const double constant = std::log(law_.density * law_.greatest);
    const double s = power(tilt);
    if (law_.sampling_rate == 1.0) return constant + std::hypot((s - 0.5) * wide, frequency * high) + 1e-9;
    double largest = -k_infinity;
    for (int i = 0; i < k_arcs; ++i) {
        const double from = std::numbers::pi * i / k_arcs, to = std::numbers::pi * (i + 1) / k_arcs;
        const double a = std::sin(from), b = std::sin(to);
        const bool top = 2 * i < k_arcs && 2 * (i + 1) > k_arcs;
        const Box box{wide * std::cos(to), wide * std::cos(from), high * std::max(0.0, std::min(a, b)),
                      high * (top ? 1.0 : std::max(a, b))};
        largest = std::max(largest, log_largest(box, law_.sampling_rate, s, frequency) - 0.5 * box.left);
    }
    return constant + largest + 1e-9;
}

ExponentialNodes::Ellipses ExponentialNodes::ellipses(double tilt, double frequency) const {
    Ellipses result;
    for (std::size_t i = 0; i < k_shares.size(); ++i) {
        const double log_rho = law_.sampling_rate == 1.0
                                   ? k_shares[i] * k_widest
                                   : std::min(k_widest, std::asinh(k_shares[i] * std::numbers::pi / law_.greatest));
        result[i] = {log_rho, log_ellipse(log_rho, tilt, frequency)};
    }
    return result;
}

double ExponentialNodes::log_rule_error(const Ellipses& ellipses) const {
    double best = k_infinity;
    for (const Ellipse& each : ellipses) best = std::min(best, log_legendre_error(order_, each.log_rho, each.largest));
    return best;
}

void ExponentialNodes::fill(std::size_t which) {
    const LegendreRule rule = legendre_rule(which);
    const double u = k_unit_roundoff;
    const double greatest = law_.greatest;
    size_ = order_ + (law_.atom > 0.0 ? 2 : 0);
    const std::size_t n = padded(size_);
    log_weight_.assign(n, k_no_node);
    for (auto* column : {&loss_, &weight_, &reverse_excess_, &weight_error_, &loss_error_}) column->assign(n, 0.0);
    const auto set = [&](std::size_t j, double base_loss, double log_without) {
        const double l = loss(base_loss);
        const double posterior = std::exp(std::log(law_.sampling_rate) + base_loss - l);
        const double log_weight = law_.reversed ? log_without : log_without + l;
        log_weight_[j] = log_weight;
        loss_[j] = law_.reversed ? -l : l;
        // Of the greatest loss, the node and the rate: some roundings of l0, which count by the posterior.
        loss_error_[j] = u * (16.0 * std::abs(l) + 8.0 * posterior * greatest);
        weight_error_[j] =
            law_.relative_error + loss_error_[j] + u * (16.0 + 8.0 * greatest + 4.0 * std::abs(log_weight));
    };
    for (std::size_t j = 0; j < order_; ++j) {
        const double base_loss = greatest * rule.node[j];
        set(j, base_loss, std::log(law_.density * greatest * rule.weight[j]) - 0.5 * base_loss);
    }
    if (law_.atom > 0.0) {
        set(order_, -greatest, std::log(law_.atom));
        set(order_ + 1, greatest, std::log(law_.atom) - greatest);
    }
    fill_excess(log_weight_, loss_, weight_, reverse_excess_);
}

// The rule along the line, the identities, and the mean by which losses are centred.
double ExponentialNodes::inner_error(double tilt, double frequency, const Moment& at) const {
    const double steep = 1.0 + 2.0 * std::abs(tilt);
    const double identities = base_error_ * (steep + frequency * (2.0 + std::abs(at.first) * steep));
    const double rule = log_rule_error(ellipses(tilt, frequency)) - at.value;
    return k_safety * (std::exp(rule) + identities * std::exp(-at.value));
}

double ExponentialNodes::real_error(double tilt, const Moment& at) const { return inner_error(tilt, 0.0, at); }

// With f the density of L under P times e^{tilt L}, |int f e^{itl} dl| <= V / t, V its total variation with the jumps
// at its two ends. In l0, log f = -3 l0 / 2 + (1 + s) log(1 - q + q e^{l0}) + const has no maximum inside (the second
// term is convex for s > -1 and falls for s < -1), so V is at most twice the sum of the values at the ends. Where L
// hardly rises with l0 the left end is large; it may be cut off, and its mass counted as it is: in cells, by the chord
// where the integrand is convex (s >= 0), by the left value where it falls.
ExponentialNodes::Tail ExponentialNodes::tail(double tilt, double log_moment) const {
    Tail result{};
    const double s = power(tilt);
    const auto slope_log = [&](double base_loss) { return std::log(law_.sampling_rate) + base_loss - loss(base_loss); };
    const auto mass = [&](double base_loss) { return std::exp(log_density(base_loss, tilt) - log_moment); };
    const double width = 2.0 * law_.greatest / k_cuts;
    const double right = mass(law_.greatest) * std::exp(-slope_log(law_.greatest));
    double cut = 0.0, last = mass(-law_.greatest);
    for (std::size_t i = 0; i < k_cuts; ++i) {
        const double at = -law_.greatest + width * static_cast<double>(i);
        const double here = mass(at);
        if (i > 0) cut += width * (s >= 0.0 ? 0.5 * (last + here) : last);
        last = here;
        result.cut[i] = k_safety * cut;
        result.variation[i] = 2.0 * k_safety * (here * std::exp(-slope_log(at)) + right);
    }
    for (const double end : {-law_.greatest, law_.greatest}) {
        if (law_.atom == 0.0) break;
        const double log_mass = std::log(law_.atom) - (end > 0.0 ? law_.greatest : 0.0);
        result.atoms += k_safety * std::exp(log_mass + s * loss(end) - log_moment);
    }
    return result;
}

double ExponentialNodes::log_beyond(const Tail& tail, double frequency) {
    double density = k_infinity;
    for (std::size_t i = 0; i < k_cuts; ++i) density = std::min(density, tail.cut[i] + tail.variation[i] / frequency);
    return std::min(0.0, std::log(tail.atoms + density));
}

// The log of the integrand is convex in l0 for power >= 0, and above its tangents at the ends; concave below, and above
// its chord.
double ExponentialNodes::log_density_mass_lower(double tilt) const {
    const double s = power(tilt), width = 2.0 * law_.greatest;
    const double ends[2] = {log_density(-law_.greatest, tilt), log_density(law_.greatest, tilt)};
    // log int_0^width e^{-slope x} dx
    const auto log_integral = [width](double slope) {
        const double fall = slope * width;
        if (std::abs(fall) < 1e-6) return std::log(width);
        return fall > 0.0 ? std::log(-std::expm1(-fall) / slope) : -fall + std::log(std::expm1(fall) / slope);
    };
    if (s < 0.0) return ends[1] + log_integral((ends[1] - ends[0]) / width);
    double largest = -k_infinity;
    for (const int side : {0, 1}) {
        const double end = side == 0 ? -law_.greatest : law_.greatest;
        const double slope = s * law_.sampling_rate * std::exp(end - loss(end)) - 0.5;
        largest = std::max(largest, ends[side] + log_integral(side == 0 ? -slope : slope));
    }
    return largest;
}

double ExponentialNodes::log_moment_lower(double tilt) const {
    const double density = log_density_mass_lower(tilt);
    return density + std::log1p(tail(tilt, density).atoms);
}

// Where the bound on the density's part is a small share of its mass, or as far as the nodes can bear.
double ExponentialNodes::far_frequency(double tilt) const {
    const double variation = tail(tilt, log_density_mass_lower(tilt)).variation[0];
    const double bearable = k_far_turn / (loss(law_.greatest) - loss(-law_.greatest));
    return std::min(variation / k_far_share, bearable);
}

double ExponentialNodes::log_decay(double tilt, double frequency, const Moment& at, bool certified) const {
    const Tail far = tail(tilt, at.value);
    const double last = certified ? longest_ : std::min(longest_, far_frequency(tilt));
    if (frequency >= last) return log_beyond(far, frequency);
    std::vector<double> weights(loss_.size()), centred(loss_.size());
    const double second = tilt_nodes(arrays(), tilt, at.value, at.first, weights, centred);
    const double error = certified ? inner_error(tilt, last, at) : 0.0;
    return std::max(log_transform_bound({weights, centred, second}, frequency, last, error), log_beyond(far, last));
}

}  // namespace hockeystick::contour
