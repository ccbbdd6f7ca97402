// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "hockeystick/loss_law.hpp"

namespace hockeystick {

// The loss of one Poisson-subsampled Gaussian in one direction.
//
// Tails: erfc of one threshold in x, relative error of some u (8 + 3 z^2); the threshold's own rounding moves mass
// between neighbouring cells by O(u^2) of their width and is covered by the outward rounding of the cells (dots.hpp).
// Tilted tails: exact but for a factor of at most the relative weight of the no-record branch at `loss` and the
// Mills-ratio slack of e^{-t^2/2}/2 over the normal tail.
class GaussianLaw final : public LossLaw {
public:
    // noise_multiplier > 0, 0 < sampling_rate <= 1.
    GaussianLaw(const SubsampledGaussian& release, Direction direction);

    TailMasses tails(double loss) const override;
    double least_loss() const override;
    double greatest_loss() const override;
    double log_tilted_mass_above_upper(double loss, double theta) const override;
    double log_tilted_mass_below_upper(double loss, double theta) const override;
    double gaussian_mu() const override;
    Interval log_delta_bounds(double epsilon) const override;

    const SubsampledGaussian& release() const { return release_; }
    Direction direction() const { return direction_; }

private:
    SubsampledGaussian release_;
    Direction direction_;
};

// The composition's laws in one direction.
std::vector<LawTerm> laws_of(std::span<const Term> terms, Direction direction);
std::vector<std::vector<LawTerm>> laws_of(std::span<const Term> terms, std::span<const Direction> directions);

}  // namespace hockeystick
