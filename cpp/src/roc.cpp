// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/roc.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "rounding.hpp"

namespace hockeystick {
namespace {

using detail::k_u;
using detail::log_minus;
using detail::magnitude;
using detail::outward;

constexpr double k_rescale = 300.0;  // e^300 leaves room on both sides

// A sum of e^{x} in log form: compensated (Neumaier), in units of e^{scale}, rescaled a few times at most.
class LogSum {
public:
    void add(double x) {
        if (x == -k_infinity) {
            return;
        }
        if (scale_ == -k_infinity) {
            scale_ = x;
        } else if (x > scale_ + k_rescale) {
            const double factor = std::exp(scale_ - x);
            sum_ *= factor;
            rest_ *= factor;
            scale_ = x;
        }
        const double term = std::exp(x - scale_);
        const double next = sum_ + term;
        rest_ += std::abs(sum_) >= term ? (sum_ - next) + term : (term - next) + sum_;
        sum_ = next;
        largest_ = std::max(largest_, std::abs(x));
    }
    // Outward by the roundings of exponents and of the sum itself.
    double log(Side side) const {
        if (scale_ == -k_infinity) {
            return -k_infinity;
        }
        const double value = scale_ + std::log(sum_ + rest_);
        const double error = k_u * (20.0 + 4.0 * largest_);
        return side == Side::lower ? value - error : value + error;
    }

private:
    double scale_ = -k_infinity;
    double sum_ = 0.0;
    double rest_ = 0.0;
    double largest_ = 0.0;
};

void check(const LossPmf& pmf) {
    if (pmf.losses.size() != pmf.log_masses.size()) {
        throw std::invalid_argument("log_masses must have the length of losses, got " +
                                    std::to_string(pmf.log_masses.size()) + " and " +
                                    std::to_string(pmf.losses.size()));
    }
    for (std::size_t i = 0; i < pmf.losses.size(); ++i) {
        if (!std::isfinite(pmf.losses[i]) || (i > 0 && !(pmf.losses[i] > pmf.losses[i - 1]))) {
            throw std::invalid_argument("losses must be finite and increasing, got " + std::to_string(pmf.losses[i]));
        }
        if (!(pmf.log_masses[i] <= 1e-9)) {
            throw std::invalid_argument("log_masses must be at most 0, got " + std::to_string(pmf.log_masses[i]));
        }
    }
    if (!(pmf.log_infinity_mass <= 0.0) || !(pmf.log_minus_infinity_mass <= 0.0)) {
        throw std::invalid_argument("log masses at infinity must be at most 0, got " +
                                    std::to_string(pmf.log_infinity_mass) + " and " +
                                    std::to_string(pmf.log_minus_infinity_mass));
    }
}

// One test with both rates and both complements.
struct Test {
    double log_fpr;
    double log_tpr;
    double log_fnr;
    double log_tnr;
};

// log(e^a - e^b) of rates a > b whose complements are c < d; from the smaller pair, an estimate.
double log_difference(double a, double b, double c, double d) {
    return a <= d ? log_minus(a, b, 0.0, Side::upper) : log_minus(d, c, 0.0, Side::upper);
}

double log_slope(const Test& from, const Test& to) {
    return log_difference(to.log_tpr, from.log_tpr, to.log_fnr, from.log_fnr) -
           log_difference(to.log_fpr, from.log_fpr, to.log_tnr, from.log_tnr);
}

std::vector<Test> pooled(std::span<const RocPoints> directions) {
    std::vector<Test> tests;
    for (const RocPoints& points : directions) {
        for (std::size_t i = 0; i < points.log_fpr.size(); ++i) {
            const Test test{points.log_fpr[i], std::min(0.0, points.log_tpr[i]), points.log_fnr[i],
                            std::min(0.0, points.log_tnr[i])};
            tests.push_back(test);
            tests.push_back({test.log_fnr, test.log_tnr, test.log_fpr, test.log_tpr});  // the mirror image
        }
    }
    std::ranges::sort(tests, [](const Test& a, const Test& b) {
        return a.log_fpr != b.log_fpr ? a.log_fpr < b.log_fpr : a.log_tpr > b.log_tpr;
    });
    return tests;
}

// Upper concave hull in (FPR, TPR), by slopes; its last vertex kept is the one after the slope falls below 1.
std::vector<Test> hull(const std::vector<Test>& tests) {
    std::vector<Test> kept;
    std::vector<double> slopes;  // slopes[i] from kept[i] to kept[i + 1]
    for (const Test& test : tests) {
        if (!kept.empty() && test.log_tpr <= kept.back().log_tpr) {
            continue;
        }
        double slope = kept.empty() ? 0.0 : log_slope(kept.back(), test);
        while (!slopes.empty() && !(slope < slopes.back())) {
            kept.pop_back();
            slopes.pop_back();
            slope = log_slope(kept.back(), test);
        }
        if (!kept.empty()) {
            slopes.push_back(slope);
        }
        kept.push_back(test);
    }
    return kept;
}

// Upper bound on log delta(eps) = max over tests of TPR - e^eps FPR, where the edge that ends at `vertex` has slope
// e^eps or is the last one steeper. A test that rounding kept out of the hull exceeds its edge by roundings of its
// logs, times its TPR, which is at most `log_scale`; that is added.
double log_delta_at(const std::vector<Test>& vertices, std::size_t vertex, double eps, double log_scale) {
    double best = -k_infinity;
    double magnitudes = 1.0;
    for (std::size_t i = vertex == 0 ? 0 : vertex - 1; i < std::min(vertex + 2, vertices.size()); ++i) {
        const double slope = eps + vertices[i].log_fpr;
        best = std::max(best, log_minus(vertices[i].log_tpr, slope, k_u * magnitude(slope), Side::upper));
        magnitudes = std::max(magnitudes, magnitude(slope));
    }
    return detail::log_plus(best, log_scale + std::log(32.0 * k_u * (1.0 + magnitudes)), 0.0, Side::upper);
}

}  // namespace

RocPoints roc_points(const LossPmf& pmf) {
    check(pmf);
    const std::size_t size = pmf.losses.size();
    RocPoints out;
    for (auto* column : {&out.log_fpr, &out.log_tpr, &out.log_fnr, &out.log_tnr}) {
        column->resize(size + 1);
    }
    LogSum fpr, tpr, fnr, tnr;
    tpr.add(pmf.log_infinity_mass);
    for (std::size_t k = 0; k <= size; ++k) {  // from the top: smallest terms first
        out.log_fpr[k] = fpr.log(Side::lower);
        out.log_tpr[k] = tpr.log(Side::upper);
        if (k < size) {
            const std::size_t i = size - 1 - k;
            fpr.add(pmf.log_masses[i] - pmf.losses[i]);
            tpr.add(pmf.log_masses[i]);
        }
    }
    tnr.add(pmf.log_minus_infinity_mass);
    for (std::size_t i = 0; i <= size; ++i) {  // from the bottom
        out.log_fnr[size - i] = fnr.log(Side::lower);
        out.log_tnr[size - i] = tnr.log(Side::upper);
        if (i < size) {
            fnr.add(pmf.log_masses[i]);
            tnr.add(pmf.log_masses[i] - pmf.losses[i]);
        }
    }
    return out;
}

Envelope lower_envelope_of(std::span<const RocPoints> directions) {
    if (directions.empty()) {
        throw std::invalid_argument("directions must hold at least one set of points, got 0");
    }
    const std::vector<Test> vertices = hull(pooled(directions));
    std::vector<double> epsilons;
    std::vector<double> log_deltas;
    for (std::size_t i = vertices.size(); i-- > 1;) {  // from the diagonal outwards: slopes increase
        const double slope = log_slope(vertices[i - 1], vertices[i]);
        const double last = epsilons.empty() ? 0.0 : epsilons.back();
        if (epsilons.empty() && slope > 0.0) {
            epsilons.push_back(0.0);
            log_deltas.push_back(log_delta_at(vertices, i, 0.0, 0.0));
        }
        if (std::isfinite(slope) && slope > last * (1.0 + 1e-13) && slope > 1e-300) {
            epsilons.push_back(slope);
            log_deltas.push_back(log_delta_at(vertices, i, slope, vertices[i].log_tpr));
        }
    }
    if (epsilons.empty()) {
        epsilons.push_back(0.0);
        log_deltas.push_back(log_delta_at(vertices, 0, 0.0, 0.0));
    }
    const std::vector<double> unknown(epsilons.size(), -k_infinity);
    return lower_envelope({epsilons, log_deltas, unknown});
}

}  // namespace hockeystick
