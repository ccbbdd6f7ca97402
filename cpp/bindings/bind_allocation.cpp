// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/allocation.hpp"
#include "laws.hpp"

namespace py = pybind11;

namespace {

template <class Work>
auto pair_of(Work work) {
    hockeystick::AllocationLaws laws;
    {
        const py::gil_scoped_release nogil;
        laws = work();
    }
    return std::tuple(hockeystick::bindings::as_python(laws.remove), hockeystick::bindings::as_python(laws.add));
}

}  // namespace

void bind_allocation(py::module_& m) {
    using namespace hockeystick;
    m.def(
        "allocation_laws",
        [](const bindings::PythonLaw& base, bool dominating, std::uint64_t steps, std::size_t cells) {
            const Dominance side = dominating ? Dominance::dominating : Dominance::dominated;
            return pair_of([&] { return allocation_laws(base, side, steps, cells); });
        },
        py::arg("base"), py::arg("dominating"), py::arg("steps"), py::arg("cells"),
        "One epoch of random allocation of a release given in its direction remove: laws of remove and add, on one "
        "side "
        "of the truth.");
    m.def(
        "subset_laws_lower",
        [](const bindings::PythonLaw& base, std::uint64_t steps, std::uint64_t participations, std::size_t cells) {
            return pair_of([&] { return subset_laws_lower(base, steps, participations, cells); });
        },
        py::arg("base"), py::arg("steps"), py::arg("participations"), py::arg("cells"),
        "Laws of remove and add that an epoch with several participations dominates.");
    m.def(
        "allocation_renyi_upper",
        [](const bindings::Array<double>& divergences, std::uint64_t steps, const bindings::Array<double>& orders) {
            const auto known = bindings::as_span(divergences, "divergences");
            const auto asked = bindings::as_span(orders, "orders");
            std::vector<double> result;
            {
                const py::gil_scoped_release nogil;
                result = allocation_renyi_upper(known, steps, asked);
            }
            return bindings::as_array(std::move(result));
        },
        py::arg("divergences").noconvert(), py::arg("steps"), py::arg("orders").noconvert(),
        "Upper bounds on Renyi divergences of an epoch, remove, from those of a release at orders 2, 3, ...");
}
