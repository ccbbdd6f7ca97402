# SPDX-License-Identifier: Apache-2.0
"""Composition of the Poisson-subsampled Gaussian in loss space, exactly but for the sampling step.

The law w of L = log(1 - q + q e^{(2x - 1)/(2 s^2)}), x ~ N(0, s^2), is sampled on a grid and convolved with itself in
fixed point.  A whole convolution is one product of two Python integers (Kronecker substitution), so it carries no
rounding but that of the samples, and no characteristic function, contour or FFT takes part.

Both directions come from w:  remove has the P-law e^l w(l) and the Q-law w(l);  add has the P-law w(-l) and the Q-law
e^-l w(-l).  Sampling a smooth law errs by its characteristic function at 2 pi / step, which `total_mass_defect` measures.
"""

from dataclasses import dataclass

import mpmath as mp

FRACTION_BITS = 420


@dataclass(frozen=True)
class SampledLaw:
    """Values h w(l_j) times 2^FRACTION_BITS at l_j = first + j step, as integers."""

    step: mp.mpf
    first: mp.mpf
    masses: tuple[int, ...]

    def mass(self, index: int) -> mp.mpf:
        if not 0 <= index < len(self.masses):
            return mp.mpf(0)
        return mp.ldexp(mp.mpf(self.masses[index]), -FRACTION_BITS)


def sample_one_step(noise_multiplier, sampling_rate, step) -> SampledLaw:
    """Sample the law under N(0, s^2) of one step's loss ratio on multiples of `step`."""
    s, q, step = mp.mpf(noise_multiplier), mp.mpf(sampling_rate), mp.mpf(step)
    cut = mp.sqrt(2 * mp.log(2) * FRACTION_BITS)

    def loss(x):
        return mp.log1p(q * mp.expm1((2 * x - 1) / (2 * s * s)))

    lowest, highest = int(mp.ceil(loss(-cut * s) / step)), int(mp.floor(loss(cut * s) / step))
    masses = []
    for index in range(lowest, highest + 1):
        ratio = mp.expm1(index * step) + q  # e^l - 1 + q, positive above the essential infimum log(1 - q)
        if ratio <= 0:
            masses.append(0)
            continue
        x = s * s * mp.log(ratio / q) + mp.mpf(1) / 2
        slope = s * s * mp.exp(index * step) / ratio
        masses.append(int(mp.nint(mp.ldexp(step * mp.npdf(x, 0, s) * slope, FRACTION_BITS))))
    return trimmed(step, lowest * step, masses)


def trimmed(step, first, masses) -> SampledLaw:
    """Drop zeros at both ends."""
    occupied = [index for index, mass in enumerate(masses) if mass]
    low, high = occupied[0], occupied[-1]
    return SampledLaw(step, first + low * step, tuple(masses[low : high + 1]))


def convolve(left: SampledLaw, right: SampledLaw) -> SampledLaw:
    """Exact product of the two polynomials, then one rounding to FRACTION_BITS."""
    terms = min(len(left.masses), len(right.masses))
    width = (2 * (FRACTION_BITS + 1) + terms.bit_length() + 8) // 8
    product = pack(left.masses, width) * pack(right.masses, width)
    count = len(left.masses) + len(right.masses) - 1
    digits = product.to_bytes(count * width, "little")
    half = 1 << (FRACTION_BITS - 1)
    masses = [
        (int.from_bytes(digits[k * width : (k + 1) * width], "little") + half) >> FRACTION_BITS for k in range(count)
    ]
    return trimmed(left.step, left.first + right.first, masses)


def pack(masses, width) -> int:
    return int.from_bytes(b"".join(mass.to_bytes(width, "little") for mass in masses), "little")


def compose(law: SampledLaw, count: int) -> SampledLaw:
    """The `count`-fold convolution by squaring."""
    result = None
    while count:
        if count & 1:
            result = law if result is None else convolve(result, law)
        count >>= 1
        if count:
            law = convolve(law, law)
    return result


def total_mass_defect(law: SampledLaw) -> mp.mpf:
    """The larger of |sum w - 1| and |sum e^l w - 1|: what sampling and truncation have cost."""
    plain = mp.fsum(law.mass(j) for j in range(len(law.masses)))
    tilted = mp.fsum(law.mass(j) * mp.exp(law.first + j * law.step) for j in range(len(law.masses)))
    return max(abs(plain - 1), abs(tilted - 1))


def integrate_above(law: SampledLaw, threshold, weight, order=24) -> mp.mpf:
    """int over l > threshold of weight(l) w(l), weight smooth: trapezoid with Euler-Maclaurin's end correction.

    The grid is shifted to the threshold by polynomial interpolation of the (very smooth) composed law.
    """
    threshold = mp.mpf(threshold)
    start = int(mp.ceil((threshold - law.first) / law.step))

    def value(index):
        return weight(law.first + index * law.step) * law.mass(index)

    body = mp.fsum(value(j) for j in range(max(start, 0), len(law.masses)))
    if not -order <= start <= len(law.masses) + order:
        return body
    half = order // 2
    nodes = list(range(start - half, start + half + 1))
    values = [value(j) for j in nodes]
    # The interpolant's integral from the threshold to the first grid point, and its odd derivatives there.
    taylor = taylor_coefficients([mp.mpf(j - start) for j in nodes], values)
    offset = (threshold - law.first) / law.step - start  # in (-1, 0]
    partial = -mp.fsum(c * offset ** (k + 1) / (k + 1) for k, c in enumerate(taylor))
    correction = mp.fsum(
        mp.bernoulli(2 * k) / (2 * k) * taylor[2 * k - 1] for k in range(1, half + 1)
    )  # B_2k/(2k)! times the derivative (2k-1)! c_{2k-1}
    return body - value(start) / 2 + correction + partial


def taylor_coefficients(nodes, values):
    """Coefficients in powers of the position of the polynomial through the points (Newton form, expanded)."""
    divided = list(values)
    for level in range(1, len(nodes)):
        for k in range(len(nodes) - 1, level - 1, -1):
            divided[k] = (divided[k] - divided[k - 1]) / (nodes[k] - nodes[k - level])
    coefficients = [divided[-1]]
    for k in range(len(nodes) - 2, -1, -1):
        shifted = [mp.mpf(0), *coefficients]
        coefficients = [a - nodes[k] * b for a, b in zip(shifted, [*coefficients, mp.mpf(0)], strict=True)]
        coefficients[0] += divided[k]
    return coefficients


def delta(law: SampledLaw, epsilon, direction: str) -> mp.mpf:
    """The hockey-stick divergence of the composition in one direction."""
    epsilon = mp.mpf(epsilon)
    if direction == "remove":  # E_P[(1 - e^{eps - l})_+] = int_{l > eps} (e^l - e^eps) w
        return integrate_above(law, epsilon, lambda l: mp.exp(l) - mp.exp(epsilon))
    mirrored = SampledLaw(law.step, -(law.first + (len(law.masses) - 1) * law.step), law.masses[::-1])
    return integrate_above(mirrored, epsilon, lambda l: -mp.expm1(epsilon - l))


def tails(law: SampledLaw, loss, direction: str) -> tuple[mp.mpf, mp.mpf]:
    """(Q[L > loss], P[L > loss])."""
    if direction == "remove":
        return integrate_above(law, loss, lambda l: mp.mpf(1)), integrate_above(law, loss, mp.exp)
    mirrored = SampledLaw(law.step, -(law.first + (len(law.masses) - 1) * law.step), law.masses[::-1])
    return integrate_above(mirrored, loss, lambda l: mp.exp(-l)), integrate_above(mirrored, loss, lambda l: mp.mpf(1))
