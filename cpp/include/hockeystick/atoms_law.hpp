// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hockeystick/loss_law.hpp"

namespace hockeystick {

// Finitely many outcomes: outcome i has the loss `loss[i]`, the P mass e^{log_p[i]} and the Q mass e^{log_p[i] -
// loss[i]}.
struct AtomTable {
    std::vector<double> loss;           // finite
    std::vector<double> log_p;          // -inf: no outcome
    Interval infinity_mass{0.0, 0.0};   // P mass where Q vanishes
    Interval vanishing_mass{0.0, 0.0};  // Q mass where P does
    double relative_error = 0.0;        // of every mass as given
    double loss_error = 0.0;            // of every loss as given
    double gaussian_mu = k_infinity;    // of a Gaussian that dominates what the table stands for, rounded up
};

// The law of the table; outcomes of equal loss (up to some roundings) are merged. P and Q must each sum to 1 with what
// is at infinity, to 1e-9; throws std::invalid_argument otherwise. Tails are prefix sums, one rounding an atom on top
// of the table's own error. Cost: 56 bytes an atom, a binary search a tail.
LawHandle atoms_law(AtomTable table);

// The tables of the derived laws (combined_law.hpp, sampled_law.hpp).
AtomTable table_of(const LossLaw& law);
AtomTable reversed_table(const AtomTable& table);
AtomTable poisson_table(const AtomTable& base, double sampling_rate);
AtomTable merged_table(const AtomTable& remove);
AtomTable mixture_table(const std::vector<AtomTable>& tables, const std::vector<double>& weights);

}  // namespace hockeystick
