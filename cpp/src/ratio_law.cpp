// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/ratio_law.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "hockeystick/lattice.hpp"

namespace hockeystick {
namespace {

// Cells of the sketch that grades the grid, and of the pass that grades the sketch.
constexpr std::size_t k_sketch_cells = 512;
// Q tails below this leave too few digits for products of masses; what P has there is singular.
constexpr double k_least_q_tail = 1e-100;
// A mean ratio known less well than this leaves its cell out of the dominated law.
constexpr double k_most_ratio_error = 1e-10;
constexpr int k_bisections = 40;
// Mass of P or of Q that a dominated law may have left out.
constexpr double k_most_lack = 1e-3;

struct Edge {
    double log_ratio;
    TailMasses tails;
};

// Relative error of the mean ratio of a cell, to either side; infinite for an empty one.
double mean_error(const CellMass& cell) {
    if (!(cell.p > 0.0 && cell.q > 0.0)) return k_infinity;
    return 2.0 * (cell.p_error / cell.p + cell.q_error / cell.q + 8.0 * k_unit_roundoff);
}

// The nearest loss on the way from 0 to `sign` * infinity at which `negligible` holds, or the end of the support.
template <typename Predicate>
double range_end(double sign, double support, Predicate negligible) {
    double inside = 0.0, outside = sign;
    const auto beyond = [&](double loss) { return sign * loss >= sign * support; };
    while (!beyond(outside) && !negligible(outside)) {
        inside = outside;
        outside *= 2.0;
    }
    if (beyond(outside)) {
        if (!negligible(support)) return support;
        outside = support;
    }
    for (int step = 0; step < k_bisections; ++step) {
        const double middle = 0.5 * (inside + outside);
        (negligible(middle) ? outside : inside) = middle;
    }
    return outside;
}

class Builder {
public:
    explicit Builder(const LossLaw& law) : law_(law), least_(law.least_loss()), greatest_(law.greatest_loss()) {}

    std::vector<Edge> graded_edges(std::size_t cells) const { return settled(edges_at(graded_knots(cells))); }

private:
    std::vector<double> graded_knots(std::size_t cells) const {
        std::vector<double> knots = even_knots(k_sketch_cells);
        for (const std::size_t next : {k_sketch_cells, cells}) {
            std::vector<double> q, p;
            const std::vector<Edge> edges = edges_at(knots);
            for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
                const CellMass cell = cell_mass(edges[i].tails, edges[i + 1].tails);
                q.push_back(cell.q);
                p.push_back(cell.p);
            }
            knots = graded_log_knots(knots, q, p, next);
            // A bounded ratio stays bounded, however thin its ends are.
            if (least_ >= -k_most_log_ratio && least_ < knots.front()) knots.insert(knots.begin(), least_);
            if (greatest_ <= k_most_log_ratio && greatest_ > knots.back()) knots.push_back(greatest_);
        }
        return knots;
    }

    // Leaves out edges until every cell's mean ratio is known well, or the cell is empty but for noise: beside an atom
    // cells may hold too little to tell from the roundings of the tails.
    static std::vector<Edge> settled(const std::vector<Edge>& edges) {
        std::vector<Edge> kept{edges.front()};
        for (std::size_t i = 1; i < edges.size(); ++i) {
            const CellMass cell = cell_mass(kept.back().tails, edges[i].tails);
            const bool noise = cell.p <= cell.p_error && cell.q <= cell.q_error;
            if (noise || mean_error(cell) <= k_most_ratio_error || i + 1 == edges.size()) kept.push_back(edges[i]);
        }
        return kept;
    }

    std::vector<double> even_knots(std::size_t cells) const {
        const double low = range_end(-1.0, least_, [&](double l) {
            return l <= -k_most_log_ratio || law_.tails(l).q_below <= k_negligible_tail;
        });
        const double high = range_end(1.0, greatest_, [&](double l) {
            const TailMasses at = law_.tails(l);
            return l >= k_most_log_ratio || at.p_above <= k_negligible_tail || at.q_above <= k_least_q_tail;
        });
        std::vector<double> knots;
        for (std::size_t i = 0; i <= cells; ++i) {
            const double part = static_cast<double>(i) / static_cast<double>(cells);
            knots.push_back(i == cells ? high : low + part * (high - low));
        }
        return knots;
    }

    std::vector<Edge> edges_at(std::span<const double> knots) const {
        std::vector<Edge> edges;
        for (const double knot : knots) edges.push_back({knot, law_.tails(knot)});
        return edges;
    }

    const LossLaw& law_;
    double least_;
    double greatest_;
};

// Q masses at the ends of a cell of ratios [low, high] that keep P and Q mass. The Q mass is rounded up by its error
// bound. The mean ratio is known to a relative error, and the law is spread from a mean and to ends within that error:
// `ratio_error` is what the ends then owe. A cell whose mean is not known gets every share rounded up instead.
struct Shares {
    double down;
    double up;
    double ratio_error;
};

Shares spread(const CellMass& cell, double low, double high) {
    constexpr double roundings = 8.0 * k_unit_roundoff;
    const double most = (cell.q + cell.q_error) * (1.0 + roundings);
    const double error = mean_error(cell);
    if (error <= k_most_ratio_error) {
        const double low_end = low * (1.0 - error), high_end = high * (1.0 + error);
        const double up = most * std::clamp((cell.p / cell.q - low_end) / (high_end - low_end), 0.0, 1.0);
        return {most - up, up, error};
    }
    const double up = cell.p - low * cell.q + cell.p_error + low * cell.q_error + roundings * (cell.p + low * cell.q);
    const double down =
        high * cell.q - cell.p + cell.p_error + high * cell.q_error + roundings * (cell.p + high * cell.q);
    const double width = (high - low) * (1.0 - roundings);
    return {std::clamp(down / width, 0.0, most), std::clamp(up / width, 0.0, most), 0.0};
}

RatioLaw dominating_law(const LossLaw& base, std::span<const Edge> edges) {
    RatioLaw law;
    const Edge& first = edges.front();
    const Edge& last = edges.back();
    const double up = 1.0 + first.tails.relative_error;
    // Below the first knot: if the support ends there, all of it is at the knot; else spread between 0 and the knot.
    const bool ends = first.log_ratio <= base.least_loss();
    const double ratio = std::exp(first.log_ratio);
    law.ratios = {0.0, ratio};
    law.masses = {ends ? 0.0 : first.tails.q_below * up,
                  (ends ? first.tails.q_below : first.tails.p_below / ratio) * up};
    law.masses.front() += base.vanishing_mass().upper;
    for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
        const double low = law.ratios.back(), high = std::exp(edges[i + 1].log_ratio);
        const Shares shares = spread(cell_mass(edges[i].tails, edges[i + 1].tails), low, high);
        law.ratio_error = std::max(law.ratio_error, shares.ratio_error);
        law.masses.back() += shares.down;
        law.ratios.push_back(high);
        law.masses.push_back(shares.up);
    }
    law.masses.back() += last.tails.q_above * (1.0 + last.tails.relative_error);
    law.singular = last.tails.p_above * (1.0 + last.tails.relative_error) + base.infinity_mass().upper;
    law.mass_error = 8.0 * k_unit_roundoff;
    law.ratio_error += 8.0 * k_unit_roundoff;
    return law;
}

RatioLaw dominated_law(const LossLaw& base, std::span<const Edge> edges) {
    RatioLaw law;
    if (base.vanishing_mass().lower > 0.0) {
        law.ratios.push_back(0.0);
        law.masses.push_back(base.vanishing_mass().lower);
    }
    const auto push = [&](const TailMasses& lower, const TailMasses& upper) {
        const CellMass cell = cell_mass(lower, upper);
        const double q = cell.q - cell.q_error;
        const double error = mean_error(cell);
        if (!(q > 0.0) || error > k_most_ratio_error) return;
        law.ratios.push_back(cell.p / cell.q);
        law.masses.push_back(q);
        law.ratio_error = std::max(law.ratio_error, error);
    };
    push({0.0, 1.0, 0.0, 1.0, 0.0}, edges.front().tails);
    for (std::size_t i = 0; i + 1 < edges.size(); ++i) push(edges[i].tails, edges[i + 1].tails);
    push(edges.back().tails, {1.0, 0.0, 1.0, 0.0, 0.0});
    law.singular = base.infinity_mass().lower;
    law.mass_error = 8.0 * k_unit_roundoff;
    law.ratio_error += 8.0 * k_unit_roundoff;
    return law;
}

// Finitely many outcomes need no cells.
RatioLaw law_of_atoms(const LossLaw& base, Dominance side) {
    const auto bound = [&](const Interval& x) { return side == Dominance::dominating ? x.upper : x.lower; };
    const bool dominating = side == Dominance::dominating;
    RatioLaw law;
    double zero = bound(base.vanishing_mass()), singular = bound(base.infinity_mass()), largest = 0.0;
    for (const Atom& atom : base.atoms()) {
        const double q = std::exp(atom.log_mass - atom.loss);
        if (std::fabs(atom.loss) > k_most_log_ratio) {
            if (dominating) zero += q;
            if (dominating && atom.loss > 0.0) singular += std::exp(atom.log_mass);
            continue;
        }
        law.ratios.push_back(std::exp(atom.loss));
        law.masses.push_back(q);
        largest = std::max(largest, std::fabs(atom.loss) + std::fabs(atom.log_mass));
    }
    if (zero > 0.0) {
        law.ratios.insert(law.ratios.begin(), 0.0);
        law.masses.insert(law.masses.begin(), zero);
    }
    law.singular = singular;
    law.mass_error = base.tails(0.0).relative_error + k_unit_roundoff * (4.0 + largest);
    law.ratio_error = k_unit_roundoff * (4.0 + largest);
    return law;
}

}  // namespace

std::vector<double> graded_log_knots(std::span<const double> log_edges, std::span<const double> q_masses,
                                     std::span<const double> p_masses, std::size_t cells) {
    if (q_masses.empty()) return {log_edges.begin(), log_edges.end()};
    std::size_t begin = 0, end = q_masses.size();
    double q_sum = 0.0, p_sum = 0.0;
    for (std::size_t i = 0; i < end; ++i) {
        q_sum += q_masses[i];
        p_sum += p_masses[i];
    }
    for (double q = q_masses[begin]; begin + 1 < end && q <= k_negligible_tail * q_sum; q += q_masses[begin]) ++begin;
    for (double p = p_masses[end - 1]; end > begin + 1 && p <= k_negligible_tail * p_sum; p += p_masses[end - 1]) --end;
    // Four measures of equal weight; each cell's part of a measure is its density to some power times its width.
    const double range = log_edges[end] - log_edges[begin];
    std::vector<double> bulk_q, bulk_p, tails, even;
    for (std::size_t i = begin; i < end; ++i) {
        const double width = log_edges[i + 1] - log_edges[i];
        bulk_q.push_back(width * std::cbrt(q_masses[i] / width));
        bulk_p.push_back(width * std::cbrt(p_masses[i] / width));
        const double share = (q_sum > 0.0 ? q_masses[i] / q_sum : 0.0) + (p_sum > 0.0 ? p_masses[i] / p_sum : 0.0);
        tails.push_back(width * std::pow(share / width, 1.0 / 16.0));
        even.push_back(width / range);
    }
    std::vector<double> parts(end - begin, 0.0);
    for (const std::vector<double>* measure : {&bulk_q, &bulk_p, &tails, &even}) {
        const double sum = std::accumulate(measure->begin(), measure->end(), 0.0);
        if (!(sum > 0.0)) continue;  // nothing between the ends
        for (std::size_t i = 0; i < parts.size(); ++i) {
            parts[i] += 0.25 * static_cast<double>(cells) * (*measure)[i] / sum;
        }
    }
    // Inverted by linear interpolation within the sketch's cells.
    std::vector<double> knots{log_edges[begin]};
    double done = 0.0;
    for (std::size_t i = begin; i < end; ++i) {
        const double width = log_edges[i + 1] - log_edges[i];
        const double part = parts[i - begin];
        while (static_cast<double>(knots.size()) <= done + part && knots.size() < cells) {
            const double knot = log_edges[i] + width * (static_cast<double>(knots.size()) - done) / part;
            if (knot <= knots.back()) break;
            knots.push_back(knot);
        }
        done += part;
    }
    if (log_edges[end] > knots.back()) knots.push_back(log_edges[end]);
    return knots;
}

RatioLaw ratio_law(const LossLaw& law, Dominance side, std::size_t cells) {
    if (cells < k_least_cells) {
        throw std::invalid_argument("cells must be at least " + std::to_string(k_least_cells) + ", got " +
                                    std::to_string(cells));
    }
    const TailMasses at_zero = law.tails(0.0);
    const bool finite = at_zero.p_below + at_zero.p_above > 0.0;
    if (!finite || (!law.atoms().empty() && law.atoms().size() <= cells)) return law_of_atoms(law, side);
    const std::vector<Edge> edges = Builder(law).graded_edges(cells);
    return side == Dominance::dominating ? dominating_law(law, edges) : dominated_law(law, edges);
}

AtomTable loss_atoms(const RatioLaw& law, Direction direction, Dominance side) {
    const double outward = side == Dominance::dominating ? 1.0 : -1.0;
    const bool remove = direction == Direction::remove;
    AtomTable atoms;
    double p_sum = 0.0, q_sum = 0.0, zero = 0.0;
    for (std::size_t i = 0; i < law.ratios.size(); ++i) {
        const double q = law.masses[i], ratio = law.ratios[i];
        q_sum += q;
        p_sum += q * ratio;
        if (ratio == 0.0) zero = q;
        if (ratio == 0.0 || q == 0.0) continue;
        const double log_ratio = std::log(ratio);
        const double shift = outward * (law.ratio_error + 2.0 * k_unit_roundoff * (1.0 + std::fabs(log_ratio)));
        // P mass rounded outward, so that Q mass, e^{-loss} times that, stays what it is.
        atoms.loss.push_back((remove ? log_ratio : -log_ratio) + shift);
        atoms.log_p.push_back(std::log(q) + (remove ? log_ratio + shift : 0.0));
    }
    const double singular = law.singular * (1.0 + outward * law.ratio_error);
    const double p_total = p_sum + singular;
    const double sum = std::max(p_total, q_sum), lack = sum - std::min(p_total, q_sum);
    // Too much left out to be a law: one that tells nothing is dominated by all.
    if (side == Dominance::dominated && !(lack + std::fabs(sum - 1.0) <= k_most_lack)) return {{0.0}, {0.0}};
    const double log_sum = std::log(sum);
    for (double& log_p : atoms.log_p) log_p -= log_sum;
    // Two sums of `ratios.size()` terms, and logs of masses.
    atoms.relative_error = law.mass_error + std::fabs(sum - 1.0) + lack +
                           k_unit_roundoff * (800.0 + 2.0 * static_cast<double>(law.ratios.size()));
    const double factor = (1.0 + outward * atoms.relative_error) / sum;
    const Interval singular_mass{singular * factor, singular * factor}, zero_mass{zero * factor, zero * factor};
    atoms.infinity_mass = remove ? singular_mass : zero_mass;
    atoms.vanishing_mass = remove ? zero_mass : singular_mass;
    return atoms;
}

}  // namespace hockeystick
