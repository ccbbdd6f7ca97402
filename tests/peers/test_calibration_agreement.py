# SPDX-License-Identifier: Apache-2.0
"""The noise that another tool finds for a target: never less than the least noise, and near it."""

import warnings

import pytest

import hockeystick as hs

dp_accounting = pytest.importorskip("dp_accounting")


def peer_noise(epsilon, delta, rate, steps, low, high):
    from dp_accounting.pld.pld_privacy_accountant import PLDAccountant

    def make(noise):
        event = dp_accounting.GaussianDpEvent(noise)
        if rate < 1.0:
            event = dp_accounting.PoissonSampledDpEvent(rate, event)
        return dp_accounting.SelfComposedDpEvent(event, steps)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return dp_accounting.calibrate_dp_mechanism(
            PLDAccountant, make, epsilon, delta, dp_accounting.ExplicitBracketInterval(low, high), tol=1e-5
        )


@pytest.mark.parametrize(
    ("epsilon", "delta", "rate", "steps", "low", "high", "looser"),
    [
        (0.01, 1e-5, 1.0, 1, 200.0, 300.0, 1e-6),
        (0.1, 1 / (2 * 67349), 1000 / 67349, 201, 5.0, 9.0, 1e-3),  # its grid gives away 1.6e-4 of the noise
    ],
)
def test_dp_accounting_needs_at_least_our_noise(epsilon, delta, rate, steps, low, high, looser):
    ours = hs.noise_multiplier(epsilon=epsilon, delta=delta, sampling_rate=rate, steps=steps)
    theirs = peer_noise(epsilon, delta, rate, steps, low, high)
    assert theirs >= ours * (1 - 1e-7) - 1e-5
    assert theirs <= ours * (1 + looser) + 1e-5
