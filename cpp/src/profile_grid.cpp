// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/profile_grid.hpp"

#include <algorithm>
#include <cmath>

#include "hockeystick/cumulant.hpp"

namespace hockeystick {
namespace {

constexpr std::size_t k_segments = 40;

// A stretch of the loss axis with the density of points it wants (points an epsilon, at unit spacing).
struct Stretch {
    double begin;
    double end;
    double density;
};

std::vector<Stretch> stretches(CumulantEstimate& cumulant, double log_delta_floor) {
    const double first = cumulant.saddle_of_epsilon(0.0);
    const double last = std::max(cumulant.saddle_of_delta(log_delta_floor).theta, 1.01 * first);
    std::vector<Stretch> result;
    double theta_before = first, epsilon_before = 0.0;
    for (std::size_t i = 1; i <= k_segments; ++i) {
        const double theta = first * std::pow(last / first, static_cast<double>(i) / k_segments);
        const double epsilon = std::max(cumulant.at(theta).first - 1.0 / theta - 1.0 / (1.0 + theta), epsilon_before);
        const double middle = std::sqrt(theta * theta_before);
        result.push_back({epsilon_before, epsilon, std::sqrt(middle * (middle + 1.0))});
        theta_before = theta;
        epsilon_before = epsilon;
    }
    return result;
}

// Outcomes that all together are far less likely than the smallest delta asked for are left out of the estimate: they
// would take over the strongly tilted law and end the curve where they do.
std::vector<double> caps(std::span<const Term> terms, Direction direction, double log_delta_floor) {
    constexpr double log_far_less = -9.0;
    std::vector<double> result;
    for (const Term& term : terms) {
        const double releases = static_cast<double>(term.count) * static_cast<double>(terms.size());
        result.push_back(probability_cap(term.law, direction, log_delta_floor + log_far_less - std::log(releases)));
    }
    return result;
}

}  // namespace

std::vector<double> profile_epsilons(std::span<const Term> terms, Direction direction, double log_delta_floor,
                                     double spacing, std::size_t most) {
    CumulantEstimate cumulant(terms, direction, caps(terms, direction, log_delta_floor));
    const std::vector<Stretch> parts = stretches(cumulant, log_delta_floor);
    double wanted = 0.0;
    for (const Stretch& part : parts) wanted += (part.end - part.begin) * part.density / spacing + 1.0;
    const double wider = spacing * std::max(1.0, wanted / static_cast<double>(most));
    std::vector<double> epsilons{0.0};
    for (const Stretch& part : parts) {
        const double length = part.end - part.begin;
        if (!(length > 0.0)) continue;
        const double points = std::ceil(length * part.density / wider);
        for (double k = 1.0; k <= points; k += 1.0) {
            const double epsilon = part.begin + length * (k / points);
            if (epsilon > epsilons.back()) epsilons.push_back(epsilon);
        }
    }
    return epsilons;
}

}  // namespace hockeystick
