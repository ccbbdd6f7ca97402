// SPDX-License-Identifier: Apache-2.0
// Closed forms on any double: out of the domain std::invalid_argument (special functions: NaN), in it a bracket.
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "fuzz.hpp"
#include "hockeystick/error.hpp"
#include "hockeystick/gaussian.hpp"
#include "hockeystick/special.hpp"

namespace {

using namespace hockeystick;
using hockeystick_fuzz::Bytes;

template <class Question>
void ask(const Question& question) {
    try {
        const Interval bounds = question();
        REQUIRE(bounds.lower <= bounds.upper, bounds.lower, bounds.upper);
    } catch (const std::invalid_argument&) {
    } catch (const accuracy_error&) {
    }
}

void special(double x) {
    if (std::isnan(x)) return;
    const double below = log_normal_cdf(x);
    REQUIRE(below <= 0.0, below, x);
    REQUIRE(!std::isnan(normal_quantile_of_log(below)), below, x);
    if (x <= 0.0) REQUIRE(log1mexp(x) <= 0.0, log1mexp(x), x);
    REQUIRE(mills_ratio(x) >= 0.0, mills_ratio(x), x);
    REQUIRE(erfcx(x) >= 0.0, erfcx(x), x);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Bytes bytes(data, size);
    const bool tame = bytes.integer(1) < 160;
    const double noise = tame ? bytes.scale(1e-6, 1e9) : bytes.any(),
                 rate = tame ? bytes.scale(1e-15, 1.0) : bytes.any();
    const double epsilon = tame ? bytes.scale(1e-300, 1e300) : bytes.any();
    const double log_delta = tame ? -bytes.scale(1e-300, 1e6) : bytes.any();
    ask([&] { return gaussian_log_delta_bounds(epsilon, noise); });
    ask([&] { return gaussian_epsilon_bounds(log_delta, noise); });
    for (const Direction direction : {Direction::remove, Direction::add}) {
        ask([&] { return subsampled_log_delta_bounds(epsilon, {noise, rate}, direction); });
        ask([&] { return subsampled_epsilon_bounds(log_delta, {noise, rate}, direction); });
    }
    special(epsilon);
    special(-noise);
    return 0;
}
