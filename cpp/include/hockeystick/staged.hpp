// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "hockeystick/compose.hpp"
#include "hockeystick/cumulant.hpp"
#include "hockeystick/tilt.hpp"

namespace hockeystick {

// One tilted question about a composition: what to compose, and how wide log delta may come out.
struct TiltedQuestion {
    std::span<const LawTerm> terms;
    Tilt tilt;
    double saddle;         // the saddle point proper: how strongly log delta reacts to what discretisation adds
    double log_width;      // wanted width of log delta
    double least_epsilon;  // the window must reach down to this and up to that
    double most_epsilon;
    CumulantEstimate* cumulant;
};

// The composed law from both sides.
struct Bracket {
    ComposedLaw pessimistic;
    ComposedLaw optimistic;
    bool exact = false;  // on the laws' own lattice: no finer one would tell more
};

// Answers all questions with one pair of transforms a stage (all laws of all questions in one batch). `refinement`
// scales every step down; 1 is the plan's own choice.
std::vector<Bracket> compose_in_stages(std::span<const TiltedQuestion> questions, double refinement);

}  // namespace hockeystick
