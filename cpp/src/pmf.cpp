// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/pmf.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hockeystick/compose.hpp"
#include "hockeystick/contour_error.hpp"
#include "hockeystick/dots.hpp"
#include "hockeystick/error.hpp"
#include "hockeystick/fft.hpp"
#include "hockeystick/profile.hpp"

namespace hockeystick {
namespace {

// Lattice points in a bin of the sketch that places the tilt and the window.
constexpr std::size_t k_bin = 64;
constexpr double k_negligible = 1e-10;
constexpr double k_excess = 3.0;
constexpr double k_heavy = 1.5;
constexpr double k_largest_exponent = 700.0;
constexpr double k_least_product = 1e-290;
// Within a few steps of the grid a stronger tilt tells nothing more.
constexpr double k_most_tilt_a_step = 4.0;

// The law in coarse bins: enough to estimate cumulants.
struct Sketch {
    std::vector<double> masses;
    std::vector<double> losses;

    struct Moments {
        double value;
        double first;
        double second;
    };

    Moments at(double theta) const {
        double shift = 0.0, mass = 0.0, first = 0.0, second = 0.0;
        for (const double loss : losses) shift = std::max(shift, theta * loss);
        for (std::size_t i = 0; i < masses.size(); ++i) {
            const double grown = masses[i] * std::exp(theta * losses[i] - shift);
            mass += grown;
            first += grown * losses[i];
            second += grown * losses[i] * losses[i];
        }
        return {shift + std::log(mass), first / mass, std::max(second / mass - first / mass * (first / mass), 0.0)};
    }
};

Sketch sketch_of(double step, std::int64_t first, std::span<const double> masses) {
    Sketch sketch;
    for (std::size_t start = 0; start < masses.size(); start += k_bin) {
        double mass = 0.0, moment = 0.0;
        for (std::size_t i = start; i < std::min(start + k_bin, masses.size()); ++i) {
            mass += masses[i];
            moment += masses[i] * static_cast<double>(i);
        }
        if (mass == 0.0) continue;
        sketch.masses.push_back(mass);
        sketch.losses.push_back(step * (static_cast<double>(first) + moment / mass));
    }
    return sketch;
}

// The tilt whose saddle-point estimate of delta is the target; no more than `most`.
double tilt_for(const Sketch& sketch, double count, double log_delta, double most) {
    double low = 1e-9, high = 1.0;
    const auto log_delta_estimate = [&](double theta) {
        const Sketch::Moments k = sketch.at(theta);
        const double epsilon = count * k.first - 1.0 / theta - 1.0 / (1.0 + theta);
        return count * k.value - theta * epsilon - std::log(theta * (1.0 + theta)) -
               0.5 * std::log(6.28 * (count * k.second + 1.0 / (theta * theta)));
    };
    while (high < most && log_delta_estimate(high) > log_delta) {
        low = high;
        high *= 2.0;
    }
    high = std::min(high, most);
    for (int step = 0; step < 8; ++step) {
        const double middle = std::sqrt(low * high);
        (log_delta_estimate(middle) > log_delta ? low : high) = middle;
    }
    return std::sqrt(low * high);
}

// Where the variance shoots up towards the saddle, a tilt short of it by k_excess in log delta: there rare large losses
// weigh little, and the window is narrow. The error terms, relative to e^{K - theta epsilon}, grow by e^{k_excess}.
double short_of(const Sketch& sketch, double count, double saddle, double epsilon) {
    if (sketch.at(saddle).second <= k_heavy * sketch.at(0.5 * saddle).second) return saddle;
    const double target = count * sketch.at(saddle).value - saddle * epsilon + k_excess;
    double low = 0.0, high = saddle;
    for (int step = 0; step < 10; ++step) {
        const double middle = 0.5 * (low + high);
        (count * sketch.at(middle).value - middle * epsilon > target ? low : high) = middle;
    }
    return high;
}

// Drops atoms at either end as far as their weight allows, into the ledger: rare large losses would stretch the window
// for nothing.
void cut_ends(TiltedAtoms& atoms, double allowed) {
    std::size_t begin = 0, end = atoms.weight.size();
    while (end > 1 && atoms.truncated + atoms.weight[end - 1] <= allowed) atoms.truncated += atoms.weight[--end];
    while (begin + 1 < end && atoms.truncated + atoms.weight[begin] <= 2.0 * allowed) {
        atoms.truncated += atoms.weight[begin++];
    }
    atoms.weight.resize(end);
    atoms.weight.erase(atoms.weight.begin(), atoms.weight.begin() + static_cast<std::ptrdiff_t>(begin));
    const std::int64_t first = atoms.index[begin];
    atoms.index.resize(end - begin);
    std::iota(atoms.index.begin(), atoms.index.end(), first);
}

// masses * e^{theta loss - log_mass}, by powers of one ratio, anchored anew every 64 so that rounding stays small, and
// while the power is too small to hold its digits.
TiltedAtoms tilted(double step, std::int64_t first, std::span<const double> masses, double theta, double log_mass,
                   double negligible) {
    constexpr std::size_t anchor = 64;
    TiltedAtoms atoms;
    atoms.index.assign(masses.size(), 0);
    std::iota(atoms.index.begin(), atoms.index.end(), first);
    atoms.weight.resize(masses.size());
    const double ratio = std::exp(theta * step);
    double factor = 0.0, sum = 0.0, rounding = 0.0;
    for (std::size_t i = 0; i < masses.size(); ++i) {
        const std::int64_t index = first + static_cast<std::int64_t>(i);
        const double exponent = theta * step * static_cast<double>(index) - log_mass;
        const bool anew = i % anchor == 0 || factor < k_least_product;
        factor = anew ? std::exp(std::min(exponent, k_largest_exponent)) : factor * ratio;
        if (!(masses[i] > 0.0)) continue;  // where the factor may be anything
        if (exponent > k_largest_exponent) throw accuracy_error("a loss law spans too much for one tilt");
        atoms.weight[i] = masses[i] * factor;
        sum += atoms.weight[i];
        rounding += atoms.weight[i] * std::fabs(exponent);
    }
    cut_ends(atoms, negligible * sum);
    atoms.truncated /= sum;
    for (double& weight : atoms.weight) weight /= sum;
    atoms.log_mass = log_mass + std::log(sum);
    atoms.rounding = k_unit_roundoff * (4.0 * rounding / sum + 3.0 * anchor + 2.0 * std::fabs(log_mass));
    return atoms;
}

// Upper bound on log sum masses e^{theta loss}; +inf where a term might overflow. Running products, anchored anew every
// 64: those roundings, the exponents' and the sum's.
double log_moment_upper(double step, std::int64_t first, std::span<const double> masses, double theta) {
    constexpr std::size_t anchor = 64;
    const double ratio = std::exp(theta * step);
    const auto exponent_at = [&](std::size_t i) {
        return theta * step * static_cast<double>(first + static_cast<std::int64_t>(i));
    };
    if (exponent_at(masses.size()) > 600.0) return k_infinity;
    double sum = 0.0;
    for (std::size_t start = 0; start < masses.size(); start += anchor) {
        double factor = std::exp(exponent_at(start));
        for (std::size_t i = start; i < std::min(start + anchor, masses.size()); ++i, factor *= ratio) {
            sum += masses[i] * factor;
        }
    }
    const double exponents = std::max(std::fabs(exponent_at(0)), std::fabs(exponent_at(masses.size())));
    const double roundings = static_cast<double>(masses.size()) + 4.0 * anchor + 4.0 * exponents;
    return std::log(sum) + 2.0 * k_unit_roundoff * roundings;
}

// Whether Chernoff's bound shows that delta at epsilon is at most e^{log_delta}.
bool is_known_below(double step, std::int64_t first, std::span<const double> masses, double count, double theta,
                    double epsilon, double log_delta) {
    const double moment = count * log_moment_upper(step, first, masses, theta);
    const double bound = moment - theta * epsilon + contour::log_chernoff_constant(theta);
    return bound + 1e-12 * (1.0 + std::fabs(moment) + theta * epsilon) <= log_delta;
}

}  // namespace

LossPmf pessimistic_pmf(const LossLaw& law, double step, double negligible) {
    const TiltedAtoms atoms = connect_the_dots(law, {0.0, step, 0.0, negligible, 0.0, false}).pessimistic;
    LossPmf pmf{step, atoms.index.front(), {}, atoms.truncated + law.infinity_mass().upper};
    pmf.masses.assign(static_cast<std::size_t>(atoms.index.back() - atoms.index.front()) + 1, 0.0);
    const double scale = std::exp(atoms.log_mass);
    for (std::size_t i = 0; i < atoms.index.size(); ++i) {
        pmf.masses[static_cast<std::size_t>(atoms.index[i] - pmf.first)] = scale * atoms.weight[i];
    }
    return pmf;
}

namespace {

// The same where no mass is at infinity.
double finite_epsilon_upper(double step, std::int64_t first, std::span<const double> masses, std::uint64_t count,
                            double log_delta, double least) {
    const double copies = static_cast<double>(count);
    const Sketch sketch = sketch_of(step, first, masses);
    const double peak = tilt_for(sketch, copies, log_delta, k_most_tilt_a_step / step);
    if (least > 0.0 && is_known_below(step, first, masses, copies, peak, least, log_delta)) return least;
    const double saddle = copies * sketch.at(peak).first - 1.0 / peak - 1.0 / (1.0 + peak);
    const double theta = short_of(sketch, copies, peak, saddle);
    const Sketch::Moments at = sketch.at(theta);
    const TiltedAtoms atoms = tilted(step, first, masses, theta, at.value, 0.1 * k_negligible / copies);
    // A law that the tilt has gathered at its end has hardly a variance.
    const double order = std::min(std::sqrt(-2.0 * std::log(k_negligible) / (copies * at.second)), 1.0 / step);
    const Composition composition =
        on_window({{&atoms, count}}, theta, step, {order, order}, k_negligible, saddle, saddle);
    const ComposedLaw law = compose(std::span(&composition, 1), good_fft_size(composition.length)).front();
    return std::max(least, epsilon_bound(law, Bound::upper, log_delta));
}

}  // namespace

double pmf_epsilon_upper(double step, std::int64_t first, std::span<const double> masses, double infinity_mass,
                         std::uint64_t count, double log_delta, double least) {
    const double copies = static_cast<double>(count);
    const double infinite = -std::expm1(copies * std::log1p(-infinity_mass)) * (1.0 + 1e-12);
    const double finite_delta = std::exp(log_delta) * (1.0 - 4.0 * k_unit_roundoff) - infinite;
    if (finite_delta <= 0.0 && infinite > 0.0) return k_infinity;
    const double log_target = infinite > 0.0 ? std::log(finite_delta) : log_delta;
    // No epsilon beyond the greatest loss is needed.
    const double end = copies * step * static_cast<double>(first + static_cast<std::int64_t>(masses.size()) - 1);
    const double greatest = std::max(0.0, end + 8.0 * k_unit_roundoff * std::fabs(end));
    if (greatest <= least) return least;
    try {
        return std::min(greatest, finite_epsilon_upper(step, first, masses, count, log_target, least));
    } catch (const accuracy_error&) {
        return greatest;
    }
}

LossPmf connected_pmf(double step, std::int64_t first, std::span<const double> log_delta_upper) {
    if (!(step > 0.0) || !std::isfinite(step) || log_delta_upper.empty()) {
        throw std::invalid_argument("a profile needs a positive step and at least one point");
    }
    const std::size_t n = log_delta_upper.size();
    std::vector<double> delta(n);
    for (std::size_t i = 0; i < n; ++i) {
        const double log_delta = log_delta_upper[i];
        if (!(log_delta <= 0.0)) throw std::invalid_argument("log_delta_upper must be at most 0");
        delta[i] = std::min(1.0, std::exp(log_delta) * (1.0 + 4.0 * k_unit_roundoff));
    }
    // -d delta / d e^epsilon between two points; it falls along the minorant.
    const auto slope = [&](std::size_t i, std::size_t k) {
        const double epsilon = step * static_cast<double>(first + static_cast<std::int64_t>(i));
        return (delta[i] - delta[k]) / (std::exp(epsilon) * std::expm1(step * static_cast<double>(k - i)));
    };
    const auto before = [&](const std::vector<std::size_t>& hull, std::size_t k) {
        return hull.empty()
                   ? (1.0 - delta[k]) * std::exp(-step * static_cast<double>(first + static_cast<std::int64_t>(k)))
                   : slope(hull.back(), k);
    };
    std::vector<std::size_t> hull;
    std::vector<double> slopes;  // up to each corner
    for (std::size_t k = 0; k < n; ++k) {
        double here = before(hull, k);
        while (!hull.empty() && here >= slopes.back()) {
            hull.pop_back();
            slopes.pop_back();
            here = before(hull, k);
        }
        hull.push_back(k);
        slopes.push_back(std::max(here, 0.0));
    }
    LossPmf result{step, first, std::vector<double>(n, 0.0), delta[hull.back()]};
    for (std::size_t j = 0; j < hull.size(); ++j) {
        const double next = j + 1 < hull.size() ? slopes[j + 1] : 0.0;
        const double x = std::exp(step * static_cast<double>(first + static_cast<std::int64_t>(hull[j])));
        result.masses[hull[j]] = x * (slopes[j] - next) + 32.0 * k_unit_roundoff * x * slopes[j];
    }
    return result;
}

}  // namespace hockeystick
