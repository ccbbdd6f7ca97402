# SPDX-License-Identifier: Apache-2.0
"""One epsilon by whatever engine serves, and by the closed form."""

import pytest
from settings import ALL, THOUSAND

import hockeystick as hs


@pytest.mark.parametrize("setting", ALL, ids=lambda s: s.name)
def test_auto(benchmark, setting):
    benchmark.group = "epsilon at delta 1e-5"
    mechanism = setting.build()
    bounds = benchmark(lambda: mechanism.epsilon_bounds(delta=setting.delta))
    assert bounds.lower <= setting.epsilon * (1 + 1e-10)
    assert setting.epsilon * (1 - 1e-10) <= bounds.upper
    assert bounds.upper - bounds.lower <= 1e-8 * setting.epsilon


def test_hundred_epsilons_of_delta(benchmark):
    benchmark.group = "delta at 100 epsilons"
    mechanism = THOUSAND.build()
    epsilons = [0.02 * i for i in range(100)]
    bounds = benchmark(lambda: mechanism.log_delta_bounds(epsilon=epsilons))
    assert (bounds.lower <= bounds.upper).all()
    assert bounds.lower[50] <= -5.94747806267890672 <= bounds.upper[50]


def test_closed_form(benchmark):
    benchmark.group = "epsilon at delta 1e-5"
    gaussian = hs.Gaussian(noise_multiplier=1.0)
    bounds = benchmark(lambda: gaussian.epsilon_bounds(delta=1e-5))
    assert bounds.lower <= 4.3771780956812246277 <= bounds.upper
