// SPDX-License-Identifier: Apache-2.0
// Loss laws across the border: one immutable handle, and compositions of them.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "arrays.hpp"
#include "hockeystick/loss_law.hpp"

namespace hockeystick::bindings {

// Python holds laws through a mutable pointer type; no method of theirs changes anything.
using PythonLaw = std::shared_ptr<LossLaw>;

inline PythonLaw as_python(const LawHandle& law) { return std::const_pointer_cast<LossLaw>(law); }

inline std::vector<LawHandle> as_laws(const std::vector<PythonLaw>& laws) { return {laws.begin(), laws.end()}; }

// One composition a direction: `directions` holds equally long lists of laws, `counts` their numbers of copies.
inline std::vector<std::vector<LawTerm>> as_directions_of(const std::vector<std::vector<PythonLaw>>& directions,
                                                          const Array<std::uint64_t>& counts) {
    const auto copies = as_span(counts, "counts");
    if (directions.empty()) throw std::invalid_argument("directions must hold at least one");
    std::vector<std::vector<LawTerm>> result;
    for (const auto& laws : directions) {
        if (laws.size() != copies.size()) throw std::invalid_argument("laws and counts must be equally long");
        result.emplace_back();
        for (std::size_t i = 0; i < laws.size(); ++i) result.back().push_back({laws[i], copies[i]});
    }
    return result;
}

}  // namespace hockeystick::bindings
