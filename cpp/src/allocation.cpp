// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/allocation.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "hockeystick/atoms_law.hpp"
#include "hockeystick/combined_law.hpp"
#include "hockeystick/error.hpp"
#include "repeated.hpp"

namespace hockeystick {
namespace {

// Cells of the two passes that show where the mass of a sum lies.
constexpr std::size_t k_sketch_cells = 256;

// The law of a sum of two independent ratios by cells (knots[c], knots[c + 1]], the last one open above: the mass, and
// the sum of mass times the distance from knots[c]. Terms are added by rows, so that no sum is deeper than `depth`.
struct CellSums {
    std::vector<double> mass;
    std::vector<double> excess;
    double depth;
};

CellSums sum_by_cells(const RatioLaw& a, const RatioLaw& b, std::span<const double> knots) {
    const std::size_t last = knots.size() - 1;
    CellSums sums{std::vector<double>(knots.size(), 0.0), std::vector<double>(knots.size(), 0.0),
                  static_cast<double>(a.ratios.size() + b.ratios.size())};
    std::size_t start = 0;
    for (std::size_t i = 0; i < a.ratios.size(); ++i) {
        const double shift = a.ratios[i];
        while (start < last && shift + b.ratios.front() > knots[start + 1]) ++start;
        std::size_t cell = start;
        double mass = 0.0, excess = 0.0;
        for (std::size_t j = 0; j < b.ratios.size(); ++j) {
            const double sum = shift + b.ratios[j];
            if (cell < last && sum > knots[cell + 1]) {
                sums.mass[cell] += a.masses[i] * mass;
                sums.excess[cell] += a.masses[i] * excess;
                mass = excess = 0.0;
                while (cell < last && sum > knots[cell + 1]) ++cell;
            }
            mass += b.masses[j];
            excess += b.masses[j] * (sum - knots[cell]);
        }
        sums.mass[cell] += a.masses[i] * mass;
        sums.excess[cell] += a.masses[i] * excess;
    }
    return sums;
}

double total_mass(const RatioLaw& law) {
    double sum = 0.0;
    for (const double mass : law.masses) sum += mass;
    return sum;
}

// What the sum of two laws inherits besides its atoms.
RatioLaw sum_without_atoms(const RatioLaw& a, const RatioLaw& b, double depth) {
    RatioLaw sum;
    // An infinite likelihood in either term, whatever the other is.
    sum.singular = a.singular * total_mass(b) + b.singular * total_mass(a);
    const double roundings = (depth + 8.0) * k_unit_roundoff;
    sum.mass_error = (1.0 + a.mass_error) * (1.0 + b.mass_error) * (1.0 + roundings) - 1.0 + 4.0 * k_unit_roundoff;
    // The sum itself, and the mean excess over a knot: two sums, and what dominating_sum rounds it down by.
    sum.ratio_error = std::max(a.ratio_error, b.ratio_error) + 4.0 * roundings;
    return sum;
}

RatioLaw dominating_sum(const RatioLaw& a, const RatioLaw& b, std::span<const double> knots) {
    const CellSums cells = sum_by_cells(a, b, knots);
    RatioLaw sum = sum_without_atoms(a, b, cells.depth);
    std::vector<double> masses(knots.size(), 0.0);
    // Rounded down, so that it is the spread of sums that are a little less but still within the cell.
    const double rounded_down = 1.0 - 2.0 * (cells.depth + 8.0) * k_unit_roundoff;
    for (std::size_t c = 0; c + 1 < knots.size(); ++c) {
        const double up = std::min(rounded_down * cells.excess[c] / (knots[c + 1] - knots[c]), cells.mass[c]);
        masses[c] += cells.mass[c] - up;
        masses[c + 1] += up;
    }
    masses.back() += cells.mass.back();
    sum.singular += cells.excess.back() + k_underflow;
    masses.front() += k_underflow;
    for (std::size_t c = 0; c < knots.size(); ++c) {
        if (!(masses[c] > 0.0)) continue;
        sum.ratios.push_back(knots[c]);
        sum.masses.push_back(masses[c]);
    }
    return sum;
}

RatioLaw dominated_sum(const RatioLaw& a, const RatioLaw& b, std::span<const double> knots) {
    const CellSums cells = sum_by_cells(a, b, knots);
    RatioLaw sum = sum_without_atoms(a, b, cells.depth);
    for (std::size_t c = 0; c < knots.size(); ++c) {
        // Denormal masses have no relative accuracy left.
        if (!(cells.mass[c] > k_underflow)) continue;
        sum.ratios.push_back(knots[c] + cells.excess[c] / cells.mass[c]);
        sum.masses.push_back(cells.mass[c]);
    }
    return sum;
}

std::vector<double> knots_of(std::span<const double> log_knots) {
    std::vector<double> knots{0.0};
    for (const double log_knot : log_knots) {
        const double knot = std::exp(log_knot);
        if (knot > knots.back()) knots.push_back(knot);
    }
    return knots;
}

double least_positive(const RatioLaw& law) {
    const auto found = std::upper_bound(law.ratios.begin(), law.ratios.end(), 0.0);
    return found == law.ratios.end() ? law.ratios.back() : *found;
}

// Every `stride`-th atom holds the mass of its neighbours: good enough to place knots.
RatioLaw thinned(const RatioLaw& law) {
    RatioLaw thin;
    const std::size_t stride = 1 + law.ratios.size() / k_sketch_cells;
    for (std::size_t i = 0; i < law.ratios.size(); ++i) {
        if (i % stride == 0) {
            thin.ratios.push_back(law.ratios[i]);
            thin.masses.push_back(0.0);
        }
        thin.masses.back() += law.masses[i];
    }
    return thin;
}

// Knots for the sum: an even sketch in log ratio, one graded by it, then the grid graded by that.
std::vector<double> graded_knots(const RatioLaw& a, const RatioLaw& b, std::size_t cells) {
    if (a.ratios.empty() || b.ratios.empty()) throw accuracy_error("allocation: no ratio is left on the grid");
    const double low = std::log(std::min(least_positive(a), least_positive(b)));
    const double high = std::log(a.ratios.back() + b.ratios.back());
    std::vector<double> log_knots;
    for (std::size_t i = 0; i <= k_sketch_cells; ++i) {
        log_knots.push_back(low + (high - low) * static_cast<double>(i) / static_cast<double>(k_sketch_cells));
    }
    const RatioLaw thin_a = thinned(a), thin_b = thinned(b);
    for (const std::size_t next : {k_sketch_cells, cells}) {
        const std::vector<double> knots = knots_of(log_knots);
        if (knots.size() < 3) throw accuracy_error("allocation: no grid holds the ratios");
        const CellSums sketch = sum_by_cells(thin_a, thin_b, knots);
        std::vector<double> q, p;
        for (std::size_t c = 1; c + 1 < knots.size(); ++c) {
            q.push_back(sketch.mass[c]);
            p.push_back(sketch.mass[c] * knots[c] + sketch.excess[c]);
        }
        std::vector<double> edges;
        for (std::size_t c = 1; c < knots.size(); ++c) edges.push_back(std::log(knots[c]));
        log_knots = graded_log_knots(edges, q, p, next);
    }
    return knots_of(log_knots);
}

RatioLaw sum_of(const RatioLaw& a, const RatioLaw& b, Dominance side, std::size_t cells) {
    const std::vector<double> knots = graded_knots(a, b, cells);
    return side == Dominance::dominating ? dominating_sum(a, b, knots) : dominated_sum(a, b, knots);
}

}  // namespace

RatioLaw mean_of_ratios(const RatioLaw& one, Dominance side, std::uint64_t steps, std::size_t cells) {
    if (steps == 0) throw std::invalid_argument("steps must be at least 1, got 0");
    if (cells < k_least_cells) {
        throw std::invalid_argument("cells must be at least " + std::to_string(k_least_cells) + ", got " +
                                    std::to_string(cells));
    }
    // Nothing but singular mass: so is the mean.
    if (one.ratios.empty() || one.ratios.back() == 0.0) return one;
    RatioLaw mean =
        detail::power(one, steps, [&](const RatioLaw& a, const RatioLaw& b) { return sum_of(a, b, side, cells); });
    for (double& ratio : mean.ratios) ratio /= static_cast<double>(steps);
    mean.singular /= static_cast<double>(steps);
    mean.ratio_error += k_unit_roundoff;
    return mean;
}

AllocationLaws allocation_laws(const LawHandle& base, Dominance side, std::uint64_t steps, std::size_t cells) {
    const bool dominating = side == Dominance::dominating;
    if (base->tails(k_most_log_ratio).p_above > k_most_beyond) {
        const LawHandle nothing = atoms_law({{0.0}, {0.0}});
        return dominating ? AllocationLaws{base, reversed_law(base)} : AllocationLaws{nothing, nothing};
    }
    const RatioLaw mean = mean_of_ratios(ratio_law(*base, side, cells), side, steps, cells);
    AtomTable remove = loss_atoms(mean, Direction::remove, side), add = loss_atoms(mean, Direction::add, side);
    if (dominating) {
        // What truncation adds at infinity may not be there; and a mixture of releases is no worse than the release.
        remove.infinity_mass.lower = std::min(remove.infinity_mass.lower, base->infinity_mass().lower);
        add.infinity_mass.lower = 0.0;
        remove.gaussian_mu = add.gaussian_mu = base->gaussian_mu();
    }
    return {atoms_law(std::move(remove)), atoms_law(std::move(add))};
}

}  // namespace hockeystick
