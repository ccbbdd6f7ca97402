// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/jump_edges.hpp"

#include <algorithm>
#include <cmath>

#include "hockeystick/error.hpp"
#include "hockeystick/special.hpp"
#include "likelihood.hpp"

namespace hockeystick::contour {
namespace {

constexpr double k_reach = 6.5;            // widths from epsilon to the top, where a window is 1e-10
constexpr double k_most_rise_below = 6.0;  // the same to the first edge below
constexpr double k_first_level = 0.3;      // parts of epsilon, of the losses at the edges below the top
constexpr double k_next_level = 0.25;
constexpr double k_least_distance = 4.0;  // widths between edges
constexpr std::size_t k_levels = 9;
constexpr double k_valley = 50.0;    // natural digits that the window must fall before the tilt outweighs it
constexpr double k_most_hump = 4.0;  // that the density may rise beyond the window's end before
constexpr double k_stride = 0.05;    // in sigma, of the walks
constexpr double k_most_strides = 2000.0;
constexpr int k_most_shrinks = 12;

// The x of a loss l > 0.
double outcome_of(const SubsampledGaussian& law, double loss) {
    const double variance = law.noise_multiplier * law.noise_multiplier;
    const double q = law.sampling_rate;
    return 0.5 + variance * (loss < 600.0 ? std::log1p(std::expm1(loss) / q) : loss - std::log(q));
}

double log_tilted(const SubsampledGaussian& law, double power, double x) {
    return -x * x / (2.0 * law.noise_multiplier * law.noise_multiplier) + power * detail::log_likelihood(law, x);
}

// Whether a window of this width that ends at `edge` falls far enough before the density under a tilt outgrows it.
bool window_wins(const SubsampledGaussian& law, double tilt, double edge, double width) {
    const double start = log_tilted(law, 1.0 + tilt, edge);
    for (double y = width; y < 60.0 * width; y += width) {
        const double rise = log_tilted(law, 1.0 + tilt, edge + y) - start - 0.5 * y * y / (width * width);
        if (rise > k_most_hump) return false;
        if (rise < -k_valley) return true;
    }
    return false;
}

// The density of one release under a tilt that makes it stationary at one outcome.
class TiltedRelease {
public:
    TiltedRelease(const SubsampledGaussian& law, double at)
        : law_(law), at_(at), power_(at / detail::posterior(law, at)), level_(log_density(at)) {}

    double tilt() const { return power_ - 1.0; }
    double rise(double x) const { return log_density(x) - level_; }

private:
    double log_density(double x) const { return log_tilted(law_, power_, x); }

    SubsampledGaussian law_;
    double at_;
    double power_;
    double level_ = 0.0;
};

// Sharp enough that what is far hardly reaches below epsilon under Q, which falls like N0.
double width_for(const SubsampledGaussian& law, double at, double top) {
    const double sigma = law.noise_multiplier;
    return std::min((top - at) / k_reach, 3.0 * sigma * sigma / std::max(at, sigma));
}

}  // namespace

JumpEdges choose_edges(const Composition& composition, const EdgeDemand& demand) {
    const double epsilon = demand.epsilon;
    const Composition::Part* leading = nullptr;
    double most = -k_infinity;
    for (const Composition::Part& part : composition.parts) {
        const double tail = log_normal_cdf(-outcome_of(part.law, epsilon) / part.law.noise_multiplier);
        if (std::log(part.count) + tail <= most) continue;
        most = std::log(part.count) + tail;
        leading = &part;
    }
    if (leading == nullptr) throw accuracy_error("contour: no jump reaches this epsilon");
    const SubsampledGaussian& law = leading->law;
    const double stride = k_stride * law.noise_multiplier;
    const double at = outcome_of(law, epsilon);
    const double lowest = outcome_of(law, k_first_level * epsilon);
    if (!(at - lowest < k_most_strides * stride)) throw accuracy_error("contour: the noise is too small for a split");
    const TiltedRelease tilted(law, at);
    double top = at + stride;
    while (top < at + k_reach * law.noise_multiplier && tilted.rise(top) < demand.rise) top += stride;
    double low = at;
    while (low > lowest && tilted.rise(low) < k_most_rise_below) low -= stride;
    double width = width_for(law, at, top);
    for (int shrink = 0; shrink < k_most_shrinks; ++shrink) {
        top = at + k_reach * width;
        if (window_wins(law, tilted.tilt(), top, width) && window_wins(law, demand.largest_tilt, low, width)) break;
        width *= 0.85;
    }
    low = std::min(low, at - width);
    std::vector<double> losses{detail::log_likelihood(law, top), detail::log_likelihood(law, low)};
    while (losses.size() < k_levels) losses.push_back(k_next_level * losses.back());
    JumpEdges edges{tilted.tilt(), {}, std::vector<std::vector<double>>(losses.size())};
    for (const Composition::Part& part : composition.parts) {
        const double here = outcome_of(part.law, epsilon);
        double edge = outcome_of(part.law, losses[0]);
        double own = &part == leading ? width : width_for(part.law, here, edge);
        const double next = outcome_of(part.law, losses[1]);
        for (int shrink = 0; &part != leading && shrink < k_most_shrinks; ++shrink, own *= 0.85) {
            if (window_wins(part.law, tilted.tilt(), edge, own) &&
                window_wins(part.law, demand.largest_tilt, next, own)) {
                break;
            }
        }
        edges.widths.push_back(own);
        edges.levels[0].push_back(edge);
        for (std::size_t level = 1; level < losses.size(); ++level) {
            const double wanted = losses[level] > 0.0 ? outcome_of(part.law, losses[level]) : -k_infinity;
            edge = level == 1 ? std::min(wanted, edge - own)
                              : std::min(std::max(wanted, 0.5), edge - k_least_distance * own);
            edges.levels[level].push_back(edge);
        }
    }
    return edges;
}

}  // namespace hockeystick::contour
