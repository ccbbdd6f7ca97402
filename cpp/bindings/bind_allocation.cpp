// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/allocation.hpp"
#include "laws.hpp"

namespace py = pybind11;

void bind_allocation(py::module_& m) {
    using namespace hockeystick;
    m.def(
        "allocation_laws",
        [](const bindings::PythonLaw& base, bool dominating, std::uint64_t steps, std::size_t cells) {
            const Dominance side = dominating ? Dominance::dominating : Dominance::dominated;
            AllocationLaws laws;
            {
                const py::gil_scoped_release nogil;
                laws = allocation_laws(base, side, steps, cells);
            }
            return std::tuple(bindings::as_python(laws.remove), bindings::as_python(laws.add));
        },
        py::arg("base"), py::arg("dominating"), py::arg("steps"), py::arg("cells"),
        "One epoch of random allocation of a release given in its direction remove: laws of remove and add, on one "
        "side "
        "of the truth.");
}
