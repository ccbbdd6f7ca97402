// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "hockeystick/loss_law.hpp"

// The privacy profile of one Gaussian release and of one Poisson-subsampled Gaussian release, in closed form and in the
// log domain: delta(eps) = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu), for every real eps.
//
// Every Interval is certified: it contains the true value for the arguments as given, by a running error bound (derived
// in gaussian.cpp) on top of the errors that special.hpp states. Widths relative to log delta: 1e-15 for the plain
// Gaussian and 1e-14 subsampled; more where 1 - delta is tiny (its log is what is carried: 4e-13 at 1e-195), where
// eps/mu and mu/2 nearly cancel with mu above 1e4 (subsampled), and where delta is about to vanish (direction add at
// eps near -log(1-q)).
//
// mu = 0 is the release of nothing, mu = inf (noise multiplier 0) of everything. Arguments that mean nothing throw
// std::invalid_argument. All functions are pure; 0.1 to 0.5 us per profile value, 10 to 20 values per epsilon.

namespace hockeystick {

// log delta(eps), lower <= truth <= upper. -inf is a value where delta is 0, and the lower end where it underflows.
Interval gaussian_log_delta_bounds(double epsilon, double mu);

// The same for log(1 - delta(eps)), right where delta is near 1.
Interval gaussian_log_complement_bounds(double epsilon, double mu);

// delta(eps) itself for eps >= 0 and mu in [1e-3, 1e3], at a third of the cost; absolute width about
// u (50 + 16 phi(s) (eps/mu + mu)), s = eps/mu - mu/2. Other mu take the log-domain bracket.
Interval gaussian_delta_bounds(double epsilon, double mu);

// Middle of the bracket: an estimate, on either side of the truth.
double gaussian_log_delta_estimate(double epsilon, double mu);

// The least eps >= 0 with delta(eps) <= e^{log_delta}; 0 when that is at least the total variation.
Interval gaussian_epsilon_bounds(double log_delta, double mu);

// One release of `law`; the two functions above for its (P, Q) in `direction`. sampling_rate 0 or in [1e-300, 1].
Interval subsampled_log_delta_bounds(double epsilon, const SubsampledGaussian& law, Direction direction);
Interval subsampled_epsilon_bounds(double log_delta, const SubsampledGaussian& law, Direction direction);

// The same at many epsilons.
std::vector<Interval> gaussian_log_delta_bounds(std::span<const double> epsilons, double mu);
std::vector<Interval> gaussian_log_complement_bounds(std::span<const double> epsilons, double mu);
std::vector<Interval> subsampled_log_delta_bounds(std::span<const double> epsilons, const SubsampledGaussian& law,
                                                  Direction direction);

}  // namespace hockeystick
