// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/tradeoff.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "minorant.hpp"
#include "rounding.hpp"

namespace hockeystick {
namespace {

using detail::k_clearly;
using detail::k_log_2;
using detail::k_u;
using detail::log_complement;
using detail::log_minus;
using detail::log_plus;
using detail::magnitude;
using detail::other;
using detail::outward;

// Lines before the hull is taken; `log_delta` and `log_complement` belong to one delta each.
struct Lines {
    std::vector<double> epsilon;
    std::vector<double> log_delta;
    std::vector<double> log_complement;

    void push(double eps, double delta, double complement) {
        epsilon.push_back(eps);
        log_delta.push_back(delta);
        log_complement.push_back(complement);
    }
};

// log of where line k, the steeper, crosses line j: (delta_j - delta_k) / (e^{eps_k} - e^{eps_j}), within `error` in
// absolute terms. The difference is taken between the deltas or between their complements, whichever are smaller; the
// latter are known to 9u each. -inf if delta_k is not below delta_j.
struct Crossing {
    double log_alpha;
    double error;
};

Crossing crossing(const Lines& lines, std::size_t j, std::size_t k) {
    double high = lines.log_delta[j];
    double low = lines.log_delta[k];
    const bool complements = lines.log_complement[k] < high;
    if (complements) {
        high = lines.log_complement[k];
        low = lines.log_complement[j];
    }
    if (!(low < high)) {
        return {-k_infinity, 0.0};
    }
    const double step = lines.epsilon[k] - lines.epsilon[j];
    const double rest = log1mexp(low - high);
    const double span = detail::log_expm1(step);
    const double value = high + rest - lines.epsilon[j] - span;
    const double roundings = 8.0 + 2.0 * step + 3.0 * (magnitude(high) + lines.epsilon[j]) +
                             10.0 * (std::abs(rest) + std::abs(span)) + std::abs(value);
    return {value, k_u * (roundings + (complements ? 20.0 * std::exp(-rest) : 0.0))};
}

// The upper envelope of the lines at alpha >= 0 as a stack of lines and crossings (a lower convex hull in
// (e^eps, delta)). Line 0 stays: hold_diagonal sees to it that it holds the diagonal. Any choice of lines is a lower
// curve, and the corner of lines 0 and 1 may move to the diagonal, left of which line 1 is the higher, if rounding put
// it beyond; for an upper curve a line leaves only if its absence is certain.
std::vector<Crossing> take_envelope(Lines& lines, Side side) {
    std::vector<Crossing> crossings;
    const double diagonal = lines.log_complement[0] - k_log_2;
    std::size_t last = 0;  // of the lines kept so far
    for (std::size_t k = 1; k < lines.epsilon.size(); ++k) {
        Crossing at = crossing(lines, last, k);
        if (at.log_alpha == -k_infinity) {
            continue;
        }
        const auto hidden = [side, diagonal](const Crossing& next, const Crossing& before) {
            return side == Side::lower ? next.log_alpha >= std::min(before.log_alpha, diagonal)
                                       : next.log_alpha >= before.log_alpha + next.error + before.error;
        };
        while (!crossings.empty() && hidden(at, crossings.back())) {
            crossings.pop_back();
            --last;
            at = crossing(lines, last, k);
        }
        crossings.push_back(at);
        ++last;
        lines.epsilon[last] = lines.epsilon[k];
        lines.log_delta[last] = lines.log_delta[k];
        lines.log_complement[last] = lines.log_complement[k];
    }
    lines.epsilon.resize(last + 1);
    lines.log_delta.resize(last + 1);
    lines.log_complement.resize(last + 1);
    if (side == Side::lower && !crossings.empty() && crossings.front().log_alpha > diagonal) {
        crossings.front() = {diagonal, 2.0 * k_u};
    }
    return crossings;
}

// log of line j at alpha: log(1 - delta_j - e^{eps_j} alpha). Roundings: eps + log alpha one, its distance to
// log(1 - delta) one; log_minus carries them.
double line_value(const EnvelopeView& curve, std::size_t j, double log_alpha, Side side) {
    const double slope = curve.epsilon[j] + log_alpha;
    return log_minus(curve.log_complement[j], slope, k_u * magnitude(slope), side);
}

double line_rate(const EnvelopeView& curve, std::size_t j, double log_alpha, Side side) {
    const double slope = curve.epsilon[j] + log_alpha;
    return std::min(0.0, log_plus(curve.log_delta[j], slope, k_u * magnitude(slope), side));
}

// log of the mirror image of line j: log(e^{-eps_j} (1 - delta_j - alpha)), from the smaller of the two differences.
double mirror_value(const EnvelopeView& curve, std::size_t j, const Abscissa& at, Side side) {
    const double gap = curve.log_complement[j] < at.log_rest
                           ? log_minus(curve.log_complement[j], at.log_alpha, 0.0, side)
                           : log_minus(at.log_rest, curve.log_delta[j], 0.0, side);
    return outward(gap - curve.epsilon[j], k_u * magnitude(curve.epsilon[j]), side);
}

// Corner i lies on lines i and i + 1; the true crossing is within `error` of the computed one. The corner is moved from
// it down to smaller alpha and smaller beta, the latter read off line i, the less steep, at the far end: where the two
// lines meet near the diagonal line i + 1 would lose all digits. f decreases, so points and chords moved down and to
// the left stay below it.
void certify_corners(Envelope& curve, const std::vector<Crossing>& crossings) {
    const std::size_t size = crossings.size();
    curve.log_alpha.resize(size);
    curve.log_beta.resize(size);
    curve.log_tpr.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
        const auto [log_alpha, error] = crossings[i];
        curve.log_alpha[i] = outward(log_alpha, error, Side::lower);
        const double far = outward(log_alpha, error, Side::upper);
        curve.log_beta[i] = line_value(curve, i, far, Side::lower);
        if (curve.side == Side::lower) {
            curve.log_tpr[i] = line_rate(curve, i, far, Side::upper);
        }
    }
}

double value_at(const EnvelopeView& curve, std::size_t line, bool mirrored, const Abscissa& at) {
    return mirrored && line > 0 ? mirror_value(curve, line, at, curve.side)
                                : line_value(curve, line, at.log_alpha, curve.side);
}

// Upper curve: the greatest beta, and the least rate, of the lines and their mirror images about the place. At a fixed
// alpha the values rise and then fall along the lines, up to the rounding of those that were kept in doubt; so going on
// from the place until a line is clearly lower, both ways, meets the greatest, wherever rounding put the breakpoints.
// Both images count everywhere: where lines all but coincide, the breakpoint of the diagonal is as doubtful as any.
OperatingPoint upper_point(const EnvelopeView& curve, const Place& place, const Abscissa& at) {
    double best = -k_infinity, best_line = -k_infinity, rate = 0.0;
    const auto clearly_lower = [&](std::size_t line) {
        const double own = value_at(curve, line, false, at);
        const double value = std::max(own, value_at(curve, line, true, at));
        const double its_rate = line_rate(curve, line, at.log_alpha, Side::lower);
        const bool lower = value < best - k_clearly || (!place.mirrored && its_rate > rate + k_clearly);
        best = std::max(best, value);
        best_line = std::max(best_line, own);
        rate = std::min(rate, its_rate);
        return lower;
    };
    for (std::size_t line = place.line; line < curve.epsilon.size() && !clearly_lower(line); ++line) {
    }
    for (std::size_t line = place.line; line > 0 && !clearly_lower(line - 1); --line) {
    }
    const bool mirrored = best_line < best || at.log_rest < best;
    best = std::min(best, at.log_rest);
    const double complement = log_complement(best, Side::lower);
    return {best, mirrored ? complement : std::max(complement, rate)};
}

// Lowers delta at line 0 to the height at which line 0 meets the diagonal where the lines of another point meet their
// mirror images, at alpha = (1 - delta_j) / (1 + e^{eps_j}): delta(0) <= (e^{eps_j} - 1 + 2 delta_j) / (1 + e^{eps_j}),
// and 1 - delta(0) >= 2 alpha. Each is a sum or product of its own, as neither holds the digits of the other. For a
// lower curve this is knowledge; for an upper curve it is slack. Line 0 then holds the diagonal.
void hold_diagonal(Lines& lines, Side side) {
    double delta = lines.log_delta[0], complement = lines.log_complement[0];
    for (std::size_t j = 1; j < lines.epsilon.size(); ++j) {
        const double eps = lines.epsilon[j];
        const double divisor = eps + std::log1p(std::exp(-eps));
        const double least = detail::log_expm1(eps) - divisor;  // log delta(0) if delta_j is 0
        if (least > delta && k_log_2 - divisor < complement) {
            break;  // and so are all later ones, as delta >= 0
        }
        const double error = 8.0 * k_u * (divisor + magnitude(least));
        delta = std::min(delta, outward(log_plus(least, k_log_2 + lines.log_delta[j] - divisor, error, other(side)),
                                        error, other(side)));
        complement =
            std::max(complement, outward(k_log_2 + lines.log_complement[j] - divisor, error + 2.0 * k_u, side));
    }
    lines.log_delta[0] = delta;
    lines.log_complement[0] = complement;
}

Envelope finished(Lines& lines, Side side) {
    hold_diagonal(lines, side);
    const std::vector<Crossing> crossings = take_envelope(lines, side);
    Envelope curve{side, std::move(lines.epsilon), std::move(lines.log_delta), std::move(lines.log_complement), {}, {},
                   {}};
    certify_corners(curve, crossings);
    return curve;
}

template <class MakeAbscissa>
OperatingPoints evaluated(const EnvelopeView& curve, std::span<const double> values, MakeAbscissa make) {
    OperatingPoints out{std::vector<double>(values.size()), std::vector<double>(values.size())};
    for (std::size_t i = 0; i < values.size(); ++i) {
        const OperatingPoint point = operating_point(curve, make(values[i], curve.side));
        out.log_beta[i] = point.log_beta;
        out.log_tpr[i] = point.log_tpr;
    }
    return out;
}

}  // namespace

Envelope lower_envelope(const ProfilePoints& points) {
    detail::check_profile(points);
    Lines lines;
    for (const detail::Value& value : detail::running_upper(points)) {
        lines.push(points.epsilon[lines.epsilon.size()], value.log_delta, value.log_complement);
    }
    return finished(lines, Side::lower);
}

Envelope upper_envelope(const ProfilePoints& points) {
    Corners corners = minorant_corners(points);
    Lines lines{std::move(corners.epsilon), std::move(corners.log_delta), std::move(corners.log_complement)};
    return finished(lines, Side::upper);
}

Place place_of(const EnvelopeView& curve, double log_alpha) {
    const auto& breaks = curve.log_alpha;
    if (breaks.empty() || log_alpha > breaks.front()) {
        const auto& mirrored = curve.log_beta;  // increasing
        const auto found =
            std::partition_point(mirrored.begin(), mirrored.end(), [&](double b) { return b < log_alpha; });
        const auto line = static_cast<std::size_t>(found - mirrored.begin());
        return {line, line > 0};
    }
    const auto found = std::partition_point(breaks.begin(), breaks.end(), [&](double a) { return a >= log_alpha; });
    return {static_cast<std::size_t>(found - breaks.begin()), false};
}

Abscissa abscissa_of_log(double log_alpha, Side side) {
    if (!(log_alpha <= 0.0)) {
        throw std::invalid_argument("log_alpha must be at most 0, got " + std::to_string(log_alpha));
    }
    return {log_alpha, log_complement(log_alpha, side)};
}

// f decreases: a lower bound may be read a little to the right, an upper bound a little to the left.
Abscissa abscissa_of(double alpha, Side side) {
    if (!(alpha >= 0.0 && alpha <= 1.0)) {
        throw std::invalid_argument("alpha must be in [0, 1], got " + std::to_string(alpha));
    }
    const double log_alpha = std::log(alpha);
    const double log_rest = std::log1p(-alpha);
    return {outward(log_alpha, 2.0 * k_u * magnitude(log_alpha), other(side)),
            outward(log_rest, 2.0 * k_u * magnitude(log_rest), side)};
}

OperatingPoint operating_point(const EnvelopeView& curve, const Abscissa& at) {
    const Side side = curve.side;
    const Place place = place_of(curve, at.log_alpha);
    if (side == Side::upper) {
        return upper_point(curve, place, at);
    }
    const double log_beta = std::min(value_at(curve, place.line, place.mirrored, at), at.log_rest);
    const double rate = place.mirrored ? log_complement(log_beta, Side::upper)
                                       : line_rate(curve, place.line, at.log_alpha, Side::upper);
    return {log_beta, rate};
}

OperatingPoints operating_points_at_log(const EnvelopeView& curve, std::span<const double> log_alphas) {
    return evaluated(curve, log_alphas, abscissa_of_log);
}

OperatingPoints operating_points_at(const EnvelopeView& curve, std::span<const double> alphas) {
    return evaluated(curve, alphas, abscissa_of);
}

}  // namespace hockeystick
