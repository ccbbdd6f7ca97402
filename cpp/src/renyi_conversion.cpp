// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/renyi_conversion.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "hockeystick/loss_law.hpp"
#include "hockeystick/special.hpp"

namespace hockeystick {
namespace {

constexpr int k_outer_steps = 44;
constexpr int k_inner_steps = 60;

struct Order {
    double order;
    double forward;
    double reverse;
};

// M(z) = max of the two moments over what is allowed for them, p = delta (1 + z), r = delta z e^-epsilon.
struct Moment {
    double value;
    double slope;      // dM/dz
    double error;      // absolute, of the value
    double rest_free;  // the first term of the forward moment alone, over what is allowed
};

class Reach {
public:
    Reach(const Order& at, double epsilon, double log_delta)
        : at_(at), t_(at.order - 1.0), epsilon_(epsilon), log_delta_(log_delta), delta_(std::exp(log_delta)) {}

    // Certifies that no pair within the divergences has this delta at this epsilon.
    bool excluded() const {
        double low = std::log(t_) - 14.0, high = log1mexp(log_delta_) - log_delta_;
        if (!(low < high)) low = high - 14.0;
        const Moment first = moment(std::exp(low));
        if (first.slope >= 0.0) return first.rest_free - first.error > 1.0;
        for (int i = 0; i < k_inner_steps && high - low > 1e-15 * std::fabs(low); ++i) {
            const double middle = 0.5 * (low + high);
            (moment(std::exp(middle)).slope < 0.0 ? low : high) = middle;
        }
        const double z = std::exp(low);
        const Moment at = moment(z);
        return at.value + at.slope * (std::exp(high) * (1.0 + 4.0 * k_unit_roundoff) - z) - at.error > 1.0;
    }

private:
    Moment moment(double z) const {
        const double a = at_.order;
        const double log_p = std::min(0.0, log_delta_ + std::log1p(z)), log_r = log_delta_ + std::log(z) - epsilon_;
        const double log_no_p = log1mexp(log_p), log_no_r = log1mexp(log_r);
        const double no_p = std::exp(log_no_p), no_r = std::exp(log_no_r), shrink = std::exp(-epsilon_);
        const double magnitude = std::fabs(log_p) + std::fabs(log_r);
        Moment result{};
        {
            const double allowed = t_ * at_.forward;
            const double yes = std::exp(std::min(log_p + t_ * (log_p - log_r) - allowed, 700.0));
            const double no = no_p > 0.0 ? std::exp(log_no_p + t_ * (log_no_p - log_no_r) - allowed) : 0.0;
            result.value = yes + no;
            result.slope =
                yes * (a / (1.0 + z) - t_ / z) + (no > 0.0 ? no * delta_ * (t_ * shrink / no_r - a / no_p) : 0.0);
            result.rest_free = yes;
            result.error = result.value * 8.0 * k_unit_roundoff * (4.0 + a * magnitude + allowed);
        }
        if (at_.reverse < k_infinity) {
            const double allowed = t_ * at_.reverse;
            const double yes = std::exp(std::min(log_r + t_ * (log_r - log_p) - allowed, 700.0));
            const double exponent = no_p > 0.0 ? log_no_r + t_ * (log_no_r - log_no_p) - allowed : k_infinity;
            const double no = std::exp(std::min(exponent, 700.0));
            if (yes + no > result.value) {
                result.value = yes + no;
                result.slope = yes * (a / z - t_ / (1.0 + z)) +
                               (no_p > 0.0 ? no * delta_ * (t_ / no_p - a * shrink / no_r) : k_infinity);
                result.error = result.value * 8.0 * k_unit_roundoff * (4.0 + a * magnitude + allowed);
            }
        }
        return result;
    }

    Order at_;
    double t_;
    double epsilon_;
    double log_delta_;
    double delta_;
};

double improved_epsilon(const Order& at, double log_delta) {
    const double terms = std::fabs(at.forward) + std::fabs(log_delta) / (at.order - 1.0) + std::log(at.order) + 1.0;
    const double value = at.forward + std::log1p(-1.0 / at.order) - (log_delta + std::log(at.order)) / (at.order - 1.0);
    return std::max(0.0, value + 8.0 * k_unit_roundoff * (terms + 1.0 / (at.order - 1.0)));
}

double improved_log_delta(const Order& at, double epsilon) {
    const double t = at.order - 1.0;
    const double value = t * (at.forward - epsilon + std::log1p(-1.0 / at.order)) - std::log(at.order);
    const double terms = t * (at.forward + epsilon + 1.0) + std::log(at.order) + 1.0;
    return std::min(0.0, value + 8.0 * k_unit_roundoff * terms);
}

double optimal_epsilon(const Order& at, double log_delta) {
    double excluded = improved_epsilon(at, log_delta), open = 0.0;
    if (!(excluded < k_infinity) || log_delta == 0.0) return log_delta == 0.0 ? 0.0 : excluded;
    if (Reach(at, 0.0, log_delta).excluded()) return 0.0;
    for (int i = 0; i < k_outer_steps && excluded - open > 1e-13 * excluded; ++i) {
        // The improvement is usually small: look close to what is known first.
        const double middle =
            i < 8 && open == 0.0 ? excluded - (excluded - open) * std::exp2(2 * i - 16) : 0.5 * (open + excluded);
        (Reach(at, middle, log_delta).excluded() ? excluded : open) = middle;
    }
    return excluded;
}

double optimal_log_delta(const Order& at, double epsilon) {
    double excluded = improved_log_delta(at, epsilon);
    if (!(at.forward < k_infinity)) return 0.0;
    // Below 0 there is always room: the moments grow without bound as delta nears 1.
    if (excluded == 0.0 && Reach(at, epsilon, -1e-9).excluded()) excluded = -1e-9;
    if (excluded == 0.0) return excluded;
    double open = excluded, width = 1e-3;
    while (open == excluded && width < 1e4) {
        if (!Reach(at, epsilon, excluded - width).excluded()) {
            open = excluded - width;
        } else {
            excluded -= width;
            open = excluded;
            width *= 4.0;
        }
    }
    for (int i = 0; i < k_outer_steps && excluded - open > 1e-12; ++i) {
        const double middle = 0.5 * (open + excluded);
        (Reach(at, epsilon, middle).excluded() ? excluded : open) = middle;
    }
    return excluded;
}

template <class Convert>
std::vector<double> for_each_order(std::span<const double> orders, std::span<const double> forward,
                                   std::span<const double> reverse, Convert convert) {
    if (orders.size() != forward.size() || orders.size() != reverse.size())
        throw std::invalid_argument("orders, forward and reverse must be equally long");
    std::vector<double> result;
    for (std::size_t i = 0; i < orders.size(); ++i) {
        if (!(orders[i] > 1.0 && orders[i] < k_infinity))
            throw std::invalid_argument("orders must be finite and above 1");
        if (!(forward[i] >= 0.0 && reverse[i] >= 0.0)) throw std::invalid_argument("divergences must be at least 0");
        result.push_back(convert(Order{orders[i], forward[i], reverse[i]}));
    }
    return result;
}

}  // namespace

std::vector<double> renyi_optimal_epsilon_upper(std::span<const double> orders, std::span<const double> forward,
                                                std::span<const double> reverse, double log_delta) {
    return for_each_order(orders, forward, reverse, [&](const Order& at) { return optimal_epsilon(at, log_delta); });
}

std::vector<double> renyi_optimal_log_delta_upper(std::span<const double> orders, std::span<const double> forward,
                                                  std::span<const double> reverse, double epsilon) {
    return for_each_order(orders, forward, reverse, [&](const Order& at) { return optimal_log_delta(at, epsilon); });
}

}  // namespace hockeystick
