# SPDX-License-Identifier: Apache-2.0
"""The calls of prv-accountant, beside prv-accountant."""

import pytest

from hockeystick.interop.prv_accountant import DPSGDAccountant, find_noise_multiplier

TRUTH = 1.8282366665165757


@pytest.fixture(scope="module")
def ours():
    return DPSGDAccountant(noise_multiplier=1.0, sampling_probability=0.01, max_steps=1000)


def test_the_bracket_holds_the_truth_and_the_estimate(ours):
    lower, estimate, upper = ours.compute_epsilon(delta=1e-5, num_steps=1000)
    assert lower <= TRUTH <= upper
    assert lower <= estimate <= upper
    assert upper - lower < 1e-6
    lower, estimate, upper = ours.compute_delta(epsilon=TRUTH, num_steps=1000)
    assert lower <= 1e-5 * (1 + 1e-9)
    assert upper >= 1e-5 * (1 - 1e-9)


def test_beside_prv_accountant(ours):
    """Its bracket is wider and holds ours."""
    peer = pytest.importorskip("prv_accountant.dpsgd")
    theirs = peer.DPSGDAccountant(1.0, 0.01, 1000, eps_error=0.1, delta_error=1e-8).compute_epsilon(1e-5, 500)
    mine = ours.compute_epsilon(1e-5, 500)
    assert theirs[0] <= mine[0] <= mine[2] <= theirs[2]
    assert mine[1] == pytest.approx(theirs[1], abs=1e-3)


def test_infinite_and_zero(ours):
    assert ours.compute_epsilon(delta=0.0, num_steps=10) == (float("inf"),) * 3
    assert ours.compute_epsilon(delta=1e-5, num_steps=0) == (0.0, 0.0, 0.0)


def test_no_more_steps_than_were_announced(ours):
    with pytest.raises(ValueError, match="num_steps must be at most max_steps, 1000, got 1001"):
        ours.compute_epsilon(delta=1e-5, num_steps=1001)


def test_noise_is_on_the_safe_side():
    noise = find_noise_multiplier(0.01, 1000, 1.0, 1e-5)
    assert 1.0 - 1e-6 <= DPSGDAccountant(noise, 0.01, 1000).compute_epsilon(1e-5, 1000)[2] <= 1.0
