// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "hockeystick/tradeoff.hpp"

// From tests to the profile of their trade-off curve: their mixtures and mirror images are pooled under one concave
// hull, whose edges are the points of the profile, with delta linear in e^epsilon between them.
//
// Mirror image: the test (FPR, TPR) of a pair is the test (1 - TPR, 1 - FPR) of the pair reversed. Pooling them is the
// symmetrisation f -> hull of min(f, f^{-1}), never max: max is right only where both are bounds on the same pair.
//
// Errors: rates as given, with `rounding` relative on each of the four columns; delta comes out above and below by that
// and by 32u (1 + |log|) TPR for tests that rounding kept out of the hull. Cost: a sort and 0.3 us a point. Pure
// functions. Positive or NaN logs and columns of different lengths throw std::invalid_argument.

namespace hockeystick {

// Tests in any order: natural logs of both rates and of both complements.
struct RocPoints {
    std::vector<double> log_fpr;
    std::vector<double> log_tpr;
    std::vector<double> log_fnr;
    std::vector<double> log_tnr;
    double rounding = 0.0;  // relative error of any rate, as an error of its log
};

// Profile of the polygon through all these tests, their mirror images, (0, 1) and (1, 0).
ProfileTable profile_of_tests(std::span<const RocPoints> directions);

// The likelihood-ratio tests of P against Q over the same outcomes, from log masses in any order; -inf is no mass. Sums
// are compensated and scaled: rounding u (20 + 4 |log of the least mass summed|), whatever the length.
RocPoints likelihood_ratio_tests(std::span<const double> log_p, std::span<const double> log_q);

// Vertices of a polygon that lies below every convex non-increasing f which passes through the points given, sorted by
// FPR (that are themselves in convex position up to rounding): in each cell the crossing of the extensions of the
// neighbouring chords, moved down and to the left by its rounding; before the first point and after the last the
// extension of the chord there, up to a rate of 1. TPR of the vertices, not FNR, carries the digits.
struct SampleVertices {
    std::vector<double> fpr;
    std::vector<double> tpr;
};
SampleVertices vertices_below_samples(std::span<const double> fpr, std::span<const double> tpr);

}  // namespace hockeystick
