// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/tabulated.hpp"

#include <pybind11/pybind11.h>

#include <tuple>

#include "arrays.hpp"
#include "curves.hpp"

namespace py = pybind11;

namespace {

using namespace hockeystick;
using bindings::Array;
using bindings::as_span;

using Law = std::tuple<Array<double>, Array<double>, double>;

TabulatedLaw as_law(const Law& law) {
    return {as_span(std::get<0>(law), "losses"), as_span(std::get<1>(law), "masses"), std::get<2>(law)};
}

}  // namespace

void bind_tabulated(py::module_& m) {
    m.def(
        "tabulated_profile",
        [](const Law& remove, const Law& add) {
            const TabulatedLaw laws[] = {as_law(remove), as_law(add)};
            ProfileTable table;
            {
                const py::gil_scoped_release nogil;
                table = tabulated_profile(laws);
            }
            return bindings::as_columns(std::move(table));
        },
        py::arg("remove"), py::arg("add"),
        "Profile columns of the larger of two tabulated loss laws (losses, masses, infinity_mass).");
}
