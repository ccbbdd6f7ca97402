// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "hockeystick/loss_law.hpp"

namespace hockeystick {

// K(theta) = log E_P[e^{theta L}] of a composition and its first two derivatives: ESTIMATES, by the trapezoid rule
// on a Gaussian base (it converges exponentially; no bound is claimed). They choose tilts, steps and windows, where
// any choice is valid and a bad one only costs time; no certified number depends on them.
struct Cumulant {
    double value;
    double first;
    double second;
};

class CumulantEstimate {
public:
    // Each law may be cut off above a loss (caps, one a term; empty: none).
    CumulantEstimate(std::span<const Term> terms, Direction direction, std::vector<double> caps = {});

    // Any real theta. Cost: some hundreds of exponentials a distinct law; nodes are kept and widened when needed.
    Cumulant at(double theta);
    // The same for other counts of the same laws (one per term).
    Cumulant at(double theta, std::span<const double> counts);

    // The tilt at which the integrand of delta(epsilon) has its saddle: K'(theta) = epsilon + 1/theta + 1/(1+theta).
    double saddle_of_epsilon(double epsilon);

    // The tilt whose saddle-point estimate of delta equals the target, and the epsilon that goes with it.
    struct Saddle {
        double theta;
        double epsilon;
    };
    Saddle saddle_of_delta(double log_delta);

private:
    struct Nodes {
        std::vector<double> weights;  // under P
        std::vector<double> log_weights;
        std::vector<double> losses;
    };
    void widen(double least, double most);
    void place_nodes(std::size_t term, double first, double last);

    std::vector<Term> terms_;
    std::vector<double> counts_;
    std::vector<double> caps_;
    Direction direction_;
    double least_theta_ = 0.0;
    double most_theta_ = 0.0;
    std::vector<Nodes> nodes_;
};

}  // namespace hockeystick
