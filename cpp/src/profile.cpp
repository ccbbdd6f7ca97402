// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/profile.hpp"

#include <algorithm>
#include <cmath>

namespace hockeystick {
namespace {

double weight_norm(double theta, double step) {
    const double largest = std::exp(log_largest_weight(theta));
    const double integral = 1.0 / (2.0 * theta * (theta + 1.0) * (2.0 * theta + 1.0) * step);
    return std::sqrt(integral + largest * largest);
}

struct Errors {
    double truncation;
    double rounding;
    double total() const { return (truncation + rounding) * (1.0 + 1e-6); }
};

Errors errors_of(const ComposedLaw& law, Bound bound) {
    const double largest = std::exp(log_largest_weight(law.theta));
    double truncation = law.outside_above + law.truncated;
    if (bound == Bound::lower) truncation += law.outside_below;
    // A product of perturbed laws errs by at most (1 + r)^T - 1 in mass.
    const double rounding = std::expm1(law.rounding);
    return {largest * truncation, largest * rounding + weight_norm(law.theta, law.step) * law.noise};
}

// Suffix sums at lattice point k: by_p = sum_{j > k} y_j e^{-theta (j - k) h}, by_q with theta + 1; so that at
// eps = (k + s) h, 0 <= s < 1, the sum is by_p - e^{s h} by_q in units of e^{log_mass - theta k h}.
class SuffixScan {
public:
    explicit SuffixScan(const ComposedLaw& law)
        : law_(law),
          index_(law.weights.size()),
          p_factor_(std::exp(-law.theta * law.step)),
          q_factor_(std::exp(-(law.theta + 1.0) * law.step)) {}

    // Moves to the lattice point below; false at the bottom of the window.
    bool descend() {
        if (index_ == 0) return false;
        --index_;
        const double weight = std::max(law_.weights[index_], 0.0);
        by_p_ = p_factor_ * (weight + by_p_);
        by_q_ = q_factor_ * (weight + by_q_);
        return true;
    }

    // The lattice point just below the last weight taken in.
    double loss() const { return static_cast<double>(law_.first + static_cast<std::int64_t>(index_) - 1) * law_.step; }
    double by_p() const { return by_p_; }
    double by_q() const { return by_q_; }
    double sum_error() const {
        return 8.0 * k_unit_roundoff * static_cast<double>(law_.weights.size() - index_) * by_p_;
    }
    double log_scale() const { return law_.log_mass - law_.theta * loss(); }
    double exponent_error() const {
        return 8.0 * k_unit_roundoff * (std::fabs(law_.log_mass) + std::fabs(law_.theta * loss()) + 1.0);
    }

private:
    const ComposedLaw& law_;
    std::size_t index_;
    double p_factor_;
    double q_factor_;
    double by_p_ = 0.0;
    double by_q_ = 0.0;
};

// The target in the units of the scan, by a running product anchored every 64 steps: rough, for skipping only.
class ScaledTarget {
public:
    ScaledTarget(double log_delta, double rate) : log_delta_(log_delta), factor_(std::exp(-rate)) {}

    double next(const SuffixScan& scan) {
        value_ = count_++ % 64 == 0 ? std::exp(std::min(log_delta_ - scan.log_scale(), 700.0)) : value_ * factor_;
        return value_;
    }

private:
    double log_delta_;
    double factor_;
    double value_ = 0.0;
    std::size_t count_ = 0;
};

double log_delta_at(const SuffixScan& scan, Bound bound, double error, double epsilon) {
    const double sum = scan.by_p() - std::exp(epsilon - scan.loss()) * scan.by_q();
    const double slack = error + scan.sum_error();
    if (bound == Bound::upper) {
        return std::min(scan.log_scale() + scan.exponent_error() + std::log(std::max(sum, 0.0) + slack), 0.0);
    }
    return sum > slack ? scan.log_scale() - scan.exponent_error() + std::log(sum - slack) : -k_infinity;
}

// Where the lattice is read for one epsilon: further down for an upper bound, further up for a lower one.
double unshifted(const ComposedLaw& law, Bound bound, double epsilon) {
    const double shift = bound == Bound::upper ? law.offset.upper : law.offset.lower;
    if (shift == 0.0) return epsilon;
    return std::nextafter(epsilon - shift, bound == Bound::upper ? -k_infinity : k_infinity);
}

}  // namespace

double log_largest_weight(double theta) {
    if (theta <= 0.0) return 0.0;
    return -theta * std::log1p(1.0 / theta) - std::log1p(theta);
}

std::vector<double> log_delta_bounds(const ComposedLaw& law, Bound bound, std::span<const double> asked) {
    std::vector<double> epsilons;
    for (const double epsilon : asked) epsilons.push_back(unshifted(law, bound, epsilon));
    std::vector<double> result(epsilons.size(), bound == Bound::upper ? 0.0 : -k_infinity);
    const double error = errors_of(law, bound).total();
    SuffixScan scan(law);
    std::size_t next = epsilons.size();
    while (next > 0 && scan.descend()) {
        while (next > 0 && epsilons[next - 1] >= scan.loss()) {
            --next;
            result[next] = log_delta_at(scan, bound, error, epsilons[next]);
        }
    }
    // Below the window: the sum over all of it is still right, its cell merely wider.
    while (next > 0) {
        --next;
        if (bound == Bound::lower) result[next] = log_delta_at(scan, bound, error, epsilons[next]);
    }
    return result;
}

double epsilon_bound(const ComposedLaw& law, Bound bound, double log_delta) {
    const bool upper = bound == Bound::upper;
    const double sign = upper ? 1.0 : -1.0;
    const double shift = upper ? law.offset.upper : law.offset.lower;
    const double error = errors_of(law, bound).total();
    SuffixScan scan(law);
    ScaledTarget rough(log_delta, law.theta * law.step);
    bool first = true;
    while (scan.descend()) {
        const bool far = scan.by_p() - scan.by_q() + std::max(error, 0.0) + scan.sum_error() < 0.5 * rough.next(scan);
        if (far && scan.loss() + shift > 0.0) {
            first = false;
            continue;
        }
        const double log_target = log_delta - scan.log_scale() - sign * scan.exponent_error();
        const double target = log_target > 700.0 ? k_infinity : std::exp(log_target);
        const double slack = sign * (error + scan.sum_error());
        if (scan.by_p() - scan.by_q() + slack >= target) {
            if (first && upper) return k_infinity;
            const double crossing = (scan.by_p() + slack - target) / scan.by_q();
            const double inside = std::clamp(std::log(crossing), 0.0, law.step);
            const double epsilon = scan.loss() + inside;
            const double rounding = 4.0 * k_unit_roundoff * (std::fabs(epsilon) + std::fabs(shift));
            return std::max(epsilon + shift + sign * rounding, 0.0);
        }
        if (scan.loss() + shift <= 0.0) return 0.0;
        first = false;
    }
    // Below the target all the way down: the window's lower end is an upper bound, and says nothing from below.
    return upper ? std::max(scan.loss() + shift, 0.0) : 0.0;
}

ProfileLedger ledger_at(const ComposedLaw& law, Bound bound, double epsilon) {
    const Errors errors = errors_of(law, bound);
    const double scale = law.log_mass - law.theta * unshifted(law, bound, epsilon);
    return {scale + std::log(errors.truncation), scale + std::log(errors.rounding)};
}

}  // namespace hockeystick
