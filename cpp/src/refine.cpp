// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/refine.hpp"

#include <algorithm>
#include <cmath>

#include "hockeystick/gdp.hpp"
#include "rounding.hpp"

namespace hockeystick {
namespace {

constexpr double k_most_parts = 12.0;
constexpr double k_narrowest = 1e-12;  // relative length of a cell that is not cut
constexpr double k_explained = 4.0;    // a width within this many widths of its ends is theirs
constexpr double k_far_below = 60.0;   // in log delta below the floor: no use in going on
constexpr double k_near_one = 1e-6;    // log delta above minus this: delta is read from its complement
constexpr double k_small_mu = 1e-300;

// What is needed to decide about one cell: the points and both envelopes.
struct Curves {
    const ProfilePoints& points;
    const EnvelopeView& lower;
    const EnvelopeView& upper;

    std::size_t index_of(double epsilon) const {
        const auto found = std::ranges::lower_bound(points.epsilon, epsilon);
        return std::min(static_cast<std::size_t>(found - points.epsilon.begin()), points.epsilon.size() - 1);
    }
    double width_at(double epsilon) const {
        const std::size_t j = index_of(epsilon);
        const double width = points.log_delta_upper[j] - points.log_delta_lower[j];
        return std::isnan(width) ? 0.0 : width;  // -inf on both sides
    }
    double rest_width_at(double epsilon) const {
        if (points.log_complement_lower.empty() || points.log_complement_upper.empty()) {
            return k_infinity;
        }
        const std::size_t j = index_of(epsilon);
        return points.log_complement_upper[j] - points.log_complement_lower[j];
    }
    // Shorter steps than this would let the widths at their ends, magnified by chords, outweigh what they gain.
    double shortest_step(std::size_t line) const {
        const std::size_t first = line == 0 ? 0 : line - 1;
        const std::size_t last = std::min(line + 1, lower.epsilon.size() - 1);
        if (first == last || lower.log_delta[last] == -k_infinity || lower.log_delta[first] > -k_near_one) {
            return 0.0;  // nothing to go by, or the complement is what is read
        }
        const double steepness =
            (lower.log_delta[first] - lower.log_delta[last]) / (lower.epsilon[last] - lower.epsilon[first]);
        return 3.0 * std::sqrt(width_at(lower.epsilon[line]) / (steepness * (steepness + 1.0)));
    }
    // Width of the bracket at log_alpha, in log TPR or log beta relative to 1 + |log|, whichever is wider.
    double gap_at(double log_alpha) const {
        const OperatingPoint below = operating_point(lower, abscissa_of_log(log_alpha, Side::lower));
        const OperatingPoint above = operating_point(upper, abscissa_of_log(log_alpha, Side::upper));
        const double rate = (below.log_tpr - above.log_tpr) / (1.0 - below.log_tpr);
        const double miss = (above.log_beta - below.log_beta) / (1.0 - above.log_beta);
        return std::max(std::isnan(rate) ? 0.0 : rate, std::isnan(miss) ? 0.0 : miss);
    }
    // The gap that the brackets of lines i and i + 1 alone would give at log_alpha: those of delta in the TPR, those of
    // delta or of its complement, whichever is narrower there, in beta.
    double explained(std::size_t line, double log_alpha) const {
        const OperatingPoint below = operating_point(lower, abscissa_of_log(log_alpha, Side::lower));
        double rate = 0.0, miss = 0.0;
        for (const std::size_t each : {line, std::min(line + 1, lower.epsilon.size() - 1)}) {
            const double width = width_at(lower.epsilon[each]);
            const double rest = rest_width_at(lower.epsilon[each]);
            const double log_delta = lower.log_delta[each];
            rate = std::max(rate, width * std::exp(std::min(0.0, log_delta - below.log_tpr)));
            miss =
                std::max(miss, std::min(width * std::exp(std::min(50.0, log_delta - below.log_beta)),
                                        rest * std::exp(std::min(50.0, lower.log_complement[each] - below.log_beta))));
        }
        return k_explained * std::max(rate / (1.0 - below.log_tpr), miss / (1.0 - below.log_beta));
    }
};

// Cuts the cell between lines `line` and `line + 1` of the lower envelope.
void cut(const Curves& curves, std::size_t line, double parts, std::vector<double>& wanted) {
    if (line + 1 >= curves.lower.epsilon.size()) {
        return;
    }
    const double low = curves.lower.epsilon[line];
    const double high = curves.lower.epsilon[line + 1];
    const bool skipped = curves.index_of(high) > curves.index_of(low) + 1;
    if (skipped || high - low <= k_narrowest * high) {
        return;
    }
    const double count = std::min(std::clamp(std::ceil(parts), 2.0, k_most_parts),
                                  (high - low) / std::max(curves.shortest_step(line), k_narrowest * high));
    const double whole = std::floor(count);
    for (double k = 1.0; k < whole; k += 1.0) {
        wanted.push_back(low + (high - low) * (k / whole));
    }
}

// Seven points close about the tangent at log_alpha, which a parabola through the gains of the three lines about it
// places; spread so that the next round meets the tolerance if the guess is good.
void focus(const Curves& curves, std::size_t line, double log_alpha, double parts, std::vector<double>& wanted) {
    const auto& epsilon = curves.lower.epsilon;
    if (line == 0 || line + 1 >= epsilon.size()) {
        cut(curves, line == 0 ? 0 : line - 1, parts, wanted);
        return;
    }
    const double before = epsilon[line] - epsilon[line - 1];
    const double after = epsilon[line + 1] - epsilon[line];
    const double gain = log_gain(curves.lower, line, log_alpha);
    const double fall = (log_gain(curves.lower, line - 1, log_alpha) - gain) / before;
    const double rise = (log_gain(curves.lower, line + 1, log_alpha) - gain) / after;
    const double bend = fall + rise;  // of the parabola, times its width
    const double shift = bend > 0.0 ? 0.5 * (fall * after - rise * before) / bend : 0.0;
    const double centre = epsilon[line] + std::clamp(shift, -0.75 * before, 0.75 * after);
    const double room = shift < 0.0 ? before : after;  // of the cell that the guess lies in
    const double step = std::max(room / std::clamp(parts, 8.0, 512.0), curves.shortest_step(line));
    if (step <= k_narrowest * centre || 4.0 * step > room) {
        return;
    }
    for (const double k : {-4.0, -2.0, -1.0, 0.0, 1.0, 2.0, 4.0}) {
        wanted.push_back(centre + k * step);
    }
}

// Points beyond the end, to where log delta - `slope` epsilon would have fallen by `fall` if the last steepness went
// on.
void go_on(const Curves& curves, double fall, double slope, std::vector<double>& wanted) {
    const EnvelopeView& lower = curves.lower;
    const std::size_t last = lower.epsilon.size() - 1;
    if (last == 0 || lower.epsilon[last] < curves.points.epsilon.back()) {  // or the last point was of no use
        return;
    }
    const double step = lower.epsilon[last] - lower.epsilon[last - 1];
    const double steepness = (lower.log_delta[last - 1] - lower.log_delta[last]) / step;
    const double way = fall / (steepness + slope) + 2.0 * step;
    if (!std::isfinite(way)) {
        return;  // flat: mass at infinity
    }
    const double count = std::clamp(std::ceil(way / step), 3.0, k_most_parts);
    for (double k = 1.0; k <= count; k += 1.0) {
        wanted.push_back(lower.epsilon[last] + way * (k / count));
    }
}

// While the last corner, whose log alpha falls with delta and with e^{-eps}, is still above the floor.
void extend(const Curves& curves, double log_floor, std::vector<double>& wanted) {
    const EnvelopeView& lower = curves.lower;
    const double end = lower.log_delta.back();
    if (end > -k_infinity && end >= log_floor - k_far_below && !lower.log_alpha.empty() &&
        lower.log_alpha.back() >= log_floor) {
        go_on(curves, lower.log_alpha.back() - log_floor, 1.0, wanted);
    }
}

std::vector<double> finished(std::vector<double>&& wanted) {
    std::ranges::sort(wanted);
    const auto rest = std::ranges::unique(wanted, [](double a, double b) { return b - a <= 4e-14 * b; });
    wanted.erase(rest.begin(), rest.end());
    return std::move(wanted);
}

MuFit greatest_of(const CurvePoints& points, const std::vector<double>& mus) {
    const auto place = std::ranges::max_element(mus);
    return place == mus.end() ? MuFit{0.0, -k_infinity}
                              : MuFit{*place, points.log_alpha[static_cast<std::size_t>(place - mus.begin())]};
}

// The m of the abscissa `start` and then of all corners above it, and what is known of the greatest from below.
struct Candidates {
    const std::vector<double>& mus;
    double known;
    double tolerance;
    double start;
    bool start_may_decide;  // else it is a corner as well
};

// Cuts every cell whose corner may yet hold the greatest m.
void bound_and_branch(const Curves& curves, const Candidates& candidates, std::vector<double>& wanted) {
    const double allowed = candidates.tolerance * std::max(candidates.known, k_small_mu);
    for (std::size_t i = candidates.start_may_decide ? 0 : 1; i < candidates.mus.size(); ++i) {
        const double excess = candidates.mus[i] - candidates.known;
        if (!(excess > allowed)) {
            continue;
        }
        const double log_alpha = i == 0 ? candidates.start : curves.lower.log_alpha[i - 1];
        const std::size_t line = i == 0 ? place_of(curves.lower, candidates.start).line : i - 1;
        if (!(curves.gap_at(log_alpha) > curves.explained(line, log_alpha))) {
            continue;
        }
        const double parts = 1.2 * std::sqrt(excess / allowed);
        if (i == 0) {
            focus(curves, line, log_alpha, 2.0 * parts, wanted);
        } else {
            cut(curves, line, parts, wanted);
        }
    }
}

}  // namespace

std::vector<double> curve_refinement(const ProfilePoints& points, const EnvelopeView& lower, const EnvelopeView& upper,
                                     double log_floor, double tolerance) {
    const Curves curves{points, lower, upper};
    std::vector<double> wanted;
    extend(curves, log_floor, wanted);
    for (std::size_t i = 0; i < lower.log_alpha.size(); ++i) {
        const double log_alpha = std::max(lower.log_alpha[i], log_floor);
        if (i > 0 && lower.log_alpha[i - 1] < log_floor) {
            break;
        }
        const double gap = curves.gap_at(log_alpha);
        if (gap > tolerance && gap > curves.explained(i, log_alpha)) {
            cut(curves, i, 1.2 * std::sqrt(gap / tolerance), wanted);
        }
    }
    return finished(std::move(wanted));
}

std::vector<double> mu_refinement(const ProfilePoints& points, const EnvelopeView& lower, const EnvelopeView& upper,
                                  double log_floor, double tolerance) {
    const Curves curves{points, lower, upper};
    std::vector<double> wanted;
    const double start = std::min(log_floor, log_diagonal(lower));
    extend(curves, start, wanted);
    const CurvePoints deciding = points_above(lower, log_floor);
    const std::vector<double> mus = implied_mus_closed_form(deciding);
    const MuFit fit = greatest_of(deciding, mus);
    if (std::isfinite(fit.mu) && fit.mu > 0.0) {
        const double known = fit_mu_lower(lower, upper, log_floor, fit);
        bound_and_branch(curves, {mus, known, tolerance, start, true}, wanted);
    }
    return finished(std::move(wanted));
}

std::vector<double> mu_given_delta0_refinement(const ProfilePoints& points, const EnvelopeView& lower,
                                               const EnvelopeView& upper, double log_delta0, double tolerance) {
    const Curves curves{points, lower, upper};
    std::vector<double> wanted;
    if (lower.log_delta.back() > log_delta0) {
        go_on(curves, lower.log_delta.back() - log_delta0, 0.0, wanted);
        return finished(std::move(wanted));
    }
    const CurvePoints deciding = conditioned_points(lower, log_delta0);
    const std::vector<double> mus = implied_mus_closed_form(deciding);
    const MuFit fit = greatest_of(deciding, mus);
    if (std::isfinite(fit.mu) && fit.mu > 0.0 && !lower.log_alpha.empty()) {
        const double known = fit_mu_given_delta0_lower(lower, upper, log_delta0, fit);
        bound_and_branch(curves, {mus, known, tolerance, lower.log_alpha.back(), false}, wanted);
    }
    return finished(std::move(wanted));
}

}  // namespace hockeystick
