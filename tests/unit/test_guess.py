# SPDX-License-Identifier: Apache-2.0
"""The estimates that place the first trials: near enough to save work, whatever the regime."""

import math

import pytest

import hockeystick as hs
from hockeystick import _guess


@pytest.mark.parametrize("epsilon", [1e-6, 1e-3, 0.1, 1.0, 8.0, 100.0, 1e5])
@pytest.mark.parametrize("log_delta", [-1.0, math.log(1e-5), math.log(1e-30), -600.0])
def test_mu_of_a_gaussian(epsilon, log_delta):
    mu = _guess.gaussian_mu(epsilon, log_delta)
    bounds = hs.Gaussian(noise_multiplier=1.0 / mu).log_delta_bounds(epsilon=epsilon)
    assert bounds.upper == pytest.approx(log_delta, rel=1e-5)


@pytest.mark.parametrize(
    ("epsilon", "delta", "rate", "steps"),
    [
        (8, 1e-5, 0.01, 10_000),
        (10, 1e-5, 0.01, 1000),
        (100, 1e-5, 0.01, 1000),
        (0.1, 7.4e-6, 0.0148, 201),
        (1, 1e-6, 0.01, 1),
        (4, 2e-5, 0.07, 42),
        (3, 1e-10, 0.5, 10),
        (1e-3, 1e-5, 0.01, 100),
        (1, 1e-5, 0.001, 10**6),
    ],
)
def test_noise_of_sampled_steps(epsilon, delta, rate, steps):
    mu = _guess.gaussian_mu(epsilon, math.log(delta))
    guess = _guess.noise_of_sampled_steps(epsilon, math.log(delta), rate, steps, mu)
    right = hs.noise_multiplier(epsilon=epsilon, delta=delta, sampling_rate=rate, steps=steps)
    assert guess == pytest.approx(right, rel=0.45)
    slope = _guess.slope_of_sampled_steps(epsilon, math.log(delta), right, mu)
    above, below = (
        hs.dpsgd(noise_multiplier=right * factor, sampling_rate=rate, steps=steps).epsilon(delta=delta)
        for factor in (1.001, 0.999)
    )
    assert 0.4 <= slope / (math.log(below / above) / math.log(1.001 / 0.999)) <= 2.5


@pytest.mark.parametrize("tail", [0.3, 0.1, 1e-3, 1e-6, 1e-12])
def test_normal_quantile(tail):
    assert 0.5 * math.erfc(_guess._normal_quantile(math.log(tail)) / math.sqrt(2.0)) == pytest.approx(tail, rel=0.35)
