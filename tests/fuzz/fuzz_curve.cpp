// SPDX-License-Identifier: Apache-2.0
// Profiles, good ones and raw doubles, through the trade-off curve, mu and regret: nothing but std::invalid_argument is
// thrown, NaN never comes out, and lower sides stay below upper ones.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "fuzz.hpp"
#include "hockeystick/gdp.hpp"
#include "hockeystick/tradeoff.hpp"

namespace {

using namespace hockeystick;
using hockeystick_fuzz::Bytes;

struct Columns {
    std::vector<double> epsilon, upper, lower;
};

// A profile that some symmetric trade-off curve has: convex in x = e^epsilon, and with a slope in x of at least
// -(1 - delta) / 2 at x = 1. In brackets of some width that hold it whatever the exponentials round.
Columns profile(Bytes& bytes) {
    const double mass = bytes.integer(1) < 128 ? 0.0 : bytes.scale(1e-12, 0.5);
    const double rate = bytes.scale(1e-3, 50.0), width = bytes.integer(1) < 64 ? 0.0 : bytes.scale(1e-12, 1.0);
    const double height = (1.0 - mass) / (2.0 * rate + 1.0) * bytes.scale(1e-9, 1.0);
    Columns columns;
    double epsilon = 0.0;
    do {
        const double delta = mass + height * std::exp(-rate * epsilon);
        columns.epsilon.push_back(epsilon);
        const double half = width + 1e-15 * (10.0 + rate * epsilon);
        columns.upper.push_back(std::min(0.0, std::log(delta) + half));
        columns.lower.push_back(std::log(delta) - half);
        epsilon += bytes.scale(1e-9, 20.0);
    } while (columns.epsilon.size() < 24 && !bytes.empty());
    return columns;
}

Columns raw(Bytes& bytes) {
    Columns columns;
    do {
        columns.epsilon.push_back(columns.epsilon.empty() && bytes.integer(1) < 200 ? 0.0 : bytes.any());
        columns.upper.push_back(bytes.any());
        columns.lower.push_back(bytes.any());
    } while (columns.epsilon.size() < 8 && !bytes.empty());
    return columns;
}

// lower <= upper where the profile is one that can be; no NaN in any case.
void ordered(double lower, double upper, bool good) {
    REQUIRE(good ? lower <= upper : !std::isnan(lower) && !std::isnan(upper), lower, upper);
}

void read(const ProfilePoints& points, double log_floor, bool good) {
    const Envelope below = lower_envelope(points), above = upper_envelope(points);
    const std::vector<double> at{-700.0, -30.0, -5.0, -0.7, -1e-3, -1e-12, 0.0};
    const OperatingPoints low = operating_points_at_log(below, at), high = operating_points_at_log(above, at);
    for (std::size_t i = 0; i < at.size(); ++i) {
        ordered(low.log_beta[i], high.log_beta[i], good);
        ordered(high.log_tpr[i], low.log_tpr[i], good);
    }
    const MuFit closed = fit_mu(below, log_floor, Solver::closed_form);
    const MuFit halved = fit_mu(below, log_floor, Solver::bisection);
    REQUIRE(closed.mu >= 0.0, closed.mu, log_floor);
    const bool same = closed.mu == halved.mu || std::fabs(closed.mu - halved.mu) <= 1e-9 * (1.0 + closed.mu);
    REQUIRE(same, closed.mu, halved.mu);
    ordered(fit_mu_lower(below, above, log_floor, closed), closed.mu, good);
    const double residual = residual_upper(below, log_floor, closed.mu);
    REQUIRE(residual >= 0.0 && residual <= 1.0, residual, closed.mu);
    const RegretBounds regret = regret_bounds(points, closed.mu);
    ordered(regret.regret.lower, regret.regret.upper, good);
    ordered(regret.delta_divergence.lower, regret.delta_divergence.upper, good);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Bytes bytes(data, size);
    const bool good = bytes.integer(1) < 128;
    const double log_floor = -bytes.scale(0.7, 600.0);
    const Columns columns = good ? profile(bytes) : raw(bytes);
    try {
        read({columns.epsilon, columns.upper, columns.lower}, log_floor, good);
    } catch (const std::invalid_argument&) {
        REQUIRE(!good, columns.epsilon.back(), columns.upper.back());
    }
    return 0;
}
