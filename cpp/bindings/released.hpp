// SPDX-License-Identifier: Apache-2.0
// The GIL released for a call that may take long, with Ctrl-C still heard: the core asks now and then, and Python's
// handlers then run as they would between two lines of Python.
#pragma once

#include <pybind11/pybind11.h>

#include "hockeystick/interrupt.hpp"

namespace hockeystick::bindings {

inline void run_signal_handlers() {
    const pybind11::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
}

class Released {
public:
    Released() : interrupts_(run_signal_handlers) {}

private:
    pybind11::gil_scoped_release nogil_;
    InterruptScope interrupts_;
};

}  // namespace hockeystick::bindings
