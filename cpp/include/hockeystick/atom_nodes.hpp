// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "hockeystick/loss_law.hpp"
#include "hockeystick/release_nodes.hpp"

namespace hockeystick::contour {

// A law of finitely many outcomes: its atoms are the nodes, and nothing is discretised. Outcomes at either end that
// matter to no tilt of the demand are left out of the sums and counted in the errors. Mass at infinity is missing mass.
//
// Losses are taken as they are given: by how much they may be off (LossLaw::loss_error) is for the composition to
// count, as a shift of epsilon; here it enters the identity for M(-1) alone.
//
// |phi| falls along the line only where all losses lie on one lattice, and there up to half the period of phi (`demand.
// half_period`); a law in no such composition has the decay 0.
class AtomNodes final : public ReleaseNodes {
public:
    // Throws accuracy_error for more than 50 000 outcomes that matter, for masses or losses that are known to a few
    // digits only, and where masses do not sum to 1 within their errors.
    AtomNodes(LawHandle law, const NodeDemand& demand);

    double inner_error(double tilt, double frequency, const Moment& at) const override;
    double real_error(double tilt, const Moment& at) const override;
    double log_decay(double tilt, double frequency, const Moment& at, bool certified) const override;

private:
    struct Dropped {
        double zeroth;
        double first;
    };
    void choose(const NodeDemand& demand);
    void fill(double off_lattice);
    void check_sums() const;
    Dropped dropped(double tilt, double log_moment) const;

    LawHandle law_;  // whose atoms these are
    std::span<const Atom> all_;
    std::size_t first_ = 0;
    double half_period_;
};

}  // namespace hockeystick::contour
