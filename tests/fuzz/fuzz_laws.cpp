// SPDX-License-Identifier: Apache-2.0
// Laws that are no sampled Gaussian, alone and composed: Laplace, bounded range, atoms, mixtures, discrete Gaussian,
// replace, allocation, and those that are made of others. Every bracket is a bracket, answers to one question overlap,
// an engine may refuse by accuracy_error and a law by invalid_argument.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "brackets.hpp"
#include "fuzz.hpp"
#include "hockeystick/allocation.hpp"
#include "hockeystick/atoms_law.hpp"
#include "hockeystick/bounded_range_law.hpp"
#include "hockeystick/combined_law.hpp"
#include "hockeystick/discrete_gaussian_law.hpp"
#include "hockeystick/error.hpp"
#include "hockeystick/fft_engine.hpp"
#include "hockeystick/gaussian_law.hpp"
#include "hockeystick/gaussian_mixture_law.hpp"
#include "hockeystick/laplace_law.hpp"
#include "hockeystick/limits.hpp"
#include "hockeystick/ratio_law.hpp"
#include "hockeystick/renyi.hpp"
#include "hockeystick/replace_law.hpp"
#include "hockeystick/sampled_law.hpp"

namespace {

using namespace hockeystick;
using hockeystick_fuzz::asked;
using hockeystick_fuzz::Bytes;
using hockeystick_fuzz::overlap;

// Probabilities of P and of Q of the same few outcomes, some of them 0.
LawHandle table(Bytes& bytes) {
    const std::size_t size = 1 + bytes.integer(1) % 6;
    std::vector<double> p(size), q(size);
    double p_sum = 0.0, q_sum = 0.0;
    for (std::size_t i = 0; i < size; ++i) {
        p[i] = bytes.integer(1) < 16 ? 0.0 : bytes.scale(1e-9, 1.0);
        q[i] = bytes.integer(1) < 16 ? 0.0 : bytes.scale(1e-9, 1.0);
        p_sum += p[i];
        q_sum += q[i];
    }
    if (p_sum == 0.0 || q_sum == 0.0) throw std::invalid_argument("nothing is left");
    AtomTable atoms;
    for (std::size_t i = 0; i < size; ++i) {
        const double with = p[i] / p_sum, without = q[i] / q_sum;
        if (with > 0.0 && without > 0.0) {
            atoms.loss.push_back(std::log(with) - std::log(without));
            atoms.log_p.push_back(std::log(with));
        } else if (with > 0.0) {
            atoms.infinity_mass = {atoms.infinity_mass.lower + with, atoms.infinity_mass.upper + with};
        } else {
            atoms.vanishing_mass = {atoms.vanishing_mass.lower + without, atoms.vanishing_mass.upper + without};
        }
    }
    for (Interval* mass : {&atoms.infinity_mass, &atoms.vanishing_mass}) {
        *mass = {mass->lower * (1.0 - 1e-15), std::min(1.0, mass->upper * (1.0 + 1e-15))};
    }
    atoms.relative_error = 1e-15;
    atoms.loss_error = 1e-14;
    return atoms_law(atoms);
}

LawHandle plain(Bytes& bytes) {
    const std::uint64_t kind = bytes.integer(1) % 7;
    const double scale = bytes.scale(0.05, 50.0);
    switch (kind) {
        case 0:
            return laplace_law(scale);
        case 1:
            return bounded_range_law(1.0 / scale);
        case 2:
            return discrete_gaussian_law(scale, 1 + static_cast<std::int64_t>(bytes.integer(1) % 4));
        case 3:
            return poisson_replace_law({scale, bytes.scale(1e-6, 1.0)});
        case 4: {
            std::vector<double> shifts, weights;
            for (std::uint64_t i = 1 + bytes.integer(1) % 3; i > 0; --i) {
                shifts.push_back(bytes.integer(1) < 64 ? 0.0 : bytes.scale(1e-3, 10.0));
                weights.push_back(bytes.scale(1e-6, 1.0));
            }
            double sum = 0.0;
            for (const double weight : weights) sum += weight;
            for (double& weight : weights) weight /= sum;
            return gaussian_mixture_law(scale, shifts, weights);
        }
        case 5:
            return table(bytes);
        default:
            return std::make_shared<GaussianLaw>(SubsampledGaussian{scale, bytes.scale(1e-6, 1.0)}, Direction::add);
    }
}

LawHandle derived(Bytes& bytes) {
    LawHandle law = plain(bytes);
    for (std::uint64_t more = bytes.integer(1) % 3; more > 0; --more) {
        switch (bytes.integer(1) % 6) {
            case 0:
                law = reversed_law(law);
                break;
            case 1:
                law = poisson_law(law, bytes.scale(1e-6, 1.0));
                break;
            case 2:
                law = merged_law(law);
                break;
            case 3: {
                const double weight = bytes.within(0.01, 0.99);
                law = mixture_law({law, plain(bytes)}, {weight, 1.0 - weight});
                break;
            }
            case 4:
                law = maximum_law({law, plain(bytes)});
                break;
            default: {
                const Dominance side = bytes.integer(1) % 2 == 0 ? Dominance::dominating : Dominance::dominated;
                law = allocation_laws(law, side, 1 + bytes.integer(1) % 20, 60).remove;
            }
        }
    }
    return law;
}

void check_tails(const LawHandle& law, Bytes& bytes) {
    const double loss = bytes.integer(1) < 128 ? bytes.within(-20.0, 20.0) : bytes.within(-0.5, 0.5);
    const TailMasses at = law->tails(loss);
    for (const double mass : {at.p_below, at.p_above, at.q_below, at.q_above}) {
        REQUIRE(mass >= 0.0 && mass <= 1.0 + 1e-9, mass, loss);
    }
    const double p = at.p_below + at.p_above, q = at.q_below + at.q_above;
    REQUIRE(p <= 1.0 + 1e-9 && p >= 1.0 - law->infinity_mass().upper - 1e-9, p, law->infinity_mass().upper);
    REQUIRE(q <= 1.0 + 1e-9 && q >= 1.0 - law->vanishing_mass().upper - 1e-9, q, law->vanishing_mass().upper);
    REQUIRE(law->least_loss() <= law->greatest_loss(), law->least_loss(), law->greatest_loss());
}

void ask(const LawHandle& law, Bytes& bytes) {
    check_tails(law, bytes);
    const std::uint64_t count = 1 + bytes.integer(1) % 40;
    const std::vector<std::vector<LawTerm>> terms{{{law, count}}};
    const double log_delta = -bytes.scale(1e-6, 100.0);
    const auto fft = asked([&] { return fft_epsilon_bounds(terms, log_delta, 0.3); });
    overlap(fft, asked([&] { return epsilon_limits(terms.front(), log_delta); }));
    if (count == 1) overlap(fft, asked([&] { return epsilon_bounds(*law, log_delta); }));
    const std::vector<double> epsilon{bytes.integer(1) < 16 ? 0.0 : bytes.scale(1e-6, 50.0)};
    const auto profile = asked([&] { return fft_log_delta_bounds(terms, epsilon, 0.3).front(); });
    if (profile) REQUIRE(profile->upper <= 0.0, profile->upper, epsilon.front());
    overlap(profile, asked([&] { return log_delta_limits(terms.front(), epsilon).front(); }));
    if (count == 1) overlap(profile, asked([&] { return law->log_delta_bounds(epsilon.front()); }));
    const double order = 1.0 + bytes.scale(1e-3, 50.0);
    const double divergence = RenyiOfLaw(law).upper(std::span(&order, 1)).front();
    REQUIRE(divergence >= 0.0, divergence, order);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Bytes bytes(data, size);
    try {
        ask(derived(bytes), bytes);
    } catch (const std::invalid_argument&) {  // a law that there is not
    } catch (const accuracy_error&) {         // or one that cannot be had
    }
    return 0;
}
