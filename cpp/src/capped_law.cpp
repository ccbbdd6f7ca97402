// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/capped_law.hpp"

#include <algorithm>
#include <cmath>

#include "interval.hpp"

namespace hockeystick {

CappedLaw::CappedLaw(LawHandle base, double cap) : base_(std::move(base)), cap_(cap) {
    const TailMasses at = base_->tails(cap);
    beyond_ = at.p_above * (1.0 + at.relative_error);
}

TailMasses CappedLaw::tails(double loss) const { return base_->tails(std::min(loss, cap_)); }

double CappedLaw::least_loss() const { return base_->least_loss(); }

double CappedLaw::greatest_loss() const { return std::min(base_->greatest_loss(), cap_); }

Interval CappedLaw::infinity_mass() const {
    const Interval base = base_->infinity_mass();
    return {base.lower, detail::rounded_up(base.upper + beyond_)};
}

Interval CappedLaw::vanishing_mass() const { return base_->vanishing_mass(); }

double CappedLaw::log_tilted_mass_above_upper(double loss, double theta) const {
    if (loss >= cap_) return -k_infinity;
    const TailMasses at = base_->tails(loss);
    const double by_cap = theta * cap_ + std::log(at.p_above * (1.0 + at.relative_error));
    return std::min(base_->log_tilted_mass_above_upper(loss, theta), by_cap);
}

double CappedLaw::log_tilted_mass_below_upper(double loss, double theta) const {
    return base_->log_tilted_mass_below_upper(std::min(loss, cap_), theta);
}

double CappedLaw::loss_error() const { return base_->loss_error(); }

std::vector<LawTerm> capped(std::span<const LawTerm> terms, double log_probability) {
    double releases = 0.0;
    for (const LawTerm& term : terms) releases += static_cast<double>(term.count);
    std::vector<LawTerm> result(terms.begin(), terms.end());
    for (LawTerm& term : result) {
        if (is_atomic(*term.law)) continue;
        const double cap = probability_cap(*term.law, log_probability - std::log(releases));
        if (cap < term.law->greatest_loss()) term.law = std::make_shared<CappedLaw>(term.law, cap);
    }
    return result;
}

}  // namespace hockeystick
