// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "hockeystick/gaussian.hpp"
#include "hockeystick/gdp.hpp"
#include "minorant.hpp"
#include "rounding.hpp"

namespace hockeystick {
namespace {

using detail::k_u;

constexpr int k_refinements = 64;
constexpr double k_widest_cell = 600.0;  // beyond, delta is taken as flat across the cell

// The part of the profile that matters, in linear numbers: delta made monotone and widened by the rounding of exp, and
// the delta of the Gaussian.
struct LinearProfile {
    std::vector<double> upper;
    std::vector<double> lower;
    std::vector<Interval> gaussian;
    std::size_t used;  // points from here on cannot hold a maximum
};

// A corner of the minorant of delta: where, and the bound there.
struct Corner {
    double epsilon;
    double fraction;  // of the cell, in e^eps
    double delta;     // lower bound
};

// Steepness per x / x_j of the chord before point j, as in minorant.cpp.
double steepness_after(const ProfilePoints& points, const LinearProfile& profile, std::size_t j) {
    if (points.epsilon.size() == 1) {
        return 1.0 - profile.lower[0];
    }
    if (j == 0) {  // the chord from the mirror image of the second point, x = e^{-eps_1}
        const double width = points.epsilon[1];
        return (1.0 - (1.0 - profile.upper[1]) * std::exp(-width) - profile.lower[0]) / -std::expm1(-width);
    }
    return (profile.upper[j - 1] - profile.lower[j]) / -std::expm1(points.epsilon[j - 1] - points.epsilon[j]);
}

// Corner of cell j in linear numbers. Rounding: differences of deltas carry 3u each, magnified by how far the corner
// lies from the chord's points against the chord's width; the slack is that, twice.
Corner corner_of_cell(const ProfilePoints& points, const LinearProfile& profile, std::size_t j) {
    const double width = points.epsilon[j + 1] - points.epsilon[j];
    if (width > k_widest_cell) {
        return {points.epsilon[j], 0.0, profile.lower[j + 1]};
    }
    const double whole = std::expm1(width);
    const double left = steepness_after(points, profile, j);
    double right = 0.0;
    double right_reach = 0.0;
    if (j + 2 < profile.used) {
        const double next = std::expm1(points.epsilon[j + 2] - points.epsilon[j + 1]);  // inf gives a flat extension
        right = std::max(0.0, profile.lower[j + 1] - profile.upper[j + 2]) / next / (1.0 + whole);
        right_reach = whole / (next * (1.0 + whole));
    }
    const double drop = profile.lower[j] - profile.lower[j + 1];
    const double raw = (drop - right * whole) / (left - right);
    const double t = std::isfinite(raw) ? std::clamp(raw, 0.0, whole) : 0.5 * whole;
    const double left_value = profile.lower[j] - left * t;
    const double right_value = profile.lower[j + 1] + right * (whole - t);
    const double before = j == 0 ? points.epsilon[1] : points.epsilon[j] - points.epsilon[j - 1];
    const double slack = 16.0 * k_u * (1.0 + t / -std::expm1(-before) + right_reach) *
                         (1.0 + (left + right) * (1.0 + points.epsilon[j + 1]));
    return {points.epsilon[j] + std::log1p(t), t / whole, std::min(left_value, right_value) - slack};
}

// Upper bounds on (Gd - delta) / weight at every corner, first with Gd on its chord (it is convex), then, where that
// is the greatest, with Gd itself; stops when the greatest is one of the latter.
struct Candidate {
    Corner corner;
    double gap;
    bool exact;
};

double refined_maximum(std::vector<Candidate>& candidates, double mu, bool divide) {
    const auto weight = [divide](double epsilon) { return divide ? 1.0 / (1.0 + std::exp(epsilon)) : 1.0; };
    const auto value = [&](const Candidate& c) { return c.gap * weight(c.corner.epsilon) * (1.0 + 8.0 * k_u); };
    std::vector<double> values(candidates.size());
    std::ranges::transform(candidates, values.begin(), value);
    for (int step = 0;; ++step) {
        const auto place = std::ranges::max_element(values);
        if (place == values.end()) {
            return 0.0;
        }
        Candidate& best = candidates[static_cast<std::size_t>(place - values.begin())];
        if (best.exact || step == k_refinements) {
            return *place;
        }
        best.gap = std::min(best.gap, gaussian_delta_bounds(best.corner.epsilon, mu).upper - best.corner.delta);
        best.exact = true;
        *place = value(best);
    }
}

// The end of the profile: beyond the last point delta is at least the extension of the last chord, down to 0.
Candidate tail_candidate(const ProfilePoints& points, const LinearProfile& profile, double mu) {
    const std::size_t last = points.epsilon.size() - 1;
    const double left = steepness_after(points, profile, last);
    const double reach = left > 0.0 ? profile.lower[last] / left * (1.0 - 16.0 * k_u) : 0.0;
    const double at = points.epsilon[last] + (1.0 - 8.0 * k_u) * std::log1p(std::min(reach, 1e300));
    const double end = left > 0.0 ? std::max(points.epsilon[last], at * (1.0 - 2.0 * k_u)) : points.epsilon[last];
    // With no chord to extend, delta may fall to 0 at once.
    return {{end, 1.0, 0.0}, gaussian_delta_bounds(end, mu).upper, true};
}

// Lower ends of the two maxima, at the points, up to the one from which on the Gaussian's delta itself is below both.
LinearProfile scan(const ProfilePoints& points, double mu, RegretBounds& out) {
    LinearProfile profile{{}, {}, {}, points.epsilon.size()};
    double running = 1.0;
    for (std::size_t j = 0; j < profile.used; ++j) {
        const double eps = points.epsilon[j];
        const double weight = (1.0 - 8.0 * k_u) / (1.0 + std::exp(eps));
        running = std::min(running, std::exp(points.log_delta_upper[j]) * (1.0 + 3.0 * k_u));
        profile.upper.push_back(running);
        profile.gaussian.push_back(gaussian_delta_bounds(eps, mu));
        const double gap = profile.gaussian[j].lower - running - k_u;
        if (gap > out.regret.lower) {
            out.regret.lower = gap;
            out.regret_epsilon = eps;
        }
        if (gap * weight > out.delta_divergence.lower) {
            out.delta_divergence.lower = gap * weight;
            out.delta_divergence_epsilon = eps;
        }
        const double rest = profile.gaussian[j].upper;
        if (rest < out.regret.lower && rest * weight < out.delta_divergence.lower) {
            profile.used = j + 1;
        }
    }
    return profile;
}

// Lower bounds on delta at the points used; the greatest of all later ones counts.
void add_lower(const ProfilePoints& points, LinearProfile& profile) {
    double running = -k_infinity;
    for (std::size_t j = points.epsilon.size(); j-- > profile.used;) {
        running = std::max(running, points.log_delta_lower[j]);
    }
    profile.lower.resize(profile.used);
    for (std::size_t j = profile.used; j-- > 0;) {
        running = std::max(running, points.log_delta_lower[j]);
        profile.lower[j] = std::exp(running) * (1.0 - 3.0 * k_u);
    }
}

std::vector<Candidate> candidates_of(const ProfilePoints& points, const LinearProfile& profile, double mu) {
    std::vector<Candidate> candidates;
    candidates.reserve(2 * profile.used);
    for (std::size_t j = 0; j < profile.used; ++j) {
        const double gap = profile.gaussian[j].upper - profile.lower[j] + k_u;
        candidates.push_back({{points.epsilon[j], 0.0, profile.lower[j]}, gap, true});
    }
    if (points.between == Between::linear) {
        return candidates;  // Gd less what is linear in e^eps is convex, and beyond the last point only Gd falls
    }
    for (std::size_t j = 0; j + 1 < profile.used; ++j) {
        const Corner corner = corner_of_cell(points, profile, j);
        const double drop = profile.gaussian[j + 1].upper - profile.gaussian[j].upper;
        const double chord = profile.gaussian[j].upper + corner.fraction * drop;
        candidates.push_back({corner, chord + 4.0 * k_u - corner.delta, false});
    }
    if (profile.used == points.epsilon.size()) {
        candidates.push_back(tail_candidate(points, profile, mu));
    }
    return candidates;
}

}  // namespace

RegretBounds regret_bounds(const ProfilePoints& points, double mu) {
    detail::check_profile(points);
    if (!(mu >= 0.0)) {
        throw std::invalid_argument("mu must be non-negative, got " + std::to_string(mu));
    }
    RegretBounds out{{0.0, 0.0}, 0.0, {0.0, 0.0}, 0.0};
    LinearProfile profile = scan(points, mu, out);
    add_lower(points, profile);
    std::vector<Candidate> candidates = candidates_of(points, profile, mu);
    std::vector<Candidate> divided = candidates;
    // Both deltas lie in [0, 1], and 1 + e^eps is at least 2.
    out.regret.upper = std::max(out.regret.lower, std::min(1.0, refined_maximum(candidates, mu, false)));
    out.delta_divergence.upper =
        std::max(out.delta_divergence.lower, std::min(0.5, refined_maximum(divided, mu, true)));
    return out;
}

std::vector<double> regret_refinement(const ProfilePoints& points, double mu, double absolute, double relative) {
    detail::check_profile(points);
    RegretBounds best{{0.0, 0.0}, 0.0, {0.0, 0.0}, 0.0};
    LinearProfile profile = scan(points, mu, best);
    add_lower(points, profile);
    const double regret_enough = best.regret.lower + absolute + relative * best.regret.lower;
    const double divergence_enough = best.delta_divergence.lower + absolute + relative * best.delta_divergence.lower;
    const double end = points.epsilon.back();
    std::vector<char> open(points.epsilon.size(), 0);  // cells to cut
    std::vector<double> wanted;
    for (const Candidate& candidate : candidates_of(points, profile, mu)) {
        const double epsilon = candidate.corner.epsilon;
        const auto enough = [&](double gap) {
            return gap <= regret_enough && gap / (1.0 + std::exp(epsilon)) <= divergence_enough;
        };
        // The Gaussian itself is asked only where its chord leaves the cell open.
        if (enough(candidate.gap) || enough(gaussian_delta_bounds(epsilon, mu).upper - candidate.corner.delta))
            continue;
        if (epsilon > end) {
            for (int k = 1; k <= 4; ++k) wanted.push_back(end + k * (epsilon - end));
            continue;
        }
        const auto after = std::ranges::upper_bound(points.epsilon, epsilon) - points.epsilon.begin();
        for (auto cell = std::max<std::ptrdiff_t>(after - 2, 0); cell <= after; ++cell) {
            if (cell < std::ssize(open) - 1) open[static_cast<std::size_t>(cell)] = 1;
        }
    }
    for (std::size_t cell = 0; cell + 1 < open.size(); ++cell) {
        const double quarter = 0.25 * (points.epsilon[cell + 1] - points.epsilon[cell]);
        for (int k = 1; open[cell] != 0 && k <= 3; ++k) wanted.push_back(points.epsilon[cell] + k * quarter);
    }
    std::ranges::sort(wanted);
    return wanted;
}

}  // namespace hockeystick
