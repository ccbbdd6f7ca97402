# SPDX-License-Identifier: Apache-2.0
"""Compose by FFT and read off epsilon; equal and different steps."""

import pytest
from settings import ALL


@pytest.mark.parametrize("setting", ALL, ids=lambda s: s.name)
def test_fft(benchmark, setting):
    benchmark.group = "compose by FFT, epsilon at delta 1e-5"
    mechanism = setting.build()
    bounds = benchmark(lambda: mechanism.epsilon_bounds(delta=setting.delta, method="fft"))
    assert bounds.lower <= setting.epsilon * (1 + 1e-10)
    assert setting.epsilon * (1 - 1e-10) <= bounds.upper
    assert bounds.upper - bounds.lower <= 1e-4 * setting.epsilon
