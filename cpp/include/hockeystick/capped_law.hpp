// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "hockeystick/loss_law.hpp"

namespace hockeystick {

// A law with its outcomes beyond a loss taken out: upper bounds count them as infinite (infinity_mass().upper), lower
// bounds at the cap at most. Outcomes that all together are far less likely than the delta asked for would take over a
// strongly tilted law; without them its window stays narrow. Tails below the cap are the base law's own, so what is
// above the cap still shows in p_above there.
class CappedLaw final : public LossLaw {
public:
    CappedLaw(LawHandle base, double cap);

    TailMasses tails(double loss) const override;
    double least_loss() const override;
    double greatest_loss() const override;
    Interval infinity_mass() const override;
    Interval vanishing_mass() const override;
    double log_tilted_mass_above_upper(double loss, double theta) const override;
    double log_tilted_mass_below_upper(double loss, double theta) const override;
    double loss_error() const override;

    const LawHandle& base() const { return base_; }
    double cap() const { return cap_; }

private:
    LawHandle base_;
    double cap_;
    double beyond_;  // P above the cap, rounded up
};

// Every law of the composition without the outcomes beyond its probability_cap for e^{log_probability} in all. Laws of
// atoms and those that reach no such loss stay as they are.
std::vector<LawTerm> capped(std::span<const LawTerm> terms, double log_probability);

}  // namespace hockeystick
