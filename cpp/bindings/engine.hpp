// SPDX-License-Identifier: Apache-2.0
// The two questions that every engine answers, bound once for all engines.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "released.hpp"
#include "terms.hpp"

namespace hockeystick::bindings {

// Defines <name>_epsilon_bounds and <name>_log_delta_bounds; the engine's functions are taken as they are in the core.
// What an engine takes beyond the rest (`More`) follows, with the names and defaults given.
template <class... More, class... Extra>
void bind_engine(pybind11::module_& m, const std::string& name,
                 Interval (*epsilon_bounds)(std::span<const Term>, std::span<const Direction>, double, double, More...),
                 std::vector<Interval> (*log_delta_bounds)(std::span<const Term>, std::span<const Direction>,
                                                           std::span<const double>, double, More...),
                 const Extra&... extra) {
    namespace py = pybind11;
    m.def((name + "_epsilon_bounds").c_str(),
          [epsilon_bounds](const Array<double>& noise, const Array<double>& rates, const Array<std::uint64_t>& counts,
                           const std::vector<int>& directions, double log_delta, double tolerance, More... more) {
              const auto terms = as_terms(noise, rates, counts);
              const auto asked = as_directions(directions);
              const Released nogil;
              const Interval bounds = epsilon_bounds(terms, asked, log_delta, tolerance, more...);
              return std::pair(bounds.lower, bounds.upper);
          },
          py::arg("noise_multipliers").noconvert(), py::arg("sampling_rates").noconvert(),
          py::arg("counts").noconvert(), py::arg("directions"), py::arg("log_delta"), py::arg("tolerance"), extra...,
          ("Certified (lower, upper) of the largest direction's epsilon at log_delta by the " + name + " engine.")
              .c_str());
    m.def((name + "_log_delta_bounds").c_str(),
          [log_delta_bounds](const Array<double>& noise, const Array<double>& rates, const Array<std::uint64_t>& counts,
                             const std::vector<int>& directions, const Array<double>& epsilons, double tolerance,
                             More... more) {
              const auto terms = as_terms(noise, rates, counts);
              const auto asked = as_directions(directions);
              const auto points = as_span(epsilons, "epsilons");
              std::vector<Interval> bounds;
              {
                  const Released nogil;
                  bounds = log_delta_bounds(terms, asked, points, tolerance, more...);
              }
              return as_columns(bounds);
          },
          py::arg("noise_multipliers").noconvert(), py::arg("sampling_rates").noconvert(),
          py::arg("counts").noconvert(), py::arg("directions"), py::arg("epsilons").noconvert(), py::arg("tolerance"),
          extra...,
          ("Certified (lower, upper) of the largest direction's log delta at increasing epsilons by the " + name +
           " engine.")
              .c_str());
}

}  // namespace hockeystick::bindings
