// SPDX-License-Identifier: Apache-2.0
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "hockeystick/contour.hpp"
#include "laws.hpp"
#include "released.hpp"
#include "terms.hpp"

namespace py = pybind11;

namespace {

using namespace hockeystick;
using bindings::Array;

using Doubles = Array<double>;
using Counts = Array<std::uint64_t>;
using LawLists = std::vector<std::vector<bindings::PythonLaw>>;

// What is composed, as the core takes it: subsampled Gaussians under several directions, or laws of any kind.
template <class... Composed>
std::pair<double, double> epsilon_bounds(double log_delta, double tolerance, int threads, const Composed&... composed) {
    const bindings::Released nogil;
    const Interval bounds = contour_epsilon_bounds(composed..., log_delta, tolerance, threads);
    return {bounds.lower, bounds.upper};
}

template <class... Composed>
auto log_delta_bounds(const Doubles& epsilons, double tolerance, int threads, const Composed&... composed) {
    const auto points = bindings::as_span(epsilons, "epsilons");
    std::vector<Interval> bounds;
    {
        const bindings::Released nogil;
        bounds = contour_log_delta_bounds(composed..., points, tolerance, threads);
    }
    return bindings::as_columns(bounds);
}

void bind_gaussians(py::module_& m) {
    m.def(
        "contour_epsilon_bounds",
        [](const Doubles& noise, const Doubles& rates, const Counts& counts, const std::vector<int>& directions,
           double log_delta, double tolerance, int threads) {
            return epsilon_bounds(log_delta, tolerance, threads, bindings::as_terms(noise, rates, counts),
                                  bindings::as_directions(directions));
        },
        py::arg("noise_multipliers").noconvert(), py::arg("sampling_rates").noconvert(), py::arg("counts").noconvert(),
        py::arg("directions"), py::arg("log_delta"), py::arg("tolerance"), py::arg("threads") = 1,
        "Certified (lower, upper) of the largest direction's epsilon at log_delta by the contour engine.");
    m.def(
        "contour_log_delta_bounds",
        [](const Doubles& noise, const Doubles& rates, const Counts& counts, const std::vector<int>& directions,
           const Doubles& epsilons, double tolerance, int threads) {
            return log_delta_bounds(epsilons, tolerance, threads, bindings::as_terms(noise, rates, counts),
                                    bindings::as_directions(directions));
        },
        py::arg("noise_multipliers").noconvert(), py::arg("sampling_rates").noconvert(), py::arg("counts").noconvert(),
        py::arg("directions"), py::arg("epsilons").noconvert(), py::arg("tolerance"), py::arg("threads") = 1,
        "Certified (lower, upper) of the largest direction's log delta at increasing epsilons by the contour engine.");
}

void bind_laws(py::module_& m) {
    m.def(
        "contour_law_epsilon_bounds",
        [](const LawLists& laws, const Counts& counts, double log_delta, double tolerance, int threads) {
            return epsilon_bounds(log_delta, tolerance, threads, bindings::as_directions_of(laws, counts));
        },
        py::arg("laws"), py::arg("counts").noconvert(), py::arg("log_delta"), py::arg("tolerance"),
        py::arg("threads") = 1, "The same as contour_epsilon_bounds for laws of any kind.");
    m.def(
        "contour_law_log_delta_bounds",
        [](const LawLists& laws, const Counts& counts, const Doubles& epsilons, double tolerance, int threads) {
            return log_delta_bounds(epsilons, tolerance, threads, bindings::as_directions_of(laws, counts));
        },
        py::arg("laws"), py::arg("counts").noconvert(), py::arg("epsilons").noconvert(), py::arg("tolerance"),
        py::arg("threads") = 1, "The same as contour_log_delta_bounds for laws of any kind.");
}

}  // namespace

void bind_contour(py::module_& m) {
    bind_gaussians(m);
    bind_laws(m);
}
