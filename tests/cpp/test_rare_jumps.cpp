// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/rare_jumps.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "check.hpp"
#include "hockeystick/contour.hpp"
#include "hockeystick/error.hpp"
#include "hockeystick/far_outcomes.hpp"
#include "hockeystick/jump_edges.hpp"
#include "hockeystick/special.hpp"

using namespace hockeystick;
using namespace hockeystick::contour;
using Complex = std::complex<long double>;

namespace {

struct Setting {
    SubsampledGaussian law;
    std::uint64_t count;
    double epsilon;
};
const std::vector<Setting> k_settings = {{{1.0, 4e-3}, 50, 1.5}, {{2.0, 3e-3}, 60, 0.2}, {{0.5, 2e-3}, 200, 4.0}};

Composition composition_of(const Setting& s) {
    const Term term{s.law, s.count};
    return make_composition(std::span(&term, 1), Direction::remove);
}

long double cdf(long double z) { return 0.5L * std::erfc(-z / std::numbers::sqrt2_v<long double>); }

// One level by its definition in long double: nodes with windows, powers, and a line far longer than needed.
class SlowLevel {
public:
    SlowLevel(const Setting& s, const JumpWindows& w) : count_(static_cast<long double>(s.count)) {
        const long double sigma = s.law.noise_multiplier, q = s.law.sampling_rate, step = w.jump.width / 24;
        for (long double x = -12 * sigma; x < w.jump.upper + 14 * w.jump.width; x += step) {
            const long double l = std::log1p(q * std::expm1((2 * x - 1) / (2 * sigma * sigma)));
            const long double base = std::exp(-x * x / (2 * sigma * sigma)) * std::exp(l) * step /
                                     (sigma * std::sqrt(2 * std::numbers::pi_v<long double>));
            loss_.push_back(l);
            core_.push_back(base * cdf((w.core.upper - x) / w.core.width));
            const long double low = (x - w.jump.lower) / w.jump.width, high = (x - w.jump.upper) / w.jump.width;
            const bool right = low + high > 0;
            jump_.push_back(base * (right ? cdf(-high) - cdf(-low) : cdf(low) - cdf(high)));
        }
    }

    Complex transform(Complex z) const {
        Complex g = 0.0L, j = 0.0L;
        for (std::size_t i = 0; i < loss_.size(); ++i) {
            const Complex power = std::exp(z * loss_[i]);
            g += core_[i] * power;
            j += jump_[i] * power;
        }
        Complex sum = 0.0L, each = 1.0L;  // of binomial(T, k) G^{T - k} J^k, k >= 1: few k matter
        for (int k = 1; k <= 40; ++k) {
            each *= (count_ - static_cast<long double>(k - 1)) / static_cast<long double>(k) * (j / g);
            sum += each;
        }
        return std::pow(g, count_) * sum;
    }

    double log_value(long double tilt, long double epsilon, long double width, int steps) const {
        const long double step = 2 * std::numbers::pi_v<long double> / width;
        long double total = 0.0L;
        for (int n = 0; n < steps; ++n) {
            const Complex z(tilt, static_cast<long double>(n) * step);
            const long double value = (transform(z) * std::exp(-z * epsilon) / (z * (z + 1.0L))).real();
            total += n == 0 ? value / 2 : value;
        }
        return static_cast<double>(std::log(total * step / std::numbers::pi_v<long double>));
    }

private:
    long double count_;
    std::vector<long double> loss_, core_, jump_;
};

struct Level {
    explicit Level(const Setting& s) : composition(composition_of(s)) {
        const JumpEdges edges = choose_edges(composition, {s.epsilon, 40.0 / s.epsilon, 4.0});
        windows.core = {-k_infinity, edges.levels[1][0], edges.widths[0]};
        windows.jump = {edges.levels[1][0], edges.levels[0][0], edges.widths[0]};
        const JumpNodes wide(composition, std::span(&windows, 1), edges.tilt, 1.6 * edges.tilt, -60.0);
        tilt = jump_saddle(wide, s.epsilon, edges.tilt).tilt;
    }

    JumpTable table(const Setting& s, double digits) const {
        const JumpNodes nodes(composition, std::span(&windows, 1), tilt, 1.5 * tilt, -60.0);
        return {composition, std::span(&windows, 1), nodes, {tilt, s.epsilon, s.epsilon, digits, -60.0}};
    }

    Composition composition;
    JumpWindows windows{};
    double tilt = 0.0;
};

// The terms together suffice at every number of digits, and are not idle: with few digits the sum is off by more than
// what many digits allow.
void a_level_is_the_integral_of_its_definition() {
    for (const Setting& s : k_settings) {
        const Level level(s);
        const JumpTable fine = level.table(s, 30.0);
        const double width = 40.0 * s.epsilon;
        const SlowLevel slow(s, level.windows);
        const double step = 2.0 * std::numbers::pi / width;
        const int steps =
            static_cast<int>(static_cast<double>(fine.steps()) * 2.0 * std::numbers::pi / step / 4.0 / s.epsilon);
        const double truth = slow.log_value(level.tilt, s.epsilon, width, std::min(steps, 1500));
        const Interval narrow = fine.log_value_bounds(s.epsilon);
        CHECK(narrow.lower - 1e-9 <= truth && truth <= narrow.upper + 1e-9);
        CHECK(narrow.upper - narrow.lower < 1e-7);
        for (const double digits : {5.0, 8.0, 12.0}) {
            const JumpTable coarse = level.table(s, digits);
            const Interval wide = coarse.log_value_bounds(s.epsilon);
            CHECK(wide.lower <= narrow.upper && narrow.lower <= wide.upper);
            CHECK(coarse.steps() < fine.steps());
            const ErrorLedger ledger = coarse.ledger(s.epsilon);
            CHECK(ledger.aliasing > 0.0 && ledger.cut_off > 0.0 && ledger.rounding > 0.0 && ledger.inner_rule > 0.0);
            CHECK(std::abs(coarse.estimate(s.epsilon).log_value - truth) <= wide.upper - wide.lower);
        }
    }
}

// Every entry of the ledger is in the bracket; with few digits none hides behind another.
void the_ledger_of_a_level_holds_every_term() {
    for (const Setting& s : k_settings) {
        const Level level(s);
        const JumpNodes nodes(level.composition, std::span(&level.windows, 1), level.tilt, 1.5 * level.tilt, -60.0);
        const double unit = std::exp(nodes.moment(level.tilt).value - level.tilt * s.epsilon);
        for (const double digits : {30.0, 12.0}) {
            const JumpTable table(level.composition, std::span(&level.windows, 1), nodes,
                                  {level.tilt, s.epsilon, s.epsilon, digits, -60.0});
            const ErrorLedger ledger = table.ledger(s.epsilon);
            const Interval x = table.log_value_bounds(s.epsilon);
            const double both = ledger.cut_off + ledger.inner_rule + ledger.rounding;
            const double width = std::exp(x.upper) - std::exp(x.lower);
            CHECK(width >= (1.0 - 1e-6) * (ledger.aliasing + 2.0 * both) * unit);
        }
    }
}

// Where a composition has enough jumps for one tilt, one contour of the whole says the same.
void one_contour_agrees() {
    const std::vector<Setting> settings = {{{1.0, 0.01}, 1000, 2.0}, {{1.0, 0.01}, 1000, 6.0}, {{2.0, 0.02}, 200, 1.0},
                                           {{0.7, 0.05}, 100, 6.0},  {{4.0, 0.1}, 50, 1.5},    {{1.5, 0.01}, 3000, 2.0},
                                           {{0.5, 0.02}, 300, 12.0}};
    for (const Setting& s : settings) {
        const Composition composition = composition_of(s);
        SaddleSearch search(composition);
        const Saddle saddle = search.at_epsilon(s.epsilon, Strip::right);
        const Interval whole = ContourTable(search, {saddle.tilt, Strip::right, s.epsilon, s.epsilon, 0.0, 26.0})
                                   .log_value_bounds(s.epsilon);
        const RareJumps split(composition, {{s.epsilon, s.epsilon}, whole.upper, 26.0});
        const Interval parts = split.log_value_bounds(s.epsilon);
        CHECK(split.levels() > 0);
        CHECK(whole.upper - whole.lower < 1e-7 && parts.upper - parts.lower < 1e-6);
        CHECK(whole.lower <= parts.upper && parts.lower <= whole.upper);
    }
}

// Far above the epsilon that a table was made for it is wide, not wrong.
void other_epsilons_are_served_too() {
    for (const Setting& s : k_settings) {
        const Level level(s);
        const JumpTable coarse = level.table(s, 6.0);
        for (const double factor : {1.3, 1.6, 2.0, 2.5}) {
            const double epsilon = factor * s.epsilon;
            const Setting there{s.law, s.count, epsilon};
            const Interval narrow = level.table(there, 34.0).log_value_bounds(epsilon);
            const Interval wide = coarse.log_value_bounds(epsilon);
            CHECK(wide.lower <= narrow.upper && narrow.lower <= wide.upper);
        }
    }
}

// Parts that are only bounded count: with few digits there are more of them.
void splits_of_few_digits_hold() {
    for (const Setting& s : k_settings) {
        const Composition composition = composition_of(s);
        const double log_delta = log_one_jump(composition, s.epsilon);
        const Interval narrow =
            RareJumps(composition, {{s.epsilon, s.epsilon}, log_delta, 26.0}).log_value_bounds(s.epsilon);
        for (const double digits : {-6.0, -2.0, 0.0, 1.0, 3.0}) {
            const Interval wide =
                RareJumps(composition, {{s.epsilon, s.epsilon}, log_delta, digits}).log_value_bounds(s.epsilon);
            CHECK(wide.lower <= narrow.upper && narrow.lower <= wide.upper);
        }
    }
}

// delta_far = P - e^eps Q + R by the definition, one release: R is there and below its bound.
void far_outcomes_hold() {
    for (const Setting& s : k_settings) {
        const Term one{s.law, 1};
        const Composition composition = make_composition(std::span(&one, 1), Direction::remove);
        const double edge = choose_edges(composition, {s.epsilon, 40.0 / s.epsilon, 4.0}).levels[0][0];
        // So wide a window that much of what is far does not exceed epsilon.
        for (const double width : {0.05 * s.law.noise_multiplier, 0.8 * s.law.noise_multiplier}) {
            const Window window{-k_infinity, edge, width};
            const FarOutcomes far(composition, std::span(&window, 1), s.epsilon);
            const long double sigma = s.law.noise_multiplier, step = sigma / 500, q = s.law.sampling_rate;
            long double delta = 0.0L, rest = 0.0L;
            for (long double x = -12 * sigma; x < edge + 14 * sigma; x += step) {
                const long double l = std::log1p(q * std::expm1((2 * x - 1) / (2 * sigma * sigma)));
                const long double mass = std::exp(-x * x / (2 * sigma * sigma)) * cdf((x - edge) / width) * step /
                                         (sigma * std::sqrt(2 * std::numbers::pi_v<long double>));
                const long double gain = mass * (std::exp(l) - std::exp(static_cast<long double>(s.epsilon)));
                (gain > 0 ? delta : rest) += std::abs(gain);
            }
            const Interval found = far.log_value_bounds(s.epsilon);
            const double truth = static_cast<double>(std::log(delta));
            CHECK(found.lower <= truth + 1e-9 && truth <= found.upper + 1e-9);
            CHECK(static_cast<double>(std::log(rest)) <= far.log_rest(s.epsilon));
            if (width > 0.1 * s.law.noise_multiplier) CHECK(far.log_rest(s.epsilon) < std::log(rest) + 12.0);
        }
    }
}

void reverse_moments_are_bounded() {
    for (const SubsampledGaussian& law : {SubsampledGaussian{1.0, 0.01}, SubsampledGaussian{0.4, 1e-4}}) {
        for (const double beta : {0.5, 10.0, 300.0}) {
            long double total = 0.0L;
            const long double sigma = law.noise_multiplier, step = sigma / 200, q = law.sampling_rate;
            for (long double x = -12 * sigma; x < 14 * sigma; x += step) {
                const long double l = std::log1p(q * std::expm1((2 * x - 1) / (2 * sigma * sigma)));
                total += std::exp(-x * x / (2 * sigma * sigma) - beta * l);
            }
            total *= step / (sigma * std::sqrt(2 * std::numbers::pi_v<long double>));
            CHECK(static_cast<double>(std::log(total)) <= log_reverse_moment(law, beta) + 1e-15);
        }
    }
}

// Two different splits of one composition, and a composition of two laws that is one law twice.
void splits_agree() {
    for (const Setting& s : k_settings) {
        const Composition composition = composition_of(s);
        const double log_delta = log_one_jump(composition, s.epsilon);
        const RareJumps split(composition, {{s.epsilon, s.epsilon}, log_delta, 26.0});
        const double other = 1.15 * s.epsilon;
        const RareJumps moved(composition, {{other, other}, log_delta, 26.0});
        const Interval a = split.log_value_bounds(s.epsilon), b = moved.log_value_bounds(s.epsilon);
        CHECK(a.upper - a.lower < 1e-6);
        CHECK(a.lower <= b.upper && b.lower <= a.upper);
        const double near = std::nextafter(s.law.noise_multiplier, 10.0);
        const Term twice[] = {{s.law, s.count / 2}, {{near, s.law.sampling_rate}, s.count - s.count / 2}};
        const Composition parts = make_composition(twice, Direction::remove);
        CHECK(parts.parts.size() == 2);
        const Interval c = RareJumps(parts, {{s.epsilon, s.epsilon}, log_delta, 26.0}).log_value_bounds(s.epsilon);
        CHECK(a.lower <= c.upper + 1e-12 && c.lower <= a.upper + 1e-12);
        CHECK(c.upper - c.lower < 1e-6);
    }
}

void epsilons_are_found() {
    for (const Setting& s : k_settings) {
        const Term term{s.law, s.count};
        const double at =
            contour_log_delta_bounds({&term, 1}, Direction::remove, std::vector{s.epsilon}, 1e-9)[0].lower;
        const Interval found = contour_epsilon_bounds({&term, 1}, Direction::remove, at, 1e-9);
        CHECK(found.lower <= s.epsilon * (1 + 1e-9) && s.epsilon * (1 - 1e-9) <= found.upper);
        CHECK(found.upper - found.lower <= 1e-9 * found.upper);
    }
}

void what_no_jump_reaches_is_refused() {
    const Term term{{0.01, 1e-3}, 10};
    const Composition composition = make_composition(std::span(&term, 1), Direction::remove);
    CHECK_THROWS(RareJumps(composition, {{1e-6, 1e-6}, -20.0, 24.0}), accuracy_error);
}

}  // namespace

int main() {
    a_level_is_the_integral_of_its_definition();
    the_ledger_of_a_level_holds_every_term();
    one_contour_agrees();
    other_epsilons_are_served_too();
    splits_of_few_digits_hold();
    far_outcomes_hold();
    reverse_moments_are_bounded();
    splits_agree();
    epsilons_are_found();
    what_no_jump_reaches_is_refused();
    return hockeystick_test::failures();
}
