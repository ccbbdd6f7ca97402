# SPDX-License-Identifier: Apache-2.0
"""Slow, obvious references: the hockey-stick divergence of a pair of densities or vectors from its definition."""

import itertools

import numpy as np

# Gauss-Legendre on every piece between two kinks: the densities are smooth there.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(60)


def integral(function, edges):
    """Sum over the pieces between consecutive edges."""
    total = 0.0
    for left, right in itertools.pairwise(edges):
        half = 0.5 * (right - left)
        total += half * float(np.sum(_WEIGHTS * function(left + half * (_NODES + 1.0))))
    return total


def hockey_stick_of_densities(p, q, epsilon, *, low, high, kinks=()):
    """int (p - e^eps q)_+ over [low, high], where p - e^eps q changes sign at most once between two kinks."""
    edges = sorted({low, high, *(kink for kink in kinks if low < kink < high), *np.linspace(low, high, 81)})

    def excess(x):
        return p(x) - np.exp(epsilon) * q(x)

    cut = []
    for left, right in itertools.pairwise(edges):
        margin = 1e-13 * max(abs(left), abs(right), 1.0)
        a, b = left + margin, right - margin
        if np.sign(excess(a)) * np.sign(excess(b)) < 0:
            rising = excess(b) > 0
            for _ in range(60):
                middle = 0.5 * (a + b)
                if (excess(middle) > 0) == rising:
                    b = middle
                else:
                    a = middle
            cut.append(a)
    return integral(lambda x: np.maximum(excess(x), 0.0), sorted([*edges, *cut]))


def hockey_stick_of_vectors(p, q, epsilon):
    """sum (p - e^eps q)_+."""
    return float(np.sum(np.maximum(np.asarray(p) - np.exp(epsilon) * np.asarray(q), 0.0)))


def composed_vectors(p, q, times):
    """All outcomes of `times` independent draws."""
    with_record, without = np.ones(1), np.ones(1)
    for _ in range(times):
        with_record = np.outer(with_record, p).ravel()
        without = np.outer(without, q).ravel()
    return with_record, without


def normal(mean, std):
    """The density of N(mean, std^2)."""
    return lambda x: np.exp(-0.5 * ((x - mean) / std) ** 2) / (std * np.sqrt(2.0 * np.pi))


def laplace(centre, scale):
    """The density of a Laplace law."""
    return lambda x: np.exp(-np.abs(x - centre) / scale) / (2.0 * scale)


def mixed(parts):
    """The density sum of weight times density."""
    return lambda x: sum(weight * density(x) for weight, density in parts)
