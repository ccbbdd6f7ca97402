// SPDX-License-Identifier: Apache-2.0
// Against 60-digit values (special_values.hpp), each function within the error that its header states.
#include "hockeystick/special.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <span>

#include "check.hpp"
#include "special_values.hpp"

namespace {

using namespace hockeystick;

constexpr double k_u = std::numeric_limits<double>::epsilon() / 2;
constexpr double k_inf = std::numeric_limits<double>::infinity();
constexpr double k_nan = std::numeric_limits<double>::quiet_NaN();
constexpr double k_least = std::numeric_limits<double>::denorm_min();

// `floor` is the magnitude below which the stated error is absolute. Prints the margin that is left.
template <class Function>
void compare(const char* name, std::span<const Value> values, Function function, double units, double floor) {
    double worst = 0.0;
    for (const Value& value : values) {
        const double got = function(value.argument);
        const double scale = std::max(std::abs(value.result), floor);
        const double error = got == value.result ? 0.0 : (std::abs(got - value.result) - k_least) / scale / k_u;
        CHECK(error <= units);
        if (error > units) {
            std::fprintf(stderr, "  %s(%.17g) = %.17g, want %.17g\n", name, value.argument, got, value.result);
        }
        worst = std::max(worst, error);
    }
    std::printf("%-28s worst %.2f u of %.0f u over %zu values\n", name, worst, units, values.size());
}

void test_values() {
    compare("mills_ratio", k_mills, mills_ratio, 8.0, 0.0);
    compare("mills_slope", k_slope, mills_slope, 5.0, 0.0);
    compare("log_normal_cdf", k_log_cdf, log_normal_cdf, 12.0, 0.0);
    compare("normal_quantile_of_log", k_quantile, normal_quantile_of_log, 16.0, 1.0);
    compare("erfcx", k_erfcx, erfcx, 8.0, 0.0);
    compare("log1mexp", k_log1mexp, log1mexp, 6.0, 0.0);
    CHECK_CLOSE(logaddexp(0.0, 0.0), std::log(2.0), 4.0 * k_u);
    CHECK_CLOSE(logaddexp(-1000.0, -1001.0), -1000.0 + std::log1p(std::exp(-1.0)), 4.0 * k_u);
    CHECK_CLOSE(logaddexp(3.0, 1.0), logaddexp(1.0, 3.0), 0.0);
}

void test_ends() {
    CHECK(log1mexp(0.0) == -k_inf);
    CHECK(log1mexp(-k_inf) == 0.0);
    CHECK(logaddexp(-k_inf, -k_inf) == -k_inf);
    CHECK(logaddexp(k_inf, -k_inf) == k_inf);
    CHECK(logaddexp(-k_inf, 2.0) == 2.0);
    CHECK(log_normal_cdf(-k_inf) == -k_inf);
    CHECK(log_normal_cdf(k_inf) == 0.0);
    CHECK(log_normal_cdf(-1e200) == -k_inf);
    CHECK(normal_quantile_of_log(-k_inf) == -k_inf);
    CHECK(normal_quantile_of_log(0.0) == k_inf);
    CHECK(normal_quantile_of_log_complement(-k_inf) == k_inf);
    CHECK(mills_ratio(k_inf) == 0.0);
    CHECK(mills_slope(k_inf) == 0.0);
    CHECK(mills_ratio(-k_inf) == k_inf);
    CHECK(erfcx(-k_inf) == k_inf);
    CHECK(erfcx(k_inf) == 0.0);
}

void test_nan() {
    CHECK(std::isnan(log1mexp(k_nan)) && std::isnan(log1mexp(1e-300)));
    CHECK(std::isnan(logaddexp(k_nan, 0.0)) && std::isnan(logaddexp(0.0, k_nan)));
    CHECK(std::isnan(mills_ratio(k_nan)) && std::isnan(mills_slope(k_nan)) && std::isnan(mills_slope(-1.1)));
    CHECK(std::isnan(erfcx(k_nan)) && std::isnan(log_normal_cdf(k_nan)));
    CHECK(std::isnan(normal_quantile_of_log(k_nan)) && std::isnan(normal_quantile_of_log(1e-300)));
}

// The quantile undoes log Phi: to the stated errors times the conditioning of each.
void test_round_trip() {
    for (double x = -1e3; x < 8.0; x += 0.137) {
        const double back = normal_quantile_of_log(log_normal_cdf(x));
        const double conditioning = std::abs(log_normal_cdf(x)) * mills_ratio(-x);
        CHECK(std::abs(back - x) <= 16.0 * k_u * std::max(1.0, std::abs(x)) + 12.0 * k_u * conditioning);
    }
}

}  // namespace

int main() {
    test_values();
    test_ends();
    test_nan();
    test_round_trip();
    return hockeystick_test::failures();
}
