// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/renyi.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>

#include "renyi_sum.hpp"

namespace hockeystick {
namespace {

using detail::RenyiNodes;

// Noise outside [this, 1 / this], or nodes further away than this many steps: closed-form bounds alone.
constexpr double k_least_noise = 1e-8;
constexpr double k_furthest = 1e15;

// Nodes are shared by orders whose steps agree, so steps come from a ladder of four rungs an octave.
double rung_below(double step) { return std::exp2(std::floor(4.0 * std::log2(step)) / 4.0); }

class Law {
public:
    Law(const SubsampledGaussian& law, Direction direction) : law_(law), direction_(direction) {}

    Interval at(double order) {
        const double q = law_.sampling_rate, s = law_.noise_multiplier;
        const bool removes = direction_ == Direction::remove;
        if (q == 0.0) return {0.0, 0.0};
        if (q == 1.0) return rounded(order / (2.0 * s) / s);
        if (s == 0.0) return removes ? Interval{k_infinity, k_infinity} : rounded(-std::log1p(-q));
        if (order == k_infinity) return removes ? Interval{k_infinity, k_infinity} : rounded(-std::log1p(-q));
        const double t = order - 1.0;
        const double step = rung_below(detail::rule_step(s, removes ? order : -t));
        Interval bounds{0.0, k_infinity};
        const bool in_range = s >= k_least_noise && s <= 1.0 / k_least_noise && order / (s * s * step) < k_furthest;
        if (in_range) {
            RenyiNodes& nodes = nodes_.try_emplace(step, law_, direction_, step).first->second;
            const std::optional<Interval> sharp = detail::renyi_by_rule(nodes, order);
            bounds = sharp ? *sharp : wide(order);
        }
        // A mixture diverges by no more than its parts, and the loss of add ends at -log(1 - q).
        bounds.upper = std::min(bounds.upper, rounded(order / (2.0 * s) / s).upper);
        if (!removes) bounds.upper = std::min(bounds.upper, rounded(-std::log1p(-q)).upper);
        return bounds;
    }

private:
    static Interval rounded(double value) {
        return {value * (1.0 - 4.0 * k_unit_roundoff), value * (1.0 + 4.0 * k_unit_roundoff)};
    }

    // K(t) = t D_{1+t} is convex with K(0) = 0, and D grows with the order; an integrand of integer power needs no
    // strip.
    Interval wide(double order) {
        const double below = std::floor(order), above = below + 1.0;
        if (direction_ == Direction::add || order == below) return {0.0, k_infinity};
        const Interval low = below > 1.0 ? at(below) : Interval{0.0, 0.0};
        const Interval high = at(above);
        const double share = above - order;
        const double moment = share * (below - 1.0) * low.upper + (1.0 - share) * below * high.upper;
        return {low.lower, moment / (order - 1.0) * (1.0 + 8.0 * k_unit_roundoff)};
    }

    SubsampledGaussian law_;
    Direction direction_;
    std::map<double, RenyiNodes> nodes_;
};

void check(const SubsampledGaussian& law) {
    if (!(law.noise_multiplier >= 0.0 && law.noise_multiplier < k_infinity))
        throw std::invalid_argument("noise_multiplier must be finite and at least 0, got " +
                                    std::to_string(law.noise_multiplier));
    if (!(law.sampling_rate >= 0.0 && law.sampling_rate <= 1.0))
        throw std::invalid_argument("sampling_rate must be in [0, 1], got " + std::to_string(law.sampling_rate));
}

}  // namespace

std::vector<Interval> renyi_bounds(const SubsampledGaussian& law, Direction direction, std::span<const double> orders) {
    check(law);
    Law asked(law, direction);
    std::vector<Interval> result;
    result.reserve(orders.size());
    for (const double order : orders) {
        if (!(order >= 1.0)) throw std::invalid_argument("orders must be at least 1, got " + std::to_string(order));
        result.push_back(asked.at(order));
    }
    return result;
}

std::vector<Interval> renyi_bounds(std::span<const SubsampledGaussian> laws, Direction direction,
                                   std::span<const double> orders) {
    std::vector<Interval> result;
    result.reserve(laws.size() * orders.size());
    for (const SubsampledGaussian& law : laws) {
        const std::vector<Interval> row = renyi_bounds(law, direction, orders);
        result.insert(result.end(), row.begin(), row.end());
    }
    return result;
}

}  // namespace hockeystick
