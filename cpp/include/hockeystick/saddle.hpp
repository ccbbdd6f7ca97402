// SPDX-License-Identifier: Apache-2.0
#pragma once

// The composition that the contour engine works on, and the choice of its tilt. Everything here but moment_upper is an
// ESTIMATE that no certified number depends on: every tilt is valid, and a bad one only costs width or time.

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "hockeystick/lattice_line.hpp"
#include "hockeystick/loss_law.hpp"
#include "hockeystick/nodes.hpp"

namespace hockeystick::contour {

// Equal releases merged; plain Gaussians merged into one, M(z) = e^{mu^2 z (z + 1) / 2}; rate 0 and count 0 dropped.
struct Composition {
    struct Part {
        SubsampledGaussian law{};  // where `other` is empty
        double count = 0.0;
        double ceiling = k_infinity;  // of the outcomes kept (NodeDemand)
        LawHandle other;              // a release of another kind (law_parts.hpp)
        double variance = 0.0;        // of its loss, an estimate
        double off_lattice = 0.0;
    };
    std::vector<Part> parts;
    double gaussian = 0.0;  // mu^2
    Direction direction = Direction::remove;

    // log of the mass at infinity, which delta is at least; the integral is about the finite losses.
    Interval log_infinity{-k_infinity, -k_infinity};
    // The sum of the losses is right up to this.
    double loss_error = 0.0;
    // Where all releases are atoms on lattices of one step: that of the composed finite losses.
    LossLattice lattice;

    bool empty() const { return parts.empty() && gaussian == 0.0; }
    // Whether any part is a subsampled Gaussian, or a release of another kind.
    bool has_gaussians() const {
        return std::ranges::any_of(parts, [](const Part& part) { return !part.other; });
    }
    bool has_others() const {
        return std::ranges::any_of(parts, [](const Part& part) { return bool(part.other); });
    }
    // Whether |phi| falls by Gaussians alone, however few; else atoms may bound it from below.
    bool has_noise() const { return gaussian > 0.0 || has_gaussians(); }
};

// Throws std::invalid_argument for a noise multiplier that is not positive and finite or a rate outside [0, 1].
Composition make_composition(std::span<const Term> terms, Direction direction);
Composition reversed(Composition composition);
// The same without the outcomes so far out that all together have probability e^{log_mass} or less. A large tilt gives
// such outcomes weight although they do not matter, and the transform then does not decay.
Composition truncated(Composition composition, double log_mass);
// Upper bound on the log of the probability that any release has an outcome beyond its ceiling.
double log_truncated_mass(const Composition& composition);

// q^2 (e^{1 / sigma^2} - 1): the variance of the likelihood ratio of one release, about that of its loss.
double loss_variance(const SubsampledGaussian& law);
// Upper bound on Lambda(tilt), tilt > 0, direction add, in closed form: good where tilt times the loss is small; +inf
// where it overflows, and with releases of other kinds.
double log_moment_upper(const Composition& composition, double tilt);

// Lambda = log M of the composition and derivatives.
Moment gaussian_moment(double mu_squared, double tilt);

// The strips between the poles 0 and -1; tilts below -1 are served by the reversed pair.
enum class Strip { right, middle };

struct Saddle {
    double tilt;
    double epsilon;
    Moment moment;  // Lambda there
};

class SaddleSearch {
public:
    // Of many parts, `threads` are worked on at a time; the results are the same for any number.
    explicit SaddleSearch(const Composition& composition, int threads = 1);

    const Composition& composition() const { return composition_; }
    int threads() const { return threads_; }

    // Lambda at a tilt >= -1; nodes are kept and remade when a larger tilt needs it.
    Moment moment(double tilt);
    double log_decay(double tilt, double frequency);
    // Certified upper bound on Lambda(tilt), tilt >= -1; +inf where the nodes at hand do not serve the tilt.
    double moment_upper(double tilt);

    // Minimum over the strip of Lambda(tilt) - tilt epsilon - log|tilt| - log|1 + tilt|.
    Saddle at_epsilon(double epsilon, Strip strip);
    // The tilt > 0 whose saddle-point estimate of delta is the target, and its epsilon (which may be negative).
    Saddle at_log_delta(double log_delta);

    const Moment& part_moment(std::size_t part, double tilt) { return evaluate(tilt).parts[part]; }

private:
    // The last few tilts asked for: the choices of a table ask again and again for the same ones.
    struct Evaluation {
        double tilt;
        std::vector<Moment> parts;
        Moment total;
    };
    const Evaluation& evaluate(double tilt);
    double first_reach() const;
    double far_mode() const;
    void widen(double tilt);
    void narrow(double tilt);

    Composition composition_;
    int threads_;
    double reach_ = 0.0;
    std::vector<std::unique_ptr<const ReleaseNodes>> nodes_;
    std::vector<Evaluation> known_;
    std::size_t oldest_ = 0;
};

}  // namespace hockeystick::contour
