// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/sampled_law.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "hockeystick/atoms_law.hpp"
#include "hockeystick/gaussian_law.hpp"
#include "hockeystick/special.hpp"
#include "interval.hpp"

namespace hockeystick {
namespace {

constexpr double k_log_slack = 1e-13;

class PoissonLaw final : public LossLaw {
public:
    PoissonLaw(LawHandle base, double sampling_rate) : base_(std::move(base)), rate_(sampling_rate) {
        const Spacing atoms = base_->spacing();
        // Two atoms of the base stay two atoms; more of them lie on no lattice.
        if (atoms.step > 0.0 && base_->greatest_loss() < k_infinity && base_->least_loss() > -k_infinity &&
            base_->greatest_loss() - base_->least_loss() < 1.5 * atoms.step) {
            const double top = loss_of(base_->greatest_loss());
            spacing_ = {top, top - loss_of(base_->least_loss())};
        }
    }

    TailMasses tails(double loss) const override;
    double least_loss() const override {
        return base_->vanishing_mass().upper > 0.0 ? std::log1p(-rate_) : loss_of(base_->least_loss());
    }
    double greatest_loss() const override { return loss_of(base_->greatest_loss()); }
    Interval infinity_mass() const override { return detail::scaled(base_->infinity_mass(), rate_); }
    Spacing spacing() const override { return spacing_; }
    double gaussian_mu() const override { return base_->gaussian_mu(); }
    std::optional<ExponentialLoss> exponential_loss() const override {
        std::optional<ExponentialLoss> base = base_->exponential_loss();
        if (!base || base->reversed) return std::nullopt;
        base->sampling_rate *= rate_;
        base->relative_error += 2.0 * k_unit_roundoff;
        return base;
    }

    // Q0 e^{(1 + theta) L}, and e^L / e^{L0} falls in L0.
    double log_tilted_mass_above_upper(double loss, double theta) const override {
        const double at = threshold(loss);
        if (at == k_infinity) return -k_infinity;
        if (at == -k_infinity) return logaddexp(0.0, log_tilted_mass_above_upper(0.0, theta));
        return base_->log_tilted_mass_above_upper(at, theta) + (1.0 + theta) * (loss - at);
    }
    // L is at least log(1 - q), and at least log q + L0: two bounds, the smaller serves.
    double log_tilted_mass_below_upper(double loss, double theta) const override {
        const double at = threshold(loss);
        if (at == -k_infinity) return -k_infinity;
        const TailMasses masses = base_->tails(at);
        const double mass = masses.q_below * (1.0 + masses.relative_error) + base_->vanishing_mass().upper;
        const double bounded = std::log(mass) - theta * least_loss();
        if (base_->vanishing_mass().upper > 0.0) return bounded;
        const double shifted = base_->log_tilted_mass_below_upper(at, theta) - theta * std::log(rate_);
        return std::min(bounded, shifted);
    }

private:
    double loss_of(double base_loss) const {
        return base_loss > 30.0 ? base_loss + std::log(rate_ + (1.0 - rate_) * std::exp(-base_loss))
                                : std::log1p(rate_ * std::expm1(base_loss));
    }
    // The base loss at which this loss is `loss`.
    double threshold(double loss) const {
        const double excess = std::expm1(loss) / rate_;
        if (excess <= -1.0) return -k_infinity;
        return std::isinf(excess) ? loss - std::log(rate_) : std::log1p(excess);
    }

    LawHandle base_;
    double rate_;
    Spacing spacing_;
};

// Outcomes that Q0 alone has lie at log(1 - q), the least loss.
TailMasses PoissonLaw::tails(double loss) const {
    const double alone = base_->vanishing_mass().upper;
    const double at = threshold(loss);
    if (at == k_infinity) return {1.0, 0.0, 1.0, 0.0, 0.0};
    if (at == -k_infinity && loss < std::log1p(-rate_) * (1.0 + 4.0 * k_unit_roundoff)) {
        return {0.0, 1.0 - rate_ * base_->infinity_mass().upper, 0.0, 1.0, 2.0 * k_unit_roundoff};
    }
    TailMasses base{0.0, 1.0 - base_->infinity_mass().upper, 0.0, 1.0 - alone, 2.0 * k_unit_roundoff};
    if (at > -k_infinity) base = base_->tails(at);
    const double q_below = base.q_below + alone;
    return {(1.0 - rate_) * q_below + rate_ * base.p_below, (1.0 - rate_) * base.q_above + rate_ * base.p_above,
            q_below, base.q_above, base.relative_error + 4.0 * k_unit_roundoff};
}

class MergedLaw final : public LossLaw {
public:
    explicit MergedLaw(LawHandle remove) : remove_(std::move(remove)) {}

    TailMasses tails(double loss) const override;
    double least_loss() const override { return -greatest_loss(); }
    double greatest_loss() const override { return std::max(remove_->greatest_loss(), 0.0); }
    Interval infinity_mass() const override { return remove_->infinity_mass(); }
    Interval vanishing_mass() const override { return remove_->infinity_mass(); }
    double gaussian_mu() const override { return remove_->gaussian_mu(); }
    double log_tilted_mass_above_upper(double loss, double theta) const override {
        if (loss >= 0.0) return remove_->log_tilted_mass_above_upper(loss, theta);
        return logaddexp(0.0, remove_->log_tilted_mass_above_upper(0.0, theta)) + k_log_slack;
    }
    double log_tilted_mass_below_upper(double loss, double theta) const override {
        return log_tilted_mass_above_upper(just_below(-loss), theta);
    }

private:
    LawHandle remove_;
};

// The masses at infinity of the merged pair are P's of the remove law, both of them: what the other side lacks or has
// more of is at its end of the finite losses.
TailMasses MergedLaw::tails(double loss) const {
    const TailMasses at = remove_->tails(loss >= 0.0 ? loss : just_below(-loss));
    const double excess = remove_->vanishing_mass().upper - remove_->infinity_mass().upper;
    const double q_below = std::max(at.q_below + excess, 0.0);
    const double lost = excess < 0.0 && q_below > 0.0 ? (at.q_below - excess) / q_below : 1.0;
    const double relative_error = at.relative_error * lost + 2.0 * k_unit_roundoff;
    if (loss >= 0.0) return {at.p_below, at.p_above, q_below, at.q_above, relative_error};
    return {at.q_above, q_below, at.p_above, at.p_below, relative_error};
}

}  // namespace

LawHandle poisson_law(const LawHandle& base, double sampling_rate) {
    if (!(sampling_rate > 0.0 && sampling_rate <= 1.0)) {
        throw std::invalid_argument("sampling_rate must be in (0, 1], got " + std::to_string(sampling_rate));
    }
    if (sampling_rate == 1.0) return base;
    if (is_atomic(*base)) return atoms_law(poisson_table(table_of(*base), sampling_rate));
    if (const auto* gaussian = dynamic_cast<const GaussianLaw*>(base.get())) {
        if (gaussian->release().sampling_rate == 1.0) {
            const SubsampledGaussian release{gaussian->release().noise_multiplier, sampling_rate};
            return std::make_shared<GaussianLaw>(release, Direction::remove);
        }
    }
    return std::make_shared<PoissonLaw>(base, sampling_rate);
}

LawHandle merged_law(const LawHandle& remove) {
    if (is_atomic(*remove)) return atoms_law(merged_table(table_of(*remove)));
    // What is left is the atom at 0.
    const TailMasses at = remove->tails(0.0);
    if (at.p_above + remove->infinity_mass().lower + at.q_above > 1.0 + 1e-9) {
        throw std::invalid_argument("a law to be merged must lose with P and with Q in at most all outcomes together");
    }
    return std::make_shared<MergedLaw>(remove);
}

}  // namespace hockeystick
