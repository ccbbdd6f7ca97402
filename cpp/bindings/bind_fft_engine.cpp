// SPDX-License-Identifier: Apache-2.0
#include "engine.hpp"
#include "hockeystick/fft_engine.hpp"
#include "hockeystick/profile_grid.hpp"

namespace py = pybind11;
using hockeystick::bindings::Array;
using hockeystick::bindings::as_direction;
using hockeystick::bindings::as_terms;

void bind_fft_engine(py::module_& m) {
    hockeystick::bindings::bind_engine(m, "fft", &hockeystick::fft_epsilon_bounds, &hockeystick::fft_log_delta_bounds);
    m.def(
        "profile_epsilons",
        [](const Array<double>& noise, const Array<double>& rates, const Array<std::uint64_t>& counts, int direction,
           double log_delta_floor, double spacing, std::size_t most) {
            const auto terms = as_terms(noise, rates, counts);
            const auto asked = as_direction(direction);
            std::vector<double> epsilons;
            {
                const py::gil_scoped_release nogil;
                epsilons = hockeystick::profile_epsilons(terms, asked, log_delta_floor, spacing, most);
            }
            return hockeystick::bindings::as_array(std::move(epsilons));
        },
        py::arg("noise_multipliers").noconvert(), py::arg("sampling_rates").noconvert(), py::arg("counts").noconvert(),
        py::arg("direction"), py::arg("log_delta_floor"), py::arg("spacing"), py::arg("most"),
        "An estimate of the epsilons at which a curve wants its profile.");
}
