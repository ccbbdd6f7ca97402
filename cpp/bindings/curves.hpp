// SPDX-License-Identifier: Apache-2.0
// Profiles and curves as they cross the border: arrays that Python holds, read in place.
#pragma once

#include <tuple>

#include "arrays.hpp"
#include "hockeystick/tradeoff.hpp"

namespace hockeystick::bindings {

// epsilon, log_delta, log_complement, log_alpha, log_beta, log_tpr. A tuple's items are converted by pybind11, so the
// Python side holds float64 arrays, which pass through as they are.
using CurveColumns =
    std::tuple<Array<double>, Array<double>, Array<double>, Array<double>, Array<double>, Array<double>>;

// epsilon, log_delta_upper, log_delta_lower, log_complement_lower, log_complement_upper; the last two may be empty.
using ProfileColumns = std::tuple<Array<double>, Array<double>, Array<double>, Array<double>, Array<double>>;

inline ProfilePoints as_profile(const ProfileColumns& columns, bool linear) {
    const auto& [epsilon, upper, lower, complement_lower, complement_upper] = columns;
    return {as_span(epsilon, "epsilon"),
            as_span(upper, "log_delta_upper"),
            as_span(lower, "log_delta_lower"),
            as_span(complement_lower, "log_complement_lower"),
            as_span(complement_upper, "log_complement_upper"),
            linear ? Between::linear : Between::convex};
}

// A table that the core made: its columns and whether delta is linear between the points.
inline pybind11::tuple as_columns(ProfileTable&& table) {
    return pybind11::make_tuple(as_array(std::move(table.epsilon)), as_array(std::move(table.log_delta_upper)),
                                as_array(std::move(table.log_delta_lower)),
                                as_array(std::move(table.log_complement_lower)),
                                as_array(std::move(table.log_complement_upper)));
}

// Checks what reading would otherwise run off: the lengths of the columns.
inline EnvelopeView as_curve(const CurveColumns& columns, int side) {
    if (side != 0 && side != 1) {
        throw std::invalid_argument("side must be 0 (lower) or 1 (upper), got " + std::to_string(side));
    }
    const auto& [epsilon, log_delta, log_complement, log_alpha, log_beta, log_tpr] = columns;
    const EnvelopeView curve(side == 0 ? Side::lower : Side::upper, as_span(epsilon, "epsilon"),
                             as_span(log_delta, "log_delta"), as_span(log_complement, "log_complement"),
                             as_span(log_alpha, "log_alpha"), as_span(log_beta, "log_beta"),
                             as_span(log_tpr, "log_tpr"));
    const std::size_t lines = curve.epsilon.size();
    const std::size_t corners = curve.log_alpha.size();
    if (lines == 0 || corners + 1 != lines || curve.log_delta.size() != lines || curve.log_complement.size() != lines ||
        curve.log_beta.size() != corners || curve.log_tpr.size() != corners) {
        throw std::invalid_argument("curve must have n lines and n - 1 corners in its columns, got " +
                                    std::to_string(lines) + " and " + std::to_string(corners));
    }
    return curve;
}

}  // namespace hockeystick::bindings
