// SPDX-License-Identifier: Apache-2.0
// Renyi divergences and conversions on any double: std::invalid_argument out of the domain, in it an ordered bracket.
#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "fuzz.hpp"
#include "hockeystick/renyi.hpp"
#include "hockeystick/renyi_conversion.hpp"

namespace {

using namespace hockeystick;
using hockeystick_fuzz::Bytes;

template <class Question>
void ask_bounds(const Question& question) {
    try {
        for (const Interval& bounds : question()) {
            REQUIRE(bounds.lower >= 0.0, bounds.lower, bounds.upper);
            REQUIRE(bounds.lower <= bounds.upper, bounds.lower, bounds.upper);
        }
    } catch (const std::invalid_argument&) {
    }
}

template <class Question>
void ask_value(const Question& question, double least, double most) {
    try {
        for (const double value : question()) REQUIRE(value >= least && value <= most, value, most);
    } catch (const std::invalid_argument&) {
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Bytes bytes(data, size);
    const bool tame = bytes.integer(1) < 160;
    const double noise = tame ? bytes.scale(1e-4, 1e9) : bytes.any(),
                 rate = tame ? bytes.scale(1e-15, 1.0) : bytes.any();
    const std::array orders{1.0, tame ? 1.0 + bytes.scale(1e-12, 1e6) : bytes.any()};
    for (const Direction direction : {Direction::remove, Direction::add})
        ask_bounds([&] { return renyi_bounds(SubsampledGaussian{noise, rate}, direction, orders); });
    ask_bounds([&] { return laplace_renyi_bounds(noise, orders); });
    ask_bounds([&] { return discrete_gaussian_renyi_bounds(noise, std::floor(bytes.within(0.0, 9.0)), orders); });
    const std::array losses{bytes.within(-9.0, 9.0), bytes.any()}, masses{bytes.within(0.0, 1.0), bytes.any()};
    ask_bounds([&] { return renyi_bounds_of_atoms(losses, masses, 0.0, 0.0, orders); });
    const std::array order{orders[1]}, forward{tame ? bytes.scale(1e-20, 1e6) : bytes.any()},
        reverse{tame ? bytes.scale(1e-20, 1e6) : bytes.any()};
    const double target = tame ? bytes.scale(1e-20, 700.0) : bytes.any();
    ask_value([&] { return renyi_optimal_epsilon_upper(order, forward, reverse, -target, 1e-9); }, 0.0, k_infinity);
    ask_value([&] { return renyi_optimal_log_delta_upper(order, forward, reverse, target, 1e-9); }, -k_infinity, 0.0);
    return 0;
}
