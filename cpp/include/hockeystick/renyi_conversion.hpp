// SPDX-License-Identifier: Apache-2.0
#pragma once

// From one Renyi order to (epsilon, delta), as tightly as that order allows (Asoodeh, Liao, Calmon, Kosut, Sankar
// 2021):
//
//   delta(epsilon) = sup { p - e^epsilon r : D_a(Ber p || Ber r) <= forward, D_a(Ber r || Ber p) <= reverse },
//
// because testing reduces every pair to two outcomes. For given epsilon and delta, r = (p - delta) e^-epsilon and both
// moments are convex in p; their minimum is bracketed by bisection on the derivative and bounded from below by the
// tangent at one end, with the rounding of the exponents subtracted. A pair (epsilon, delta) counts as reached only
// where that bound exceeds the moment allowed, so every answer is an upper bound. The answers are never above those of
// the improved conversion of Canonne, Kamath and Steinke (2020) that the search starts from:
//   epsilon = rho + log(1 - 1/a) - log(a delta) / (a - 1).
// The answer is at most `tolerance` above the infimum, relative on epsilon and on log delta (absolute where that is
// below 1); where (a - 1) rho is below about 1e-9 rounding decides and the improved conversion is returned.
//
// forward, reverse: upper bounds on D_order of one direction and of the other (+inf: unknown). Domain: order > 1
// finite, forward >= 0, tolerance in [1e-13, 0.1]. Pure; any thread; 10 to 50 microseconds an order.

#include <span>
#include <vector>

namespace hockeystick {

// Upper bounds on epsilon >= 0 at log_delta <= 0, one for each order.
std::vector<double> renyi_optimal_epsilon_upper(std::span<const double> orders, std::span<const double> forward,
                                                std::span<const double> reverse, double log_delta, double tolerance);

// Upper bounds on log delta at epsilon >= 0, one for each order.
std::vector<double> renyi_optimal_log_delta_upper(std::span<const double> orders, std::span<const double> forward,
                                                  std::span<const double> reverse, double epsilon, double tolerance);

}  // namespace hockeystick
