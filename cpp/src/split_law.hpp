// SPDX-License-Identifier: Apache-2.0
// A lattice law cut in two measures, and how many releases fall in the upper one. Internal to the sources.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "finish_atoms.hpp"

namespace hockeystick {

// Some atoms of a tilted law as they are needed to move to another tilt.
struct Part {
    std::span<const std::int64_t> index;
    std::span<const double> weight;
};

// One lattice law, cut in two measures at an index: the core up to it, the jumps above.
class SplitLaw {
public:
    SplitLaw(TiltedAtoms atoms, const DotsRequest& request, std::int64_t cut)
        : atoms_(std::move(atoms)),
          theta_(request.theta),
          step_(request.step),
          log_estimate_(request.log_mass_estimate) {
        const auto end = std::upper_bound(atoms_.index.begin(), atoms_.index.end(), cut);
        const std::size_t size = static_cast<std::size_t>(end - atoms_.index.begin());
        const std::span<const std::int64_t> index(atoms_.index);
        const std::span<const double> weight(atoms_.weight);
        core_ = {index.first(size), weight.first(size)};
        jumps_ = {index.subspan(size), weight.subspan(size)};
    }
    SplitLaw(const SplitLaw&) = delete;
    SplitLaw& operator=(const SplitLaw&) = delete;

    const Part& core() const { return core_; }
    const Part& jumps() const { return jumps_; }
    const Interval& offset() const { return atoms_.offset; }
    bool is_whole() const { return atoms_.truncated == 0.0 && !core_.index.empty() && !jumps_.index.empty(); }
    double step() const { return step_; }

    // A part under another tilt. Besides what finish() counts: the weights' own rounding (as finish() counted it under
    // their first tilt) and that of the exponent here.
    TiltedAtoms retilted(const Part& part, double theta) const {
        const double rate = (theta - theta_) * step_;
        const double shift = shift_of(part, rate);
        std::vector<double> weights;
        double sum = 0.0, rounding = 0.0;
        for (std::size_t i = 0; i < part.index.size(); ++i) {
            const double index = static_cast<double>(part.index[i]);
            const double weight = part.weight[i] * std::exp(rate * index - shift);
            const double exponents = std::fabs(theta_ * step_ * index) + std::fabs(theta * step_ * index);
            sum += weight;
            rounding += weight * (detail::k_weight_roundings + 8.0 * exponents);
            weights.push_back(weight);
        }
        rounding = k_unit_roundoff * (rounding / sum + 4.0 * std::fabs(shift) + 4.0 * std::fabs(log_estimate_) +
                                      8.0 * std::fabs(atoms_.log_mass));
        TiltedAtoms result = detail::finish({part.index.begin(), part.index.end()}, std::move(weights), theta, step_,
                                            atoms_.log_mass + shift, 0.0, rounding);
        result.offset = atoms_.offset;
        return result;
    }

    // log of the part's moment at an order, its derivative and variance: estimates.
    struct Moments {
        double value;
        double first;
        double second;
    };
    Moments moments(const Part& part, double theta) const {
        const double rate = (theta - theta_) * step_;
        const double shift = shift_of(part, rate);
        double mass = 0.0, first = 0.0, second = 0.0;
        for (std::size_t i = 0; i < part.index.size(); ++i) {
            const double index = static_cast<double>(part.index[i]);
            const double weight = part.weight[i] * std::exp(rate * index - shift);
            mass += weight;
            first += weight * index;
            second += weight * index * index;
        }
        const double mean = first / mass;
        return {atoms_.log_mass + shift + std::log(mass), mean * step_,
                std::max(second / mass - mean * mean, 0.0) * step_ * step_};
    }

private:
    static double shift_of(const Part& part, double rate) {
        double shift = -k_infinity;
        for (std::size_t i = 0; i < part.index.size(); ++i) {
            if (part.weight[i] <= 0.0) continue;
            shift = std::max(shift, std::log(part.weight[i]) + rate * static_cast<double>(part.index[i]));
        }
        return shift;
    }

    TiltedAtoms atoms_;
    double theta_;
    double step_;
    double log_estimate_;
    Part core_{};
    Part jumps_{};
};

// Exactly k jumps among the releases.
struct JumpCount {
    std::uint64_t jumps;
    std::uint64_t releases;
    SplitLaw::Moments moments(const SplitLaw& law, double theta) const {
        const SplitLaw::Moments core = law.moments(law.core(), theta);
        const SplitLaw::Moments jump = law.moments(law.jumps(), theta);
        const double k = static_cast<double>(jumps), rest = static_cast<double>(releases - jumps);
        return {rest * core.value + k * jump.value, rest * core.first + k * jump.first,
                rest * core.second + k * jump.second};
    }
    // The tilt at which the integrand of its profile has its saddle at epsilon.
    double saddle(const SplitLaw& law, double epsilon) const {
        double low = 1e-3 / epsilon, high = 1.0 / epsilon;
        const double distance = epsilon - static_cast<double>(releases) * law.offset().upper;
        const auto short_of = [&](double theta) {
            return moments(law, theta).first - distance - 1.0 / theta - 1.0 / (1.0 + theta) < 0.0;
        };
        const double most = 0.5 / law.step();
        while (high < most && short_of(high)) {
            low = high;
            high *= 4.0;
        }
        high = std::min(high, most);
        for (int round = 0; round < 20 && high > 1.01 * low; ++round) {
            const double middle = std::sqrt(low * high);
            (short_of(middle) ? low : high) = middle;
        }
        return low;
    }
};

// log of the mass that the atoms stand for, rounded up: their own rounding and that of the sum it was formed with.
inline double log_mass_upper(const TiltedAtoms& atoms) {
    const double sum = k_unit_roundoff * (static_cast<double>(atoms.weight.size()) + 8.0);
    return atoms.log_mass + std::log1p(atoms.rounding + 2.0 * sum) + 8.0 * k_unit_roundoff * std::fabs(atoms.log_mass);
}

}  // namespace hockeystick
