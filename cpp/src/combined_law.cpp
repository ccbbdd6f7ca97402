// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/combined_law.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "hockeystick/atoms_law.hpp"
#include "hockeystick/special.hpp"
#include "interval.hpp"

namespace hockeystick {
namespace {

// Covers the roundings of a sum in the log domain, relative to its log.
constexpr double k_log_slack = 1e-13;

bool are_atoms(const std::vector<LawHandle>& laws) {
    return std::all_of(laws.begin(), laws.end(), [](const LawHandle& law) { return is_atomic(*law); });
}

double largest_loss_error(const std::vector<LawHandle>& laws) {
    double largest = 0.0;
    for (const LawHandle& law : laws) largest = std::max(largest, law->loss_error());
    return largest;
}

std::vector<AtomTable> tables_of(const std::vector<LawHandle>& laws) {
    std::vector<AtomTable> tables;
    for (const LawHandle& law : laws) tables.push_back(table_of(*law));
    return tables;
}

class ReversedLaw final : public LossLaw {
public:
    explicit ReversedLaw(LawHandle base) : base_(std::move(base)) {}

    // P'(L' <= loss) = Q(L >= -loss): an atom of the base at -loss counts as above there.
    TailMasses tails(double loss) const override {
        const TailMasses at = base_->tails(just_below(-loss));
        const double relative_error = at.relative_error + 40.0 * k_unit_roundoff * std::fabs(loss);
        return {at.q_above, at.q_below, at.p_above, at.p_below, relative_error};
    }
    double least_loss() const override { return -base_->greatest_loss(); }
    double greatest_loss() const override { return -base_->least_loss(); }
    Interval infinity_mass() const override { return base_->vanishing_mass(); }
    Interval vanishing_mass() const override { return base_->infinity_mass(); }
    double loss_error() const override { return base_->loss_error(); }
    Spacing spacing() const override { return {-base_->spacing().offset, base_->spacing().step}; }
    double gaussian_mu() const override { return base_->gaussian_mu(); }
    std::optional<ExponentialLoss> exponential_loss() const override {
        std::optional<ExponentialLoss> base = base_->exponential_loss();
        if (base) base->reversed = !base->reversed;
        return base;
    }

    double log_tilted_mass_above_upper(double loss, double theta) const override {
        return base_->log_tilted_mass_below_upper(-loss, theta);
    }
    double log_tilted_mass_below_upper(double loss, double theta) const override {
        return base_->log_tilted_mass_above_upper(just_below(-loss), theta);
    }

    const LawHandle& base() const { return base_; }

private:
    LawHandle base_;
};

// What a mixture whose choice is seen and the larger of several profiles share: their losses are those of their laws,
// and the worst of these dominates them.
class SeveralLaws : public LossLaw {
public:
    explicit SeveralLaws(std::vector<LawHandle> laws) : laws_(std::move(laws)) {}

    double least_loss() const override {
        double least = k_infinity;
        for (const LawHandle& law : laws_) least = std::min(least, law->least_loss());
        return least;
    }
    double greatest_loss() const override {
        double greatest = -k_infinity;
        for (const LawHandle& law : laws_) greatest = std::max(greatest, law->greatest_loss());
        return greatest;
    }
    double loss_error() const override { return largest_loss_error(laws_); }
    double gaussian_mu() const override {
        double most = 0.0;
        for (const LawHandle& law : laws_) most = std::max(most, law->gaussian_mu());
        return most;
    }

protected:
    std::vector<LawHandle> laws_;
};

class MixtureLaw final : public SeveralLaws {
public:
    MixtureLaw(std::vector<LawHandle> laws, std::vector<double> weights)
        : SeveralLaws(std::move(laws)), weights_(std::move(weights)) {}

    TailMasses tails(double loss) const override {
        TailMasses total{0.0, 0.0, 0.0, 0.0, 0.0};
        for (std::size_t i = 0; i < laws_.size(); ++i) {
            const TailMasses at = laws_[i]->tails(loss);
            total.p_below += weights_[i] * at.p_below;
            total.p_above += weights_[i] * at.p_above;
            total.q_below += weights_[i] * at.q_below;
            total.q_above += weights_[i] * at.q_above;
            total.relative_error = std::max(total.relative_error, at.relative_error);
        }
        total.relative_error += k_unit_roundoff * (2.0 + static_cast<double>(laws_.size()));
        return total;
    }
    Interval infinity_mass() const override { return weighted(&LossLaw::infinity_mass); }
    Interval vanishing_mass() const override { return weighted(&LossLaw::vanishing_mass); }
    double log_tilted_mass_above_upper(double loss, double theta) const override {
        return log_weighted_sum([&](const LossLaw& law) { return law.log_tilted_mass_above_upper(loss, theta); });
    }
    double log_tilted_mass_below_upper(double loss, double theta) const override {
        return log_weighted_sum([&](const LossLaw& law) { return law.log_tilted_mass_below_upper(loss, theta); });
    }

private:
    template <class Bound>
    double log_weighted_sum(Bound bound) const {
        double total = -k_infinity;
        for (std::size_t i = 0; i < laws_.size(); ++i) {
            total = logaddexp(total, std::log(weights_[i]) + bound(*laws_[i]));
        }
        return detail::padded(total, k_log_slack);
    }

    Interval weighted(Interval (LossLaw::*mass)() const) const {
        Interval total{0.0, 0.0};
        for (std::size_t i = 0; i < laws_.size(); ++i) {
            total = detail::sum(total, detail::scaled((laws_[i].get()->*mass)(), weights_[i]));
        }
        return total;
    }

    std::vector<double> weights_;
};

class MaximumLaw final : public SeveralLaws {
public:
    explicit MaximumLaw(std::vector<LawHandle> laws) : SeveralLaws(std::move(laws)) {
        for (const LawHandle& law : laws_) {
            infinity_ = {std::max(infinity_.lower, law->infinity_mass().lower),
                         std::max(infinity_.upper, law->infinity_mass().upper)};
            vanishing_ = {std::max(vanishing_.lower, law->vanishing_mass().lower),
                          std::max(vanishing_.upper, law->vanishing_mass().upper)};
        }
    }

    TailMasses tails(double loss) const override;
    Interval infinity_mass() const override { return infinity_; }
    Interval vanishing_mass() const override { return vanishing_; }
    // By parts, E[e^{theta L}; L > l] is a sum of non-negative terms in the profile and the tails at l, each at most
    // the sum over the laws.
    double log_tilted_mass_above_upper(double loss, double theta) const override {
        return log_sum([&](const LossLaw& law) { return law.log_tilted_mass_above_upper(loss, theta); });
    }
    double log_tilted_mass_below_upper(double loss, double theta) const override {
        return log_sum([&](const LossLaw& law) { return law.log_tilted_mass_below_upper(loss, theta); });
    }

private:
    template <class Bound>
    double log_sum(Bound bound) const {
        double total = -k_infinity;
        for (const LawHandle& law : laws_) total = logaddexp(total, bound(*law));
        return detail::padded(total, k_log_slack);
    }

    Interval infinity_{0.0, 0.0};
    Interval vanishing_{0.0, 0.0};
};

// The larger profile's tails, by delta for loss >= 0 and by 1 - delta below; where rounding cannot tell which is
// larger, those of the one that falls more slowly and so is the larger one beyond. The masses at infinity are the
// largest ones, so what a law has less of there it has at its last finite loss.
TailMasses MaximumLaw::tails(double loss) const {
    TailMasses largest{};
    double best = -k_infinity;
    for (const LawHandle& law : laws_) {
        TailMasses at = law->tails(loss);
        const double excess = law->infinity_mass().upper - infinity_.upper;
        const double lack = law->vanishing_mass().upper - vanishing_.upper;
        const double above = at.p_above + excess - std::exp(std::min(loss, 700.0)) * at.q_above;
        const double below = std::exp(loss) * (at.q_below + lack) - at.p_below;
        const double value = loss >= 0.0 ? above : below;
        const double size = loss >= 0.0 ? at.p_above : at.p_below;
        const double doubt = 4.0 * (at.relative_error + 4.0 * k_unit_roundoff) * size;
        if (value > best + doubt || (value > best - doubt && at.q_above < largest.q_above)) {
            best = value;
            at.p_above = std::max(at.p_above + excess, 0.0);
            at.q_below = std::max(at.q_below + lack, 0.0);
            largest = at;
        }
    }
    largest.relative_error += 2.0 * k_unit_roundoff;
    return largest;
}

}  // namespace

LawHandle reversed_law(const LawHandle& base) {
    if (is_atomic(*base)) return atoms_law(reversed_table(table_of(*base)));
    if (const auto* reversed = dynamic_cast<const ReversedLaw*>(base.get())) return reversed->base();
    return std::make_shared<ReversedLaw>(base);
}

LawHandle mixture_law(const std::vector<LawHandle>& laws, const std::vector<double>& weights) {
    if (laws.empty() || laws.size() != weights.size()) {
        throw std::invalid_argument("laws and weights must be equally many, and at least one");
    }
    if (are_atoms(laws)) return atoms_law(mixture_table(tables_of(laws), weights));
    return std::make_shared<MixtureLaw>(laws, weights);
}

LawHandle maximum_law(const std::vector<LawHandle>& laws) {
    if (laws.empty()) throw std::invalid_argument("laws must hold at least one");
    return laws.size() == 1 ? laws.front() : std::make_shared<MaximumLaw>(laws);
}

}  // namespace hockeystick
