// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/discrete_gaussian_law.hpp"

#include <cmath>

#include "hockeystick/atoms_law.hpp"
#include "normal_tails.hpp"

namespace hockeystick {
namespace {

constexpr double k_widest_table = 3000.0;
constexpr double k_least_log_mass = -690.0;
constexpr double k_beyond = 1e-299;
constexpr double k_inverse_sqrt_2_pi = 0.39894228040143267794;

double log_normaliser(double sigma) {
    double sum = 1.0;
    for (double x = 1.0; x * x < 80.0 * sigma * sigma; x += 1.0) sum += 2.0 * std::exp(-0.5 * x * x / (sigma * sigma));
    return std::log(sum);
}

LawHandle table(double sigma, std::int64_t shift) {
    const double d = static_cast<double>(shift), variance = sigma * sigma;
    const double reach = std::floor(sigma * std::sqrt(-2.0 * k_least_log_mass));
    const double log_sum = log_normaliser(sigma);
    AtomTable atoms;
    // Wherever P or Q has mass.
    for (double x = -reach; x <= reach + d; x += 1.0) {
        atoms.loss.push_back(d * (d - 2.0 * x) / (2.0 * variance));
        atoms.log_p.push_back(-0.5 * x * x / variance - log_sum);
    }
    atoms.infinity_mass = atoms.vanishing_mass = {0.0, k_beyond};
    atoms.relative_error = k_unit_roundoff * (16.0 - 4.0 * k_least_log_mass);
    return atoms_law(std::move(atoms));
}

// Wide noise: the lattice is far finer than any loss that matters.
class WideDiscreteGaussian final : public LossLaw {
public:
    WideDiscreteGaussian(double sigma, std::int64_t shift)
        : sigma_(sigma), shift_(static_cast<double>(shift)), mu_(shift_ / sigma) {}

    // L <= loss means x >= D/2 - loss sigma^2 / D.
    TailMasses tails(double loss) const override {
        const double first = std::ceil(0.5 * shift_ - loss * sigma_ * sigma_ / shift_);
        const double p_edge = (first - 0.5) / sigma_, q_edge = (first - 0.5 - shift_) / sigma_;
        const double z = std::fmax(std::fabs(p_edge), std::fabs(q_edge));
        return {sum_above(p_edge), sum_above(-p_edge), sum_above(q_edge), sum_above(-q_edge),
                k_unit_roundoff * (20.0 + 4.0 * z * z)};
    }
    double least_loss() const override { return -k_infinity; }
    double greatest_loss() const override { return k_infinity; }

    // Dominated by the continuous Gaussian's, an outcome at a time, up to one step and the normaliser.
    double log_tilted_mass_above_upper(double loss, double theta) const override {
        const double x = loss / mu_ + 0.5 * mu_ - 2.0 / sigma_;
        return 0.5 * theta * (1.0 + theta) * mu_ * mu_ + std::log(2.0) +
               detail::log_normal_tail_upper(x - (1.0 + theta) * mu_);
    }
    double log_tilted_mass_below_upper(double loss, double theta) const override {
        return log_tilted_mass_above_upper(-loss, theta);
    }

private:
    // The share of the integers above sigma z, z midway between two: Phi(-z) and two terms of Euler-Maclaurin.
    double sum_above(double z) const {
        const double normal = detail::normal_tails(z).above;
        if (normal < 1e-300) return normal;
        const double density = k_inverse_sqrt_2_pi * std::exp(-0.5 * z * z), variance = sigma_ * sigma_;
        const double first = -z * density / (24.0 * variance);
        const double third = -7.0 / 5760.0 * (3.0 * z - z * z * z) * density / (variance * variance);
        return normal + first + third;
    }

    double sigma_;
    double shift_;
    double mu_;
};

}  // namespace

LawHandle discrete_gaussian_law(double sigma, std::int64_t shift) {
    if (sigma <= k_widest_table) return table(sigma, shift);
    return std::make_shared<WideDiscreteGaussian>(sigma, shift);
}

}  // namespace hockeystick
