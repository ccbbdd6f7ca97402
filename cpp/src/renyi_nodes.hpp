// SPDX-License-Identifier: Apache-2.0
// The integrand of renyi.cpp at the nodes x_j = 1/2 + j s^2 step of its trapezoid rule. Internal to the sources.
#pragma once

#include <cstddef>
#include <vector>

#include "hockeystick/loss_law.hpp"

namespace hockeystick::detail {

// What of a node does not depend on the order. u = (2x - 1)/(2 s^2), r = e^l = 1 - q + q e^u.
struct RenyiNode {
    double x;
    double odds;           // u
    double loss;           // l
    double log_posterior;  // log(q e^u / r): the weight of the branch with the record
    double log_density;    // -x^2 / (2 s^2)
    double weight;         // density times r (remove) or 1 (add); may be infinite, then only logarithms are used
    double divergence;     // weight g(-l) (remove) or g(l) (add)
    double error;          // relative error in units of roundoff: this
    double loss_error;     //   plus this times 1 + |power of r|
};

// Nodes of one law for one step, made when first asked for and kept where they are few. Not for use by two threads.
class RenyiNodes {
public:
    RenyiNodes(const SubsampledGaussian& law, Direction direction, double step);

    const SubsampledGaussian& law() const { return law_; }
    bool removes() const { return removes_; }
    double step() const { return step_; }
    RenyiNode at(long long index);

private:
    RenyiNode make(long long index) const;

    SubsampledGaussian law_;
    bool removes_;
    double step_;  // in u
    double log_rate_;
    std::vector<RenyiNode> kept_[2];  // right of 1/2 and left of it, outward
};

}  // namespace hockeystick::detail
