// SPDX-License-Identifier: Apache-2.0
// The slow, obvious reference of the tests: the hockey-stick divergence of a finite law straight from its definition.
#pragma once

#include <cmath>

#include "hockeystick/dots.hpp"

namespace hockeystick_test {

// sum p (1 - e^{eps - l})_+, in long double.
inline double hockey_stick(const hockeystick::TiltedAtoms& atoms, double theta, double step, double epsilon) {
    long double sum = 0.0L;
    for (std::size_t i = 0; i < atoms.index.size(); ++i) {
        const long double loss = static_cast<long double>(atoms.index[i]) * step;
        if (loss <= epsilon) continue;
        sum -= atoms.weight[i] * std::exp(atoms.log_mass - theta * loss) * std::expm1(epsilon - loss);
    }
    return static_cast<double>(sum);
}

// P mass and Q mass, without what is at infinity.
inline double p_mass(const hockeystick::TiltedAtoms& atoms, double theta, double step) {
    long double sum = 0.0L;
    for (std::size_t i = 0; i < atoms.index.size(); ++i) {
        sum += atoms.weight[i] * std::exp(atoms.log_mass - theta * static_cast<long double>(atoms.index[i]) * step);
    }
    return static_cast<double>(sum);
}

inline double q_mass(const hockeystick::TiltedAtoms& atoms, double theta, double step) {
    long double sum = 0.0L;
    for (std::size_t i = 0; i < atoms.index.size(); ++i) {
        sum += atoms.weight[i] *
               std::exp(atoms.log_mass - (theta + 1.0L) * static_cast<long double>(atoms.index[i]) * step);
    }
    return static_cast<double>(sum);
}

}  // namespace hockeystick_test
