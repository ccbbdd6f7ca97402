// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/rare_jumps.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "hockeystick/contour_error.hpp"
#include "hockeystick/error.hpp"
#include "hockeystick/jump_edges.hpp"
#include "hockeystick/special.hpp"
#include "likelihood.hpp"

namespace hockeystick::contour {
namespace {

using detail::log_add;

constexpr double k_first_reach = 1.6;                  // tilts that the first nodes serve, in units of the one expected
constexpr std::array k_last_reaches{2.05, 1.4, 1.15};  // the same once the tilt is known
constexpr double k_core_reach = 3.0;                   // tilts tried for the core, in units of its level's
constexpr double k_wider = 2.5;
constexpr int k_most_reaches = 12;
constexpr double k_least_digits = 5.0;
constexpr double k_most_digits = 34.5;
// Of the log of the tilted density from epsilon to where far outcomes begin, until these surely exceed epsilon.
constexpr std::array k_rises{4.0, 8.0, 14.0, 22.0, 35.0, 55.0};
constexpr double k_least_epsilon = 1e-12;
constexpr double k_most_epsilon = 500.0;
constexpr int k_bisections = 60;

// Upper bound on a sum of logs.
double padded(double log_value) { return log_value + 8.0 * k_unit_roundoff * (1.0 + std::abs(log_value)); }

double log_estimate(const Saddle& saddle) {
    const double t = saddle.tilt;
    const double curve = saddle.moment.second + 1.0 / (t * t) + 1.0 / ((1.0 + t) * (1.0 + t));
    return saddle.moment.value - t * saddle.epsilon - std::log(t) - std::log1p(t) -
           0.5 * std::log(2.0 * std::numbers::pi * curve);
}

// delta of one release, log, roughly.
double log_one_release(const SubsampledGaussian& law, double epsilon) {
    const double sigma = law.noise_multiplier;
    const double q = law.sampling_rate;
    const double x = 0.5 + sigma * sigma * std::log1p(std::expm1(std::min(epsilon, 600.0)) / q);
    const double plain = log_normal_cdf(-x / sigma);
    const double shifted = log_normal_cdf((1.0 - x) / sigma);
    // q (P1 - P0) - (e^epsilon - 1) P0
    const double gain = std::log(q) + shifted + log1mexp(std::min(0.0, plain - shifted));
    const double loss = std::log(std::expm1(std::min(epsilon, 600.0))) + plain;
    return loss < gain ? gain + log1mexp(loss - gain) : -k_infinity;
}

// Where the measure is cut at its end depends on the tilt that it is made for, so the search is repeated on nodes for
// the tilt that was found.
double level_tilt(const Composition& composition, std::span<const JumpWindows> windows, double epsilon, double tilt,
                  double log_negligible) {
    double reach = k_first_reach * tilt;
    for (int attempt = 0; attempt < k_most_reaches; ++attempt) {
        const JumpNodes nodes(composition, windows, reach / k_first_reach, reach, log_negligible);
        const Saddle saddle = jump_saddle(nodes, epsilon, tilt);
        tilt = saddle.tilt;
        // Jumps that cannot reach epsilon have no saddle, and need none.
        if (saddle.moment.value + log_chernoff_constant(tilt) - tilt * epsilon < log_negligible - 2.0) break;
        if (tilt <= 0.95 * reach && tilt * k_wider * k_wider >= reach) break;
        reach = tilt > 0.95 * reach ? k_wider * reach : k_first_reach * tilt;
    }
    return tilt;
}

}  // namespace

double log_one_jump(const Composition& composition, double epsilon) {
    double total = -k_infinity;
    for (const Composition::Part& part : composition.parts) {
        total = log_add(total, std::log(part.count) + log_one_release(part.law, epsilon));
    }
    return total;
}

double one_jump_epsilon(const Composition& composition, double log_delta) {
    double low = std::log(k_least_epsilon);
    double high = std::log(k_most_epsilon);
    for (int step = 0; step < k_bisections && high - low > 1e-4; ++step) {
        const double middle = 0.5 * (low + high);
        (log_one_jump(composition, std::exp(middle)) > log_delta ? low : high) = middle;
    }
    return std::exp(low);
}

RareJumps::RareJumps(const Composition& composition, const JumpsDemand& demand) : composition_(composition) {
    add_levels(demand);
}

void RareJumps::add_levels(const JumpsDemand& demand) {
    const double middle = 0.5 * (demand.epsilons.lower + demand.epsilons.upper);
    const double log_negligible = demand.log_delta - demand.log_digits;
    JumpEdges edges;
    for (const double rise : k_rises) {
        edges = choose_edges(composition_, {middle, -log_negligible / middle, rise});
        std::vector<Window> ends;
        for (std::size_t i = 0; i < edges.widths.size(); ++i) {
            ends.push_back({-k_infinity, edges.levels[0][i], edges.widths[i]});
        }
        far_.emplace(composition_, ends, demand.epsilons.upper);
        if (far_->log_rest(demand.epsilons.upper) <= log_negligible + 1.0) break;
    }
    std::vector<JumpWindows> windows(edges.widths.size());
    double tilt = edges.tilt;
    for (std::size_t level = 1; level < edges.levels.size(); ++level) {
        for (std::size_t i = 0; i < windows.size(); ++i) {
            const double lower = edges.levels[level][i];
            windows[i].core = {-k_infinity, lower, edges.widths[i]};
            windows[i].jump = {lower, edges.levels[level - 1][i], edges.widths[i]};
        }
        if (add_level(windows, demand, tilt)) return;
    }
    throw accuracy_error("contour: the core below all jumps is not negligible");
}

// One level, by a table or a line; whether what is below it is negligible. Nodes that serve far larger tilts bound the
// repetition best, but may end too early for the line to decay.
bool RareJumps::add_level(std::span<const JumpWindows> windows, const JumpsDemand& demand, double& tilt) {
    const double epsilon = 0.5 * (demand.epsilons.lower + demand.epsilons.upper);
    const double log_negligible = demand.log_delta - demand.log_digits;
    tilt = level_tilt(composition_, windows, epsilon, tilt, log_negligible);
    for (const double reach : k_last_reaches) {
        const JumpNodes nodes(composition_, windows, tilt, reach * tilt, log_negligible);
        const double line = log_chernoff_constant(tilt) + nodes.log_upper(tilt);
        const bool negligible = line - tilt * demand.epsilons.lower <= log_negligible;
        if (!negligible && add_table(windows, nodes, {tilt, epsilon, nodes.moment(tilt)}, demand)) break;
        if (!negligible && reach > k_last_reaches.back()) continue;
        if (!std::isfinite(line)) throw accuracy_error("contour: no tilt bounds what jumps contribute");
        lines_.push_back({line, tilt});
        log_dropped_ = log_add(log_dropped_, nodes.log_dropped());
        break;
    }
    return bound_core(windows, tilt, demand.epsilons.lower, log_negligible);
}

bool RareJumps::add_table(std::span<const JumpWindows> windows, const JumpNodes& nodes, const Saddle& saddle,
                          const JumpsDemand& demand) {
    const double digits = demand.log_digits + log_estimate(saddle) - demand.log_delta;
    try {
        tables_.emplace_back(
            composition_, windows, nodes,
            JumpDemand{saddle.tilt, demand.epsilons.lower, demand.epsilons.upper,
                       std::clamp(digits, k_least_digits, k_most_digits), demand.log_delta - demand.log_digits});
        return true;
    } catch (const accuracy_error&) {
        return false;
    }
}

// Chernoff's bound on what has no jump at all, at the best of a few tilts.
bool RareJumps::bound_core(std::span<const JumpWindows> windows, double tilt, double epsilon, double log_negligible) {
    double best = k_infinity;
    double chosen = tilt;
    {
        const JumpNodes nodes(composition_, windows, k_core_reach * tilt, k_core_reach * tilt, log_negligible);
        for (double each = 0.5 * tilt; each <= nodes.reach() * 1.01; each *= 1.25) {
            const double value = nodes.log_core(each) + log_chernoff_constant(each) - each * epsilon;
            if (value >= best) continue;
            best = value;
            chosen = each;
            if (best < log_negligible - 1.0) break;  // larger tilts need nodes that end earlier
        }
    }
    if (best > log_negligible) return false;
    const JumpNodes nodes(composition_, windows, chosen, chosen, log_negligible);
    const double line = log_chernoff_constant(chosen) + nodes.log_core_upper(chosen);
    if (!(line - chosen * epsilon <= log_negligible + 1.0) || nodes.log_dropped() > log_negligible + 1.0) return false;
    lines_.push_back({line, chosen});
    log_dropped_ = log_add(log_dropped_, nodes.log_dropped());
    return true;
}

Interval RareJumps::log_value_bounds(double epsilon) const {
    Interval total = far_->log_value_bounds(epsilon);
    for (const JumpTable& table : tables_) {
        const Interval part = table.log_value_bounds(epsilon);
        total = {logaddexp(total.lower, part.lower), padded(logaddexp(total.upper, part.upper))};
        if (total.lower > -k_infinity) total.lower -= padded(total.lower) - total.lower;
    }
    for (const Line& line : lines_) {
        const double value = line.intercept - line.tilt * epsilon;
        const double error = 8.0 * k_unit_roundoff * (std::abs(line.intercept) + std::abs(line.tilt * epsilon));
        total.upper = padded(logaddexp(total.upper, value + error));
    }
    return {total.lower, padded(logaddexp(total.upper, log_dropped_))};
}

ContourTable::Estimate RareJumps::estimate(double epsilon) const {
    const FarOutcomes& far = *far_;
    double total = far.log_value(epsilon);
    double slope = total > -k_infinity ? -std::exp(far.log_q(epsilon) - total) : 0.0;
    for (const JumpTable& table : tables_) {
        const ContourTable::Estimate part = table.estimate(epsilon);
        if (!std::isfinite(part.log_value)) continue;
        const double sum = logaddexp(total, part.log_value);
        slope = slope * std::exp(total - sum) + part.slope * std::exp(part.log_value - sum);
        total = sum;
    }
    return {total, slope};
}

}  // namespace hockeystick::contour
