// SPDX-License-Identifier: Apache-2.0
// k of t, from below: an additive statistic of the releases, whose laws with and without the record are convolutions.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "hockeystick/allocation.hpp"
#include "hockeystick/atoms_law.hpp"
#include "repeated.hpp"

namespace hockeystick {
namespace {

// Points of the statistic's lattice.
constexpr std::size_t k_lattice = 4096;
// No wider than this part of the statistic's deviation for one release, where the lattice can reach far enough.
constexpr double k_step = 0.25;
// How far it reaches: standard deviations of the sum, and twice the loss that one participation exceeds so rarely.
constexpr double k_deviations = 10.0;
constexpr double k_rare = 1e-10;
// Relative errors that a law may have; with more it is left out.
constexpr double k_most_error = 1e-3;

// Masses on 0, 1, ..., of a sum that stops at the last point.
using Masses = std::vector<double>;

// The law of min(i + j, last): a function of the outcomes that does not depend on the order of the sums.
Masses sum_of(const Masses& a, const Masses& b) {
    const std::size_t last = a.size() - 1;
    Masses result(a.size(), 0.0), above(b);  // above[j]: of b from j on
    for (std::size_t j = last; j-- > 0;) above[j] += above[j + 1];
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i] == 0.0) continue;
        for (std::size_t j = 0; i + j < last; ++j) result[i + j] += a[i] * b[j];
        result[last] += a[i] * above[last - i];
    }
    return result;
}

// One release: its outcomes' masses and where the statistic puts them.
struct Release {
    Masses q, p;
};

struct Moments {
    double mean = 0.0, variance = 0.0;
};

Moments moments_of(const std::vector<double>& values, const std::vector<double>& masses) {
    const double total = std::reduce(masses.begin(), masses.end());
    Moments m;
    for (std::size_t i = 0; i < values.size(); ++i) m.mean += masses[i] / total * values[i];
    for (std::size_t i = 0; i < values.size(); ++i) {
        m.variance += masses[i] / total * (values[i] - m.mean) * (values[i] - m.mean);
    }
    return m;
}

// The statistic is the loss that the release would have on a Poisson sample of rate k / t, on a lattice from its least
// value: any function would do, this one orders outcomes nearly as the likelihood ratio of the subset does.
Release on_lattice(const RatioLaw& one, double steps, double participations) {
    const double rate = participations / steps;
    std::vector<double> values, p_masses;
    for (std::size_t i = 0; i < one.ratios.size(); ++i) {
        values.push_back(std::log1p(rate * (one.ratios[i] - 1.0)));
        p_masses.push_back(one.ratios[i] * one.masses[i]);
    }
    const double least = values.front();
    for (double& value : values) value -= least;
    double top = values.back(), tail = 0.0;
    for (std::size_t i = values.size(); i-- > 0 && tail < k_rare;) {
        top = values[i];
        tail += p_masses[i];
    }
    const Moments without = moments_of(values, one.masses), with = moments_of(values, p_masses);
    const double reach = (steps - participations) * without.mean + participations * with.mean + 2.0 * top +
                         k_deviations * std::sqrt(steps * without.variance + participations * with.variance);
    const double last = static_cast<double>(k_lattice - 1);
    const double step = std::max({k_step * std::sqrt(without.variance), reach / last, 1e-300});
    Release release{Masses(k_lattice, 0.0), Masses(k_lattice, 0.0)};
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto at = static_cast<std::size_t>(std::min(std::round(values[i] / step), last));
        release.q[at] += one.masses[i];
        release.p[at] += p_masses[i];
    }
    return release;
}

// Outcomes with the same value of the statistic as one, by increasing ratio; masses too small to be right are left out.
RatioLaw merged(const Masses& q, const Masses& p) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < q.size(); ++i) {
        if (q[i] > k_underflow && p[i] > k_underflow) order.push_back(i);
    }
    std::ranges::sort(order, {}, [&](std::size_t i) { return p[i] / q[i]; });
    RatioLaw law;
    for (const std::size_t i : order) {
        law.ratios.push_back(p[i] / q[i]);
        law.masses.push_back(q[i]);
    }
    return law;
}

}  // namespace

RatioLaw subset_ratio_lower(const RatioLaw& one, std::uint64_t steps, std::uint64_t participations) {
    if (participations == 0 || participations > steps) {
        throw std::invalid_argument("participations must be in [1, steps], got " + std::to_string(participations));
    }
    if (one.ratios.empty()) return one;
    const double t = static_cast<double>(steps), k = static_cast<double>(participations);
    const Release release = on_lattice(one, t, k);
    Masses q = detail::power(release.q, participations, sum_of), p = detail::power(release.p, participations, sum_of);
    if (steps > participations) {
        const Masses others = detail::power(release.q, steps - participations, sum_of);
        q = sum_of(others, q);
        p = sum_of(others, p);
    }
    RatioLaw law = merged(q, p);
    law.singular = -std::expm1(k * std::log1p(-one.singular));
    // A point of a sum adds up to k_lattice products; each level of the powers and the last sum is one.
    const double levels = 2.0 * std::log2(t) + 4.0;
    const double roundings = levels * static_cast<double>(k_lattice + one.ratios.size()) * k_unit_roundoff;
    law.mass_error = std::expm1(t * std::log1p(one.mass_error) + 2.0 * roundings);
    law.ratio_error = 2.0 * law.mass_error + std::expm1(k * std::log1p(one.ratio_error));
    return law;
}

AllocationLaws subset_laws_lower(const LawHandle& base, std::uint64_t steps, std::uint64_t participations,
                                 std::size_t cells) {
    const LawHandle nothing = atoms_law({{0.0}, {0.0}});
    if (base->tails(k_most_log_ratio).p_above > k_most_beyond) return {nothing, nothing};
    const RatioLaw law = subset_ratio_lower(ratio_law(*base, Dominance::dominated, cells), steps, participations);
    if (!(law.ratio_error < k_most_error)) return {nothing, nothing};
    return {atoms_law(loss_atoms(law, Direction::remove, Dominance::dominated)),
            atoms_law(loss_atoms(law, Direction::add, Dominance::dominated))};
}

}  // namespace hockeystick
