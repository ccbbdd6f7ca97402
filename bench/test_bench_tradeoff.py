# SPDX-License-Identifier: Apache-2.0
"""The whole trade-off curve, and reading it."""

import numpy as np
from settings import THOUSAND


def test_build(benchmark):
    benchmark.group = "trade-off curve"
    mechanism = THOUSAND.build()
    curve = benchmark(mechanism.tradeoff)
    # A point of f: false-positive rate Q[L > 1] and one less P[L > 1] (tests/reference/data/dpsgd.json).
    alpha, beta = 5.45830388154320706e-03, 1 - 1.74496288340332592e-02
    assert curve(alpha) <= beta <= curve.upper(alpha)
    assert beta - curve(alpha) < 1e-4


def test_read_a_million_points(benchmark):
    benchmark.group = "read 1e6 points of a curve"
    curve = THOUSAND.build().tradeoff()
    alpha = np.linspace(0, 1, 10**6)
    beta = benchmark(lambda: curve(alpha))
    assert (np.diff(beta) <= 0).all()
    assert (beta + alpha <= 1 + 1e-12).all()
