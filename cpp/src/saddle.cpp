// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/saddle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>

#include "hockeystick/combined_law.hpp"
#include "hockeystick/error.hpp"
#include "hockeystick/law_parts.hpp"
#include "hockeystick/limits.hpp"
#include "hockeystick/parallel.hpp"
#include "hockeystick/special.hpp"

namespace hockeystick::contour {
namespace {

constexpr int k_most_steps = 100;
constexpr std::size_t k_many_nodes = 300;
constexpr std::size_t k_most_known = 12;
constexpr double k_near_enough = 0.5;  // of log delta: the tilt is then good to a tenth of a standard deviation

void check(const SubsampledGaussian& law) {
    if (!(law.noise_multiplier > 0.0) || !std::isfinite(law.noise_multiplier)) {
        throw std::invalid_argument("noise_multiplier must be positive and finite, got " +
                                    std::to_string(law.noise_multiplier));
    }
    if (!(law.sampling_rate >= 0.0 && law.sampling_rate <= 1.0)) {
        throw std::invalid_argument("sampling_rate must be in [0, 1], got " + std::to_string(law.sampling_rate));
    }
}

// The tilt at which the saddle-point estimate of a normal law comes to log_delta.
double gaussian_tilt(double variance, double log_delta) {
    const double plain = std::sqrt(-2.0 * log_delta / variance);
    const double curve = variance + 1.0 / (plain * plain) + 1.0 / ((1.0 + plain) * (1.0 + plain));
    const double factor = 1.0 + plain / (1.0 + plain) - std::log(plain) - std::log1p(plain) -
                          0.5 * std::log(2.0 * std::numbers::pi * curve);
    return plain * std::sqrt(std::clamp(1.0 - factor / log_delta, 0.25, 1.0));
}

}  // namespace

Composition make_composition(std::span<const Term> terms, Direction direction) {
    Composition result;
    result.direction = direction;
    for (const Term& term : terms) {
        check(term.law);
        const auto count = static_cast<double>(term.count);
        if (term.count == 0 || term.law.sampling_rate == 0.0) continue;
        if (term.law.sampling_rate == 1.0) {
            result.gaussian += count / (term.law.noise_multiplier * term.law.noise_multiplier);
            continue;
        }
        result.parts.push_back({.law = term.law, .count = count});
    }
    const auto key = [](const Composition::Part& part) {
        return std::pair(part.law.noise_multiplier, part.law.sampling_rate);
    };
    std::sort(result.parts.begin(), result.parts.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
    std::vector<Composition::Part> merged;
    for (const Composition::Part& part : result.parts) {
        if (!merged.empty() && key(merged.back()) == key(part)) {
            merged.back().count += part.count;
        } else {
            merged.push_back(part);
        }
    }
    result.parts = std::move(merged);
    return result;
}

Composition reversed(Composition composition) {
    composition.direction = composition.direction == Direction::remove ? Direction::add : Direction::remove;
    std::vector<LawTerm> others;
    for (Composition::Part& part : composition.parts) {
        if (!part.other) continue;
        part.other = reversed_law(part.other);
        others.push_back({part.other, static_cast<std::uint64_t>(part.count)});
    }
    if (!others.empty()) composition.log_infinity = log_infinity_mass(others);
    composition.lattice.offset = -composition.lattice.offset;
    return composition;
}

Composition truncated(Composition composition, double log_mass) {
    for (Composition::Part& part : composition.parts) {
        if (part.other) continue;
        const double sigma = part.law.noise_multiplier;
        const double share = log_mass - std::log(2.0 * part.count * static_cast<double>(composition.parts.size()));
        const double sampled = share - std::log(part.law.sampling_rate);
        part.ceiling = std::max(-sigma * normal_quantile_of_log(std::min(share, -1.0)),
                                1.0 - sigma * normal_quantile_of_log(std::min(sampled, -1.0)));
    }
    return composition;
}

double log_truncated_mass(const Composition& composition) {
    double total = -k_infinity;
    for (const Composition::Part& part : composition.parts) {
        if (part.ceiling == k_infinity) continue;
        const double mass = std::log(part.count) + log_mass_beyond(part.law, composition.direction, part.ceiling);
        total = logaddexp(total, mass + 1e-9);
    }
    return total;
}

Moment gaussian_moment(double mu_squared, double tilt) {
    return {0.5 * mu_squared * tilt * (tilt + 1.0), mu_squared * (tilt + 0.5), mu_squared};
}

double loss_variance(const SubsampledGaussian& law) {
    return law.sampling_rate * law.sampling_rate * std::expm1(1.0 / (law.noise_multiplier * law.noise_multiplier));
}

// M = E_N0[(1 + y)^-tilt], y = q (r - 1) >= -q, by Taylor's formula to second and to fourth order: E[y] = 0, and with
// w = e^{1 / sigma^2} - 1 the moments of r - 1 are w, 3 w^2 + w^3 and 3 w^2 + 16 w^3 + 15 w^4 + 6 w^5 + w^6.
double log_moment_upper(const Composition& composition, double tilt) {
    double total = gaussian_moment(composition.gaussian, tilt).value;
    for (const Composition::Part& part : composition.parts) {
        if (part.other) return k_infinity;
        const double q = part.law.sampling_rate;
        const double w = std::expm1(1.0 / (part.law.noise_multiplier * part.law.noise_multiplier));
        const double second = 0.5 * tilt * (tilt + 1.0) * q * q * w;
        const double third = second * (tilt + 2.0) / 3.0 * q * w * (3.0 + w);
        const double fourth =
            second * (tilt + 2.0) * (tilt + 3.0) / 12.0 * q * q * w * (3.0 + w * (16.0 + w * (15.0 + w * (6.0 + w))));
        const double rest = std::exp(-(tilt + 4.0) * std::log1p(-q));
        const double by_second = second * std::exp(-(tilt + 2.0) * std::log1p(-q));
        const double by_fourth = (second - third) + fourth * rest * (1.0 + 1e-12) + 1e-14 * (second + third);
        total += part.count * std::log1p(std::max(0.0, std::fmin(by_second, by_fourth)) * (1.0 + 1e-12));
    }
    return total + 1e-12 * std::abs(total);
}

SaddleSearch::SaddleSearch(const Composition& composition, int threads)
    : composition_(composition), threads_(threads) {}

double SaddleSearch::moment_upper(double tilt) {
    if (tilt == 0.0 || tilt == -1.0) return 0.0;
    widen(tilt);
    double total = gaussian_moment(composition_.gaussian, tilt).value;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        total += composition_.parts[i].count * log_moment_upper(*nodes_[i], tilt);
    }
    return total + 1e-12 * std::abs(total);
}

// A tilt about twice what deltas of some interest need, by the central limit, so that nodes are seldom remade.
double SaddleSearch::first_reach() const {
    double variance = composition_.gaussian;
    double mixed = k_infinity;  // beyond it a far mode takes over
    for (const Composition::Part& part : composition_.parts) {
        variance += part.count * part.variance;
        if (part.other) continue;
        const double sigma_squared = part.law.noise_multiplier * part.law.noise_multiplier;
        const double q = part.law.sampling_rate;
        variance += part.count * std::min(loss_variance(part.law), 1e3 * q * q);
        mixed = std::min(mixed, 2.2 * sigma_squared * std::log(1.0 / q));
    }
    return std::max(
        1.0, std::min(12.0 / std::sqrt(variance), composition_.direction == Direction::remove ? mixed : k_infinity));
}

// Where q^s e^{s (s - 1) / 2 sigma^2}, s = 1 + tilt, what the far mode of a release adds to its M, comes to 1 / count:
// from there on log delta falls steeply.
double SaddleSearch::far_mode() const {
    double tilt = k_infinity;
    if (composition_.direction == Direction::add) return tilt;
    for (const Composition::Part& part : composition_.parts) {
        if (part.other) continue;
        const double variance = part.law.noise_multiplier * part.law.noise_multiplier;
        const double half = 0.5 - variance * std::log(part.law.sampling_rate);
        const double square = half * half - 2.0 * variance * std::log(part.count);
        if (square > 0.0) tilt = std::min(tilt, half + std::sqrt(square) - 1.0);
    }
    return std::max(tilt, 0.5);
}

// Nodes made for a tilt that the search went far beyond are many; what follows asks near `tilt`.
void SaddleSearch::narrow(double tilt) {
    std::size_t size = 0;
    for (const auto& part : nodes_) size += part->size();
    if (size <= k_many_nodes * nodes_.size() || 2.0 * tilt >= reach_) return;
    nodes_.clear();
    known_.clear();
    widen(1.5 * tilt);
}

void SaddleSearch::widen(double tilt) {
    if (!std::isfinite(tilt)) throw accuracy_error("contour: the loss hardly varies, and no tilt serves it");
    if (!nodes_.empty() && tilt <= reach_) return;
    reach_ = reach_ == 0.0 ? std::max(tilt, first_reach())
                           : std::max((composition_.direction == Direction::add ? 1.6 : 1.15) * tilt, 1.0);
    nodes_.clear();
    known_.clear();
    std::vector<std::unique_ptr<const ReleaseNodes>> made(composition_.parts.size());
    parallel_for(made.size(), threads_, [&](std::size_t i) {
        const double digits = -16.0 - std::log(composition_.parts[i].count);
        made[i] = make_nodes(composition_, i, {reach_, -1.0, reach_, 0.0, 0.0, digits});
    });
    nodes_ = std::move(made);
}

const SaddleSearch::Evaluation& SaddleSearch::evaluate(double tilt) {
    widen(tilt);
    for (const Evaluation& known : known_) {
        if (known.tilt == tilt) return known;
    }
    Evaluation result{tilt, std::vector<Moment>(nodes_.size()), gaussian_moment(composition_.gaussian, tilt)};
    parallel_for(nodes_.size(), threads_, [&](std::size_t i) { result.parts[i] = nodes_[i]->moment(tilt); });
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const Moment& one = result.parts[i];
        const double count = composition_.parts[i].count;
        result.total.value += count * one.value;
        result.total.first += count * one.first;
        result.total.second += count * one.second;
    }
    if (known_.size() < k_most_known) {
        known_.push_back(std::move(result));
        return known_.back();
    }
    oldest_ = (oldest_ + 1) % k_most_known;
    known_[oldest_] = std::move(result);
    return known_[oldest_];
}

Moment SaddleSearch::moment(double tilt) { return evaluate(tilt).total; }

double SaddleSearch::log_decay(double tilt, double frequency) {
    const std::vector<Moment>& moments = evaluate(tilt).parts;
    double total = -0.5 * composition_.gaussian * frequency * frequency;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        total += composition_.parts[i].count * nodes_[i]->log_decay(tilt, frequency, moments[i], false);
    }
    return total;
}

// Newton on the logarithm of the tilt (right) or on the tilt (middle), kept inside a bracket that shrinks.
Saddle SaddleSearch::at_epsilon(double epsilon, Strip strip) {
    const bool right = strip == Strip::right;
    double low = right ? 0.0 : -1.0;
    double high = right ? k_infinity : 0.0;
    double tilt = -0.5;
    if (right) {
        const Moment start = moment(0.0);
        const double spread = std::sqrt(start.second);
        tilt = std::max((epsilon - start.first) / start.second, 0.0) + 1.0 / spread;
        tilt = std::min(tilt, std::max(first_reach(), 1.0 / spread));
    }
    Moment at = moment(tilt);
    for (int step = 0; step < k_most_steps; ++step) {
        const double slope = at.first - epsilon - 1.0 / tilt - 1.0 / (1.0 + tilt);
        const double curve = at.second + 1.0 / (tilt * tilt) + 1.0 / ((1.0 + tilt) * (1.0 + tilt));
        (slope > 0.0 ? high : low) = tilt;
        if (std::abs(slope) < 0.02 * std::sqrt(curve)) break;
        double next = right ? tilt * std::exp(std::clamp(-slope / (tilt * curve), -3.0, 1.0)) : tilt - slope / curve;
        if (!(next > low && next < high)) next = std::isfinite(high) ? 0.5 * (low + high) : 2.0 * tilt;
        if (right && next > 1e300) throw accuracy_error("contour: no tilt reaches this epsilon");
        tilt = next;
        at = moment(tilt);
    }
    narrow(tilt);
    return {tilt, epsilon, at};
}

// log delta(epsilon(tilt)) ~ Lambda - tilt epsilon - log(tilt (1 + tilt)) - log(2 pi curvature) / 2 falls with the
// tilt, about like -tilt^2 or, where a far mode sets in, suddenly and steeply: by logarithms of both the tangent where
// no tilt beyond is known, else the secant by the rule of Illinois.
Saddle SaddleSearch::at_log_delta(double log_delta) {
    const Moment start = moment(0.0);
    const double wanted = std::min(log_delta, -0.1);
    struct End {
        double log_tilt, miss;  // miss: log of the estimate over the one wanted, negative at the low end
    };
    End low{-k_infinity, 0.0}, high{k_infinity, 0.0};
    const double furthest = std::min(far_mode(), std::max(first_reach(), 1.0 / std::sqrt(start.second)));
    double tilt = std::min(gaussian_tilt(start.second, wanted), furthest);
    for (int step = 0, same = 0;; ++step) {
        const Moment at = moment(tilt);
        const double epsilon = at.first - 1.0 / tilt - 1.0 / (1.0 + tilt);
        const double curve = at.second + 1.0 / (tilt * tilt) + 1.0 / ((1.0 + tilt) * (1.0 + tilt));
        const double estimate = at.value - tilt * epsilon - std::log(tilt) - std::log1p(tilt) -
                                0.5 * std::log(2.0 * std::numbers::pi * curve);
        const bool narrow_enough = high.log_tilt - low.log_tilt < 1e-9;
        if (std::abs(estimate - wanted) < k_near_enough || step == k_most_steps || narrow_enough) {
            narrow(tilt);
            return {tilt, epsilon + (estimate - wanted) / tilt, at};
        }
        const End here{std::log(tilt), std::log(std::min(estimate, -0.01) / wanted)};
        const bool below = estimate > wanted;
        (below ? low : high) = here;
        same = below ? std::max(same, 0) + 1 : std::min(same, 0) - 1;
        // An end that stays halves its weight.
        if (same > 1) high.miss *= 0.5;
        if (same < -1) low.miss *= 0.5;
        double move = -here.miss * std::max(-estimate, 0.1) / (tilt * tilt * curve);
        if (std::isfinite(low.log_tilt) && std::isfinite(high.log_tilt) && low.miss < 0.0 && high.miss > 0.0) {
            const double share = std::clamp(low.miss / (low.miss - high.miss), 0.02, 0.98);
            move = low.log_tilt + share * (high.log_tilt - low.log_tilt) - here.log_tilt;
        }
        const double next = std::exp(here.log_tilt + std::clamp(move, -1.0, 1.0));
        if (next > 1e300) throw accuracy_error("contour: no tilt reaches this delta");
        tilt = next;
    }
}

}  // namespace hockeystick::contour
