// SPDX-License-Identifier: Apache-2.0
// What the fuzz targets demand of brackets.
#pragma once

#include <optional>

#include "fuzz.hpp"
#include "hockeystick/error.hpp"
#include "hockeystick/loss_law.hpp"

namespace hockeystick_fuzz {

// A bracket that is one; none where the engine refuses.
template <class Question>
std::optional<hockeystick::Interval> asked(const Question& question) {
    try {
        const hockeystick::Interval bounds = question();
        REQUIRE(bounds.lower <= bounds.upper, bounds.lower, bounds.upper);
        return bounds;
    } catch (const hockeystick::accuracy_error&) {
        return std::nullopt;
    }
}

// Of two answers to one question.
inline void overlap(const std::optional<hockeystick::Interval>& a, const std::optional<hockeystick::Interval>& b) {
    if (!a || !b) return;
    REQUIRE(a->lower <= b->upper, a->lower, b->upper);
    REQUIRE(b->lower <= a->upper, b->lower, a->upper);
}

}  // namespace hockeystick_fuzz
