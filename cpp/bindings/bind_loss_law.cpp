// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/atoms_law.hpp"
#include "hockeystick/bounded_range_law.hpp"
#include "hockeystick/combined_law.hpp"
#include "hockeystick/discrete_gaussian_law.hpp"
#include "hockeystick/gaussian_law.hpp"
#include "hockeystick/gaussian_mixture_law.hpp"
#include "hockeystick/laplace_law.hpp"
#include "hockeystick/law_parts.hpp"
#include "hockeystick/replace_law.hpp"
#include "hockeystick/sampled_law.hpp"
#include "laws.hpp"
#include "terms.hpp"

namespace py = pybind11;

namespace {

using namespace hockeystick;
using bindings::Array;
using bindings::as_python;
using bindings::PythonLaw;

using Pair = std::pair<double, double>;

Pair as_pair(const Interval& x) { return {x.lower, x.upper}; }

void bind_class(py::module_& m) {
    py::class_<LossLaw, PythonLaw>(m, "LossLaw", py::metaclass(reinterpret_cast<PyObject*>(&PyType_Type)),
                                   "One direction of one release: an immutable law of its privacy loss.")
        .def_property_readonly("least_loss", &LossLaw::least_loss)
        .def_property_readonly("greatest_loss", &LossLaw::greatest_loss)
        .def_property_readonly("outcomes", [](const LossLaw& law) { return law.atoms().size(); })
        .def_property_readonly("has_nodes", &contour::has_nodes)
        .def_property_readonly("infinity_mass", [](const LossLaw& law) { return as_pair(law.infinity_mass()); })
        .def_property_readonly("vanishing_mass", [](const LossLaw& law) { return as_pair(law.vanishing_mass()); })
        .def(
            "tails",
            [](const LossLaw& law, double loss) {
                const TailMasses at = law.tails(loss);
                return std::tuple(at.p_below, at.p_above, at.q_below, at.q_above, at.relative_error);
            },
            py::arg("loss"), "P and Q of the finite losses at most and above `loss`, and their relative error.")
        .def(
            "log_delta_bounds",
            [](const LossLaw& law, const Array<double>& epsilons) {
                return bindings::as_columns(log_delta_bounds(law, bindings::as_span(epsilons, "epsilons")));
            },
            py::arg("epsilons").noconvert(), "Certified (lower, upper) of log delta of one release, epsilons >= 0.")
        .def(
            "epsilon_bounds",
            [](const LossLaw& law, double log_delta) { return as_pair(epsilon_bounds(law, log_delta)); },
            py::arg("log_delta"), "Certified (lower, upper) of the epsilon of one release.")
        .def("log_tilted_mass_above_upper", &LossLaw::log_tilted_mass_above_upper, py::arg("loss"), py::arg("theta"),
             "Upper bound on log E_P[e^(theta L); loss < L < inf].")
        .def_property_readonly("gaussian_mu", &LossLaw::gaussian_mu);
}

}  // namespace

void bind_loss_law(py::module_& m) {
    bind_class(m);
    m.def(
        "gaussian_law",
        [](double noise_multiplier, double sampling_rate, int direction) {
            const SubsampledGaussian release{noise_multiplier, sampling_rate};
            return as_python(std::make_shared<GaussianLaw>(release, bindings::as_direction(direction)));
        },
        py::arg("noise_multiplier"), py::arg("sampling_rate"), py::arg("direction"));
    m.def("laplace_law", [](double noise) { return as_python(laplace_law(noise)); }, py::arg("noise_multiplier"));
    m.def("bounded_range_law", [](double range) { return as_python(bounded_range_law(range)); }, py::arg("range"));
    m.def(
        "gaussian_mixture_law",
        [](double noise_std, const std::vector<double>& shifts, const std::vector<double>& probabilities) {
            return as_python(gaussian_mixture_law(noise_std, shifts, probabilities));
        },
        py::arg("noise_std"), py::arg("shifts"), py::arg("probabilities"));
    m.def(
        "poisson_replace_law", [](double noise, double rate) { return as_python(poisson_replace_law({noise, rate})); },
        py::arg("noise_multiplier"), py::arg("sampling_rate"));
    m.def(
        "atoms_law",
        [](std::vector<double> losses, std::vector<double> log_masses, const Pair& infinity, const Pair& vanishing,
           double relative_error, double loss_error) {
            return as_python(atoms_law({std::move(losses),
                                        std::move(log_masses),
                                        {infinity.first, infinity.second},
                                        {vanishing.first, vanishing.second},
                                        relative_error,
                                        loss_error}));
        },
        py::arg("losses"), py::arg("log_masses"), py::arg("infinity_mass"), py::arg("vanishing_mass"),
        py::arg("relative_error"), py::arg("loss_error"));
    m.def(
        "discrete_gaussian_law",
        [](double sigma, std::int64_t shift) { return as_python(discrete_gaussian_law(sigma, shift)); },
        py::arg("sigma"), py::arg("shift"), py::call_guard<py::gil_scoped_release>());
    m.def("reversed_law", [](const PythonLaw& law) { return as_python(reversed_law(law)); }, py::arg("law"));
    m.def(
        "poisson_law", [](const PythonLaw& law, double rate) { return as_python(poisson_law(law, rate)); },
        py::arg("law"), py::arg("sampling_rate"));
    m.def("merged_law", [](const PythonLaw& law) { return as_python(merged_law(law)); }, py::arg("remove"));
    m.def(
        "mixture_law",
        [](const std::vector<PythonLaw>& laws, const std::vector<double>& weights) {
            return as_python(mixture_law(bindings::as_laws(laws), weights));
        },
        py::arg("laws"), py::arg("weights"));
    m.def(
        "maximum_law",
        [](const std::vector<PythonLaw>& laws) { return as_python(maximum_law(bindings::as_laws(laws))); },
        py::arg("laws"));
}
