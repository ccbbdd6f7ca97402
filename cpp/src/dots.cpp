// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/dots.hpp"

#include <algorithm>
#include <cmath>

#include "finish_atoms.hpp"
#include "hockeystick/atom_dots.hpp"
#include "hockeystick/interrupt.hpp"
#include "hockeystick/lattice.hpp"
#include "hockeystick/merge.hpp"

namespace hockeystick {
namespace {

using detail::finish;

constexpr int k_bisections = 50;
// Below this a mass nears the denormal range.
constexpr double k_least_q = 1e-290;

// e^loss * q without overflow.
double raised(double loss, double q) { return scaled_mass(q, loss); }

struct Shares {
    double down;
    double up;
};

// The local split of a cell (theory: shares are non-negative for any law within the cell), rounded up: the P mass by
// its error bound, the up-share by that of P - e^l Q.
Shares split_cell(const CellMass& cell, double lower, double width) {
    const double shifted = raised(lower, cell.q);
    const double shifted_error = raised(lower, cell.q_error);
    const double error = cell.p_error + shifted_error + 4.0 * k_unit_roundoff * (cell.p + shifted);
    const double p_upper = cell.p + cell.p_error;
    const double up = std::clamp((cell.p - shifted + error) / -std::expm1(-width), 0.0, p_upper);
    return {p_upper - up, up};
}

struct Edge {
    double loss;
    TailMasses tails;
};

// Where a lattice point is an atom, its group's ratio is the label's up to rounding: labels this much lower are met for
// sure, instead of costing a step where they are missed by one rounding.
double label_slack(const LossLaw& law, const DotsRequest& request) {
    if (law.spacing().step == 0.0) return 0.0;
    const double largest = std::fabs(law.spacing().offset) + std::fabs(law.spacing().step) + std::fabs(request.offset);
    const double relative_error = law.tails(law.spacing().offset).relative_error;
    return 4.0 * relative_error + 64.0 * k_unit_roundoff * (1.0 + largest);
}

// Cells of the optimistic law: knots in the support, edges halfway between them; the last reaches to the end of the
// support, the first too where the lattice does, else to the first knot, below which mass is dropped.
class OptimisticCells {
public:
    OptimisticCells(const LossLaw& law, const DotsRequest& request, const Lattice& lattice)
        : law_(law), request_(request), slack_(label_slack(law, request)) {
        const double lowest = static_cast<double>(lattice.knots.front()) * request.step + request.offset;
        reaches_bottom_ = lowest <= law.least_loss() + slack_;
        groups_.theta = request.theta;
        groups_.step = request.step;
        for (const std::int64_t knot : lattice.knots) {
            const double loss = static_cast<double>(knot) * request.step + request.offset;
            if (loss >= law.least_loss() - slack_ && loss <= law.greatest_loss() + slack_) {
                groups_.index.push_back(knot);
            }
        }
    }

    double slack() const { return slack_; }

    Groups build() {
        if (groups_.index.empty()) return groups_;
        place_edges();
        if (reaches_bottom_) shrink_first();
        if (law_.greatest_loss() < k_infinity) shrink_last();
        for (std::size_t i = 0; i < groups_.index.size(); ++i) append(i);
        return groups_;
    }

private:
    // What a group is labelled with.
    double knot_loss(std::size_t i) const {
        return static_cast<double>(groups_.index[i]) * request_.step + request_.offset - slack_;
    }
    Edge edge_at(double loss) const { return {loss, law_.tails(loss)}; }

    void place_edges() {
        edges_.push_back(reaches_bottom_ ? Edge{-k_infinity, {0.0, 1.0, 0.0, 1.0, 0.0}} : edge_at(knot_loss(0)));
        for (std::size_t i = 0; i + 1 < groups_.index.size(); ++i) {
            edges_.push_back(edge_at(0.5 * (knot_loss(i) + knot_loss(i + 1))));
        }
        edges_.push_back({k_infinity, {1.0, 0.0, 1.0, 0.0, 0.0}});
    }

    // P - e^{l_i} Q of the cell between two edges.
    double excess(std::size_t i, const Edge& lower, const Edge& upper) const {
        const CellMass cell = cell_mass(lower.tails, upper.tails);
        return cell.p - raised(knot_loss(i), cell.q);
    }

    // The same as far as it is certain, so that the group as it is rounded later still meets its label.
    double certain_excess(std::size_t i, const Edge& lower, const Edge& upper) const {
        const CellMass cell = cell_mass(lower.tails, upper.tails);
        const double q = raised(knot_loss(i), cell.q + cell.q_error);
        return cell.p - cell.p_error - q * (1.0 + 16.0 * k_unit_roundoff);
    }

    // Whether the end group is too light to trade with its neighbour.
    static bool outweighed(const Edge& lower, const Edge& upper, const Edge& next_lower, const Edge& next_upper) {
        return cell_mass(lower.tails, upper.tails).p < 0.25 * cell_mass(next_lower.tails, next_upper.tails).p;
    }

    // At a hard end of the support there is no neighbour to trade with. An end group too light to serve its neighbour
    // is merged into it; then one whose ratio exceeds its label is cut where the two meet, and the neighbour above
    // takes the rest.
    void shrink_first() {
        while (edges_.size() > 3 && outweighed(edges_[0], edges_[1], edges_[1], edges_[2])) {
            edges_.erase(edges_.begin() + 1);
            groups_.index.erase(groups_.index.begin());
        }
        if (edges_.size() < 3 || excess(0, edges_[0], edges_[1]) <= 0.0) return;
        double low = knot_loss(0), high = edges_[1].loss;
        for (int step = 0; step < k_bisections; ++step) {
            const double middle = 0.5 * (low + high);
            (excess(0, edges_[0], edge_at(middle)) > 0.0 ? high : low) = middle;
        }
        edges_[1] = edge_at(high);
    }

    // The mirror image: the last group, where its ratio falls short of its label.
    void shrink_last() {
        while (edges_.size() > 3) {
            const std::size_t top = edges_.size() - 1;
            if (!outweighed(edges_[top - 1], edges_[top], edges_[top - 2], edges_[top - 1])) break;
            edges_.erase(edges_.end() - 2);
            groups_.index.pop_back();
        }
        const std::size_t last = groups_.index.size() - 1;
        if (edges_.size() < 3 || certain_excess(last, edges_[last], edges_[last + 1]) >= 0.0) return;
        double low = edges_[last].loss, high = knot_loss(last);
        for (int step = 0; step < k_bisections; ++step) {
            const double middle = 0.5 * (low + high);
            (certain_excess(last, edge_at(middle), edges_[last + 1]) < 0.0 ? low : high) = middle;
        }
        edges_[last] = edge_at(high);
    }

    // Rounded towards less privacy loss: P down, Q up.
    void append(std::size_t i) {
        const CellMass cell = cell_mass(edges_[i].tails, edges_[i + 1].tails);
        const double loss = knot_loss(i);
        const double exponent =
            request_.theta * static_cast<double>(groups_.index[i]) * request_.step - request_.log_mass_estimate;
        groups_.p.push_back(scaled_mass(std::max(cell.p - cell.p_error, 0.0), exponent));
        const double q = cell.q + cell.q_error;
        double f = scaled_mass(q, exponent + loss);
        // Where Q underflows (losses beyond some 700), the most that it can be: e^{-loss} P at the lower edge.
        if (q < k_least_q && std::isfinite(edges_[i].loss)) {
            f = std::max(f, scaled_mass(cell.p + cell.p_error, exponent + (loss - edges_[i].loss)));
        }
        groups_.f.push_back(f);
    }

    const LossLaw& law_;
    const DotsRequest& request_;
    double slack_;
    bool reaches_bottom_;  // the lattice goes down to the end of the support, not only to where mass is negligible
    Groups groups_{};
    std::vector<Edge> edges_;
};

TiltedAtoms pessimistic_atoms(const DotsRequest& request, const Lattice& lattice) {
    const auto loss_at = [&](std::size_t i) {
        return static_cast<double>(lattice.knots[i]) * request.step + request.offset;
    };
    const auto tilt_at = [&](std::size_t i) {
        return request.theta * static_cast<double>(lattice.knots[i]) * request.step - request.log_mass_estimate;
    };
    std::vector<double> weight(lattice.knots.size(), 0.0);
    const TailMasses& first = lattice.tails.front();
    weight[0] = scaled_mass(first.p_below * (1.0 + first.relative_error), tilt_at(0));
    for (std::size_t i = 0; i + 1 < lattice.knots.size(); ++i) {
        const CellMass cell = cell_mass(lattice.tails[i], lattice.tails[i + 1]);
        const Shares shares = split_cell(cell, loss_at(i), loss_at(i + 1) - loss_at(i));
        weight[i] += scaled_mass(shares.down, tilt_at(i));
        weight[i + 1] += scaled_mass(shares.up, tilt_at(i + 1));
    }
    return finish(lattice.knots, std::move(weight), request.theta, request.step, request.log_mass_estimate,
                  lattice.truncated);
}

}  // namespace

DotsPair connect_the_dots(const LossLaw& law, const DotsRequest& request) {
    poll();
    if (!law.atoms().empty()) return split_atoms(law, request);
    const Lattice lattice = build_lattice(law, request);
    OptimisticCells cells(law, request, lattice);
    Groups groups = cells.build();
    balance(groups);
    DotsPair dots{pessimistic_atoms(request, lattice),
                  finish(std::move(groups.index), std::move(groups.p), request.theta, request.step,
                         request.log_mass_estimate, 0.0)};
    const double error = law.loss_error();
    dots.pessimistic.offset = {request.offset - error, request.offset + error};
    dots.optimistic.offset = {request.offset - cells.slack() - error, request.offset - cells.slack() + error};
    return dots;
}

TiltedAtoms coarsen_pessimistic(std::span<const double> weights, std::int64_t first, double theta, double step,
                                std::int64_t factor) {
    const double width = static_cast<double>(factor) * step;
    std::vector<double> up(static_cast<std::size_t>(factor)), down(static_cast<std::size_t>(factor));
    for (std::size_t r = 0; r < up.size(); ++r) {
        const double above = static_cast<double>(r) * step;
        const double share = std::expm1(-above) / std::expm1(-width);
        up[r] = share * std::exp(theta * (width - above));
        down[r] = (1.0 - share) * std::exp(-theta * above);
    }
    const std::int64_t low = first >= 0 ? first / factor : -((-first + factor - 1) / factor);
    std::vector<std::int64_t> index;
    std::vector<double> coarse;
    std::int64_t cell = low;
    std::size_t r = static_cast<std::size_t>(first - low * factor);
    double carried = 0.0, here = 0.0;
    for (const double weight : weights) {
        here += weight * down[r];
        carried += weight * up[r];
        if (++r == up.size()) {
            index.push_back(cell++);
            coarse.push_back(here);
            here = carried;
            carried = 0.0;
            r = 0;
        }
    }
    index.insert(index.end(), {cell, cell + 1});
    coarse.insert(coarse.end(), {here, carried});
    return finish(std::move(index), std::move(coarse), theta, width, 0.0, 0.0);
}

TiltedAtoms coarsen_optimistic(std::span<const double> weights, std::int64_t first, double theta, double step,
                               std::int64_t factor) {
    const std::int64_t half = factor / 2;
    const auto centre = [&](std::int64_t i) {
        const std::int64_t shifted = i + half;
        return shifted >= 0 ? shifted / factor : -((-shifted + factor - 1) / factor);
    };
    Groups groups{theta, static_cast<double>(factor) * step, {}, {}, {}};
    std::vector<double> p_factor(static_cast<std::size_t>(factor)), f_factor(p_factor.size());
    for (std::size_t r = 0; r < p_factor.size(); ++r) {
        const double offset = static_cast<double>(static_cast<std::int64_t>(r) - half) * step;
        p_factor[r] = std::exp(-theta * offset);
        f_factor[r] = p_factor[r] * std::exp(-offset);
    }
    std::int64_t group = centre(first);
    std::size_t r = static_cast<std::size_t>(first + half - group * factor);
    groups.index.push_back(group);
    groups.p.push_back(0.0);
    groups.f.push_back(0.0);
    for (const double weight : weights) {
        groups.p.back() += weight * p_factor[r];
        groups.f.back() += weight * f_factor[r];
        if (++r == p_factor.size()) {
            r = 0;
            groups.index.push_back(++group);
            groups.p.push_back(0.0);
            groups.f.push_back(0.0);
        }
    }
    balance(groups);
    return finish(std::move(groups.index), std::move(groups.p), theta, groups.step, 0.0, 0.0);
}

}  // namespace hockeystick
