// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace hockeystick {

// remove: (P, Q) = (with the record, without it); add: the reverse.
enum class Direction { remove, add };

// One Poisson-subsampled Gaussian release of unit sensitivity; sampling_rate = 1 is the plain Gaussian.
// remove: P = (1-q) N(0, s^2) + q N(1, s^2), Q = N(0, s^2), loss L(x) = log(1 - q + q e^{(2x-1)/(2 s^2)}).
struct SubsampledGaussian {
    double noise_multiplier;
    double sampling_rate;
};

// count copies of one such release; what the contour engine composes is a span of these.
struct Term {
    SubsampledGaussian law;
    std::uint64_t count;
};

// A certified bracket: lower <= truth <= upper.
struct Interval {
    double lower;
    double upper;
};

inline constexpr double k_infinity = std::numeric_limits<double>::infinity();
inline constexpr double k_unit_roundoff = std::numeric_limits<double>::epsilon() / 2;

// P and Q on either side of one loss, finite losses alone. Both sides are formed without cancellation, so each is right
// to `relative_error`; differences of the smaller side give cell masses whose absolute error is that fraction of it.
struct TailMasses {
    double p_below;  // P(L <= loss)
    double p_above;  // P(loss < L < inf)
    double q_below;  // Q(-inf < L <= loss)
    double q_above;  // Q(L > loss)
    double relative_error;
};

// One outcome: its loss and the log of its probability under P (under Q it is e^{-loss} times that).
struct Atom {
    double loss;
    double log_mass;
};

// Where the atoms of a law sit: at offset + step * Z, up to some roundings. step = 0: nowhere in particular.
struct Spacing {
    double offset = 0.0;
    double step = 0.0;
};

// A release whose loss before sampling, under Q0 = without the record, has the density `density` e^{-l/2} on
// (-greatest, greatest) and atoms of mass `atom` at -greatest and `atom` e^{-greatest} at greatest; P0 is e^l times
// that. Then Poisson sampling, and perhaps the reversal of the pair. `relative_error` is of density and atom.
struct ExponentialLoss {
    double greatest;
    double density;
    double atom;
    double relative_error;
    double sampling_rate = 1.0;
    bool reversed = false;  // the direction add
};

// The law of the privacy loss L = log dP/dQ of one pair (P, Q), that is of one direction of one release, with P mass at
// +inf where Q vanishes and Q mass at -inf where P does. Immutable: any number of threads may ask.
class LossLaw {
public:
    LossLaw() = default;
    LossLaw(const LossLaw&) = delete;
    LossLaw& operator=(const LossLaw&) = delete;
    virtual ~LossLaw() = default;

    // Any real loss. It stands for a loss within a few units of roundoff of the one asked for, the same one for P and
    // for Q: an atom that sits there may fall on either side, as a whole.
    virtual TailMasses tails(double loss) const = 0;

    // Essential infimum and supremum of the finite losses, up to some roundings; -inf and +inf where there is none.
    virtual double least_loss() const = 0;
    virtual double greatest_loss() const = 0;

    // P(L = +inf) and Q(L = -inf).
    virtual Interval infinity_mass() const { return {0.0, 0.0}; }
    virtual Interval vanishing_mass() const { return {0.0, 0.0}; }

    // Upper bounds on log E_P[e^{theta L}; loss < L < inf] and, for the reversed pair, on
    // log E_Q[e^{-theta L}; -inf < L <= loss], theta >= 0. Loose ones cost accuracy far out, never soundness.
    virtual double log_tilted_mass_above_upper(double loss, double theta) const = 0;
    virtual double log_tilted_mass_below_upper(double loss, double theta) const = 0;

    // Every loss is right up to this, whatever its place in the law.
    virtual double loss_error() const { return 0.0; }

    // A lattice worth sharing: on one that holds these points the atoms are composed without discretisation.
    virtual Spacing spacing() const { return {}; }

    // Certified bracket of log delta(epsilon) of one release, epsilon >= 0; at infinity that of the mass there.
    virtual Interval log_delta_bounds(double epsilon) const;

    // If not empty: the law is these atoms, increasing in loss, and what is at infinity.
    virtual std::span<const Atom> atoms() const { return {}; }

    // If it has this form, all there is to know of it.
    virtual std::optional<ExponentialLoss> exponential_loss() const { return std::nullopt; }

    // An upper bound on the mu of a Gaussian that dominates the law; +inf where none is known.
    virtual double gaussian_mu() const { return k_infinity; }
};

// Whether the law is atoms() and what is at infinity, perhaps nothing else than the latter.
bool is_atomic(const LossLaw& law);

using LawHandle = std::shared_ptr<const LossLaw>;

// count copies of one law; a composition, in one direction, is a span of these.
struct LawTerm {
    LawHandle law;
    std::uint64_t count;
};

// A loss just below the one given, by more than the roundings that tails() may add: tails there leave an atom at `loss`
// above.
double just_below(double loss);

std::vector<Interval> log_delta_bounds(const LossLaw& law, std::span<const double> epsilons);

// The least epsilon >= 0 with delta(epsilon) <= e^{log_delta}, for one release; certified. 0 where the total variation
// is no more than that, +inf where the mass at infinity is more.
Interval epsilon_bounds(const LossLaw& law, double log_delta);

// A loss beyond which P has at most the probability e^{log_probability} (within a few percent of the least such loss);
// +inf where doubles do not reach it. Outcomes beyond it matter to no delta that is far larger, but would take over a
// strongly tilted law.
double probability_cap(const LossLaw& law, double log_probability);

}  // namespace hockeystick
