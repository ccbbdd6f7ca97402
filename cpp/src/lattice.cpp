// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/lattice.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "hockeystick/error.hpp"
#include "hockeystick/interrupt.hpp"

namespace hockeystick {
namespace {

// Below this a tail nears the denormal range and loses its relative accuracy; the rest is truncated instead.
constexpr double k_least_tail = 1e-280;
// A cell is split while its tilted mass times width squared exceeds this part of step^2.
constexpr double k_grading = 3e-5;
// Bounds time and memory: about 100 bytes a knot.
constexpr std::size_t k_most_knots = std::size_t{1} << 18;
constexpr std::int64_t k_greatest_index = std::int64_t{1} << 61;
// Top-level cells of the recursion are at most 2^k_most_doublings steps wide.
constexpr int k_most_doublings = 50;

class LatticeBuilder {
public:
    LatticeBuilder(const LossLaw& law, const DotsRequest& request) : law_(law), request_(request) {}

    double upper_cut() const { return loss_at(highest_knot()); }

    Lattice build() {
        const std::int64_t low = lowest_knot();
        const std::int64_t high = std::max(highest_knot(), low + 1);
        push(low, tails_at(low));
        cover(low, high);
        const bool complete = loss_at(high) >= law_.greatest_loss();
        lattice_.truncated = complete ? 0.0 : std::exp(log_mass_above(high));
        return std::move(lattice_);
    }

private:
    double loss_at(std::int64_t index) const { return static_cast<double>(index) * request_.step + request_.offset; }
    double tilt_at(std::int64_t index) const {
        return request_.theta * static_cast<double>(index) * request_.step - request_.log_mass_estimate;
    }
    TailMasses tails_at(std::int64_t index) const { return law_.tails(loss_at(index)); }
    double log_mass_above(std::int64_t index) const {
        return law_.log_tilted_mass_above_upper(loss_at(index), request_.theta) - request_.theta * request_.offset -
               request_.log_mass_estimate;
    }
    void push(std::int64_t index, const TailMasses& tails) {
        if (lattice_.knots.size() >= k_most_knots) {
            throw accuracy_error("the dots of one release need more than " + std::to_string(k_most_knots) + " knots");
        }
        lattice_.knots.push_back(index);
        lattice_.tails.push_back(tails);
    }

    // The largest knot (up to a few percent) below which the tilted mass is negligible.
    std::int64_t lowest_knot() const {
        const double support = law_.least_loss();
        const auto negligible = [&](std::int64_t index) {
            return std::log(tails_at(index).p_below) + tilt_at(index) <= std::log(request_.negligible);
        };
        return bisect(-1, std::isinf(support) ? -k_infinity : std::floor((support - request_.offset) / request_.step),
                      negligible);
    }

    std::int64_t highest_knot() const {
        const double support = law_.greatest_loss();
        const auto negligible = [&](std::int64_t index) {
            return log_mass_above(index) <= std::log(request_.negligible) || tails_at(index).p_above < k_least_tail;
        };
        return bisect(1, std::isinf(support) ? k_infinity : std::ceil((support - request_.offset) / request_.step),
                      negligible);
    }

    // Doubles from 0 in the direction of `sign` until `negligible` or the support's end, then bisects to 1 part in 64.
    template <typename Predicate>
    std::int64_t bisect(std::int64_t sign, double support, Predicate negligible) const {
        std::int64_t inside = 0, outside = sign;
        const auto beyond = [&](std::int64_t index) {
            return sign < 0 ? static_cast<double>(index) <= support : static_cast<double>(index) >= support;
        };
        while (!beyond(outside) && !negligible(outside)) {
            inside = outside;
            outside *= 2;
            if (std::abs(outside) > k_greatest_index) {
                throw accuracy_error("the dots of one release need a lattice longer than indices can count");
            }
        }
        if (beyond(outside)) outside = static_cast<std::int64_t>(support);
        while (std::abs(outside - inside) > 1 + std::abs(outside) / 64) {
            const std::int64_t middle = inside + (outside - inside) / 2;
            (negligible(middle) ? outside : inside) = middle;
        }
        return outside;
    }

    // Walks from low to high in aligned cells as wide as alignment allows and splits each as far as needed.
    void cover(std::int64_t low, std::int64_t high) {
        std::int64_t at = low;
        while (at < high) {
            poll();
            std::int64_t width = 1;
            for (int k = 0; k < k_most_doublings && at % (2 * width) == 0 && at + 2 * width <= high; ++k) width *= 2;
            split(at, at + width, lattice_.tails.back());
            at += width;
        }
    }

    TailMasses split(std::int64_t left, std::int64_t right, const TailMasses& left_tails) {
        const TailMasses right_tails = tails_at(right);
        if (right - left > 1 && must_split(left, right, left_tails, right_tails)) {
            const std::int64_t middle = left + (right - left) / 2;
            const TailMasses middle_tails = split(left, middle, left_tails);
            return split(middle, right, middle_tails);
        }
        push(right, right_tails);
        return right_tails;
    }

    bool must_split(std::int64_t left, std::int64_t right, const TailMasses& left_tails,
                    const TailMasses& right_tails) const {
        if (!request_.graded) return true;
        const double steps = static_cast<double>(right - left);
        if (steps * request_.step * (1.0 + request_.theta) > 1.0) return true;
        const double mass = cell_mass(left_tails, right_tails).p;
        // A cell across several e-folds of the density would leave its neighbours nothing to trade with.
        if (right_tails.p_above < 0.5 * mass && left_tails.p_above < left_tails.p_below) return true;
        if (left_tails.p_below < 0.5 * mass && right_tails.p_below < right_tails.p_above) return true;
        const double tilted = scaled_mass(mass, tilt_at(right));
        return tilted * steps * steps > k_grading;
    }

    const LossLaw& law_;
    const DotsRequest& request_;
    Lattice lattice_{};
};

struct Difference {
    double value;
    double error;
};

// The two roundings of the difference itself are within the tails' own error (at least eight roundings each).
Difference by_smaller_tail(double below_lower, double above_lower, double below_upper, double above_upper,
                           double relative_error) {
    if (above_lower <= below_upper) return {above_lower - above_upper, relative_error * (above_lower + above_upper)};
    return {below_upper - below_lower, relative_error * (below_upper + below_lower)};
}

}  // namespace

CellMass cell_mass(const TailMasses& lower, const TailMasses& upper) {
    const double relative_error = std::max(lower.relative_error, upper.relative_error);
    const Difference p = by_smaller_tail(lower.p_below, lower.p_above, upper.p_below, upper.p_above, relative_error);
    const Difference q = by_smaller_tail(lower.q_below, lower.q_above, upper.q_below, upper.q_above, relative_error);
    return {std::max(p.value, 0.0), p.error, std::max(q.value, 0.0), q.error};
}

double scaled_mass(double mass, double exponent) {
    if (mass <= 0.0) return 0.0;
    return std::fabs(exponent) < 600.0 ? mass * std::exp(exponent) : std::exp(exponent + std::log(mass));
}

double upper_cut(const LossLaw& law, const DotsRequest& request) { return LatticeBuilder(law, request).upper_cut(); }

Lattice build_lattice(const LossLaw& law, const DotsRequest& request) { return LatticeBuilder(law, request).build(); }

}  // namespace hockeystick
