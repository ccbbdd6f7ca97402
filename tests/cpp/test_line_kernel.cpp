// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/line_kernel.hpp"

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "check.hpp"
#include "hockeystick/contour_kernel.hpp"

using namespace hockeystick::contour;
using Complex = std::complex<long double>;

namespace {

struct Case {
    double tilt, count, gaussian, slope, scale;
};
// The last one turns so far that the vector sine hands over.
const std::vector<Case> k_cases = {
    {2.0, 40.0, 0.0, 0.3, 1.0}, {-0.4, 3.0, 0.5, -2.0, 1.0}, {0.01, 1e9, 0.0, 1e3, 1e-9}, {5.0, 1.0, 0.0, 1e6, 1.0}};

// A transform that runs from 0 through every quadrant: phi - 1 of a mixture of two phases.
Complex excess(double t, double scale) {
    const Complex i(0, 1);
    const long double turn = t;
    return static_cast<long double>(scale) *
           (0.3L * (std::exp(i * turn) - 1.0L) + 0.5L * (std::exp(-2.0L * i * turn) - 1.0L));
}

struct Made {
    Line line;
    std::vector<double> re, im;
};

Made make(const Case& c, double inner, double noise) {
    Made made{Line(37, 0.11), {}, {}};
    const std::size_t n = made.line.phase.size();
    for (std::size_t k = 0; k < n; ++k) {
        const Complex value = excess(static_cast<double>(k) * 0.11, c.scale);
        made.re.push_back(static_cast<double>(value.real()));
        made.im.push_back(static_cast<double>(value.imag()));
    }
    const std::vector<double> rule(n, inner);
    add_part(made.line, {made.re, made.im, rule, c.count, noise, 0.0});
    finish_line(made.line, c.tilt, c.gaussian, 0.0);
    return made;
}

// The same sum in long double.
Complex slow_sum(const Case& c, const Made& made, int kernel, double more) {
    Complex total = 0;
    for (std::size_t k = 0; k < made.line.count; ++k) {
        const long double t = static_cast<long double>(k) * static_cast<long double>(0.11);
        const Complex z(c.tilt, t);
        // Every |phi| is larger by `more`; the log by log1p, since a count of 1e9 would magnify that of 1 + x.
        const long double x = made.re[k], y = made.im[k];
        const long double square = 2.0L * x + x * x + y * y;
        const Complex log_phi(0.5L * std::log1p(square), std::atan2(y, 1.0L + x));
        const long double longer = std::log1p(static_cast<long double>(more) / std::sqrt(1.0L + square));
        const Complex power =
            std::exp(static_cast<long double>(c.count) * (log_phi + longer) - 0.5L * c.gaussian * t * t);
        const Complex factor = kernel == 0 ? 1.0L / (z * (z + 1.0L)) : (kernel == 1 ? 1.0L / (z + 1.0L) : 1.0L);
        const Complex turn = std::exp(Complex(0, t * static_cast<long double>(c.slope)));
        total += power * factor * turn *
                 (static_cast<long double>(0.11) / std::numbers::pi_v<long double>)*(k == 0 ? 0.5L : 1.0L);
    }
    return total;
}

void sums_agree_with_the_slow_ones_within_their_rounding() {
    for (const Case& c : k_cases) {
        const Made made = make(c, 0.0, 0.0);
        const LineSums sums = line_sums(made.line, c.slope);
        CHECK(std::abs(sums.value - static_cast<double>(slow_sum(c, made, 0, 0.0).real())) <= sums.modulus);
        CHECK(std::abs(sums.density - static_cast<double>(slow_sum(c, made, 2, 0.0).real())) <= sums.density_modulus);
        const auto derivative = static_cast<double>(slow_sum(c, made, 1, 0.0).real());
        CHECK(std::abs(sums.derivative - derivative) <= (2.0 + c.tilt) * sums.density_modulus);
        CHECK(sums.inner == 0.0);
        CHECK(sums.modulus < 1e-8 * std::abs(sums.value));
    }
}

// Every phi off by kappa: without the term the difference is not covered, with it it is, and not by much too much.
void inner_rule_term_bounds_the_power() {
    const Case c{2.0, 40.0, 0.0, 0.0, 0.02};
    const double kappa = 1e-5;
    const Made made = make(c, kappa, 0.0);
    const LineSums sums = line_sums(made.line, c.slope);
    const double off = std::abs(static_cast<double>((slow_sum(c, made, 0, kappa) - slow_sum(c, made, 0, 0.0)).real()));
    CHECK(off > 1e3 * sums.modulus);
    CHECK(off <= sums.inner);
    CHECK(sums.inner < 10.0 * off);
}

// The error of a sum over nodes enters like an error of phi, also where |phi| is nothing but noise.
void rounding_of_the_sums_is_carried() {
    const Case c{2.0, 40.0, 0.0, 0.0, 1.0};
    const LineSums quiet = line_sums(make(c, 0.0, 0.0).line, c.slope);
    const LineSums loud = line_sums(make(c, 0.0, 1e-6).line, c.slope);
    CHECK(loud.modulus > 1e3 * quiet.modulus);
    Made dead = make(c, 0.0, 0.0);
    dead.line = Line(37, 0.11);
    std::fill(dead.re.begin() + 1, dead.re.end(), -1.0);
    std::fill(dead.im.begin(), dead.im.end(), 0.0);
    const std::vector<double> rule(dead.re.size(), 1e-3);
    add_part(dead.line, {dead.re, dead.im, rule, 2.0, 0.0, 0.0});
    finish_line(dead.line, 2.0, 0.0, 0.0);
    const LineSums sums = line_sums(dead.line, 0.0);
    // phi = 0 up to 1e-3: each of the 36 points may count 1e-6 times its kernel.
    double bound = 0.0;
    for (std::size_t k = 1; k < 37; ++k) bound += dead.line.kernel[k] * 1e-6 * 0.11 / std::numbers::pi;
    CHECK(sums.inner >= bound);
    CHECK(sums.inner < 2.0 * bound + 2e-3 * sums.value);
}

// A mean that is known to 1e-6 turns the line by that times t: every term of the sum may be off by as much.
void an_error_of_the_mean_is_in_the_rounding() {
    const Case& c = k_cases.front();
    const Made exact = make(c, 0.0, 0.0);
    Line doubtful(37, 0.11);
    const std::vector<double> none(doubtful.phase.size(), 0.0);
    add_part(doubtful, {exact.re, exact.im, none, c.count, 0.0, 0.0});
    finish_line(doubtful, c.tilt, c.gaussian, 1e-6);
    double least = 0.0;
    for (std::size_t j = 0; j < doubtful.count; ++j) {
        least += doubtful.kernel[j] * doubtful.amplitude[j] * 1e-6 * 0.11 * static_cast<double>(j);
    }
    CHECK(line_sums(doubtful, c.slope).modulus >= least);
    CHECK(line_sums(exact.line, c.slope).modulus < 0.1 * least);
}

}  // namespace

int main() {
    sums_agree_with_the_slow_ones_within_their_rounding();
    inner_rule_term_bounds_the_power();
    rounding_of_the_sums_is_carried();
    an_error_of_the_mean_is_in_the_rounding();
    return hockeystick_test::failures();
}
