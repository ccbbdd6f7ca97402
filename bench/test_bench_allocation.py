# SPDX-License-Identifier: Apache-2.0
"""Random allocation: one epoch of t releases, and several epochs, law and answer together."""

import pytest

import hockeystick as hs

SETTINGS = [(1.0, 100, 1), (1.0, 100, 10), (0.5, 100, 1), (1.0, 10_000, 1)]


@pytest.mark.parametrize(("noise_multiplier", "steps", "epochs"), SETTINGS)
def test_epsilon_bounds(benchmark, noise_multiplier, steps, epochs):
    run = epochs * hs.Gaussian(noise_multiplier=noise_multiplier).random_allocation(steps=steps)
    bounds = benchmark(run.epsilon_bounds, delta=1e-6)
    assert bounds.upper - bounds.lower < 2e-3 * bounds.upper
