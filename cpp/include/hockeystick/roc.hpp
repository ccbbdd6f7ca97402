// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "hockeystick/tradeoff.hpp"

// From one dominating probability mass function of the privacy loss to the trade-off curve: the masses under Q are the
// tilt e^{-l} p(l), both rates of every threshold test are sums over the same function, and the tests of both
// directions, with their mirror images (1 - TPR, 1 - FPR), are pooled under one concave hull.
//
// Side: a pessimistic (dominating) function gives a lower curve, and all rounding goes that way: rates of the attacker
// up, false-positive rates down, by u (20 + 4 |log of the least mass summed| + 2 |loss|), relative. Sums are
// compensated and scaled, so this does not grow with the length; both tails keep relative accuracy down to e^{-1e15}.
//
// Cost: linear, 0.1 us a loss, 0.3 us a hull point. Pure functions. Losses that do not increase, positive or NaN log
// masses and columns of different lengths throw std::invalid_argument.

namespace hockeystick {

struct LossPmf {
    std::span<const double> losses;      // finite, increasing
    std::span<const double> log_masses;  // under P
    double log_infinity_mass;            // under P at +inf; -inf if none
    double log_minus_infinity_mass;      // under Q at -inf: an upper bound; -inf if none
};

// The tests L > l_k, with k from -1 (all losses) to the last (only +inf), in order of increasing FPR. FPR and FNR are
// rounded down, TPR and TNR up.
struct RocPoints {
    std::vector<double> log_fpr;
    std::vector<double> log_tpr;
    std::vector<double> log_fnr;
    std::vector<double> log_tnr;
};
RocPoints roc_points(const LossPmf& pmf);

// Lower curve of all these tests, their mixtures and mirror images: f = hull of min(f_1, f_1^{-1}, f_2, f_2^{-1}, ...).
Envelope lower_envelope_of(std::span<const RocPoints> directions);

}  // namespace hockeystick
