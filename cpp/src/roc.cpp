// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/roc.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "rounding.hpp"

namespace hockeystick {
namespace {

using detail::k_u;
using detail::log_minus;
using detail::log_plus;
using detail::magnitude;
using detail::other;

constexpr double k_rescale = 300.0;  // e^300 leaves room on both sides

// A sum of e^{x} in log form: compensated (Neumaier), in units of e^{scale}, rescaled a few times at most.
// rounding() covers its exponents and the sum itself.
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
    double log() const {
        if (scale_ == -k_infinity) {
            return -k_infinity;
        }
        return scale_ + std::log(sum_ + rest_);
    }
    double rounding() const { return k_u * (20.0 + 4.0 * largest_); }

private:
    double scale_ = -k_infinity;
    double sum_ = 0.0;
    double rest_ = 0.0;
    double largest_ = 0.0;
};

// One test with both rates and both complements.
struct Test {
    double log_fpr;
    double log_tpr;
    double log_fnr;
    double log_tnr;
};

Test mirrored(const Test& test) { return {test.log_fnr, test.log_tnr, test.log_fpr, test.log_tpr}; }

// log(e^a - e^b) of rates a > b whose complements are c < d; from the smaller pair, an estimate.
double log_difference(double a, double b, double c, double d) {
    return a <= d ? log_minus(a, b, 0.0, Side::upper) : log_minus(d, c, 0.0, Side::upper);
}

double log_slope(const Test& from, const Test& to) {
    return log_difference(to.log_tpr, from.log_tpr, to.log_fnr, from.log_fnr) -
           log_difference(to.log_fpr, from.log_fpr, to.log_tnr, from.log_tnr);
}

void check(const RocPoints& points) {
    for (const auto* column : {&points.log_fpr, &points.log_tpr, &points.log_fnr, &points.log_tnr}) {
        if (column->size() != points.log_fpr.size()) {
            throw std::invalid_argument("the columns of tests must have one length, got " +
                                        std::to_string(column->size()) + " and " +
                                        std::to_string(points.log_fpr.size()));
        }
        for (const double value : *column) {
            if (!(value <= 1e-9)) {
                throw std::invalid_argument("log rates must be at most 0, got " + std::to_string(value));
            }
        }
    }
}

std::vector<Test> pooled(std::span<const RocPoints> directions) {
    std::vector<Test> tests{{-k_infinity, -k_infinity, 0.0, 0.0}, {0.0, 0.0, -k_infinity, -k_infinity}};
    for (const RocPoints& points : directions) {
        check(points);
        for (std::size_t i = 0; i < points.log_fpr.size(); ++i) {
            const Test test{std::min(0.0, points.log_fpr[i]), std::min(0.0, points.log_tpr[i]),
                            std::min(0.0, points.log_fnr[i]), std::min(0.0, points.log_tnr[i])};
            tests.push_back(test);
            tests.push_back(mirrored(test));
        }
    }
    std::ranges::sort(tests, [](const Test& a, const Test& b) {
        if (a.log_fpr != b.log_fpr) {
            return a.log_fpr < b.log_fpr;
        }
        return a.log_tnr != b.log_tnr ? a.log_tnr > b.log_tnr : a.log_tpr > b.log_tpr;
    });
    return tests;
}

// Whether `test` has a greater TPR than `last`, told from the pair of numbers that can tell.
bool rises(const Test& last, const Test& test) {
    return last.log_tpr < -detail::k_log_2 ? test.log_tpr > last.log_tpr : test.log_fnr < last.log_fnr;
}

// Upper concave hull in (FPR, TPR), by slopes.
std::vector<Test> hull(const std::vector<Test>& tests) {
    std::vector<Test> kept;
    std::vector<double> slopes;  // slopes[i] from kept[i] to kept[i + 1]
    for (const Test& test : tests) {
        if (!kept.empty() && !rises(kept.back(), test)) {
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

// What the logs of the tests about the edge that ends at `vertex` leave in doubt, relative to its rates: their own
// error, and the roundings by which a test that the hull left out may exceed an edge, or an edge's slope be off.
double doubt_about(const std::vector<Test>& vertices, std::size_t vertex, double eps, double rounding) {
    double logs = 1.0 + eps;
    for (std::size_t i = vertex == 0 ? 0 : vertex - 1; i < std::min(vertex + 2, vertices.size()); ++i) {
        const Test& test = vertices[i];
        logs = std::max(logs, 1.0 + eps + magnitude(test.log_fpr) + magnitude(test.log_tpr) + magnitude(test.log_fnr));
    }
    return 2.0 * rounding + 32.0 * k_u * logs;
}

// delta = max of TPR - e^eps FPR over the tests about that edge; its complement = min of FNR + e^eps FPR.
void push_knot(ProfileTable& table, const std::vector<Test>& vertices, std::size_t vertex, double eps,
               double rounding) {
    const double doubt = doubt_about(vertices, vertex, eps, rounding);
    double lower = -k_infinity, upper = -k_infinity, rest_lower = 0.0, rest_upper = 0.0;
    for (std::size_t i = vertex == 0 ? 0 : vertex - 1; i < std::min(vertex + 2, vertices.size()); ++i) {
        const Test& test = vertices[i];
        const double slope = eps + test.log_fpr;
        lower = std::max(lower, log_minus(test.log_tpr, slope, doubt, Side::lower));
        upper = std::max(upper, log_minus(test.log_tpr, slope, doubt, Side::upper));
        rest_lower = std::min(rest_lower, log_plus(test.log_fnr, slope, doubt, Side::lower));
        rest_upper = std::min(rest_upper, log_plus(test.log_fnr, slope, doubt, Side::upper));
    }
    const double log_doubt = vertices[vertex].log_tpr + std::log(doubt);
    table.epsilon.push_back(eps);
    table.log_delta_upper.push_back(std::min(0.0, log_plus(upper, log_doubt, 0.0, Side::upper)));
    table.log_delta_lower.push_back(log_minus(lower, log_doubt, 0.0, Side::lower));
    table.log_complement_lower.push_back(rest_lower - doubt);
    table.log_complement_upper.push_back(std::min(0.0, rest_upper + doubt));
}

// The steepest edge, if it starts at (0, 0): beyond its slope delta is 0. As the slope is known up to `doubt`, delta
// may be 0 from the lower end on, and is from the upper.
void push_end(ProfileTable& table, const std::vector<Test>& vertices, double slope, double rounding) {
    const double doubt = doubt_about(vertices, 1, slope, rounding);
    if (slope - doubt > table.epsilon.back() * (1.0 + 1e-13)) {
        push_knot(table, vertices, 1, slope - doubt, rounding);
        table.log_delta_lower.back() = -k_infinity;
        table.log_complement_upper.back() = 0.0;
    }
    table.epsilon.push_back(std::max(slope, table.epsilon.back()) * (1.0 + 1e-13) + doubt);
    table.log_delta_upper.push_back(-k_infinity);
    table.log_delta_lower.push_back(-k_infinity);
    table.log_complement_lower.push_back(0.0);
    table.log_complement_upper.push_back(0.0);
}

}  // namespace

ProfileTable profile_of_tests(std::span<const RocPoints> directions) {
    const std::vector<Test> vertices = hull(pooled(directions));
    double rounding = 0.0;
    for (const RocPoints& points : directions) {
        rounding = std::max(rounding, points.rounding);
    }
    ProfileTable table;
    table.between = Between::linear;
    std::size_t last = vertices.size() - 1;  // from the diagonal outwards: slopes increase
    while (last > 1 && log_slope(vertices[last - 1], vertices[last]) <= 0.0) {
        --last;
    }
    push_knot(table, vertices, last, 0.0, rounding);
    for (std::size_t i = last; i >= 1; --i) {
        const double slope = log_slope(vertices[i - 1], vertices[i]);
        if (i == 1 && vertices[0].log_tpr == -k_infinity && std::isfinite(slope)) {
            push_end(table, vertices, slope, rounding);
        } else if (std::isfinite(slope) && slope > table.epsilon.back() * (1.0 + 1e-13) + 1e-300) {
            push_knot(table, vertices, i, slope, rounding);
        }
    }
    return table;
}

RocPoints likelihood_ratio_tests(std::span<const double> log_p, std::span<const double> log_q) {
    if (log_p.size() != log_q.size()) {
        throw std::invalid_argument("log_q must have the length of log_p, got " + std::to_string(log_q.size()) +
                                    " and " + std::to_string(log_p.size()));
    }
    const auto ratio = [&](std::size_t i) { return log_q[i] == -k_infinity ? k_infinity : log_p[i] - log_q[i]; };
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < log_p.size(); ++i) {
        if (!(log_p[i] <= 1e-9 && log_q[i] <= 1e-9)) {
            throw std::invalid_argument("log masses must be at most 0, got " + std::to_string(log_p[i]) + " and " +
                                        std::to_string(log_q[i]));
        }
        if (log_p[i] > -k_infinity || log_q[i] > -k_infinity) {
            order.push_back(i);
        }
    }
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return ratio(a) > ratio(b); });
    const std::size_t size = order.size();
    RocPoints out;
    for (auto* column : {&out.log_fpr, &out.log_tpr, &out.log_fnr, &out.log_tnr}) {
        column->resize(size + 1);
    }
    LogSum fpr, tpr, fnr, tnr;
    for (std::size_t k = 0; k <= size; ++k) {
        out.log_fpr[k] = fpr.log();
        out.log_tpr[k] = tpr.log();
        out.log_fnr[size - k] = fnr.log();
        out.log_tnr[size - k] = tnr.log();
        if (k < size) {
            fpr.add(log_q[order[k]]);
            tpr.add(log_p[order[k]]);
            fnr.add(log_p[order[size - 1 - k]]);
            tnr.add(log_q[order[size - 1 - k]]);
        }
    }
    out.rounding = std::max({fpr.rounding(), tpr.rounding(), fnr.rounding(), tnr.rounding()});
    return out;
}

SampleVertices vertices_below_samples(std::span<const double> fpr, std::span<const double> tpr) {
    const std::size_t size = fpr.size();
    if (size < 2 || tpr.size() != size) {
        throw std::invalid_argument("samples must be at least two, fpr and tpr alike, got " + std::to_string(size) +
                                    " and " + std::to_string(tpr.size()));
    }
    const auto slope = [&](std::size_t i) { return (tpr[i + 1] - tpr[i]) / (fpr[i + 1] - fpr[i]); };
    // Before the first sample and after the last the extension of the chord there, up to a rate of 1.
    const double start =
        tpr[0] - slope(0) * fpr[0] * (1.0 - 8.0 * k_u) + 8.0 * k_u * tpr[1] * (1.0 + fpr[0] / (fpr[1] - fpr[0]));
    SampleVertices out{{0.0}, {std::clamp(start, 0.0, tpr[0])}};
    for (std::size_t i = 0; i + 1 < size; ++i) {
        // With no chord on one side, the corner that any non-increasing f respects.
        double at = fpr[i];
        double rate = tpr[i + 1];
        if (i > 0 && i + 2 < size) {
            const double left = slope(i - 1);
            const double right = slope(i + 1);
            const double gap = fpr[i + 1] - fpr[i];
            const double step = (tpr[i + 1] - tpr[i] - right * gap) / (left - right);
            // Rates and chords carry 8u of the rates over the shortest gap, and the crossing that over the bend.
            const double shortest = std::min({fpr[i] - fpr[i - 1], gap, fpr[i + 2] - fpr[i + 1]});
            const double doubt = 16.0 * k_u * tpr[i + 2] * (1.0 + gap / shortest) / (left - right);
            if (left > right && step >= 0.0 && step <= gap && doubt < gap) {
                at = (fpr[i] + std::max(0.0, step - doubt)) * (1.0 - 2.0 * k_u);
                const double reach = tpr[i] + left * std::min(gap, step + doubt);
                rate = std::min(rate, reach + left * doubt + 8.0 * k_u * reach);
            }
        }
        out.fpr.push_back(at);
        out.tpr.push_back(rate);
    }
    const double rest =
        (1.0 - tpr[size - 1]) / slope(size - 2) * (1.0 - 16.0 * k_u * tpr[size - 1] / (tpr[size - 1] - tpr[size - 2]));
    out.fpr.push_back(fpr[size - 1] + (rest > 0.0 ? std::min(rest, 1.0 - fpr[size - 1]) * (1.0 - 4.0 * k_u) : 0.0));
    out.tpr.push_back(1.0);
    return out;
}

}  // namespace hockeystick
