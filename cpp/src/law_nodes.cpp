// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/law_nodes.hpp"

#include <algorithm>
#include <cmath>

namespace hockeystick {
namespace {

// More atoms than this are put in cells.
constexpr std::size_t k_most_atoms = 512;
constexpr double k_two_pi = 6.28318530717958647693;
constexpr double k_least_mass = 1e-290;
constexpr double k_most_mass = 0.02;
constexpr double k_fall = 2.0;
// Cells this narrow hold an atom, or the end of the support.
constexpr double k_narrowest = 1e-6;
constexpr double k_first_edge = 1e-12;
constexpr double k_last_edge = 1e12;

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

class CellNodes {
public:
    explicit CellNodes(const LossLaw& law) : law_(law) {}

    LawNodes build() {
        std::vector<double> edges = far_edges(-1.0);
        std::reverse(edges.begin(), edges.end());
        for (const double edge : far_edges(1.0)) edges.push_back(edge);
        TailMasses before = law_.tails(edges.front());
        append(before.p_below, before.q_below, edges.front());
        for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
            const TailMasses after = law_.tails(edges[i + 1]);
            split(edges[i], edges[i + 1], before, after);
            before = after;
        }
        // What is beyond a cap is not of the finite losses.
        if (law_.greatest_loss() == k_infinity) append(before.p_above, before.q_above, edges.back());
        return std::move(nodes_);
    }

private:
    // Doubling outwards from next to zero until nothing is left.
    std::vector<double> far_edges(double sign) const {
        std::vector<double> edges;
        for (double edge = k_first_edge; edge < k_last_edge; edge *= 2.0) {
            edges.push_back(sign * edge);
            const TailMasses at = law_.tails(sign * edge);
            if ((sign > 0.0 ? at.p_above : std::max(at.p_below, at.q_below)) < k_least_mass) break;
        }
        return edges;
    }

    void append(double p, double q, double fallback) {
        if (!(p > 0.0)) return;
        nodes_.weights.push_back(p);
        nodes_.log_weights.push_back(std::log(p));
        nodes_.losses.push_back(q > 0.0 ? std::log(p) - std::log(q) : fallback);
    }

    void split(double lower, double upper, const TailMasses& below, const TailMasses& above) {
        const bool right = above.p_above < below.p_below;
        const double p = right ? below.p_above - above.p_above : above.p_below - below.p_below;
        const bool q_right = above.q_above < below.q_below;
        const double q = q_right ? below.q_above - above.q_above : above.q_below - below.q_below;
        if (!(p > 0.0)) return;
        const double left = right ? above.p_above : below.p_below;
        const bool narrow = upper - lower <= k_narrowest * std::max({std::fabs(lower), std::fabs(upper), k_first_edge});
        if (!narrow && p > k_least_mass && (p > k_most_mass || p > k_fall * left)) {
            const double middle = 0.5 * (lower + upper);
            const TailMasses between = law_.tails(middle);
            split(lower, middle, below, between);
            split(middle, upper, between, above);
            return;
        }
        append(p, q, 0.5 * (lower + upper));
        nodes_.losses.back() = std::clamp(nodes_.losses.back(), lower, upper);
    }

    const LossLaw& law_;
    LawNodes nodes_;
};

}  // namespace

LawNodes nodes_of(const LossLaw& law) {
    if (law.atoms().empty() || law.atoms().size() > k_most_atoms) return CellNodes(law).build();
    LawNodes nodes;
    for (const Atom& atom : law.atoms()) {
        nodes.weights.push_back(std::exp(atom.log_mass));
        nodes.log_weights.push_back(atom.log_mass);
        nodes.losses.push_back(atom.loss);
    }
    return nodes;
}

// Under tilt theta the remove law sits between x = 0 and 1 + theta, the add law between 0 and -theta. A spacing of a
// third of sigma leaves an error of e^{-2 pi^2 9}; very wide ranges are thinned to bound the cost.
LawNodes nodes_of(const SubsampledGaussian& law, Direction direction, double least, double most) {
    const double sigma = law.noise_multiplier;
    const bool remove = direction == Direction::remove;
    const double lowest_order = remove ? std::min(0.0, 1.0 + least) : -most;
    const double first = (lowest_order < 0.0 ? lowest_centre(law, lowest_order) : 0.0) - 9.0 * sigma;
    const double last = (remove ? 1.0 + most : std::max(1.0, -least)) + 9.0 * sigma;
    const double spacing = std::max(sigma / 3.0, (last - first) / 16384.0);
    const double log_scale = std::log(spacing / (sigma * std::sqrt(k_two_pi)));
    LawNodes nodes;
    for (double x = first; x <= last; x += spacing) {
        const double base_loss = (2.0 * x - 1.0) / (2.0 * sigma * sigma);
        const double remove_loss = loss_of_base(law.sampling_rate, base_loss);
        const double loss = remove ? remove_loss : -remove_loss;
        const double log_without = -0.5 * x * x / (sigma * sigma);
        nodes.losses.push_back(loss);
        nodes.log_weights.push_back(log_scale + (remove ? log_without + loss : log_without));
        nodes.weights.push_back(std::exp(nodes.log_weights.back()));
    }
    return nodes;
}

}  // namespace hockeystick
