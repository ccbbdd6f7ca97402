// SPDX-License-Identifier: Apache-2.0
// Clopper-Pearson limits against closed forms, against plain sums, and their coverage by enumeration.
#include "hockeystick/binomial.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "check.hpp"

namespace {

using namespace hockeystick;

// P[Bin(n, p) >= k] term by term, in plain arithmetic.
double plain_tail(int k, int n, double p) {
    double sum = 0.0;
    for (int i = k; i <= n; ++i) {
        double term = 1.0;
        for (int j = 0; j < i; ++j) term *= p * (n - j) / (i - j);
        sum += term * std::pow(1.0 - p, n - i);
    }
    return sum;
}

void test_tails() {
    for (const int n : {1, 7, 30, 60}) {
        for (int k = 1; k <= n; k += 3) {
            for (const double share : {0.05, 0.5, 0.9, 1.0}) {
                const double p = share * k / n;
                if (p >= 1.0) continue;
                const double upper =
                    log_binomial_tail_upper(static_cast<std::uint64_t>(k), static_cast<std::uint64_t>(n), p);
                const double plain = std::log(plain_tail(k, n, p));
                CHECK(upper >= plain - 1e-13);
                CHECK(upper <= plain + 1e-11);
            }
        }
    }
}

// No success: 1 - a^{1/n}; all successes: a^{1/n}; one success below: 1 - (1 - a)^{1/n}.
void test_closed_forms() {
    for (const std::uint64_t n : {std::uint64_t{1}, std::uint64_t{10}, std::uint64_t{1000}, std::uint64_t{1000000}}) {
        for (const double a : {0.5, 0.025, 1e-6}) {
            const double root = std::exp(std::log(a) / static_cast<double>(n));
            const Interval none = clopper_pearson(0, n, a);
            CHECK(none.lower == 0.0);
            CHECK(none.upper >= -std::expm1(std::log(a) / static_cast<double>(n)) * (1.0 - 1e-13));
            CHECK_CLOSE(none.upper, -std::expm1(std::log(a) / static_cast<double>(n)), 1e-7);
            const Interval all = clopper_pearson(n, n, a);
            CHECK(all.upper == 1.0);
            CHECK(all.lower <= root && all.lower >= root * (1.0 - 1e-7));
            const double single = -std::expm1(std::log1p(-a) / static_cast<double>(n));
            const Interval one = clopper_pearson(1, n, a);
            CHECK(one.lower <= single * (1.0 + 1e-14));
            CHECK_CLOSE(one.lower, single, 1e-6);
        }
    }
}

// At every p the limits miss it with probability at most the significance, on either side, and not much less.
void test_coverage() {
    const int n = 40;
    const double a = 0.05;
    double most = 0.0;
    for (double p = 0.01; p < 1.0; p += 0.007) {
        double below = 0.0, above = 0.0;
        for (int k = 0; k <= n; ++k) {
            const double mass = plain_tail(k, n, p) - (k < n ? plain_tail(k + 1, n, p) : 0.0);
            const Interval limits = clopper_pearson(static_cast<std::uint64_t>(k), n, a);
            CHECK(limits.lower <= static_cast<double>(k) / n && limits.upper >= static_cast<double>(k) / n);
            if (limits.lower > p) above += mass;
            if (limits.upper < p) below += mass;
        }
        CHECK(above <= a + 1e-12 && below <= a + 1e-12);
        most = std::max({most, above, below});
    }
    std::printf("largest miss probability at n = %d: %.4f of %.2f\n", n, most, a);
    CHECK(most > 0.045);
}

// Limits of R's binom.test: 95 % for 7 of 20, 99 % for 950 of 1000.
void test_published() {
    const Interval first = clopper_pearson(7, 20, 0.025);
    CHECK_CLOSE(first.lower, 0.1539092, 1e-6);
    CHECK_CLOSE(first.upper, 0.5921885, 1e-6);
}

void test_large() {
    const Interval limits = clopper_pearson(300'000'000, 1'000'000'000, 1e-3);
    const double deviation = std::sqrt(0.3 * 0.7 / 1e9);  // 3.0902 of them on either side
    CHECK_CLOSE(0.3 - limits.lower, 3.0902 * deviation, 1e-2);
    CHECK_CLOSE(limits.upper - 0.3, 3.0902 * deviation, 1e-2);
}

void test_refusals() {
    CHECK_THROWS(clopper_pearson(0, 0, 0.05), std::invalid_argument);
    CHECK_THROWS(clopper_pearson(3, 2, 0.05), std::invalid_argument);
    CHECK_THROWS(clopper_pearson(1, 2, 0.0), std::invalid_argument);
    CHECK_THROWS(clopper_pearson(1, 2, 0.6), std::invalid_argument);
    CHECK_THROWS(clopper_pearson(1, 2, std::nan("")), std::invalid_argument);
    CHECK_THROWS(clopper_pearson(1, 20'000'000'000, 0.05), std::invalid_argument);
}

}  // namespace

int main() {
    test_tails();
    test_closed_forms();
    test_coverage();
    test_published();
    test_large();
    test_refusals();
    return hockeystick_test::failures();
}
