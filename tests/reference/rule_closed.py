# SPDX-License-Identifier: Apache-2.0
"""Profiles that have a finite sum, and Renyi divergences of one Poisson-subsampled Gaussian step."""

import functools

import mpmath as mp


def gaussian_delta(mu, epsilon) -> mp.mpf:
    """Hockey-stick divergence of N(mu, 1) from N(0, 1)."""
    mu, epsilon = mp.mpf(mu), mp.mpf(epsilon)
    return mp.ncdf(mu / 2 - epsilon / mu) - mp.exp(epsilon) * mp.ncdf(-mu / 2 - epsilon / mu)


def atoms_delta(atoms, epsilon) -> mp.mpf:
    """Sum of p (1 - e^{eps - l}) over (loss l, mass p) above epsilon."""
    return mp.fsum(mass * -mp.expm1(epsilon - loss) for loss, mass in atoms if loss > epsilon)


def two_valued_delta(step_epsilon, lost, steps, epsilon) -> mp.mpf:
    """`steps` of a pair with losses +-step_epsilon and mass `lost` at infinity: binomial."""
    up = 1 / (1 + mp.exp(-step_epsilon))
    atoms = (
        ((2 * k - steps) * step_epsilon, mp.binomial(steps, k) * up**k * (1 - up) ** (steps - k))
        for k in range(steps + 1)
    )
    kept = (1 - lost) ** steps
    return 1 - kept + kept * atoms_delta(atoms, epsilon)


def randomized_response_delta(noise_probability, categories, steps, epsilon) -> mp.mpf:
    """Losses +e0, 0, -e0 per step: trinomial."""
    truth = 1 - noise_probability + noise_probability / categories
    other = noise_probability / categories
    neutral = (categories - 2) * other
    unit = mp.log(truth / other)
    atoms = []
    for up in range(steps + 1):
        for down in range(steps + 1 - up):
            flat = steps - up - down
            ways = mp.binomial(steps, up) * mp.binomial(steps - up, down)
            atoms.append(((up - down) * unit, ways * truth**up * other**down * neutral**flat))
    return atoms_delta(atoms, epsilon)


@functools.cache
def discrete_gaussian_sum(sigma, steps):
    """The law of a sum of discrete Gaussians, by the inverse of its characteristic function: a finite Fourier sum.

    Exact but for the mass that wraps around, which is below e^{-size^2 / (8 steps sigma^2)}.
    """
    sigma = mp.mpf(sigma)
    reach = int(mp.ceil(sigma * mp.sqrt(2 * mp.log(10) * mp.mp.dps * 2)))
    masses = {x: mp.exp(-mp.mpf(x * x) / (2 * sigma * sigma)) for x in range(-reach, reach + 1)}
    total = mp.fsum(masses.values())
    half = int(mp.ceil(mp.sqrt(steps) * sigma * mp.sqrt(2 * mp.log(10) * mp.mp.dps * 2)))
    size = 2 * half + 1
    cosines = [mp.cos(2 * mp.pi * k / size) for k in range(size)]
    powers = [(mp.fsum(m * cosines[k * x % size] for x, m in masses.items()) / total) ** steps for k in range(size)]
    return {n: mp.fsum(powers[k] * cosines[k * n % size] for k in range(size)) / size for n in range(-half, half + 1)}


def discrete_gaussian_delta(sigma, steps, epsilon) -> mp.mpf:
    """Sensitivity 1: the loss of a step is (1 - 2 x) / (2 sigma^2)."""
    law = discrete_gaussian_sum(sigma, steps)
    scale = 2 * mp.mpf(sigma) ** 2
    return atoms_delta((((steps - 2 * n) / scale, mass) for n, mass in law.items()), epsilon)


def laplace_delta(scale, steps, epsilon) -> mp.mpf:
    """Atoms at +-S with masses 1/2 and e^-S / 2, and e^{(l - S)/2} / 4 between: a sum of tilted Irwin-Hall splines."""
    top, epsilon = 1 / mp.mpf(scale), mp.mpf(epsilon)
    total = mp.mpf(0)
    for smooth in range(steps + 1):
        for up in range(steps + 1 - smooth):
            down = steps - smooth - up
            ways = mp.binomial(steps, smooth) * mp.binomial(steps - smooth, up)
            mass = ways * mp.mpf(2) ** (smooth - steps) * mp.exp(-top * down)
            shift = (up - down) * top
            if shift + smooth * top <= epsilon:
                continue
            total += mass * tilted_spline_delta(smooth, top, epsilon - shift)
    return total


@functools.cache
def tilted_spline_delta(count, top, epsilon) -> mp.mpf:
    """int over l > eps of (1 - e^{eps - l}) times the `count`-fold convolution of e^{(l - S)/2}/4 on (-S, S)."""
    if count == 0:
        return -mp.expm1(epsilon)
    knots = [(2 * k - count) * top for k in range(count + 1)]
    pieces = [max(knot, epsilon) for knot in knots]
    tilt = (mp.exp(-top / 2) / 4) ** count

    def integrand(l):
        spline = mp.fsum(
            (-1) ** k * mp.binomial(count, k) * (l - knot) ** (count - 1) for k, knot in enumerate(knots) if l > knot
        ) / mp.factorial(count - 1)
        return -mp.expm1(epsilon - l) * mp.exp(l / 2) * spline

    used = sorted(set(pieces))
    return tilt * mp.quad(integrand, used, method="gauss-legendre")


def renyi_by_quadrature(noise_multiplier, sampling_rate, alpha, direction: str) -> mp.mpf:
    """log E_Q[(dP/dQ)^power] / (alpha - 1) by tanh-sinh, for any order."""
    s, q, alpha = mp.mpf(noise_multiplier), mp.mpf(sampling_rate), mp.mpf(alpha)
    power = alpha if direction == "remove" else 1 - alpha

    def integrand(x):
        return mp.npdf(x, 0, s) * mp.expm1(power * mp.log1p(q * mp.expm1((2 * x - 1) / (2 * s * s))))

    reach = mp.sqrt(2 * mp.log(10) * mp.mp.dps) * s
    pieces = [-reach]
    for point in sorted([mp.mpf(0), mp.mpf(1) / 2 + s * s * mp.log(1 / q), max(power, 0), s, -s]):
        if point > pieces[-1]:
            pieces.append(point)
    pieces.append(max(pieces[-1], max(power, 0)) + reach)
    return mp.log1p(mp.quad(integrand, pieces)) / (alpha - 1)


def renyi_by_binomial_sum(noise_multiplier, sampling_rate, alpha: int) -> mp.mpf:
    """Remove direction, integer order."""
    s, q = mp.mpf(noise_multiplier), mp.mpf(sampling_rate)
    excess = mp.fsum(
        mp.binomial(alpha, i) * q**i * (1 - q) ** (alpha - i) * mp.expm1(mp.mpf(i * i - i) / (2 * s * s))
        for i in range(2, alpha + 1)
    )
    return mp.log1p(excess) / (alpha - 1)
