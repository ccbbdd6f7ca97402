// SPDX-License-Identifier: Apache-2.0
// Elementary functions against those of long double; powers against polar long double ones, within the stated error, at
// any length and count.
#include "hockeystick/kernels.hpp"

#include <cmath>
#include <vector>

#include "../../cpp/src/vector_math.hpp"
#include "check.hpp"
#include "hockeystick/loss_law.hpp"

namespace {

using namespace hockeystick;
using Values = std::vector<std::complex<double>>;

void test_powers() {
    for (const std::size_t length : {1u, 255u, 256u, 700u}) {
        for (const std::uint64_t count : {0ull, 1ull, 2ull, 7ull, 1000ull, 123457ull}) {
            Values base, accumulator(length, {0.5, -0.25});
            for (std::size_t i = 0; i < length; ++i) {
                const double phase = 0.1 + static_cast<double>(i);
                base.push_back(std::polar(1.0 - 1e-6 * static_cast<double>(i), phase));
            }
            multiply_by_power(accumulator, base, count);
            const auto power = static_cast<long double>(count);
            for (std::size_t i = 0; i < length; ++i) {
                const std::complex<long double> exact =
                    std::polar(std::pow(std::hypot(static_cast<long double>(base[i].real()), base[i].imag()), power),
                               power * std::atan2(static_cast<long double>(base[i].imag()), base[i].real())) *
                    std::complex<long double>(0.5L, -0.25L);
                const long double error =
                    std::abs(std::complex<long double>(accumulator[i].real(), accumulator[i].imag()) - exact);
                const long double bound =
                    2.25L * k_unit_roundoff * static_cast<long double>(count + 1) * std::abs(exact);
                CHECK(error <= bound + 1e-18L * power);
            }
        }
    }
}

void test_vanishing_powers_are_zero() {
    Values accumulator(300, {1.0, 0.0});
    multiply_by_power(accumulator, Values(300, {0.1, 0.1}), 1000);
    for (const auto& value : accumulator) CHECK(value == std::complex<double>(0.0, 0.0));
}

using lane::Pack;

// The largest error of f against the long double g, in units of u, over points spaced evenly or by a factor.
template <class F, class G>
double worst_error(F f, G g, double from, double to, double step, bool by_factor = false) {
    double worst = 0.0;
    for (double x = from; x <= to; x = by_factor ? x * step : x + step) {
        for (const double at : {x, -x}) {
            if (by_factor || at == x) {
                const auto want = g(static_cast<long double>(at));
                const auto error = static_cast<double>(std::abs(f(lane::broadcast(at))[3] - want));
                if (want != 0.0L) worst = std::max(worst, error / std::abs(static_cast<double>(want)));
            }
        }
    }
    return worst / k_unit_roundoff;
}

void test_elementary_functions() {
    const auto exp = [](Pack x) { return lane::exp(x); };
    const auto expm1 = [](Pack x) { return lane::expm1(x); };
    const auto log = [](Pack x) { return lane::log(x); };
    const auto log1p = [](Pack x) { return lane::log1p(x); };
    const auto excess = [](Pack x) { return lane::exp_excess(x, lane::exp(x)); };
    CHECK(worst_error(exp, [](long double x) { return std::exp(x); }, -708.0, 709.0, 0.0371) <= 4.0);
    CHECK(worst_error(expm1, [](long double x) { return std::expm1(x); }, -700.0, 709.0, 0.0371) <= 8.0);
    CHECK(worst_error(expm1, [](long double x) { return std::expm1(x); }, 1e-300, 3.0, 1.01, true) <= 8.0);
    CHECK(worst_error(log, [](long double x) { return std::log(x); }, 1.5, 1e5, 0.731) <= 6.0);
    CHECK(worst_error(log1p, [](long double x) { return std::log1p(x); }, -0.4999, 3.0, 0.00037) <= 6.0);
    CHECK(worst_error(log1p, [](long double x) { return std::log1p(x); }, 1e-300, 0.49, 1.01, true) <= 6.0);
    const auto series = [](long double x) {
        long double term = x * x / 2.0L, sum = 0.0L;
        for (int n = 3; n < 60; term *= x / static_cast<long double>(n++)) sum += term;
        return sum;
    };
    CHECK(worst_error(excess, series, 1e-150, 0.99, 1.01, true) <= 8.0);
    CHECK(lane::exp(lane::broadcast(-709.0))[0] == 0.0);
    CHECK(std::isinf(lane::exp(lane::broadcast(709.5))[0]) && std::isinf(lane::expm1(lane::broadcast(1e9))[0]));
}

void test_angles() {
    double worst_angle = 0.0, worst_wave = 0.0;
    for (double angle = -3.1415; angle < 3.1416; angle += 0.00137) {
        for (const double radius : {1e-140, 1.0, 3e20}) {
            const double x = radius * std::cos(angle);
            const double y = radius * std::sin(angle);
            const double got = lane::atan2(lane::broadcast(y), lane::broadcast(x))[5];
            const auto want = std::atan2(static_cast<long double>(y), static_cast<long double>(x));
            worst_angle = std::max(worst_angle, static_cast<double>(std::abs((got - want) / want)));
        }
    }
    CHECK(worst_angle <= 6.0 * k_unit_roundoff);
    CHECK(lane::atan2(lane::broadcast(1e-200), lane::broadcast(1.0))[0] == 1e-200);
    CHECK(lane::atan2(Pack{}, Pack{})[0] == 0.0);
    for (double x = 1e-9; x < 5e5; x *= 1.0007) {
        Pack sine, cosine;
        lane::sin_cos(lane::broadcast(-x), sine, cosine);
        const auto exact = static_cast<long double>(-x);
        worst_wave = std::max(worst_wave, static_cast<double>(std::abs(sine[1] - std::sin(exact))));
        worst_wave = std::max(worst_wave, static_cast<double>(std::abs(cosine[7] - std::cos(exact))));
    }
    CHECK(worst_wave <= 2.0 * k_unit_roundoff);
}

}  // namespace

int main() {
    test_elementary_functions();
    test_angles();
    test_powers();
    test_vanishing_powers_are_zero();
    return hockeystick_test::failures();
}
