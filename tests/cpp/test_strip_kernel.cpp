// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/strip_kernel.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include "check.hpp"
#include "hockeystick/node_kernel.hpp"

using namespace hockeystick::contour;

namespace {

struct Columns {
    explicit Columns(const NodeGrid& grid)
        : log_weight(padded(grid.count)),
          loss(log_weight.size()),
          weight(loss.size()),
          reverse(loss.size()),
          weight_error(loss.size()),
          loss_error(loss.size()),
          posterior(loss.size()) {
        fill_nodes(grid, {log_weight, loss, weight, reverse, weight_error, loss_error, posterior});
    }
    NodeArrays arrays() const { return {log_weight, loss, weight, reverse}; }
    std::vector<double> log_weight, loss, weight, reverse, weight_error, loss_error, posterior;
};

const std::vector<NodeGrid> k_grids = {{1.0, 0.01, true, -60.0, 0.125, 157},
                                       {0.09, 0.3, false, -200.0, 0.01, 600},
                                       {900.0, 0.999, true, -1000.0, 0.25, 2003},
                                       {0.01, 1e-12, true, -30.0, 0.05, 1500}};

// In long double: log(1 - q + q r) where neither branch cancels.
long double slow_loss(const NodeGrid& grid, std::size_t j) {
    const long double u = (grid.first + static_cast<double>(j)) * static_cast<long double>(grid.step) / grid.variance;
    const long double q = grid.rate;
    if (u > 3000.0L) return u + std::log(q);
    const long double y = q * std::expm1(u);
    return y < -0.5L ? std::log((1.0L - q) + q * std::exp(u)) : std::log1p(y);
}

void filled_nodes_are_within_their_errors() {
    for (const NodeGrid& grid : k_grids) {
        const Columns columns(grid);
        for (std::size_t j = 0; j < grid.count; ++j) {
            const long double l = slow_loss(grid, j);
            const long double sign = grid.remove ? 1.0L : -1.0L;
            CHECK(std::abs(columns.loss[j] - static_cast<double>(sign * l)) <= columns.loss_error[j] + 1e-300);
            const long double x = 0.5L + (grid.first + static_cast<double>(j)) * static_cast<long double>(grid.step);
            const long double log_weight =
                std::log(grid.step / std::sqrt(2.0L * std::numbers::pi_v<long double> * grid.variance)) -
                x * x / (2.0L * grid.variance) + (grid.remove ? l : 0.0L);
            CHECK(std::abs(columns.log_weight[j] - static_cast<double>(log_weight)) <= columns.weight_error[j]);
            if (log_weight > -700.0L) {
                CHECK_CLOSE(columns.weight[j], static_cast<double>(std::exp(log_weight)), columns.weight_error[j]);
            }
            CHECK(columns.posterior[j] >= 0.0 && columns.posterior[j] <= 1.0);
            CHECK(j == 0 || columns.posterior[j] >= columns.posterior[j - 1] * (1.0 - 1e-12));
        }
        for (std::size_t j = grid.count; j < columns.loss.size(); ++j) CHECK(columns.weight[j] == 0.0);
    }
}

// power log|w| - or + frequency arg w, w = 1 - p + p e^{i angle}.
long double slow_exponent(double p, const StripShape& shape, long double sign) {
    const long double angle = shape.angle, q = 1.0L - p;
    const long double half = std::sin(angle / 2.0L);
    return shape.power * 0.5L * std::log1p(-4.0L * p * q * half * half) +
           sign * shape.frequency * std::atan2(p * std::sin(angle), q + p * std::cos(angle));
}

void sums_on_a_line_agree_with_the_slow_ones() {
    const Columns columns(k_grids[0]);
    for (const StripShape& shape : {StripShape{3.0, 40.0, 0.4}, StripShape{-8.0, 5.0, 1.3}, StripShape{0.0, 7.0, 2.9},
                                    StripShape{1e-3, 1e-5, 1e-6}}) {
        long double mass = 0, lost = 0, size = 0;
        for (std::size_t j = 0; j < k_grids[0].count; ++j) {
            mass += std::exp(columns.log_weight[j] + slow_exponent(columns.posterior[j], shape, 1.0L));
            const long double loss = columns.weight[j] * std::expm1(slow_exponent(columns.posterior[j], shape, -1.0L));
            lost -= loss;
            size += std::abs(loss);
        }
        CHECK(std::abs(log_strip_sum(columns.log_weight, columns.posterior, shape) -
                       static_cast<double>(std::log(mass))) < 1e-12);
        CHECK(std::abs(strip_loss(columns.weight, columns.posterior, shape) - static_cast<double>(lost)) <=
              1e-13 * static_cast<double>(size));
    }
}

// The cells bound the integral between the first and the last node, here summed on a grid sixteen times as fine, and
// are not much larger.
void cells_bound_the_integral() {
    for (const bool remove : {true, false}) {
        const NodeGrid grid{1.0, 0.01, remove, -60.0, 0.125, 157};
        NodeGrid fine = grid;
        fine.first *= 16.0;
        fine.step /= 16.0;
        fine.count = (grid.count - 1) * 16 + 1;
        const Columns coarse(grid);
        const Columns dense(fine);
        for (const StripShape& shape : {StripShape{3.0, 40.0, 0.4}, StripShape{-8.0, 5.0, 1.3}}) {
            const double tilt = remove ? shape.power - 1.0 : -shape.power;
            const double bound =
                log_cell_sum({coarse.arrays(), coarse.posterior, grid.count, grid.step, 1.0}, tilt, 0.0, shape);
            std::vector<double> log_mass(dense.loss.size());
            for (std::size_t j = 0; j < log_mass.size(); ++j) log_mass[j] = dense.log_weight[j] + tilt * dense.loss[j];
            const double integral = log_strip_sum(log_mass, dense.posterior, shape);
            CHECK(bound > integral);
            CHECK(bound < integral + 0.5);
        }
    }
}

}  // namespace

int main() {
    filled_nodes_are_within_their_errors();
    sums_on_a_line_agree_with_the_slow_ones();
    cells_bound_the_integral();
    return hockeystick_test::failures();
}
