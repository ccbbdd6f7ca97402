// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/renyi.hpp"

#include <pybind11/pybind11.h>

#include "arrays.hpp"
#include "hockeystick/renyi_conversion.hpp"
#include "laws.hpp"
#include "terms.hpp"

namespace py = pybind11;

namespace {

using namespace hockeystick;
using bindings::Array;

template <class Work>
auto columns_of(Work work) {
    std::vector<Interval> bounds;
    {
        const py::gil_scoped_release nogil;
        bounds = work();
    }
    return bindings::as_columns(bounds);
}

template <class Work>
auto array_of(Work work) {
    std::vector<double> values;
    {
        const py::gil_scoped_release nogil;
        values = work();
    }
    return bindings::as_array(std::move(values));
}

}  // namespace

void bind_renyi(py::module_& m) {
    m.def(
        "renyi_bounds",
        [](const Array<double>& noise, const Array<double>& rates, const Array<double>& orders, int direction) {
            const auto laws = bindings::as_laws(noise, rates);
            const auto asked = bindings::as_span(orders, "orders");
            const Direction way = bindings::as_direction(direction);
            return columns_of([&] { return renyi_bounds(std::span<const SubsampledGaussian>(laws), way, asked); });
        },
        py::arg("noise_multipliers").noconvert(), py::arg("sampling_rates").noconvert(), py::arg("orders").noconvert(),
        py::arg("direction"), "Certified (lower, upper) Renyi divergences, one row of orders a law, flat.");
    m.def(
        "renyi_bounds_of_atoms",
        [](const Array<double>& losses, const Array<double>& masses, double infinity_mass, double reverse_infinity_mass,
           const Array<double>& orders) {
            const auto at = bindings::as_span(losses, "losses"), with = bindings::as_span(masses, "masses");
            const auto asked = bindings::as_span(orders, "orders");
            return columns_of(
                [&] { return renyi_bounds_of_atoms(at, with, infinity_mass, reverse_infinity_mass, asked); });
        },
        py::arg("losses").noconvert(), py::arg("masses").noconvert(), py::arg("infinity_mass"),
        py::arg("reverse_infinity_mass"), py::arg("orders").noconvert(),
        "Certified (lower, upper) Renyi divergences of a law of finitely many losses.");
    py::class_<RenyiOfLaw>(m, "RenyiOfLaw", py::metaclass(reinterpret_cast<PyObject*>(&PyType_Type)),
                           "The Renyi curve of any loss law, from above.")
        .def(
            "upper",
            [](const RenyiOfLaw& curve, const Array<double>& orders) {
                const auto asked = bindings::as_span(orders, "orders");
                return array_of([&] { return curve.upper(asked); });
            },
            py::arg("orders").noconvert(), "Upper bounds on the divergences.");
    m.def(
        "renyi_of_law",
        [](const bindings::PythonLaw& law, const bindings::PythonLaw& limit) { return RenyiOfLaw(law, limit); },
        py::arg("law"), py::arg("limit") = bindings::PythonLaw(), py::call_guard<py::gil_scoped_release>(),
        "Makes the atoms of a law that its Renyi curve is summed from; limit is a law that dominates it.");
    m.def(
        "laplace_renyi_bounds",
        [](double separation, const Array<double>& orders) {
            const auto asked = bindings::as_span(orders, "orders");
            return columns_of([&] { return laplace_renyi_bounds(separation, asked); });
        },
        py::arg("separation"), py::arg("orders").noconvert(), "The same for Laplace of scale 1/separation.");
    m.def(
        "discrete_gaussian_renyi_bounds",
        [](double sigma, double shift, const Array<double>& orders) {
            const auto asked = bindings::as_span(orders, "orders");
            return columns_of([&] { return discrete_gaussian_renyi_bounds(sigma, shift, asked); });
        },
        py::arg("sigma"), py::arg("shift"), py::arg("orders").noconvert(), "The same for the discrete Gaussian.");
    m.def(
        "renyi_optimal_epsilon_upper",
        [](const Array<double>& orders, const Array<double>& forward, const Array<double>& reverse, double log_delta,
           double tolerance) {
            const auto at = bindings::as_span(orders, "orders");
            const auto there = bindings::as_span(forward, "forward"), back = bindings::as_span(reverse, "reverse");
            return array_of([&] { return renyi_optimal_epsilon_upper(at, there, back, log_delta, tolerance); });
        },
        py::arg("orders").noconvert(), py::arg("forward").noconvert(), py::arg("reverse").noconvert(),
        py::arg("log_delta"), py::arg("tolerance"),
        "Upper bounds on epsilon from one order each, as tight as that order allows.");
    m.def(
        "renyi_optimal_log_delta_upper",
        [](const Array<double>& orders, const Array<double>& forward, const Array<double>& reverse, double epsilon,
           double tolerance) {
            const auto at = bindings::as_span(orders, "orders");
            const auto there = bindings::as_span(forward, "forward"), back = bindings::as_span(reverse, "reverse");
            return array_of([&] { return renyi_optimal_log_delta_upper(at, there, back, epsilon, tolerance); });
        },
        py::arg("orders").noconvert(), py::arg("forward").noconvert(), py::arg("reverse").noconvert(),
        py::arg("epsilon"), py::arg("tolerance"),
        "Upper bounds on log delta from one order each, as tight as that order allows.");
}
