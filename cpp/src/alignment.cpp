// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/alignment.hpp"

#include <algorithm>
#include <cmath>

namespace hockeystick {
namespace {

// Steps tried for several laws.
constexpr double k_most_tries = 512.0;
// A common step is a step of one law over at most this.
constexpr double k_most_parts = 64.0;
constexpr double k_same = 1e-12;
// Rounds in which the end of a core and its ratio follow each other.
constexpr int k_rounds = 4;
// Less Q mass than this is outside of a core: too little to lend the core what it lacks of a label above its ratio.
constexpr double k_core = 1e-4;

double distance_to_multiple(double x, double step) { return std::fabs(std::remainder(x, step)); }

// What all laws together are off the lattice, in losses of all their copies.
double misalignment(std::span<const LawTerm> terms, double step) {
    double total = 0.0;
    for (const LawTerm& term : terms) {
        const double spacing = term.law->spacing().step;
        if (spacing > step) total += static_cast<double>(term.count) * distance_to_multiple(spacing, step);
    }
    return total;
}

// The coarsest spacing of isolated atoms; 0 if there is none wider than the step.
double widest_spacing(std::span<const LawTerm> terms, double step) {
    double widest = 0.0;
    for (const LawTerm& term : terms) widest = std::max(widest, term.law->spacing().step);
    return widest > step ? widest : 0.0;
}

}  // namespace

double common_step(std::span<const LawTerm> terms) {
    double finest = k_infinity;
    for (const LawTerm& term : terms) {
        const std::span<const Atom> atoms = term.law->atoms();
        if (atoms.empty() || (atoms.size() > 1 && term.law->spacing().step == 0.0)) return 0.0;
        if (atoms.size() > 1) finest = std::min(finest, term.law->spacing().step);
    }
    if (std::isinf(finest)) return 1.0;
    for (double parts = 1.0; parts <= k_most_parts; parts += 1.0) {
        const double step = finest / parts;
        const bool common = std::all_of(terms.begin(), terms.end(), [&](const LawTerm& term) {
            const double spacing = term.law->spacing().step;
            return distance_to_multiple(spacing, step) <= k_same * spacing;
        });
        if (common) return step;
    }
    return 0.0;
}

double aligned_step(std::span<const LawTerm> terms, double step) {
    const double widest = widest_spacing(terms, step);
    if (widest == 0.0) return step;
    const double least_parts = std::ceil(widest / step);
    double best = widest / least_parts, smallest = misalignment(terms, best);
    const double tries = std::min(least_parts, k_most_tries);
    for (double k = 1.0; k <= tries && smallest > 0.0; k += 1.0) {
        const double candidate = widest / (least_parts + k);
        const double off = misalignment(terms, candidate);
        // A finer step must earn its cost.
        if (off < 0.5 * smallest) {
            smallest = off;
            best = candidate;
        }
    }
    return best;
}

double aligned_offset(const LossLaw& law, double step) {
    const Spacing spacing = law.spacing();
    if (spacing.step > 0.0 || law.atoms().size() == 1) return std::remainder(spacing.offset, step);
    if (!law.atoms().empty()) return 0.0;
    const double offset = core_offset(law, step);
    const double outside = law.tails(offset - 0.5 * step).q_below + law.tails(offset + 0.5 * step).q_above;
    return outside < k_core ? offset : 0.0;
}

double core_offset(const LossLaw& law, double step) {
    double offset = 0.0;
    for (int round = 0; round < k_rounds; ++round) {
        const TailMasses at = law.tails(offset + 0.5 * step);
        const double error = 4.0 * at.relative_error;
        offset = at.p_above < at.p_below && at.q_above < at.q_below
                     ? std::log1p(-at.p_above) - std::log1p(-at.q_above) - error * (at.p_above + at.q_above)
                     : std::log(at.p_below) - std::log(at.q_below) - error;
        if (!std::isfinite(offset)) return 0.0;
    }
    return offset - 16.0 * k_unit_roundoff;
}

}  // namespace hockeystick
