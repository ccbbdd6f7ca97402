# SPDX-License-Identifier: Apache-2.0
"""The slow, obvious way to compose: split every loss cell onto a grid, convolve directly, sum.  For a few steps only.

Upper bounds on delta by Connect-the-Dots, lower bounds by rounding every loss down; both up to floating-point noise of
some 1e-13, which the tests allow for.
"""

import numpy as np
from scipy.stats import norm


def cell_masses(noise_multiplier, sampling_rate, direction, step):
    """Edges of the loss grid, P and Q masses of (edge_i, edge_i+1], and P and Q masses below and above the grid."""
    s, q = noise_multiplier, sampling_rate

    def loss(x):  # log of (1 - q) + q N(1, s^2) / N(0, s^2)
        return np.logaddexp(np.log1p(-q) if q < 1 else -np.inf, np.log(q) + (2 * x - 1) / (2 * s * s))

    low, high = loss(-9 * s), loss(1 + 9 * s)
    edges = step * np.arange(np.floor(low / step), np.ceil(high / step) + 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = (np.expm1(edges) + q) / q  # e^u with u the plain Gaussian's loss; at or below 0: outside the support
        x = np.where(ratio > 0, s * s * np.log(np.maximum(ratio, 1e-300)) + 0.5, -np.inf)
    plain = interval_masses(x / s)
    shifted = interval_masses((x - 1) / s)
    mixture = tuple((1 - q) * a + q * b for a, b in zip(plain, shifted, strict=True))
    if direction == "remove":
        return edges, mixture, plain
    flipped = [(masses[::-1], above, below) for masses, below, above in (plain, mixture)]
    return -edges[::-1], flipped[0], flipped[1]


def interval_masses(z):
    """Masses of N(0, 1) between the points, by the smaller tail, and below and above them."""
    right = z[:-1] > 0
    masses = np.where(right, norm.sf(z[:-1]) - norm.sf(z[1:]), norm.cdf(z[1:]) - norm.cdf(z[:-1]))
    return masses, norm.cdf(z[0]), norm.sf(z[-1])


def connect_the_dots(noise_multiplier, sampling_rate, direction, step):
    """Dominating law: (edges, masses at the edges, mass at infinity)."""
    edges, (p, p_below, p_above), (q, _, q_above) = cell_masses(noise_multiplier, sampling_rate, direction, step)
    up = np.clip((p - np.exp(edges[:-1]) * q) / -np.expm1(-step), 0, p)
    masses = np.zeros(len(edges))
    masses[1:] += up
    masses[:-1] += p - up
    masses[0] += p_below
    kept = np.exp(edges[-1]) * q_above  # of the mass above the grid, what the Q side lets us keep finite
    masses[-1] += min(kept, p_above)
    return edges, masses, max(p_above - kept, 0.0)


def rounded_down(noise_multiplier, sampling_rate, direction, step):
    """Dominated law: every loss moved to the edge below it; what lies below the grid is left out."""
    edges, (p, _, p_above), _ = cell_masses(noise_multiplier, sampling_rate, direction, step)
    return edges, np.append(p, p_above), 0.0


def composed_delta(laws, epsilon, step):
    """delta of the composition of (edges, masses, infinity) laws on one grid, by direct convolution."""
    start, masses, finite = 0.0, np.ones(1), 1.0
    for edges, more, infinity in laws:
        start, masses, finite = start + edges[0], np.convolve(masses, more), finite * (1 - infinity)
    losses = start + step * np.arange(len(masses))
    above = losses > epsilon
    return 1 - finite + float(np.sum(-np.expm1(epsilon - losses[above]) * masses[above]))


def delta_bracket(settings, direction, epsilon, step):
    """(lower, upper) for a list of (noise_multiplier, sampling_rate), one step each."""
    lower = composed_delta([rounded_down(*each, direction, step) for each in settings], epsilon, step)
    upper = composed_delta([connect_the_dots(*each, direction, step) for each in settings], epsilon, step)
    return lower, upper
