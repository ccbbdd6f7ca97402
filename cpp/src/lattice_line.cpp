// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/lattice_line.hpp"

#include <algorithm>
#include <cmath>

#include "hockeystick/loss_law.hpp"

namespace hockeystick::contour {
namespace {

constexpr double k_safety = 1.0 + 1e-9;  // for the roundings of the bounds themselves

// |1 - e^{-(tilt + it) d}|.
double modulus(double tilt, double frequency, double step) {
    const double turn = std::sin(0.5 * frequency * step);
    return std::hypot(std::expm1(-tilt * step), 2.0 * std::exp(-0.5 * tilt * step) * turn);
}

}  // namespace

LatticePlace place_on(const LossLattice& lattice, double epsilon) {
    const double number = std::ceil((epsilon - lattice.offset) / lattice.step);
    const double shift = number * lattice.step;
    const double above = lattice.offset + shift;
    const double gap = std::clamp(above - epsilon, 0.0, lattice.step);
    const double rounding = std::abs(lattice.offset) + std::abs(shift) + std::abs(epsilon) + std::abs(above);
    return {epsilon + gap, gap, 4.0 * k_unit_roundoff * rounding};
}

LineSums between_points(const LineSums& at_point, double gap, double tilt, double step) {
    const double share = -std::expm1(-gap);
    LineSums result = at_point;
    result.value += share * at_point.derivative;
    result.derivative *= std::exp(-gap);
    // The density's moduli are those without a kernel, by rounding and inner rule together.
    result.modulus += share * at_point.density_modulus / -std::expm1(-(tilt + 1.0) * step) * k_safety;
    return result;
}

double log_lattice_constant(double s, double gap, double step) {
    return std::log(std::max(-std::expm1(-gap), std::exp(-s * step))) + 1e-12;
}

// Both moduli of the kernel fall with t up to the end of the period, whose length times d / pi is at most 1.
double lattice_cut_off_error(double frequency, double log_decay, double gap, double tilt, double step) {
    const double near = modulus(tilt, frequency, step), far = modulus(tilt + 1.0, frequency, step);
    const double value = std::exp(-tilt * step) * -std::expm1(-step) / (near * far);
    return std::exp(log_decay) * (value - std::expm1(-gap) / far) * k_safety;
}

}  // namespace hockeystick::contour
