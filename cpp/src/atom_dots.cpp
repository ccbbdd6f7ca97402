// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/atom_dots.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "finish_atoms.hpp"
#include "hockeystick/lattice.hpp"
#include "hockeystick/merge.hpp"

namespace hockeystick {
namespace {

// Atoms closer to a lattice point than this part of the step are on it.
constexpr double k_on_lattice = 1e-6;

// One atom as the lattice sees it: between index and index + 1, or on index.
struct Placed {
    std::int64_t index;
    double above;  // its loss beyond the point below, 0 on the lattice
    double p;      // tilted to its own place: e^{theta (loss - offset) - log_mass} P
};

class AtomSplitter {
public:
    AtomSplitter(const LossLaw& law, const DotsRequest& request) : law_(law), request_(request) {
        for (const Atom& atom : law.atoms()) place(atom);
        cut_above();
        cut_below();
    }

    DotsPair split() const {
        DotsPair pair{pessimistic(), optimistic()};
        const double rounding = k_unit_roundoff * 4.0 * (std::fabs(request_.offset) + largest_) + law_.loss_error();
        pair.pessimistic.offset = {request_.offset + nearest_.lower - rounding,
                                   request_.offset + nearest_.upper + rounding};
        pair.optimistic.offset = pair.pessimistic.offset;
        return pair;
    }

private:
    double relative_error() const { return law_.tails(request_.offset).relative_error; }

    void place(const Atom& atom) {
        const double at = (atom.loss - request_.offset) / request_.step;
        const double nearest = std::round(at);
        const double distance = (atom.loss - request_.offset) - nearest * request_.step;
        const double p =
            std::exp(atom.log_mass + request_.theta * (atom.loss - request_.offset) - request_.log_mass_estimate);
        if (p == 0.0) {
            truncated_ += 1e-300;  // more than underflows
            return;
        }
        largest_ = std::max(largest_, std::fabs(atom.loss));
        if (std::fabs(distance) <= k_on_lattice * request_.step) {
            nearest_ = {std::min(nearest_.lower, distance), std::max(nearest_.upper, distance)};
            placed_.push_back({static_cast<std::int64_t>(nearest), 0.0, p * std::exp(-request_.theta * distance)});
            return;
        }
        const double below = std::floor(at);
        const double above = (atom.loss - request_.offset) - below * request_.step;
        placed_.push_back({static_cast<std::int64_t>(below), std::clamp(above, 0.0, request_.step), p});
    }

    void cut_above() {
        while (placed_.size() > 1 && truncated_ + placed_.back().p <= request_.negligible) {
            truncated_ += placed_.back().p;
            placed_.pop_back();
        }
    }

    // Up to the first atom kept, by less than a step below it: raising a loss is pessimistic.
    void cut_below() {
        std::size_t first = 0;
        double left_out = 0.0;
        while (first + 1 < placed_.size()) {
            const double raised = raised_mass(placed_[first], placed_[first + 1]);
            if (left_out + raised > request_.negligible) break;
            left_out += raised;
            ++first;
        }
        for (std::size_t i = 0; i < first; ++i) raised_ += raised_mass(placed_[i], placed_[first]);
        placed_.erase(placed_.begin(), placed_.begin() + static_cast<std::ptrdiff_t>(first));
    }

    double raised_mass(const Placed& from, const Placed& to) const {
        const double distance = static_cast<double>(to.index - from.index) * request_.step - from.above;
        return scaled_mass(from.p, request_.theta * distance);
    }

    TiltedAtoms pessimistic() const {
        std::map<std::int64_t, double> weights;
        weights[placed_.front().index] += raised_;
        for (const Placed& atom : placed_) {
            if (atom.above == 0.0) {
                weights[atom.index] += atom.p;
                continue;
            }
            // Rounded up: the distance carries a few roundings of the losses themselves.
            const double rounding = 8.0 * k_unit_roundoff * (largest_ + std::fabs(request_.offset));
            const double above = std::min(atom.above + rounding, request_.step);
            const double up = std::min(std::expm1(-above) / std::expm1(-request_.step), 1.0);
            weights[atom.index] += (1.0 - up) * atom.p * std::exp(-request_.theta * atom.above);
            weights[atom.index + 1] += up * atom.p * std::exp(request_.theta * (request_.step - atom.above));
        }
        std::vector<std::int64_t> index;
        std::vector<double> weight;
        for (const auto& [at, w] : weights) {
            index.push_back(at);
            weight.push_back(w);
        }
        return detail::finish(std::move(index), std::move(weight), request_.theta, request_.step,
                              request_.log_mass_estimate, truncated_, relative_error());
    }

    // Groups at the nearer points; both neighbours of an atom are groups, so that what cannot be balanced falls by one
    // step and not further.
    TiltedAtoms optimistic() const {
        std::map<std::int64_t, std::pair<double, double>> groups_at;
        bool balanced = true;
        for (const Placed& atom : placed_) {
            if (atom.above == 0.0) {
                groups_at[atom.index].first += atom.p;
                groups_at[atom.index].second += atom.p;
                continue;
            }
            balanced = false;
            const bool upper = atom.above > 0.5 * request_.step;
            groups_at[atom.index];
            groups_at[atom.index + 1];
            const double moved = upper ? request_.step - atom.above : -atom.above;
            auto& group = groups_at[atom.index + (upper ? 1 : 0)];
            group.first += atom.p * std::exp(request_.theta * moved);
            group.second += atom.p * std::exp((request_.theta + 1.0) * moved);
        }
        Groups groups{request_.theta, request_.step, {}, {}, {}};
        for (const auto& [at, masses] : groups_at) {
            groups.index.push_back(at);
            groups.p.push_back(masses.first);
            groups.f.push_back(masses.second);
        }
        if (!balanced) balance(groups);
        return detail::finish(std::move(groups.index), std::move(groups.p), request_.theta, request_.step,
                              request_.log_mass_estimate, 0.0, relative_error());
    }

    const LossLaw& law_;
    const DotsRequest& request_;
    std::vector<Placed> placed_;
    Interval nearest_{0.0, 0.0};
    double largest_ = 0.0;
    double truncated_ = 0.0;
    double raised_ = 0.0;
};

}  // namespace

DotsPair split_atoms(const LossLaw& law, const DotsRequest& request) { return AtomSplitter(law, request).split(); }

}  // namespace hockeystick
