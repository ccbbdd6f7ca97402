// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/tabulated.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "rounding.hpp"

namespace hockeystick {
namespace {

using detail::k_u;

constexpr double k_least = std::numeric_limits<double>::denorm_min();
constexpr double k_excess = 1e-6;

double total_of(const TabulatedLaw& law) {
    double total = law.infinity_mass;
    for (const double mass : law.masses) {
        total += mass;
    }
    return total;
}

// Roundings of sums over the table, relative.
double rounding_of(const TabulatedLaw& law) { return 8.0 * k_u * (static_cast<double>(law.losses.size()) + 32.0); }

void check(const TabulatedLaw& law) {
    if (law.losses.size() != law.masses.size()) {
        throw std::invalid_argument("masses must have the length of losses, got " + std::to_string(law.masses.size()) +
                                    " and " + std::to_string(law.losses.size()));
    }
    if (!(law.infinity_mass >= 0.0 && law.infinity_mass <= 1.0)) {
        throw std::invalid_argument("infinity_mass must be in [0, 1], got " + std::to_string(law.infinity_mass));
    }
    for (std::size_t i = 0; i < law.losses.size(); ++i) {
        if (!std::isfinite(law.losses[i]) || (i > 0 && !(law.losses[i] > law.losses[i - 1]))) {
            throw std::invalid_argument("losses must be finite and increasing, got " + std::to_string(law.losses[i]));
        }
        if (!(law.masses[i] >= 0.0 && law.masses[i] <= 1.0)) {
            throw std::invalid_argument("masses must be in [0, 1], got " + std::to_string(law.masses[i]));
        }
    }
    if (total_of(law) > 1.0 + k_excess) {
        throw std::invalid_argument("masses must sum to at most 1, got " + std::to_string(total_of(law)));
    }
}

struct Columns {
    std::vector<double> delta;       // at each epsilon
    std::vector<double> complement;  // likewise
    double doubt;                    // of the complements, in absolute terms
};

// From the top: `tilted` is the sum of e^{at - l} p(l) over l > at, moved down by factors e^{-gap} <= 1, and delta
// gains (1 - e^{-gap}) tilted on the way.
Columns profile_at(const TabulatedLaw& law, std::span<const double> epsilons) {
    const double off = total_of(law) - 1.0;
    const bool beyond_rounding = std::abs(off) > rounding_of(law);
    const double excess = beyond_rounding ? off : 0.0;
    const double doubt = beyond_rounding ? rounding_of(law) : 0.0;
    Columns out{std::vector<double>(epsilons.size()), std::vector<double>(epsilons.size()), doubt};
    double tilted = 0.0, delta = law.infinity_mass, at = k_infinity;
    const auto move_down = [&](double to) {
        if (tilted > 0.0) {
            delta += -std::expm1(to - at) * tilted;
            tilted *= std::exp(to - at);
        }
        at = to;
    };
    std::size_t next = law.losses.size();
    for (std::size_t j = epsilons.size(); j-- > 0;) {
        for (; next > 0 && law.losses[next - 1] > epsilons[j]; --next) {
            move_down(law.losses[next - 1]);
            tilted += law.masses[next - 1];
        }
        move_down(epsilons[j]);
        out.delta[j] = delta;
        out.complement[j] = tilted;
    }
    double below = 0.0;
    next = 0;
    for (std::size_t j = 0; j < epsilons.size(); ++j) {
        for (; next < law.losses.size() && law.losses[next] <= epsilons[j]; ++next) {
            below += law.masses[next];
        }
        out.complement[j] += below - excess;
    }
    return out;
}

double log_of(double value, double relative, double absolute, Side side) {
    const double moved =
        side == Side::upper ? value * (1.0 + relative) + absolute : value * (1.0 - relative) - absolute;
    const double log_value = moved > 0.0 ? std::log(moved) : -k_infinity;
    return std::min(0.0, detail::outward(log_value, 0.0, side));
}

// Outward; delta is exactly nothing from `end` on, and nowhere else.
void widen(ProfileTable& table, const Columns& larger, double end, double losses) {
    const double relative = 8.0 * k_u * (losses + 32.0);
    const double absolute = 2.0 * k_least * (losses + 2.0);
    for (std::size_t j = 0; j < table.epsilon.size(); ++j) {
        table.log_delta_upper.push_back(
            table.epsilon[j] >= end ? -k_infinity : log_of(larger.delta[j], relative, absolute, Side::upper));
        table.log_delta_lower.push_back(log_of(larger.delta[j], relative, absolute, Side::lower));
        table.log_complement_lower.push_back(
            log_of(larger.complement[j], relative, absolute + larger.doubt, Side::lower));
        table.log_complement_upper.push_back(
            log_of(larger.complement[j], relative, absolute + larger.doubt, Side::upper));
    }
}

// delta is 0 exactly from the greatest loss with mass on, unless there is mass at infinity.
double end_of(const TabulatedLaw& law) {
    if (law.infinity_mass > 0.0) {
        return k_infinity;
    }
    std::size_t last = law.losses.size();
    while (last > 0 && law.masses[last - 1] == 0.0) {
        --last;
    }
    return last == 0 ? 0.0 : std::max(0.0, law.losses[last - 1]);
}

}  // namespace

ProfileTable tabulated_profile(std::span<const TabulatedLaw> directions) {
    if (directions.empty()) {
        throw std::invalid_argument("directions must hold at least one law, got 0");
    }
    ProfileTable table;
    table.between = directions.size() == 1 ? Between::linear : Between::convex;
    table.epsilon.push_back(0.0);
    double losses = 0.0, end = 0.0;
    for (const TabulatedLaw& law : directions) {
        check(law);
        std::ranges::copy_if(law.losses, std::back_inserter(table.epsilon), [](double loss) { return loss > 0.0; });
        losses = std::max(losses, static_cast<double>(law.losses.size()));
        end = std::max(end, end_of(law));
    }
    std::ranges::sort(table.epsilon);
    // Grids of both directions that differ by roundings of their step are one.
    const auto same = [](double a, double b) { return b - a <= 2e-14 * b; };
    const auto rest = std::ranges::unique(table.epsilon, same);
    table.epsilon.erase(rest.begin(), rest.end());
    if (std::isfinite(end) && table.epsilon.size() > 1) {
        table.epsilon.back() = std::max(table.epsilon.back(), end);
    }
    Columns larger = profile_at(directions[0], table.epsilon);
    for (const TabulatedLaw& law : directions.subspan(1)) {
        const Columns other = profile_at(law, table.epsilon);
        for (std::size_t j = 0; j < table.epsilon.size(); ++j) {
            larger.delta[j] = std::max(larger.delta[j], other.delta[j]);
            larger.complement[j] = std::min(larger.complement[j], other.complement[j]);
        }
        larger.doubt = std::max(larger.doubt, other.doubt);
    }
    widen(table, larger, end, losses);
    return table;
}

}  // namespace hockeystick
