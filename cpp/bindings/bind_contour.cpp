// SPDX-License-Identifier: Apache-2.0
#include "engine.hpp"
#include "hockeystick/contour.hpp"

void bind_contour(pybind11::module_& m) {
    hockeystick::bindings::bind_engine<int>(m, "contour", &hockeystick::contour_epsilon_bounds,
                                            &hockeystick::contour_log_delta_bounds, pybind11::arg("threads") = 1);
}
