// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "hockeystick/tradeoff.hpp"

// From a trade-off curve back to (epsilon, delta): delta(eps) = sup over alpha of 1 - f(alpha) - e^eps alpha, eps >= 0.
//
// A curve is the envelope of lines of slopes -e^{eps_j}, so this conjugate passes through their deltas, is linear in
// e^eps between them and flat beyond the last. Of a lower curve it is an upper bound on delta, of an upper curve a
// lower bound; every rounding goes that way. Relative error of delta: about 30u (1 + |log| of the weights). Arguments
// out of their domain throw std::invalid_argument. 0.1 us a value.

namespace hockeystick {

// log delta at every epsilon in [0, inf]: upper bounds for Side::lower, lower bounds for Side::upper.
std::vector<double> curve_log_deltas(const EnvelopeView& curve, std::span<const double> epsilons);

// The least epsilon >= 0 with delta(epsilon) <= e^{log_delta}: upper bounds for Side::lower (inf where the curve's
// delta never gets that far down), lower bounds for Side::upper. log_delta in [-inf, 0].
std::vector<double> curve_epsilons(const EnvelopeView& curve, std::span<const double> log_deltas);

}  // namespace hockeystick
