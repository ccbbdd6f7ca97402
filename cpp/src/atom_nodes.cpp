// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/atom_nodes.hpp"

#include <algorithm>
#include <cmath>

#include "hockeystick/error.hpp"
#include "hockeystick/node_kernel.hpp"
#include "hockeystick/transform_decay.hpp"

namespace hockeystick::contour {
namespace {

constexpr std::size_t k_largest_count = 50000;
constexpr std::size_t k_few = 256;  // outcomes that are all kept
constexpr double k_spare_digits = 5.0;
constexpr double k_coarsest_mass = 1e-9;
constexpr double k_coarsest_loss = 1e-3;
constexpr double k_safety = 1.0 + 1e-9;  // for the roundings of the bounds themselves

}  // namespace

AtomNodes::AtomNodes(LawHandle law, const NodeDemand& demand)
    : law_(std::move(law)), all_(law_->atoms()), half_period_(demand.half_period) {
    const double relative = law_->tails(0.0).relative_error;
    if (relative > k_coarsest_mass || law_->loss_error() > k_coarsest_loss) {
        throw accuracy_error("contour: the masses or losses of a law are known to a few digits only");
    }
    const Interval p = law_->infinity_mass(), q = law_->vanishing_mass();
    missing_ = {p.lower, q.lower, p.upper - p.lower, q.upper - q.lower};
    // No mass is exact as it is; one that is there was found by a difference, perhaps.
    if (p.lower > 0.0) missing_.p_error += relative;
    if (q.lower > 0.0) missing_.q_error += relative;
    missing_.q_error += 1.01 * (law_->loss_error() + demand.off_lattice);
    choose(demand);
    fill(demand.off_lattice);
    check_sums();
}

// The tilted mass above a loss rises with the tilt, so the end that is negligible at the largest tilt is so at all; and
// likewise below, at the least.
void AtomNodes::choose(const NodeDemand& demand) {
    size_ = all_.size();
    if (size_ > k_few) {
        const double few = demand.log_relative_error - std::log(static_cast<double>(size_)) - k_spare_digits;
        const auto matters = [&](double tilt) {
            double largest = -k_infinity;
            for (const Atom& atom : all_) largest = std::max(largest, atom.log_mass + tilt * atom.loss);
            return [largest, few, tilt](const Atom& atom) { return atom.log_mass + tilt * atom.loss > largest + few; };
        };
        const auto below = matters(-1.0), above = matters(std::max({0.0, demand.tilt, demand.tilt_upper}));
        const auto first = std::find_if(all_.begin(), all_.end(), below);
        const auto last = std::find_if(all_.rbegin(), all_.rend(), above).base();
        first_ = static_cast<std::size_t>(first - all_.begin());
        size_ = last > first ? static_cast<std::size_t>(last - first) : 0;
    }
    if (size_ == 0 || size_ > k_largest_count) {
        throw accuracy_error("contour: the loss needs more nodes than are allowed");
    }
}

void AtomNodes::fill(double off_lattice) {
    const std::size_t n = padded(size_);
    const double relative = law_->tails(0.0).relative_error;
    log_weight_.assign(n, k_no_node);
    for (auto* column : {&loss_, &weight_, &reverse_excess_, &weight_error_, &loss_error_}) column->assign(n, 0.0);
    for (std::size_t j = 0; j < size_; ++j) {
        const Atom& atom = all_[first_ + j];
        log_weight_[j] = atom.log_mass;
        loss_[j] = atom.loss;
        weight_error_[j] = relative + 2.0 * k_unit_roundoff * std::abs(atom.log_mass);
        loss_error_[j] = off_lattice + 2.0 * k_unit_roundoff * std::abs(atom.loss);
    }
    fill_excess(log_weight_, loss_, weight_, reverse_excess_);
}

// The identities take M(0) and M(-1) for granted: the masses must agree with what is said to be at infinity.
void AtomNodes::check_sums() const {
    const double relative = law_->tails(0.0).relative_error + 1e-15 * static_cast<double>(all_.size());
    double p = missing_.p - 1.0, q = missing_.q - 1.0, largest = 0.0;
    for (const Atom& atom : all_) {
        p += std::exp(atom.log_mass);
        q += std::exp(atom.log_mass - atom.loss);
        largest = std::max(largest, std::abs(atom.loss));
    }
    const double allowed = relative + 1e-15 * (4.0 + largest);
    if (!(std::abs(p) <= allowed + missing_.p_error && std::abs(q) <= allowed + missing_.q_error)) {
        throw accuracy_error("contour: the masses of a law sum to 1 only up to more than their errors");
    }
}

// What the outcomes left out may add to the sums, and to their first moments, through every term of the identities.
AtomNodes::Dropped AtomNodes::dropped(double tilt, double log_moment) const {
    Dropped total{0.0, 0.0};
    const double steep = std::abs(tilt);
    for (std::size_t j = 0; j < all_.size(); ++j) {
        if (j == first_) j += size_;
        if (j >= all_.size()) break;
        const double size = std::abs(all_[j].loss);
        const double tilted = std::exp(all_[j].log_mass + tilt * all_[j].loss - log_moment);
        const double plain = std::exp(all_[j].log_mass - log_moment);
        const double reverse = std::exp(all_[j].log_mass - all_[j].loss - log_moment);
        total.zeroth += tilted + plain * (1.0 + steep * (1.0 + 2.0 * size)) + steep * reverse;
        total.first += size * tilted + plain * (1.0 + 2.0 * size) + reverse;
    }
    return {k_safety * total.zeroth, k_safety * total.first};
}

// Of M(tilt), of its identity, and of the mean by which the losses are centred.
double AtomNodes::inner_error(double tilt, double frequency, const Moment& at) const {
    const Dropped lost = dropped(tilt, at.value);
    return 3.0 * lost.zeroth + 2.0 * frequency * (lost.first + std::abs(at.first) * lost.zeroth);
}

double AtomNodes::real_error(double tilt, const Moment& at) const { return dropped(tilt, at.value).zeroth; }

double AtomNodes::log_decay(double tilt, double frequency, const Moment& at, bool certified) const {
    if (!(frequency < half_period_) || half_period_ == k_infinity) return 0.0;
    std::vector<double> weights(loss_.size()), centred(loss_.size());
    const double second = tilt_nodes(arrays(), tilt, at.value, at.first, weights, centred);
    double error = 0.0;
    if (certified) {
        const double off = *std::max_element(loss_error_.begin(), loss_error_.end());
        error = inner_error(tilt, half_period_, at) + half_period_ * off;
    }
    return log_transform_bound({weights, centred, second}, frequency, half_period_, error);
}

}  // namespace hockeystick::contour
