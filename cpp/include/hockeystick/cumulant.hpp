// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "hockeystick/law_nodes.hpp"
#include "hockeystick/loss_law.hpp"

namespace hockeystick {

// K(theta) = log E_P[e^{theta L}; L < inf] of a composition and its first two derivatives: ESTIMATES, by the nodes of
// its laws (law_nodes.hpp; no bound is claimed). They choose tilts, steps and windows, where any choice is valid and a
// bad one only costs time; no certified number depends on them.
struct Cumulant {
    double value;
    double first;
    double second;
};

class CumulantEstimate {
public:
    // Each law may be cut off above a loss (caps, one a term; empty: none).
    explicit CumulantEstimate(std::span<const LawTerm> terms, std::vector<double> caps = {});

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
    void widen(double least, double most);

    std::vector<LawTerm> terms_;
    std::vector<double> counts_;
    std::vector<double> caps_;
    double least_theta_ = 0.0;
    double most_theta_ = 0.0;
    std::vector<LawNodes> nodes_;
};

}  // namespace hockeystick
