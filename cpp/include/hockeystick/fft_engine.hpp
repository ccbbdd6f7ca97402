// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "hockeystick/directions.hpp"
#include "hockeystick/loss_law.hpp"

namespace hockeystick {

// The FFT engine: certified profiles of compositions of any loss laws.
//
// A question is answered under one tilt, at its saddle point: the laws are connected by dots on a lattice whose step
// follows from the tolerance (a step h inflates the log of delta by about T theta (theta + 1) h^2 / 8), composed by FFT
// over the tilted law's own window, and read off. For many releases the composition goes in two stages, the lattice
// coarsened in between, so that the cost grows like T^{1/4} or so instead of T^{1/2}. The pessimistic law and the
// optimistic one travel together; their answers, with the ledgers, are the bracket. A bracket wider than asked is tried
// again on a finer lattice while that helps.
//
// Guarantee: lower <= truth <= upper always. The width is at most `tolerance` (relative) where the engine can reach it
// in bounded memory and with double precision: the caller must look. No threads, no state.

// The larger of the directions asked for is bracketed (each composed on its own). Where an estimate says that one is
// the larger by far, the other is not composed: its Chernoff bound shows that it cannot matter. Otherwise both go
// through the same transforms. Equal directions (a symmetric release) are composed once.
//
// Masses at infinity are not composed but added: delta is at least 1 - prod (1 - p)^T, and epsilon is infinite for any
// delta below that. Laws of atoms that share a lattice are composed on it, without discretisation, where that lattice
// is affordable.

// epsilon(delta), log_delta <= 0. Of many copies of one law, where one tilt leaves the bracket far too wide, by
// counting rare jumps (jumps.hpp). Zero where delta is at least the total variation; an upper bound of +inf where
// nothing could be certified.
Interval fft_epsilon_bounds(Directions directions, double log_delta, double tolerance);

// log delta(epsilon) (natural) at increasing epsilons >= 0; tolerance is the width of log delta.
std::vector<Interval> fft_log_delta_bounds(Directions directions, std::span<const double> epsilons, double tolerance);

}  // namespace hockeystick
