# SPDX-License-Identifier: Apache-2.0
"""Renyi divergences of one setting and of a thousand, the accountant's epsilon, and the table of all methods."""

import numpy as np
import pytest
from settings import THOUSAND

import hockeystick as hs
from hockeystick import _core

ORDERS = np.concatenate([np.arange(1.1, 11.0, 0.1), np.arange(11.0, 168.0)])


@pytest.mark.parametrize(("noise", "rate"), [(1.0, 0.01), (0.6, 0.1), (4.0, 0.001)])
def test_256_orders(benchmark, noise, rate):
    benchmark.group = "Renyi divergences at 256 orders"
    run = hs.dpsgd(noise_multiplier=noise, sampling_rate=rate, steps=1000)
    assert (benchmark(lambda: run.rdp(orders=ORDERS)) > 0).all()


def test_256_orders_by_dp_accounting(benchmark):
    benchmark.group = "Renyi divergences at 256 orders"
    pytest.importorskip("dp_accounting")
    from dp_accounting import dp_event
    from dp_accounting.rdp import rdp_privacy_accountant

    step = dp_event.PoissonSampledDpEvent(0.01, dp_event.GaussianDpEvent(1.0))
    accountant = benchmark(lambda: rdp_privacy_accountant.RdpAccountant(ORDERS).compose(step, 1000))
    assert len(accountant._rdp) == 256


def test_a_thousand_settings(benchmark):
    benchmark.group = "Renyi divergences, 1000 settings x 256 orders"
    noise, rates = np.linspace(0.6, 6.0, 1000), np.geomspace(1e-4, 0.2, 1000)
    lower, upper = benchmark(lambda: _core.renyi_bounds(noise, rates, ORDERS, 0))
    assert upper.shape == (256_000,)
    assert (lower <= upper).all()
    assert (upper - lower <= 1e-10 * upper).all()


def test_epsilon(benchmark):
    benchmark.group = "Renyi accountant"
    accountant = hs.RDPAccountant()
    accountant.compose(THOUSAND.build())
    assert benchmark(lambda: accountant.get_epsilon(1e-5)) >= THOUSAND.epsilon


def test_explain(benchmark):
    benchmark.group = "Renyi accountant"
    run = THOUSAND.build()
    assert benchmark(lambda: run.explain(delta=1e-5))["exact"].epsilon >= THOUSAND.epsilon * (1 - 1e-10)
