// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/law_parts.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

#include "hockeystick/atom_nodes.hpp"
#include "hockeystick/error.hpp"
#include "hockeystick/exponential_nodes.hpp"
#include "hockeystick/gaussian_law.hpp"
#include "hockeystick/limits.hpp"
#include "hockeystick/nodes.hpp"

namespace hockeystick::contour {
namespace {

constexpr double k_finest_step = 0x1p-20;  // of the largest one, that a common step is looked for down to
constexpr double k_most_atoms = -8.0;      // log of the mass that the composed atoms may hold
constexpr double k_same_step = 1e-11;      // relative, of steps that differ by roundings

double variance_of(const LossLaw& law) {
    if (const auto shape = law.exponential_loss()) {
        return ExponentialNodes(*shape, {0.0, 0.0, 0.0, 0.0, 0.0, -8.0}).moment(0.0).second;
    }
    double mass = 0.0, first = 0.0, second = 0.0;
    for (const Atom& atom : law.atoms()) {
        const double weight = std::exp(atom.log_mass);
        mass += weight;
        first += weight * atom.loss;
        second += weight * atom.loss * atom.loss;
    }
    return std::max(0.0, second / mass - (first / mass) * (first / mass));
}

double common_step(double a, double b) {
    if (a == 0.0 || b == 0.0) return std::max(a, b);
    const double least = k_finest_step * std::max(a, b), same = k_same_step * std::max(a, b);
    while (b > same) {
        const double rest = std::abs(std::remainder(a, b));
        a = b;
        b = rest;
    }
    return a > least ? a : 0.0;
}

// |loss - (offset + k step)|, k whole, without rounding errors of its own.
double off_lattice(double loss, double offset, double step) {
    const double k = std::nearbyint((loss - offset) / step);
    const double product = k * step;
    const double product_rest = std::fma(k, step, -product);
    const double sum = offset + product;
    const double part = sum - offset;
    const double sum_rest = (offset - (sum - part)) + (product - part);
    return std::abs(((loss - sum) - product_rest) - sum_rest) * (1.0 + 1e-9);
}

double widest_range(const Composition& composition) {
    double widest = 0.0;
    for (const Composition::Part& part : composition.parts) {
        const auto atoms = part.other->atoms();
        widest = std::max(widest, atoms.back().loss - atoms.front().loss);
    }
    return widest;
}

// Finds the lattice of a composition of nothing but atoms, if there is one.
void find_lattice(Composition& composition) {
    double step = 0.0;
    if (composition.gaussian > 0.0) return;
    for (const Composition::Part& part : composition.parts) {
        if (!part.other || part.other->atoms().empty()) return;
        const Spacing spacing = part.other->spacing();
        if (part.other->atoms().size() == 1) continue;
        step = spacing.step == 0.0 ? 0.0 : common_step(step, spacing.step);
        if (step == 0.0) return;
    }
    if (step == 0.0) return;
    const double range = widest_range(composition);
    step = range / std::nearbyint(range / step);
    composition.lattice.step = step;
    double size = 0.0;
    for (Composition::Part& part : composition.parts) {
        const auto atoms = part.other->atoms();
        const double offset = atoms.back().loss;
        for (const Atom& atom : atoms) {
            part.off_lattice = std::max(part.off_lattice, off_lattice(atom.loss, offset, step));
        }
        composition.lattice.offset += part.count * offset;
        composition.loss_error += part.count * part.off_lattice;
        size += part.count * std::abs(offset);
    }
    composition.loss_error += 2.0 * k_unit_roundoff * static_cast<double>(composition.parts.size()) * size;
}

// With neither noise nor a lattice, |phi| returns to what the atoms of all releases hold together, and a tilt gives
// them more: where that is much, no line that is worth its time is long enough.
void check_densities(const Composition& composition) {
    if (composition.has_noise() || composition.lattice.step > 0.0) return;
    double log_floor = 0.0;
    for (const Composition::Part& part : composition.parts) {
        const auto shape = part.other->exponential_loss();
        if (!shape) continue;
        log_floor += part.count * std::log(shape->atom * (1.0 + std::exp(-shape->greatest)));
    }
    if (log_floor > k_most_atoms) throw accuracy_error("contour: too few of the releases have a density");
}

void add_other(Composition& composition, const LawTerm& term) {
    for (Composition::Part& part : composition.parts) {
        if (part.other != term.law) continue;
        part.count += static_cast<double>(term.count);
        return;
    }
    if (!has_nodes(*term.law)) {
        throw accuracy_error("contour: there are no nodes for a law of this kind");
    }
    Composition::Part part;
    part.other = term.law;
    part.count = static_cast<double>(term.count);
    part.variance = variance_of(*term.law);
    composition.parts.push_back(part);
}

}  // namespace

bool has_nodes(const LossLaw& law) {
    return dynamic_cast<const GaussianLaw*>(&law) || !law.atoms().empty() || law.exponential_loss();
}

Composition make_composition(std::span<const LawTerm> terms) {
    std::vector<Term> gaussians;
    std::optional<Direction> direction;
    for (const LawTerm& term : terms) {
        const auto* gaussian = dynamic_cast<const GaussianLaw*>(term.law.get());
        if (!gaussian) continue;
        gaussians.push_back({gaussian->release(), term.count});
        if (gaussian->release().sampling_rate == 1.0) continue;
        if (direction && *direction != gaussian->direction()) {
            throw accuracy_error("contour: subsampled Gaussians of both directions in one composition");
        }
        direction = gaussian->direction();
    }
    Composition result = make_composition(gaussians, direction.value_or(Direction::remove));
    for (const LawTerm& term : terms) {
        if (term.count == 0 || dynamic_cast<const GaussianLaw*>(term.law.get())) continue;
        add_other(result, term);
        result.loss_error += static_cast<double>(term.count) * term.law->loss_error();
    }
    result.log_infinity = log_infinity_mass(terms);
    find_lattice(result);
    check_densities(result);
    return result;
}

std::unique_ptr<const ReleaseNodes> make_nodes(const Composition& composition, std::size_t part, NodeDemand demand) {
    const Composition::Part& release = composition.parts[part];
    if (!release.other) {
        const double sigma = release.law.noise_multiplier;
        if (demand.log_moment == 0.0) demand.log_moment = -0.125 / (sigma * sigma);
        demand.ceiling = release.ceiling;
        return std::make_unique<SubsampledNodes>(release.law, composition.direction, demand);
    }
    if (const auto shape = release.other->exponential_loss()) return std::make_unique<ExponentialNodes>(*shape, demand);
    demand.off_lattice = release.off_lattice;
    if (composition.lattice.step > 0.0) demand.half_period = std::numbers::pi / composition.lattice.step;
    return std::make_unique<AtomNodes>(release.other, demand);
}

}  // namespace hockeystick::contour
