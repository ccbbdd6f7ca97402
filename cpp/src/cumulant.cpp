// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/cumulant.hpp"

#include <algorithm>
#include <cmath>

namespace hockeystick {
namespace {

constexpr double k_two_pi = 6.28318530717958647693;

// 1/theta + 1/(1 + theta): what the poles of the transform add to the saddle equation.
double pole_drift(double theta) { return 1.0 / theta + 1.0 / (1.0 + theta); }

// log(1 - q + q e^{base_loss}); at q = 1 the base loss itself, which the first form would lose far below zero.
double loss_of_base(double q, double base_loss) {
    if (q == 1.0) return base_loss;
    return base_loss > 30.0 ? base_loss + std::log(q + (1.0 - q) * std::exp(-base_loss))
                            : std::log1p(q * std::expm1(base_loss));
}

// The weight of the with-record branch at x: s = q r / (1 - q + q r).
double branch_weight(const SubsampledGaussian& law, double x) {
    const double base_loss = (2.0 * x - 1.0) / (2.0 * law.noise_multiplier * law.noise_multiplier);
    return law.sampling_rate / (law.sampling_rate + (1.0 - law.sampling_rate) * std::exp(-base_loss));
}

// The negative x with x = order * s(x), order < 0: where the base law sits when low losses are favoured.
double lowest_centre(const SubsampledGaussian& law, double order) {
    double low = order, high = 0.0;
    for (int step = 0; step < 40; ++step) {
        const double middle = 0.5 * (low + high);
        (middle < order * branch_weight(law, middle) ? low : high) = middle;
    }
    return low;
}

}  // namespace

CumulantEstimate::CumulantEstimate(std::span<const Term> terms, Direction direction, std::vector<double> caps)
    : terms_(terms.begin(), terms.end()), caps_(std::move(caps)), direction_(direction) {
    for (const Term& term : terms) counts_.push_back(static_cast<double>(term.count));
    if (caps_.empty()) caps_.assign(terms.size(), k_infinity);
    widen(-1.0, 8.0);
}

// Under tilt theta the remove law sits between x = 0 and 1 + theta, the add law between 0 and -theta.
void CumulantEstimate::widen(double least, double most) {
    least_theta_ = least;
    most_theta_ = most;
    nodes_.assign(terms_.size(), {});
    for (std::size_t i = 0; i < terms_.size(); ++i) {
        const SubsampledGaussian& law = terms_[i].law;
        const bool remove = direction_ == Direction::remove;
        const double lowest_order = remove ? std::min(0.0, 1.0 + least) : -most;
        const double lowest = lowest_order < 0.0 ? lowest_centre(law, lowest_order) : 0.0;
        const double highest = remove ? 1.0 + most : std::max(1.0, -least);
        place_nodes(i, lowest - 9.0 * law.noise_multiplier, highest + 9.0 * law.noise_multiplier);
    }
}

// A spacing of a third of sigma leaves an error of e^{-2 pi^2 9}; very wide ranges are thinned to bound the cost.
void CumulantEstimate::place_nodes(std::size_t term, double first, double last) {
    const double sigma = terms_[term].law.noise_multiplier;
    const double q = terms_[term].law.sampling_rate;
    const bool remove = direction_ == Direction::remove;
    const double spacing = std::max(sigma / 3.0, (last - first) / 16384.0);
    const double log_scale = std::log(spacing / (sigma * std::sqrt(k_two_pi)));
    Nodes& nodes = nodes_[term];
    for (double x = first; x <= last; x += spacing) {
        const double base_loss = (2.0 * x - 1.0) / (2.0 * sigma * sigma);
        const double remove_loss = loss_of_base(q, base_loss);
        const double loss = remove ? remove_loss : -remove_loss;
        if (loss > caps_[term]) {
            if (remove) break;
            continue;
        }
        const double log_without = -0.5 * x * x / (sigma * sigma);
        nodes.losses.push_back(loss);
        nodes.log_weights.push_back(log_scale + (remove ? log_without + loss : log_without));
        nodes.weights.push_back(std::exp(nodes.log_weights.back()));
    }
}

Cumulant CumulantEstimate::at(double theta) { return at(theta, counts_); }

Cumulant CumulantEstimate::at(double theta, std::span<const double> counts) {
    if (theta > most_theta_) widen(least_theta_, std::min(2.0 * theta, 1e15));
    if (theta < least_theta_) widen(std::max(2.0 * theta, -1e15), most_theta_);
    Cumulant total{0.0, 0.0, 0.0};
    for (std::size_t i = 0; i < terms_.size(); ++i) {
        const Nodes& nodes = nodes_[i];
        double shift = 0.0;
        for (std::size_t j = 0; j < nodes.losses.size(); ++j) {
            shift = std::max(shift, theta * nodes.losses[j] + nodes.log_weights[j]);
        }
        // Near M = 1 the excess over 1 is summed, so that a tiny K keeps its digits; far from it, logs.
        shift = shift > 30.0 ? shift : 0.0;
        double excess = 0.0, mass = 0.0, first = 0.0, second = 0.0;
        for (std::size_t j = 0; j < nodes.losses.size(); ++j) {
            const double loss = nodes.losses[j];
            const double grown = std::exp(theta * loss + nodes.log_weights[j] - shift);
            excess += grown - nodes.weights[j];
            mass += grown;
            first += grown * loss;
            second += grown * loss * loss;
        }
        const double count = counts[i];
        const double mean = first / mass;
        total.value += count * (shift == 0.0 ? std::log1p(excess) : shift + std::log(mass));
        total.first += count * mean;
        total.second += count * std::max(second / mass - mean * mean, 0.0);
    }
    return total;
}

double CumulantEstimate::saddle_of_epsilon(double epsilon) {
    const auto residual = [&](double theta) { return at(theta).first - epsilon - pole_drift(theta); };
    double low = 1e-12, high = 1.0;
    while (residual(high) < 0.0 && high < 1e12) {
        low = high;
        high *= 4.0;
    }
    for (int step = 0; step < 60 && high > low * (1.0 + 1e-3); ++step) {
        const double middle = high > 2.0 * low ? std::sqrt(low * high) : 0.5 * (low + high);
        (residual(middle) < 0.0 ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

CumulantEstimate::Saddle CumulantEstimate::saddle_of_delta(double log_delta) {
    double epsilon = 0.0;
    const auto log_delta_estimate = [&](double theta) {
        const Cumulant k = at(theta);
        epsilon = k.first - pole_drift(theta);
        const double curvature = k.second + 1.0 / (theta * theta) + 1.0 / ((1.0 + theta) * (1.0 + theta));
        return k.value - theta * epsilon - std::log(theta * (1.0 + theta)) - 0.5 * std::log(k_two_pi * curvature);
    };
    double low = 1e-12, high = 1.0;
    while (log_delta_estimate(high) > log_delta && high < 1e12) {
        low = high;
        high *= 2.0;
    }
    for (int step = 0; step < 60 && high > low * (1.0 + 1e-2); ++step) {
        const double middle = high > 4.0 * low ? std::sqrt(low * high) : 0.5 * (low + high);
        (log_delta_estimate(middle) > log_delta ? low : high) = middle;
    }
    const double theta = 0.5 * (low + high);
    log_delta_estimate(theta);
    return {theta, epsilon};
}

}  // namespace hockeystick
