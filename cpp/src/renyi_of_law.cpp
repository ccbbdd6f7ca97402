// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "excess.hpp"
#include "hockeystick/profile.hpp"
#include "hockeystick/renyi.hpp"
#include "hockeystick/special.hpp"

namespace hockeystick {
namespace {

using detail::exponential_excess;

// A cell is split while it holds more of P than this, or a tail falls by more than this across it.
constexpr double k_largest_mass = 2.5e-4;
constexpr double k_largest_fall = 1.1;
// Masses of narrower cells, relative to the loss, are all rounding error; an atom may as well sit in a wider one.
constexpr double k_narrowest = 1e-6;
constexpr int k_deepest = 48;
// Cells of a law whose losses have both ends, at least.
constexpr double k_fewest = 1024.0;
// Losses whose tails under both P and Q are below this lie beyond the cells.
constexpr double k_least_tail = 1e-290;
// Exponents of the Chernoff bounds tried for a tail: 2^{i / 4} / 8.
constexpr int k_exponents = 64;

struct Knot {
    double loss;
    TailMasses at;
};

bool coarse(const Knot& low, const Knot& high) {
    const auto falls = [](double larger, double smaller) {
        return larger > k_least_tail && larger > k_largest_fall * smaller;
    };
    const double mass = std::min(low.at.p_above - high.at.p_above, high.at.p_below - low.at.p_below);
    return mass > k_largest_mass || falls(low.at.p_above, high.at.p_above) || falls(low.at.q_above, high.at.q_above) ||
           falls(high.at.p_below, low.at.p_below) || falls(high.at.q_below, low.at.q_below);
}

// `widest`: of any cell.
void subdivide(const LossLaw& law, std::vector<Knot>& knots, const Knot& high, double widest, int depth) {
    const Knot low = knots.back();
    const double middle = 0.5 * (low.loss + high.loss);
    const double width = high.loss - low.loss;
    const bool narrow = width <= k_narrowest * std::max(std::fabs(low.loss), std::fabs(high.loss));
    if (depth == 0 || narrow || (width <= widest && !coarse(low, high))) {
        knots.push_back(high);
        return;
    }
    const Knot between{middle, law.tails(middle)};
    subdivide(law, knots, between, widest, depth - 1);
    subdivide(law, knots, high, widest, depth - 1);
}

// Where the law ends, atoms included, or where its tails vanish.
double end_of(const LossLaw& law, bool upper) {
    const double end = upper ? law.greatest_loss() : law.least_loss();
    if (std::isfinite(end)) return end + (upper ? 1e-12 : -1e-12) * std::max(std::fabs(end), 1e-12);
    double reach = 1.0;
    const auto vanishes = [&](double loss) {
        const TailMasses at = law.tails(loss);
        return upper ? at.p_above <= k_least_tail : at.q_below <= k_least_tail;
    };
    while (reach < 1e300 && !vanishes(upper ? reach : -reach)) reach *= 2.0;
    return upper ? reach : -reach;
}

std::vector<Knot> knots_of(const LossLaw& law) {
    const double low = end_of(law, false), high = end_of(law, true);
    std::vector<Knot> knots{{low, law.tails(low)}};
    const bool bounded = std::isfinite(law.least_loss()) && std::isfinite(law.greatest_loss());
    const double widest = bounded ? (high - low) / k_fewest : k_infinity;
    if (low < 0.0 && high > 0.0) subdivide(law, knots, {0.0, law.tails(0.0)}, widest, k_deepest);
    subdivide(law, knots, {high, law.tails(high)}, widest, k_deepest);
    return knots;
}

// The law as atoms at the knots with the P and the Q mass of every cell, which is a chord of every convex function of
// e^L: an upper bound. Errors of the masses are added on either side.
struct DominatingAtoms {
    std::vector<double> losses, masses;
    double reverse_mass;
    double last;  // losses above are left to the law's own bound on its tail

    explicit DominatingAtoms(const LossLaw& law) {
        if (is_atomic(law)) {
            take(law);
        } else {
            connect(law);
        }
        reverse_mass += law.vanishing_mass().upper;
    }

private:
    void take(const LossLaw& law) {
        reverse_mass = 0.0;
        last = law.atoms().empty() ? 0.0 : law.atoms().back().loss;
        for (const Atom& atom : law.atoms()) {
            losses.push_back(atom.loss);
            const double error = law.tails(atom.loss).relative_error + 4.0 * k_unit_roundoff * -atom.log_mass;
            masses.push_back(std::exp(atom.log_mass) * (1.0 + error));
        }
    }

    void connect(const LossLaw& law) {
        const std::vector<Knot> knots = knots_of(law);
        const auto slack = [](const Knot& k, double tail) { return k.at.relative_error * tail; };
        for (const Knot& k : knots) losses.push_back(k.loss);
        masses.assign(knots.size(), 0.0);
        for (std::size_t i = 1; i < knots.size(); ++i) {
            const Knot &low = knots[i - 1], &high = knots[i];
            const bool p_top = low.at.p_above < low.at.p_below, q_top = low.at.q_above < low.at.q_below;
            const double p = p_top ? low.at.p_above - high.at.p_above : high.at.p_below - low.at.p_below;
            const double q = q_top ? low.at.q_above - high.at.q_above : high.at.q_below - low.at.q_below;
            const double p_error = p_top ? slack(low, low.at.p_above) + slack(high, high.at.p_above)
                                         : slack(low, low.at.p_below) + slack(high, high.at.p_below);
            const double q_error = q_top ? slack(low, low.at.q_above) + slack(high, high.at.q_above)
                                         : slack(low, low.at.q_below) + slack(high, high.at.q_below);
            const double width = high.loss - low.loss, grown = std::exp(low.loss) * q;
            const double up = std::clamp((p - grown) / -std::expm1(-width), 0.0, std::max(p, 0.0));
            const double error = p_error + std::exp(low.loss) * q_error + 4.0 * k_unit_roundoff * (p + grown);
            masses[i] += up + error / -std::expm1(-width);
            masses[i - 1] += std::max(p, 0.0) - up + error / -std::expm1(-width);
        }
        const TailMasses& first = knots.front().at;
        masses.front() += first.p_below * (1.0 + first.relative_error);
        reverse_mass = first.q_below * (1.0 + first.relative_error);
        last = knots.back().loss;
    }
};

// Log of E[g(tL)/t + g(-L)] beyond the cells, from above: g(tL) <= e^{tL}, for t <= 1 also g(tL)/t <= g(L), and
// g(-L) <= L <= e^{L - 1}.
double log_tail_upper(const LossLaw& law, double last, double t) {
    const double at_one = law.log_tilted_mass_above_upper(last, 1.0);
    if (t <= 1.0) return at_one + 0.4;
    return logaddexp(law.log_tilted_mass_above_upper(last, t) - std::log(t), at_one - 0.9) + 1e-12;
}

// log1p(t V)/t with V summed at the atoms, in units of its largest term where that is beyond doubles.
double of_atoms(const DominatingAtoms& atoms, double t, double log_tail) {
    double scale = std::max(0.0, log_tail + std::log(std::max(t, 1.0)));
    for (std::size_t j = 0; j < atoms.losses.size(); ++j)
        if (atoms.masses[j] > 0.0) scale = std::max(scale, t * atoms.losses[j] + std::log(atoms.masses[j]));
    const double rounding = 1e-12 + 4.0 * k_unit_roundoff * (t + 1.0) * std::fabs(atoms.last);
    if (scale <= 300.0) {
        double value = atoms.reverse_mass + std::exp(log_tail);
        for (std::size_t j = 0; j < atoms.losses.size(); ++j)
            if (atoms.masses[j] > 0.0)
                value += atoms.masses[j] * ((t > 0.0 ? exponential_excess(t * atoms.losses[j]) / t : 0.0) +
                                            exponential_excess(-atoms.losses[j]));
        return (t > 0.0 ? std::log1p(t * value) / t : value) * (1.0 + rounding);
    }
    double moment = t * std::exp(log_tail - scale) + (1.0 + t * atoms.reverse_mass) * std::exp(-scale);
    for (std::size_t j = 0; j < atoms.losses.size(); ++j)
        if (atoms.masses[j] > 0.0) moment += std::exp(t * atoms.losses[j] + std::log(atoms.masses[j]) - scale);
    return (scale + std::log(moment)) / t * (1.0 + rounding);
}

// A law of finitely many losses as it is.
std::vector<double> upper_of_atomic(const LossLaw& law, std::span<const double> orders) {
    std::vector<double> losses, masses, result;
    for (const Atom& atom : law.atoms()) losses.push_back(atom.loss), masses.push_back(std::exp(atom.log_mass));
    // V is linear in the masses, and log1p(t V)/t grows by less than V does.
    const double error = losses.empty() ? 0.0 : law.tails(losses.front()).relative_error;
    for (const Interval& bounds : renyi_bounds_of_atoms(losses, masses, 0.0, law.vanishing_mass().upper, orders))
        result.push_back(bounds.upper * (1.0 + error));
    return result;
}

}  // namespace

struct RenyiOfLaw::Atoms : DominatingAtoms {
    using DominatingAtoms::DominatingAtoms;
};

// Chernoff bounds of a law, delta(eps) <= C(s) e^{s D_{1+s} - s eps}, on a list of exponents s.
class RenyiOfLaw::Limit {
public:
    explicit Limit(LawHandle law) : curve(std::move(law)) {
        std::vector<double> orders;
        for (int i = 0; i < k_exponents; ++i) {
            exponents_.push_back(0.125 * std::exp2(0.25 * i));
            orders.push_back(1.0 + exponents_.back());
        }
        const std::vector<double> divergences = curve.upper(orders);
        for (int i = 0; i < k_exponents; ++i) {
            const double s = exponents_[static_cast<std::size_t>(i)];
            const double value = s * divergences[static_cast<std::size_t>(i)] + log_largest_weight(s);
            intercepts_.push_back(value + 1e-12 * (1.0 + std::fabs(value)));
        }
    }

    // What delta <= m = e^{log_mass} beyond `last` adds to E_P[e^{tL}] = t (t + 1) int e^{t eps} delta(eps) d eps: m up
    // to the place r at which a Chernoff bound of exponent s > t falls to m, that bound beyond; in all X(t) = m (t + 1)
    // e^{t r} s / (s - t). Returns the log of X(t) / t from above, and of X(1) for t <= 1: there (X(t) - m) / t counts,
    // which grows with t, as X / (t + 1) is convex. +inf where no exponent serves.
    double log_tail_upper(double last, double log_mass, double t) const {
        const double at = std::max(t, 1.0);
        double best = k_infinity;
        for (std::size_t i = 0; i < exponents_.size(); ++i) {
            const double s = exponents_[i];
            if (!(s > at)) continue;
            const double reach = std::max({last, 0.0, (intercepts_[i] - log_mass) / s});
            const double value = log_mass + std::log1p(at) + at * reach + std::log(s / (s - at)) - std::log(at);
            best = std::min(best, value + 1e-12 * (std::fabs(log_mass) + at * std::fabs(reach) + 1.0));
        }
        return best;
    }

    RenyiOfLaw curve;

private:
    std::vector<double> exponents_, intercepts_;
};

RenyiOfLaw::RenyiOfLaw(LawHandle law, LawHandle limit) : law_(std::move(law)) {
    if (limit) limit_ = std::make_shared<const Limit>(std::move(limit));
    const bool infinite = law_->infinity_mass().upper > 0.0;
    if (infinite ? limit_ != nullptr : !is_atomic(*law_)) atoms_ = std::make_shared<const Atoms>(*law_);
}

double RenyiOfLaw::of_own(double order) const {
    const double mass = law_->infinity_mass().upper;
    if (mass > 0.0 && (!limit_ || order == k_infinity)) return k_infinity;
    if (order == k_infinity) return std::max(law_->greatest_loss(), 0.0) * (1.0 + 1e-12);
    const double t = order - 1.0;
    double log_tail = -k_infinity;
    if (mass > 0.0) {
        log_tail = limit_->log_tail_upper(atoms_->last, std::log(mass), t);
        if (log_tail == k_infinity) return k_infinity;
    } else if (!(law_->greatest_loss() < k_infinity)) {
        log_tail = log_tail_upper(*law_, atoms_->last, t);
    }
    return of_atoms(*atoms_, t, log_tail) + law_->loss_error();
}

std::vector<double> RenyiOfLaw::upper(std::span<const double> orders) const {
    for (const double order : orders)
        if (!(order >= 1.0)) throw std::invalid_argument("orders must be at least 1, got " + std::to_string(order));
    std::vector<double> result;
    if (!atoms_ && !(law_->infinity_mass().upper > 0.0)) {
        result = upper_of_atomic(*law_, orders);
    } else {
        for (const double order : orders) result.push_back(of_own(order));
    }
    if (!limit_) return result;
    const std::vector<double> limits = limit_->curve.upper(orders);
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = std::min(result[i], limits[i]);
    return result;
}

}  // namespace hockeystick
