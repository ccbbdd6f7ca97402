// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

// The symmetric trade-off function f of a privacy profile, bounded from both sides, in the log domain:
//   f(alpha) = sup over eps >= 0 of max{0, 1 - delta(eps) - e^eps alpha, e^{-eps} (1 - delta(eps) - alpha)}.
// Each certified point of the profile is a line below f and its mirror image in the diagonal. Lower curve: the upper
// envelope of those lines, which is convex, non-increasing, symmetric and piecewise linear, so that reading a line is
// exact interpolation. Upper curve: delta is convex in x = e^eps, so between its points it lies above the extensions
// of the neighbouring chords; the corners of that minorant are lines whose envelope lies above f.
//
// Certification. A lower value is a line of the profile evaluated with all roundings outward (their count is at each
// place); every line is valid whichever one is picked, so an inexact breakpoint costs tightness of relative size u and
// never validity. An upper value is the greatest of the lines about the abscissa: the search goes on until lines are
// clearly lower, and lines whose place rounding leaves in doubt are kept. Log-domain inputs (epsilon, log alpha) are
// taken as exact. Relative accuracy of a log value is about u (eps + |log alpha|) / (1 - x alpha / (1 - delta)).
//
// Tightness: with points spacing = kappa / sqrt(theta (theta + 1)) apart, theta = -d log delta / d eps, the two sides
// are about kappa^2 / 150 apart in beta about the middle of a curve, and mu (gdp.hpp) comes out too large by about
// 0.006 kappa^2 of itself (DP-SGD, rate .01, noise 1; 250 points at kappa = 0.1). upper_envelope and fit_mu_lower tell
// it exactly in each case.
//
// Cost: linear in the number of points, about 0.15 us each (lower) and 0.5 us (upper); 0.1 us per value. Pure
// functions, any thread. Arguments out of their domain throw std::invalid_argument.

namespace hockeystick {

enum class Side { lower, upper };

// What is known of delta between its points: it is convex in e^eps, or linear there (f is a polygon whose edges have
// these slopes, and beyond the last point delta is flat).
enum class Between { convex, linear };

// Certified points of a profile, the maximum over directions: epsilon increasing from exactly 0, finite; natural logs
// in [-inf, 0]; log_delta_lower <= truth <= log_delta_upper at each. The complements are bounds on log(1 - delta),
// either empty or one a point: where delta is near 1 its own log cannot hold what they hold, and the tighter one
// counts.
struct ProfilePoints {
    std::span<const double> epsilon;
    std::span<const double> log_delta_upper;
    std::span<const double> log_delta_lower;
    std::span<const double> log_complement_lower = {};
    std::span<const double> log_complement_upper = {};
    Between between = Between::convex;
};

// The same columns, owned.
struct ProfileTable {
    std::vector<double> epsilon;
    std::vector<double> log_delta_upper;
    std::vector<double> log_delta_lower;
    std::vector<double> log_complement_lower;
    std::vector<double> log_complement_upper;
    Between between = Between::convex;

    ProfilePoints points() const {
        return {epsilon, log_delta_upper, log_delta_lower, log_complement_lower, log_complement_upper, between};
    }
};

// Lines y = 1 - delta_j - e^{eps_j} alpha, steeper one by one, and where each takes over from the one before:
// log_alpha[i] between lines i and i + 1, decreasing. Between log_alpha.front() and its mirror image lies the segment
// of slope -1 (line 0). With Side::lower the corners are certified: the polygon through (log_alpha, log_beta) lies
// below f, and log_tpr >= log(1 - beta) there. They are right to the roundings of their logs, also near the diagonal.
struct Envelope {
    Side side;
    std::vector<double> epsilon;
    std::vector<double> log_delta;       // outward: upper for Side::lower, lower for Side::upper
    std::vector<double> log_complement;  // log(1 - delta), outward the other way
    std::vector<double> log_alpha;
    std::vector<double> log_beta;
    std::vector<double> log_tpr;
};

// The same columns, not owned: what the readers of a curve take.
struct EnvelopeView {
    Side side;
    std::span<const double> epsilon;
    std::span<const double> log_delta;
    std::span<const double> log_complement;
    std::span<const double> log_alpha;
    std::span<const double> log_beta;
    std::span<const double> log_tpr;

    EnvelopeView(Side which, std::span<const double> eps, std::span<const double> delta,
                 std::span<const double> complement, std::span<const double> alpha, std::span<const double> beta,
                 std::span<const double> tpr)
        : side(which),
          epsilon(eps),
          log_delta(delta),
          log_complement(complement),
          log_alpha(alpha),
          log_beta(beta),
          log_tpr(tpr) {}
    EnvelopeView(const Envelope& curve)  // implicit: an Envelope is read through its view
        : EnvelopeView(curve.side, curve.epsilon, curve.log_delta, curve.log_complement, curve.log_alpha,
                       curve.log_beta, curve.log_tpr) {}
};

Envelope lower_envelope(const ProfilePoints& points);
Envelope upper_envelope(const ProfilePoints& points);

// Corners (eps, log delta, log(1 - delta)) of the convex minorant of delta on eps >= 0 that the upper envelope is made
// of: epsilon increasing, log_delta rounded down, log_complement rounded up. If delta may reach 0, the last
// corner is the first place where it may, with log_delta = -inf.
struct Corners {
    std::vector<double> epsilon;
    std::vector<double> log_delta;
    std::vector<double> log_complement;
};
Corners minorant_corners(const ProfilePoints& points);

// log(TPR - alpha) of one line at alpha: log(delta + (e^eps - 1) alpha), a sum of what is positive, so that a curve
// near 1 - alpha keeps its digits. Upper bound on the line's for Side::lower, lower bound for Side::upper.
double log_gain(const EnvelopeView& curve, std::size_t line, double log_alpha);

// log(TPR - FPR) of the curve at log_alpha up to its diagonal point: an upper bound for Side::lower, a lower bound for
// Side::upper; beyond it log delta(0) and -inf.
double log_gain_bound(const EnvelopeView& curve, double log_alpha);
std::vector<double> log_gains_at(const EnvelopeView& curve, std::span<const double> log_alphas);

// Where f meets the diagonal: log alpha with f(alpha) = alpha, a lower bound for Side::lower, an upper one otherwise.
double log_diagonal(const EnvelopeView& curve);

// The line that f is read from at log_alpha, and whether as its mirror image.
struct Place {
    std::size_t line;
    bool mirrored;
};
Place place_of(const EnvelopeView& curve, double log_alpha);

// An abscissa with both of its logs. log_alpha in [-inf, 0]; from_alpha widens by the rounding of its logs towards
// the side that keeps a bound valid.
struct Abscissa {
    double log_alpha;
    double log_rest;  // log(1 - alpha)
};
Abscissa abscissa_of_log(double log_alpha, Side side);
Abscissa abscissa_of(double alpha, Side side);

// log f and log(1 - f) at one abscissa: for Side::lower a lower bound on beta and an upper bound on the true-positive
// rate; for Side::upper the reverse.
struct OperatingPoint {
    double log_beta;
    double log_tpr;
};
OperatingPoint operating_point(const EnvelopeView& curve, const Abscissa& at);

// log beta and log tpr at every log_alpha (or alpha), as two columns.
struct OperatingPoints {
    std::vector<double> log_beta;
    std::vector<double> log_tpr;
};
OperatingPoints operating_points_at_log(const EnvelopeView& curve, std::span<const double> log_alphas);
OperatingPoints operating_points_at(const EnvelopeView& curve, std::span<const double> alphas);

}  // namespace hockeystick
