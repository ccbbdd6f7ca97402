// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/cumulant.hpp"

#include <algorithm>
#include <cmath>

#include "hockeystick/capped_law.hpp"
#include "hockeystick/gaussian_law.hpp"
#include "hockeystick/interrupt.hpp"

namespace hockeystick {
namespace {

constexpr double k_two_pi = 6.28318530717958647693;

// 1/theta + 1/(1 + theta): what the poles of the transform add to the saddle equation.
double pole_drift(double theta) { return 1.0 / theta + 1.0 / (1.0 + theta); }

// Gaussians, capped or not, have better nodes than cells.
const GaussianLaw* gaussian_of(const LawTerm& term) {
    const auto* cut = dynamic_cast<const CappedLaw*>(term.law.get());
    return dynamic_cast<const GaussianLaw*>(cut ? cut->base().get() : term.law.get());
}

LawNodes cut_off(LawNodes nodes, double cap) {
    if (cap == k_infinity) return nodes;
    LawNodes kept;
    for (std::size_t i = 0; i < nodes.losses.size(); ++i) {
        if (nodes.losses[i] > cap) continue;
        kept.losses.push_back(nodes.losses[i]);
        kept.weights.push_back(nodes.weights[i]);
        kept.log_weights.push_back(nodes.log_weights[i]);
    }
    return kept;
}

}  // namespace

CumulantEstimate::CumulantEstimate(std::span<const LawTerm> terms, std::vector<double> caps)
    : terms_(terms.begin(), terms.end()), caps_(std::move(caps)), nodes_(terms.size()) {
    for (const LawTerm& term : terms) counts_.push_back(static_cast<double>(term.count));
    if (caps_.empty()) caps_.assign(terms.size(), k_infinity);
    for (std::size_t i = 0; i < terms_.size(); ++i) {
        if (const auto* cut = dynamic_cast<const CappedLaw*>(terms_[i].law.get())) {
            caps_[i] = std::min(caps_[i], cut->cap());
        }
    }
    for (std::size_t i = 0; i < terms_.size(); ++i) {
        if (!gaussian_of(terms_[i])) nodes_[i] = cut_off(nodes_of(*terms_[i].law), caps_[i]);
    }
    widen(-1.0, 8.0);
}

// Only the nodes of Gaussians depend on the tilt.
void CumulantEstimate::widen(double least, double most) {
    least_theta_ = least;
    most_theta_ = most;
    for (std::size_t i = 0; i < terms_.size(); ++i) {
        const GaussianLaw* gaussian = gaussian_of(terms_[i]);
        if (!gaussian) continue;
        nodes_[i] = cut_off(nodes_of(gaussian->release(), gaussian->direction(), least, most), caps_[i]);
    }
}

Cumulant CumulantEstimate::at(double theta) { return at(theta, counts_); }

Cumulant CumulantEstimate::at(double theta, std::span<const double> counts) {
    if (theta > most_theta_) widen(least_theta_, std::min(2.0 * theta, 1e15));
    if (theta < least_theta_) widen(std::max(2.0 * theta, -1e15), most_theta_);
    Cumulant total{0.0, 0.0, 0.0};
    for (std::size_t i = 0; i < terms_.size(); ++i) {
        poll();
        const LawNodes& nodes = nodes_[i];
        const double infinity_mass = terms_[i].law->infinity_mass().lower;
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
        if (mass <= 0.0) continue;
        const double count = counts[i];
        const double mean = first / mass;
        total.value += count * (shift == 0.0 ? std::log1p(excess - infinity_mass) : shift + std::log(mass));
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
