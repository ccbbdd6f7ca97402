// SPDX-License-Identifier: Apache-2.0
// Compositions across the border: three columns in, a vector of terms out.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "arrays.hpp"
#include "hockeystick/loss_law.hpp"

namespace hockeystick::bindings {

inline std::vector<Term> as_terms(const Array<double>& noise_multipliers, const Array<double>& sampling_rates,
                                  const Array<std::uint64_t>& counts) {
    const auto noise = as_span(noise_multipliers, "noise_multipliers");
    const auto rates = as_span(sampling_rates, "sampling_rates");
    const auto copies = as_span(counts, "counts");
    if (noise.size() != rates.size() || noise.size() != copies.size()) {
        throw std::invalid_argument("noise_multipliers, sampling_rates and counts must be equally long");
    }
    std::vector<Term> terms;
    for (std::size_t i = 0; i < noise.size(); ++i) terms.push_back({{noise[i], rates[i]}, copies[i]});
    return terms;
}

inline std::vector<SubsampledGaussian> as_laws(const Array<double>& noise_multipliers,
                                               const Array<double>& sampling_rates) {
    const auto noise = as_span(noise_multipliers, "noise_multipliers");
    const auto rates = as_span(sampling_rates, "sampling_rates");
    if (noise.size() != rates.size()) {
        throw std::invalid_argument("noise_multipliers and sampling_rates must be equally long");
    }
    std::vector<SubsampledGaussian> laws;
    for (std::size_t i = 0; i < noise.size(); ++i) laws.push_back({noise[i], rates[i]});
    return laws;
}

inline Direction as_direction(int direction) {
    if (direction != 0 && direction != 1) throw std::invalid_argument("direction must be 0 (remove) or 1 (add)");
    return direction == 0 ? Direction::remove : Direction::add;
}

inline std::vector<Direction> as_directions(const std::vector<int>& directions) {
    std::vector<Direction> converted;
    for (const int direction : directions) converted.push_back(as_direction(direction));
    return converted;
}

}  // namespace hockeystick::bindings
