// SPDX-License-Identifier: Apache-2.0
#include "hockeystick/line_kernel.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "hockeystick/contour_kernel.hpp"
#include "vector_math.hpp"

namespace hockeystick::contour {
namespace {

using lane::Pack;

constexpr double k_unit_roundoff = 0x1p-53;
constexpr double k_largest_turn = 4e5;     // that the vector sine reduces without loss
constexpr double k_largest_error = 300.0;  // of a log, for which e^error - 1 is formed by itself
constexpr double k_safety = 1.0 + 1e-9;    // for the roundings of the bounds themselves

HOCKEYSTICK_INLINE Pack numbers_from(std::size_t j) {
    return static_cast<double>(j) + Pack{0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0};
}

HOCKEYSTICK_INLINE Pack square_root(Pack x) {
    Pack result;
    for (std::size_t i = 0; i < k_lanes; ++i) result[i] = std::sqrt(x[i]);
    return result;
}

// e^{log_modulus} (e^{error} - 1), also where phi is nothing but noise and its modulus underflows.
HOCKEYSTICK_INLINE Pack noise_of(Pack log_modulus, Pack error) {
    const Pack moderate = lane::exp(log_modulus) * lane::expm1(error);
    return k_safety * lane::choose(lane::less(error, k_largest_error), moderate, lane::exp(log_modulus + error));
}

// The bounds on the log of phi, `rounding` and the inner rule's, as errors of the amplitude.
HOCKEYSTICK_INLINE void store_noise(Line& line, std::size_t j, Pack unit, Pack log_modulus, Pack rounding) {
    const Pack inner = lane::load(&line.inner[j]);
    lane::store(&line.rounding[j], unit * noise_of(log_modulus, rounding));
    lane::store(&line.inner[j], unit * noise_of(log_modulus + rounding, inner));
}

// Angles too large for the vector sine, one by one.
HOCKEYSTICK_INLINE void sin_cos(Pack x, bool far, Pack& sine, Pack& cosine) {
    if (!far) {
        lane::sin_cos(x, sine, cosine);
        return;
    }
    for (std::size_t i = 0; i < k_lanes; ++i) {
        sine[i] = std::sin(x[i]);
        cosine[i] = std::cos(x[i]);
    }
}

}  // namespace

Line::Line(std::size_t points, double spacing) : count(points), step(spacing) {
    for (auto* column : {&log_modulus, &phase, &rounding, &inner, &value_re, &value_im, &derivative_re, &derivative_im,
                         &amplitude, &kernel}) {
        column->assign(padded(points), 0.0);
    }
}

HOCKEYSTICK_CLONES
void add_part(Line& line, const LinePart& part) {
    const double u = k_unit_roundoff;
    for (std::size_t j = 0; j < line.phase.size(); j += k_lanes) {
        const Pack number = numbers_from(j);
        const Pack t = number * line.step;
        const Pack x = lane::load(&part.re[j]);
        const Pack y = lane::load(&part.im[j]);
        const Pack real = 1.0 + x;
        const Pack size = x * x + y * y;
        const Pack square = 2.0 * x + size;
        const lane::Mask far = lane::less(x, -0.5);
        const Pack whole = lane::larger(real * real + y * y, lane::broadcast(1e-300));
        const Pack modulus = square_root(whole);
        const Pack log_square =
            lane::log_with(lane::choose(far, whole, 1.0 + square), lane::choose(far, lane::broadcast(-1.0), square));
        const Pack log_modulus = lane::load(&line.log_modulus[j]) + (0.5 * part.count) * log_square;
        const Pack phase = lane::load(&line.phase[j]) + part.count * lane::atan2(y, real);
        // The log of a sum of squares loses digits only where |phi| is small, and there they do not count.
        const Pack functions =
            lane::choose(far, lane::broadcast(32.0 * u),
                         (10.0 * u) * ((2.0 * lane::absolute(x) + size) / modulus + lane::absolute(y)) / modulus);
        const Pack sum_error = (0.5 * t * t) * (part.half_square_error + part.growth * number);
        // |(phi + d)^T - phi^T| <= |phi|^T ((1 + d / |phi|)^T - 1), also where phi is nothing but noise.
        const Pack noise = sum_error / modulus;
        const Pack rounding = part.count * (lane::log_with(1.0 + noise, noise) + functions);
        // Of phi with its noise, so that neither counts twice where phi vanishes.
        const Pack rule = lane::load(&part.inner[j]) / (modulus + sum_error);
        lane::store(&line.log_modulus[j], log_modulus);
        lane::store(&line.phase[j], phase);
        lane::store(&line.rounding[j], lane::load(&line.rounding[j]) + rounding +
                                           (4.0 * u) * (lane::absolute(log_modulus) + lane::absolute(phase)));
        lane::store(&line.inner[j], lane::load(&line.inner[j]) + part.count * lane::log_with(1.0 + rule, rule));
    }
}

HOCKEYSTICK_CLONES
void finish_line(Line& line, double tilt, double gaussian, double mean_error) {
    const double next = tilt + 1.0;
    const double fixed = k_unit_roundoff * (static_cast<double>(line.count) + 24.0);
    for (std::size_t j = 0; j < line.phase.size(); j += k_lanes) {
        const Pack number = numbers_from(j);
        const Pack t = number * line.step;
        const Pack square = t * t;
        const Pack log_modulus = lane::load(&line.log_modulus[j]) - (0.5 * gaussian) * square;
        const Pack share =
            lane::choose(lane::less(number, static_cast<double>(line.count)), lane::broadcast(1.0), Pack{}) *
            lane::choose(lane::less(number, 0.5), lane::broadcast(0.5), lane::broadcast(1.0));
        const Pack unit = share * (line.step / std::numbers::pi);
        const Pack amplitude = unit * lane::exp(log_modulus);
        const Pack far = next * next + square;
        const Pack both = (tilt * tilt + square) * far;
        const Pack rounding =
            lane::load(&line.rounding[j]) + mean_error * t + ((4.0 * k_unit_roundoff * gaussian) * square + fixed);
        store_noise(line, j, unit, log_modulus, rounding);
        lane::store(&line.value_re[j], amplitude * (tilt * next - square) / both);
        lane::store(&line.value_im[j], -(amplitude * t * (2.0 * tilt + 1.0) / both));
        lane::store(&line.derivative_re[j], amplitude * next / far);
        lane::store(&line.derivative_im[j], -(amplitude * t / far));
        lane::store(&line.amplitude[j], amplitude);
        lane::store(&line.kernel[j], 1.0 / square_root(both));
    }
}

HOCKEYSTICK_CLONES
void finish_lattice_line(Line& line, double tilt, double lattice_step, double mean_error) {
    const double d = lattice_step;
    const double rise = -std::expm1(-d);
    const double shrink = std::exp(-tilt * d), next_shrink = std::exp(-(tilt + 1.0) * d);
    const double near = -std::expm1(-tilt * d), next_near = -std::expm1(-(tilt + 1.0) * d);
    // Exponents err by a roundoff of themselves.
    const double exponents = 4.0 * std::min(std::abs(tilt) * d + d, 800.0);
    const double fixed = k_unit_roundoff * (static_cast<double>(line.count) + 80.0 + exponents);
    for (std::size_t j = 0; j < line.phase.size(); j += k_lanes) {
        const Pack number = numbers_from(j);
        const Pack t = number * line.step;
        const Pack share =
            lane::choose(lane::less(number, static_cast<double>(line.count)), lane::broadcast(1.0), Pack{}) *
            lane::choose(lane::less(number, 0.5), lane::broadcast(0.5), lane::broadcast(1.0));
        const Pack unit = share * (line.step * d / std::numbers::pi);
        const Pack log_modulus = lane::load(&line.log_modulus[j]);
        const Pack amplitude = unit * lane::exp(log_modulus);
        Pack s, c;
        lane::sin_cos((0.5 * d) * t, s, c);
        const Pack square = 4.0 * (s * s), sine = 2.0 * (s * c), cosine = 1.0 - 2.0 * (s * s);
        // 1 - e^{-zd} and 1 - e^{-(z + 1) d}, and the squares of their moduli.
        const Pack x = near + (0.5 * shrink) * square, y = shrink * sine;
        const Pack next_x = next_near + (0.5 * next_shrink) * square, next_y = next_shrink * sine;
        const Pack both = near * near + shrink * square, next_both = next_near * next_near + next_shrink * square;
        // e^{-ib} / ((x + iy) (next_x + i next_y)).
        const Pack re = x * next_x - y * next_y, im = x * next_y + y * next_x;
        const Pack scale = amplitude * (shrink * rise) / (both * next_both);
        const Pack rounding = lane::load(&line.rounding[j]) + mean_error * t + fixed;
        store_noise(line, j, unit, log_modulus, rounding);
        lane::store(&line.value_re[j], scale * (cosine * re - sine * im));
        lane::store(&line.value_im[j], -(scale * (cosine * im + sine * re)));
        lane::store(&line.derivative_re[j], amplitude * next_x / next_both);
        lane::store(&line.derivative_im[j], -(amplitude * next_y / next_both));
        lane::store(&line.amplitude[j], amplitude);
        lane::store(&line.kernel[j], (shrink * rise) / square_root(both * next_both));
    }
}

HOCKEYSTICK_CLONES
LineSums line_sums(const Line& line, double slope) {
    Pack value{}, derivative{}, density{}, modulus{}, rule{}, density_modulus{};
    double largest = std::abs(slope) * line.step * static_cast<double>(line.phase.size());
    for (const double phase : line.phase) largest = std::abs(phase) > largest ? std::abs(phase) : largest;
    const bool far = largest > k_largest_turn;
    for (std::size_t j = 0; j < line.phase.size(); j += k_lanes) {
        const Pack turn = (numbers_from(j) * line.step) * slope;
        Pack s, c;
        sin_cos(turn + lane::load(&line.phase[j]), far, s, c);
        const Pack amplitude = lane::load(&line.amplitude[j]);
        value += c * lane::load(&line.value_re[j]) - s * lane::load(&line.value_im[j]);
        derivative += c * lane::load(&line.derivative_re[j]) - s * lane::load(&line.derivative_im[j]);
        density += c * amplitude;
        // The turn errs by b = 4u |turn| more, e^b - 1 <= b (1 + b) for b <= 1.
        const Pack b = (4.0 * k_unit_roundoff) * lane::absolute(turn);
        const Pack more = b * (1.0 + b);
        const Pack kept = lane::load(&line.rounding[j]);
        const Pack rounding = kept + (amplitude + kept) * more;
        const Pack inner = lane::load(&line.inner[j]) * (1.0 + more);
        const Pack kernel = lane::load(&line.kernel[j]);
        modulus += kernel * rounding;
        rule += kernel * inner;
        density_modulus += rounding + inner;
    }
    const double lost = 4.0 * k_unit_roundoff * largest > 1.0 ? std::numeric_limits<double>::infinity() : 0.0;
    return {lane::sum(value),          lane::sum(derivative), lane::sum(density),
            lane::sum(modulus) + lost, lane::sum(rule),       lane::sum(density_modulus) + lost};
}

}  // namespace hockeystick::contour
