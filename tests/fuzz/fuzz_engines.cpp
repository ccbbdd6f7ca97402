// SPDX-License-Identifier: Apache-2.0
// Compositions over the whole domain through the contour engine, and those that the FFT engine is for through it too:
// every bracket is a bracket, and any two of one question overlap. An engine may refuse by accuracy_error.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "brackets.hpp"
#include "fuzz.hpp"
#include "hockeystick/contour.hpp"
#include "hockeystick/error.hpp"
#include "hockeystick/fft_engine.hpp"
#include "hockeystick/gaussian_law.hpp"
#include "hockeystick/limits.hpp"

namespace {

using namespace hockeystick;
using hockeystick_fuzz::asked;
using hockeystick_fuzz::Bytes;
using hockeystick_fuzz::overlap;

std::vector<Term> composition(Bytes& bytes) {
    std::vector<Term> terms;
    do {
        const double noise = bytes.scale(1e-3, 1e6);
        const double rate = bytes.integer(1) < 32 ? 1.0 : bytes.scale(1e-12, 1.0);
        terms.push_back(
            {{noise, rate}, static_cast<std::uint64_t>(bytes.scale(1.0, bytes.integer(1) < 128 ? 1e4 : 1e12))});
    } while (terms.size() < 3 && bytes.integer(1) < 48);
    return terms;
}

// Questions that the FFT engine answers in milliseconds: it may take minutes where the composed law is next to nothing.
bool is_for_fft(const std::vector<Term>& terms, double log_delta) {
    return log_delta > -100.0 && std::all_of(terms.begin(), terms.end(), [](const Term& term) {
               const double looks = static_cast<double>(term.count) * term.law.sampling_rate;
               return term.law.noise_multiplier > 0.3 && term.law.noise_multiplier < 100.0 && looks > 0.1 &&
                      term.count <= 10000;
           });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Bytes bytes(data, size);
    const std::vector<Term> terms = composition(bytes);
    const Direction direction = bytes.integer(1) % 2 == 0 ? Direction::remove : Direction::add;
    const std::span<const Direction> one(&direction, 1);
    const std::vector<std::vector<LawTerm>> laws = laws_of(terms, one);
    if (bytes.integer(1) % 2 == 0) {
        const double log_delta = -bytes.scale(1e-6, 700.0);
        const auto contour = asked([&] { return contour_epsilon_bounds(terms, one, log_delta, 1e-6); });
        const bool both_ways = is_for_fft(terms, log_delta);
        const auto fft =
            asked([&] { return both_ways ? fft_epsilon_bounds(laws, log_delta, 1e-3) : Interval{0.0, k_infinity}; });
        overlap(contour, fft);
        const auto limits = asked([&] { return epsilon_limits(laws.front(), log_delta); });
        overlap(contour, limits);
        overlap(fft, limits);
        if (contour) REQUIRE(contour->lower >= 0.0, contour->lower, log_delta);
        if (fft) REQUIRE(fft->lower >= 0.0, fft->lower, log_delta);
    } else {
        const std::vector<double> epsilon{bytes.integer(1) < 16 ? 0.0 : bytes.scale(1e-9, 1e4)};
        const auto contour = asked([&] { return contour_log_delta_bounds(terms, one, epsilon, 1e-6).front(); });
        const bool both_ways = contour && is_for_fft(terms, contour->lower);
        const auto fft = asked(
            [&] { return both_ways ? fft_log_delta_bounds(laws, epsilon, 1e-2).front() : Interval{-k_infinity, 0.0}; });
        overlap(contour, fft);
        const auto limits = asked([&] { return log_delta_limits(laws.front(), epsilon).front(); });
        overlap(contour, limits);
        overlap(fft, limits);
        if (contour) REQUIRE(contour->upper <= 0.0, contour->upper, epsilon.front());
        if (fft) REQUIRE(fft->upper <= 0.0, fft->upper, epsilon.front());
    }
    return 0;
}
