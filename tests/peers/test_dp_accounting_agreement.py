# SPDX-License-Identifier: Apache-2.0
"""dp-accounting and this package bracket the same truth, in settings where dp-accounting is right.

dp-accounting's pessimistic estimate (Connect-the-Dots) is above the truth up to its truncation and rounding, some 1e-12
of delta; its optimistic one, by rounding losses down, is below it.
"""

import pytest

import hockeystick as hs

privacy_loss_distribution = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")

SETTINGS = [
    # noise multiplier, sampling rate, steps, grid step of the peer
    (1.0, 0.01, 100, 1e-3),
    (1.0, 0.01, 1000, 1e-3),
    (0.7, 0.01, 500, 1e-3),
    (2.0, 0.05, 400, 1e-3),
    (1.3, 1 / 60, 900, 1e-3),
    (5.0, 0.3, 200, 1e-3),
    (0.8, 0.125, 100, 2e-3),
    (3.0, 1.0, 30, 1e-3),
    (20.0, 0.5, 1000, 5e-4),
]
SLACK = 1e-11  # of delta: what the peer truncates and rounds


def peer(setting, pessimistic):
    noise_multiplier, sampling_rate, steps, step = setting
    return privacy_loss_distribution.from_gaussian_mechanism(
        standard_deviation=noise_multiplier,
        sampling_prob=sampling_rate,
        pessimistic_estimate=pessimistic,
        use_connect_dots=pessimistic,
        value_discretization_interval=step,
    ).self_compose(steps)


@pytest.fixture(scope="module", params=SETTINGS, ids=str)
def setting(request):
    return request.param


@pytest.fixture(scope="module")
def theirs(setting):
    return peer(setting, True), peer(setting, False)


@pytest.fixture(scope="module")
def ours(setting):
    noise_multiplier, sampling_rate, steps, _ = setting
    return hs.dpsgd(noise_multiplier=noise_multiplier, sampling_rate=sampling_rate, steps=steps)


@pytest.mark.parametrize("method", ["fft", "auto"])
def test_delta(theirs, ours, method):
    pessimistic, optimistic = theirs
    epsilons = [0.0, 0.3, 1.0, 2.0]
    bounds = ours.delta_bounds(epsilon=epsilons, method=method)
    for epsilon, lower, upper in zip(epsilons, bounds.lower, bounds.upper, strict=True):
        assert lower <= pessimistic.get_delta_for_epsilon(epsilon) + SLACK
        assert optimistic.get_delta_for_epsilon(epsilon) - SLACK <= upper


@pytest.mark.parametrize("method", ["fft", "auto"])
@pytest.mark.parametrize("delta", [1e-2, 1e-5, 1e-8])
def test_epsilon(theirs, ours, method, delta):
    pessimistic, optimistic = theirs
    bounds = ours.epsilon_bounds(delta=delta, method=method)
    assert bounds.lower <= pessimistic.get_epsilon_for_delta(delta - SLACK)
    assert optimistic.get_epsilon_for_delta(delta + SLACK) <= bounds.upper
    # The bracket here is far narrower than theirs, and near their better side.
    assert bounds.upper - bounds.lower <= 1e-4 * bounds.upper + 1e-12
    assert bounds.upper == pytest.approx(pessimistic.get_epsilon_for_delta(delta), rel=2e-2, abs=1e-4)


def test_directions_are_theirs(theirs, ours):
    """Remove and add are not swapped: each agrees with the peer's own."""
    pessimistic, _ = theirs
    for direction, law in (("remove", pessimistic._pmf_remove), ("add", pessimistic._pmf_add)):
        bounds = ours.epsilon_bounds(delta=1e-5, direction=direction)
        assert bounds.upper == pytest.approx(law.get_epsilon_for_delta(1e-5), rel=2e-2, abs=1e-4)
