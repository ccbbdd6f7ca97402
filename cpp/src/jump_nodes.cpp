// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/jump_nodes.hpp"

#include <algorithm>
#include <cmath>

#include "hockeystick/window_decay.hpp"
#include "likelihood.hpp"
#include "rounding.hpp"

namespace hockeystick::contour {
namespace {

using detail::log_add;

constexpr double k_search_digits = -16.0;
constexpr double k_jump_digits = -50.0;  // what the ends of the line need
constexpr double k_log_tiny = -37.0;     // of x, below which e^x - 1 = x e^{x / 2}
constexpr int k_most_steps = 80;

}  // namespace

double log_expm1_of(double log_x) {
    if (log_x < k_log_tiny) return log_x;
    return hockeystick::detail::log_expm1(std::exp(log_x));
}

double log_share_of(double log_negligible, double count, std::size_t parts) {
    return log_negligible - std::log(2.0 * count * static_cast<double>(parts));
}

double log_jumps(double count, double log_ratio) {
    const double each = log_ratio < k_log_tiny    ? log_ratio
                        : log_ratio > -k_log_tiny ? std::log(log_ratio)
                                                  : std::log(std::log1p(std::exp(log_ratio)));
    return std::log(count) + each;
}

void JumpSum::add(double count, const Moment& core, const Moment& jump) {
    const double log_ratio = jump.value - core.value;
    const double share = 1.0 / (1.0 + std::exp(-log_ratio));  // of J in G + J
    const double distance = jump.first - core.first;
    core_.value += count * core.value;
    core_.first += count * core.first;
    core_.second += count * core.second;
    log_jumps_ = log_add(log_jumps_, log_jumps(count, log_ratio));
    slope_ += count * share * distance;
    curve_ += count * share * ((1.0 - share) * distance * distance + jump.second - core.second);
}

double JumpSum::log_excess() const { return log_expm1_of(log_jumps_); }

double JumpSum::growth() const { return 1.0 / -std::expm1(-std::exp(log_jumps_)); }

Moment JumpSum::total() const {
    const double factor = growth();
    const double bend = factor * slope_;
    return {core_.value + log_excess(), core_.first + bend,
            std::max(0.0, core_.second + factor * curve_ - std::exp(-std::exp(log_jumps_)) * bend * bend)};
}

JumpNodes::JumpNodes(const Composition& composition, std::span<const JumpWindows> windows, double tilt, double reach,
                     double log_negligible)
    : composition_(composition), reach_(reach) {
    for (std::size_t i = 0; i < windows.size(); ++i) {
        const Composition::Part& part = composition.parts[i];
        const double digits = k_search_digits - std::log(part.count);
        const double share = log_share_of(log_negligible, part.count, windows.size());
        core_.push_back(std::make_unique<WindowNodes>(part.law, windows[i].core,
                                                      NodeDemand{tilt, 0.0, reach, 0.0, 0.0, digits}, share));
        jump_.push_back(std::make_unique<WindowNodes>(part.law, windows[i].jump,
                                                      NodeDemand{tilt, 0.0, reach, 0.0, 0.0, k_jump_digits}, share));
    }
}

Moment JumpNodes::moment(double tilt) const {
    JumpSum sum(gaussian_moment(composition_.gaussian, tilt));
    for (std::size_t i = 0; i < core_.size(); ++i) {
        sum.add(composition_.parts[i].count, core_[i]->moment(tilt), jump_[i]->moment(tilt));
    }
    return sum.total();
}

std::function<double(double)> JumpNodes::log_decay(double tilt) const {
    struct Part {
        double count;
        double log_ratio;
        WindowDecay decay;
    };
    std::vector<Part> parts;
    double here = -k_infinity;
    for (std::size_t i = 0; i < core_.size(); ++i) {
        const double count = composition_.parts[i].count;
        const Moment jump = jump_[i]->moment(tilt);
        const double log_ratio = jump.value - core_[i]->moment(tilt).value;
        here = log_add(here, log_jumps(count, log_ratio));
        parts.push_back({count, log_ratio, WindowDecay(*jump_[i], tilt, jump)});
    }
    const double gaussian = composition_.gaussian;
    return [parts = std::move(parts), here, gaussian](double frequency) {
        double there = -k_infinity;
        for (const Part& part : parts) {
            there = log_add(there, log_jumps(part.count, part.log_ratio + part.decay(frequency)));
        }
        return log_expm1_of(there) - log_expm1_of(here) - 0.5 * gaussian * frequency * frequency;
    };
}

double JumpNodes::log_upper(double tilt) const {
    double core = gaussian_moment(composition_.gaussian, tilt).value;
    double jumps = -k_infinity;
    for (std::size_t i = 0; i < core_.size(); ++i) {
        const double count = composition_.parts[i].count;
        const double each = log_moment_upper(*core_[i], tilt);
        const double jump = log_moment_upper(*jump_[i], tilt);
        if (!(std::isfinite(each) && std::isfinite(jump))) return k_infinity;
        core += count * each;
        jumps = log_add(jumps, log_jumps(count, jump - each));
    }
    const double excess = log_expm1_of(jumps);
    return core + excess + 1e-12 * (1.0 + std::abs(core) + std::abs(excess) + std::exp(std::max(0.0, jumps)));
}

double JumpNodes::log_core_upper(double tilt) const {
    double core = gaussian_moment(composition_.gaussian, tilt).value;
    for (std::size_t i = 0; i < core_.size(); ++i) {
        core += composition_.parts[i].count * log_moment_upper(*core_[i], tilt);
    }
    return core + 1e-12 * (1.0 + std::abs(core));
}

double JumpNodes::log_core(double tilt) const {
    double core = gaussian_moment(composition_.gaussian, tilt).value;
    for (std::size_t i = 0; i < core_.size(); ++i) core += composition_.parts[i].count * core_[i]->moment(tilt).value;
    return core;
}

double JumpNodes::log_dropped() const {
    double total = -k_infinity;
    for (std::size_t i = 0; i < core_.size(); ++i) {
        const double each = log_add(core_[i]->log_dropped(), jump_[i]->log_dropped());
        total = log_add(total, std::log(composition_.parts[i].count) + each);
    }
    return total + 1e-9;
}

// Newton on the logarithm of the tilt, kept inside a bracket that shrinks.
Saddle jump_saddle(const JumpNodes& nodes, double epsilon, double start) {
    double low = 0.0;
    double high = nodes.reach();
    double tilt = std::min(start, high);
    Moment at = nodes.moment(tilt);
    for (int step = 0; step < k_most_steps; ++step) {
        const double slope = at.first - epsilon - 1.0 / tilt - 1.0 / (1.0 + tilt);
        const double curve = at.second + 1.0 / (tilt * tilt) + 1.0 / ((1.0 + tilt) * (1.0 + tilt));
        (slope > 0.0 ? high : low) = tilt;
        if (std::abs(slope) < 0.02 * std::sqrt(curve) || high <= low * (1.0 + 1e-9)) break;
        double next = tilt * std::exp(std::clamp(-slope / (tilt * curve), -3.0, 1.0));
        if (!(next > low && next < high)) next = std::sqrt(std::max(low, 1e-3 * high) * high);
        tilt = next;
        at = nodes.moment(tilt);
    }
    return {tilt, epsilon, at};
}

}  // namespace hockeystick::contour
