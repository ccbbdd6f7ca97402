// SPDX-License-Identifier: Apache-2.0
// The vector lanes against the certified quantile, over the whole range, for every length of the last pack.
#include "hockeystick/quantile_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "check.hpp"
#include "hockeystick/special.hpp"

int main() {
    using namespace hockeystick;
    std::vector<double> tails{-std::log(2.0), -0.7, -1.0, -3.0, -20.0, -690.0, -1e5, -1e12, -1e100, -1e300};
    for (double log_tail = -0.6932; log_tail > -800.0; log_tail *= 1.013) tails.push_back(log_tail);
    std::vector<double> found(tails.size());
    estimate_tail_quantiles(tails, found);
    double worst = 0.0;
    for (std::size_t i = 0; i < tails.size(); ++i) {
        const double truth = normal_quantile_of_log_complement(tails[i]);
        worst = std::max(worst, std::abs(found[i] - truth) / std::max(1.0, truth));
    }
    std::printf("quantiles off by at most %.2g of max(1, t)\n", worst);
    CHECK(worst < 1e-8);
    for (std::size_t length = 0; length <= 17; ++length) {
        std::vector<double> some(length, -1.0);
        estimate_tail_quantiles(std::span(tails).first(length), some);
        CHECK(std::equal(some.begin(), some.end(), found.begin()));  // a lane does not depend on its neighbours
    }
    return hockeystick_test::failures();
}
