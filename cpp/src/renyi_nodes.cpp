// SPDX-License-Identifier: Apache-2.0
#include "renyi_nodes.hpp"

#include <cmath>

#include "excess.hpp"

namespace hockeystick::detail {
namespace {

constexpr std::size_t k_most_kept = 4096;
constexpr double k_largest_exponent = 700.0;

// e^{log_factor} g(y) where e^y alone may overflow.
double scaled_excess(double log_factor, double y) {
    if (y <= 1.0) return std::exp(log_factor) * exponential_excess(y);
    return std::exp(log_factor + y) * (1.0 - (1.0 + y) * std::exp(-y));
}

}  // namespace

RenyiNodes::RenyiNodes(const SubsampledGaussian& law, Direction direction, double step)
    : law_(law), removes_(direction == Direction::remove), step_(step), log_rate_(std::log(law.sampling_rate)) {}

RenyiNode RenyiNodes::at(long long index) {
    std::vector<RenyiNode>& side = kept_[index >= 0 ? 0 : 1];
    const auto place = static_cast<std::size_t>(index >= 0 ? index : -1 - index);
    if (place >= k_most_kept) return make(index);
    while (side.size() <= place) {
        const auto next = static_cast<long long>(side.size());
        side.push_back(make(index >= 0 ? next : -1 - next));
    }
    return side[place];
}

RenyiNode RenyiNodes::make(long long index) const {
    const double noise = law_.noise_multiplier, rate = law_.sampling_rate;
    RenyiNode node{};
    const double u = static_cast<double>(index) * step_;
    node.odds = u;
    node.x = 0.5 + noise * noise * u;
    const double scaled = 0.5 / noise + noise * u;
    node.log_density = -0.5 * scaled * scaled;
    if (u <= k_largest_exponent) {
        node.loss = std::log1p(rate * std::expm1(u));
        node.log_posterior = log_rate_ + u - node.loss;
    } else {
        const double v = log_rate_ + u;
        const double rest = std::log1p(v > 0.0 ? (1.0 - rate) * std::exp(-v) : std::exp(v) - rate);
        node.loss = v > 0.0 ? v + rest : rest;
        node.log_posterior = v - node.loss;
    }
    const double tilt = removes_ ? node.loss : 0.0;
    node.weight = std::exp(node.log_density + tilt);
    node.divergence = scaled_excess(node.log_density + tilt, removes_ ? -node.loss : node.loss);
    // u is right to 2 roundoffs, which moves the density by |x u| of them and the loss by its slope, the posterior.
    node.error = 8.0 * std::fabs(node.log_density) + 2.0 * std::fabs(node.x * u) + 48.0 + 16.0 * std::fmax(u, 0.0);
    node.loss_error = 8.0 * (std::fabs(node.loss) + std::exp(std::fmin(node.log_posterior, 0.0)) * std::fabs(u));
    return node;
}

}  // namespace hockeystick::detail
