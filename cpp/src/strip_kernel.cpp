// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/strip_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "vector_math.hpp"

namespace hockeystick::contour {
namespace {

using lane::Pack;

struct Turn {
    double sine, cosine, half_sine_squared;
};

Turn turn_of(double angle) {
    const double half = std::sin(0.5 * angle);
    return {std::sin(angle), std::cos(angle), half * half};
}

HOCKEYSTICK_INLINE Pack phase_at(Pack p, const Turn& turn) {
    return lane::atan2(p * turn.sine, (1.0 - p) + p * turn.cosine);
}

// From the product p (1 - p); close to angle pi and p = 1/2 the modulus vanishes, and log 0 must stay finite.
HOCKEYSTICK_INLINE Pack shrink_at(Pack product, const Turn& turn) {
    const Pack lost = 4.0 * product * turn.half_sine_squared;
    return 0.5 * lane::log_with(lane::larger(1.0 - lost, lane::broadcast(1e-300)), -lost);
}

HOCKEYSTICK_CLONES
void strip_exponents(const double* log_mass, const double* posterior, std::size_t n, const StripShape& shape,
                     const Turn& turn, double* exponents) {
    for (std::size_t j = 0; j < n; j += k_lanes) {
        const Pack p = lane::load(posterior + j);
        Pack value = lane::load(log_mass + j) + shape.frequency * phase_at(p, turn);
        if (shape.power != 0.0) value += shape.power * shrink_at(p * (1.0 - p), turn);
        lane::store(exponents + j, value);
    }
}

HOCKEYSTICK_CLONES
void node_exponents(const NodeArrays& nodes, double tilt, double log_moment, double* exponents) {
    for (std::size_t j = 0; j < nodes.loss.size(); j += k_lanes) {
        const Pack tilted = lane::load(&nodes.log_weight[j]) + tilt * lane::load(&nodes.loss[j]);
        lane::store(exponents + j, tilted - log_moment);
    }
}

// The cell from node j to node j + 1; both arrays go on for k_lanes entries beyond n.
HOCKEYSTICK_CLONES
void cell_exponents(double* log_density, const double* posterior, std::size_t n, const StripShape& shape,
                    const Turn& turn, double step, double variance) {
    const double bend = step * step / (8.0 * variance);
    for (std::size_t j = 0; j < n; j += k_lanes) {
        const Pack left = lane::load(posterior + j);
        const Pack right = lane::load(posterior + j + 1);
        const Pack largest = lane::larger(lane::load(log_density + j), lane::load(log_density + j + 1));
        Pack value = (largest + bend) + shape.frequency * phase_at(right, turn);
        if (shape.power < 0.0) {
            // p (1 - p) is largest at an end of the cell unless p = 1/2 lies within.
            const Pack ends = lane::larger(left * (1.0 - left), right * (1.0 - right));
            const Pack product = lane::choose(lane::less(0.5, left), ends,
                                              lane::choose(lane::less(right, 0.5), ends, lane::broadcast(0.25)));
            value += shape.power * (shrink_at(product, turn) - (bend / variance) * product);
        }
        lane::store(log_density + j, value);
    }
}

HOCKEYSTICK_CLONES
double loss_sum(const double* weights, const double* posterior, std::size_t n, const StripShape& shape,
                const Turn& turn) {
    Pack total{};
    for (std::size_t j = 0; j < n; j += k_lanes) {
        const Pack p = lane::load(posterior + j);
        Pack exponent = -shape.frequency * phase_at(p, turn);
        if (shape.power != 0.0) exponent += shape.power * shrink_at(p * (1.0 - p), turn);
        total += lane::load(weights + j) * lane::expm1(exponent);
    }
    return -lane::sum(total);
}

}  // namespace

double log_strip_sum(std::span<const double> log_mass, std::span<const double> posterior, const StripShape& shape) {
    std::vector<double> exponents(log_mass.size());
    strip_exponents(log_mass.data(), posterior.data(), log_mass.size(), shape, turn_of(shape.angle), exponents.data());
    return log_sum_exp(exponents);
}

double log_cell_sum(const CellNodes& nodes, double tilt, double log_moment, const StripShape& shape) {
    const std::size_t n = nodes.posterior.size();
    std::vector<double> exponents(n + k_lanes), posterior(n + k_lanes);
    node_exponents(nodes.arrays, tilt, log_moment, exponents.data());
    std::copy(nodes.posterior.begin(), nodes.posterior.end(), posterior.begin());
    cell_exponents(exponents.data(), posterior.data(), n, shape, turn_of(shape.angle), nodes.step, nodes.variance);
    return log_sum_exp({exponents.data(), nodes.count - 1});
}

double strip_loss(std::span<const double> weights, std::span<const double> posterior, const StripShape& shape) {
    return loss_sum(weights.data(), posterior.data(), weights.size(), shape, turn_of(shape.angle));
}

}  // namespace hockeystick::contour
