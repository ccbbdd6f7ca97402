// SPDX-License-Identifier: Apache-2.0
// Cumulants from cells of a law, whatever its shape, against closed forms.
#include "hockeystick/law_nodes.hpp"

#include <cmath>

#include "check.hpp"
#include "hockeystick/cumulant.hpp"
#include "hockeystick/gaussian_law.hpp"
#include "hockeystick/laplace_law.hpp"
#include "hockeystick/sampled_law.hpp"

namespace {

using namespace hockeystick;

double cumulant_of(const LawNodes& nodes, double theta) {
    double total = 0.0;
    for (std::size_t i = 0; i < nodes.losses.size(); ++i) {
        total += std::exp(nodes.log_weights[i] + theta * nodes.losses[i]);
    }
    return std::log(total);
}

void test_gaussian_by_its_tails() {
    const GaussianLaw law({2.0, 1.0}, Direction::remove);
    const LawNodes nodes = nodes_of(law);
    for (const double theta : {-3.0, 0.5, 4.0, 30.0}) {
        CHECK(std::fabs(cumulant_of(nodes, theta) - theta * (theta + 1.0) / 8.0) < 0.02 * (1.0 + std::fabs(theta)));
    }
    CHECK(nodes.losses.size() < 4000);
}

// Mironov 2017, proposition 6: E_P[e^{theta L}] = (1 + theta) / (1 + 2 theta) e^{theta S} + ... with order 1 + theta.
void test_laplace_and_its_atoms() {
    const double s = 0.5;
    const LawNodes nodes = nodes_of(*laplace_law(1.0 / s));
    for (const double theta : {0.5, 4.0, 60.0}) {
        const double a = 1.0 + theta;
        const double exact =
            std::log(a / (2.0 * a - 1.0) * std::exp(theta * s) + theta / (2.0 * a - 1.0) * std::exp(-a * s));
        CHECK(std::fabs(cumulant_of(nodes, theta) - exact) < 1e-3 * (1.0 + theta * s));
    }
}

void test_a_sampled_law_with_mass_at_infinity() {
    const LawHandle law =
        poisson_law(std::make_shared<GaussianLaw>(SubsampledGaussian{1.0, 1.0}, Direction::remove), 0.01);
    const LawTerm term{law, 7};
    const Term same{{1.0, 0.01}, 7};
    CumulantEstimate ours(std::span(&term, 1));
    CumulantEstimate theirs(laws_of(std::span(&same, 1), Direction::remove));
    CHECK_CLOSE(ours.at(3.0).value, theirs.at(3.0).value, 1e-12);
}

}  // namespace

int main() {
    test_gaussian_by_its_tails();
    test_laplace_and_its_atoms();
    test_a_sampled_law_with_mass_at_infinity();
    return hockeystick_test::failures();
}
