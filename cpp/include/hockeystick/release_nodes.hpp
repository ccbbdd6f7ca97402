// SPDX-License-Identifier: Apache-2.0
#pragma once

// A release as the contour engine sees it: M(z) = E_P[e^{zL}; -inf < L < inf] as a finite sum of weighted losses,
// sum_j w_j e^{z l_j}, with bounds on what the sum leaves out and on how |M| falls along the line z = tilt + it. Each
// kind of release fills the columns and bounds its own errors; what follows from the columns alone is here. A call is
// one release and tilt, never one node. u = 2^-53.

#include <cstddef>
#include <optional>
#include <vector>

#include "hockeystick/contour_kernel.hpp"
#include "hockeystick/loss_law.hpp"

namespace hockeystick::contour {

// What nodes are made for.
struct NodeDemand {
    double tilt;        // the tilt of the contour
    double tilt_lower;  // tilts at which M is needed on the real axis to a few digits
    double tilt_upper;
    double frequency;             // largest |Im z|
    double log_moment;            // estimate of K(tilt)
    double log_relative_error;    // of M(z), relative to M(tilt)
    double ceiling = k_infinity;  // outcomes x from it, or from somewhere beyond it, on are left out of the measure,
                                  // with what probability is the caller's to bound: log_mass_beyond
    double half_period = k_infinity;  // of the transform, where the whole composition lies on one lattice;
    double off_lattice = 0.0;         // what the losses may be away from it
};

// K = log M and its derivatives at a real tilt, estimates: right up to inner_error and rounding.
struct Moment {
    double value;
    double first;
    double second;
};

// Bounds on the rounding error of a Moment (value, first) and of a tilted second moment sum w (l - K')^2 (second): the
// error of sum_j w_j (e^{iy} - 1 - iy) that comes from weights and losses is at most second * t^2 / 2.
struct MomentError {
    double value;
    double first;
    double second;
};

// The mass that a measure of finite losses lacks: 1 - M(0) under P, at +inf or left out, and 1 - M(-1) under Q.
struct MissingMass {
    double p = 0.0;
    double q = 0.0;
    double p_error = 0.0;  // either may be off by so much
    double q_error = 0.0;
    // p - q where it is known better than by subtraction, which large tilts multiply.
    std::optional<double> gap = std::nullopt;
    double gap_error = 0.0;

    double difference() const { return gap ? *gap : p - q; }
    double difference_error() const { return gap ? gap_error : p_error + q_error; }
};

class ReleaseNodes {
public:
    ReleaseNodes(const ReleaseNodes&) = delete;
    ReleaseNodes& operator=(const ReleaseNodes&) = delete;
    virtual ~ReleaseNodes() = default;

    std::size_t size() const { return size_; }
    NodeArrays arrays() const { return {log_weight_, loss_, weight_, reverse_excess_}; }

    // By the identity of second order
    //   M(tilt) - 1 = sum w [(e^{tilt l} - 1 - tilt l) + tilt (e^{-l} - 1 + l)] - missing.p - tilt (missing.p -
    //   missing.q),
    // which takes M(0) and M(-1) as known and loses nothing where losses are small. A measure of little mass, and a
    // tilt so large that M is far from 1, are summed to first order.
    Moment moment(double tilt) const;
    MomentError rounding(double tilt, const Moment& at) const;

    // Bound on |sum_j w_j e^{z l_j} - M(z)| / M(tilt) for |Im z| <= frequency, with the identities for M(0) and M(-1)
    // used as the kernel uses them. +inf where the nodes do not serve the tilt.
    virtual double inner_error(double tilt, double frequency, const Moment& at) const = 0;
    // inner_error on the real axis, without the identities along the line: for a bound on M(tilt) where nothing
    // cancels.
    virtual double real_error(double tilt, const Moment& at) const = 0;

    // Upper bound on log |M(tilt + it) / M(tilt)| for every t >= frequency, at most 0. certified = false leaves out the
    // error of its own sum: an estimate, for nodes not made for this.
    virtual double log_decay(double tilt, double frequency, const Moment& at, bool certified) const = 0;

protected:
    ReleaseNodes() = default;

    bool whole_ = true;     // nearly all of a law; else a measure of little mass, which is summed as it is
    std::size_t size_ = 0;  // without padding
    std::vector<double> log_weight_, loss_, weight_, reverse_excess_;
    std::vector<double> weight_error_, loss_error_;  // bounds: relative, absolute
    MissingMass missing_;
};

// Upper bound on log M(tilt) of one release, for tilt other than 0 and -1; +inf where the nodes do not serve the tilt.
double log_moment_upper(const ReleaseNodes& nodes, double tilt);

}  // namespace hockeystick::contour
