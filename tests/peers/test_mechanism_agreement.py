# SPDX-License-Identifier: Apache-2.0
"""dp-accounting and this package bracket the same truth for every mechanism that both have.

The peer's brackets are what its grid of 1e-3 leaves: its pessimistic estimate is above the truth up to its truncation
and rounding, its optimistic one below. It has no optimistic estimate of privacy parameters, where it rounds losses up:
there only its upper side is compared.
"""

import pytest

import hockeystick as hs

pld = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
common = pytest.importorskip("dp_accounting.pld.common")
relations = pytest.importorskip("dp_accounting.privacy_accountant").NeighboringRelation

STEP = 1e-3
SLACK = 1e-11  # of delta: what the peer truncates and rounds
EPSILONS = [0.0, 0.2, 0.8, 2.0]


def parameters(epsilon, delta):
    return lambda **_: pld.from_privacy_parameters(common.DifferentialPrivacyParameters(epsilon, delta), STEP)


CASES = {
    "laplace": (
        20 * hs.Laplace(noise_multiplier=8.0),
        lambda **o: pld.from_laplace_mechanism(8.0, **o),
        20,
    ),
    "laplace on a sample": (
        60 * hs.Laplace(noise_multiplier=2.0).poisson(0.1),
        lambda **o: pld.from_laplace_mechanism(2.0, sampling_prob=0.1, **o),
        60,
    ),
    "laplace on most": (
        2 * hs.Laplace(noise_multiplier=1.0).poisson(0.7),
        lambda **o: pld.from_laplace_mechanism(1.0, sampling_prob=0.7, **o),
        2,
    ),
    "gaussian under replace": (
        100 * hs.Gaussian(noise_multiplier=0.75, relation="replace").poisson(0.05),
        lambda **o: pld.from_gaussian_mechanism(
            1.5, sampling_prob=0.05, neighboring_relation=relations.REPLACE_ONE, **o
        ),
        100,
    ),
    "discrete gaussian": (
        30 * hs.DiscreteGaussian(sigma=6.0, sensitivity=2),
        lambda **o: pld.from_discrete_gaussian_mechanism(6.0, 2, **o),
        30,
    ),
    "discrete gaussian on a sample": (
        30 * hs.DiscreteGaussian(sigma=1.5).poisson(0.1),
        lambda **o: pld.from_discrete_gaussian_mechanism(1.5, sampling_prob=0.1, **o),
        30,
    ),
    "discrete laplace": (
        10 * hs.DiscreteLaplace(scale=5.0, sensitivity=3),
        lambda **o: pld.from_discrete_laplace_mechanism(0.2, 3, **o),
        10,
    ),
    "discrete laplace on a sample": (
        10 * hs.DiscreteLaplace(scale=2.0).poisson(0.2),
        lambda **o: pld.from_discrete_laplace_mechanism(0.5, sampling_prob=0.2, **o),
        10,
    ),
    "randomized response": (
        15 * hs.RandomizedResponse(noise_probability=0.8, categories=5),
        lambda **o: pld.from_randomized_response(0.8, 5, **o),
        15,
    ),
    "randomized response, zeroed": (
        15 * hs.RandomizedResponse(noise_probability=0.8, categories=5, relation="zero_out"),
        lambda **o: pld.from_randomized_response(0.8, 5, neighboring_relation=relations.REPLACE_SPECIAL, **o),
        15,
    ),
    "mixture": (
        50 * hs.MixtureOfGaussians(noise_std=2.0, sensitivities=[0.0, 1.0, 2.0], probabilities=[0.8, 0.15, 0.05]),
        # The peer searches for every grid point there, which takes a minute on the common grid.
        lambda **o: pld.from_mixture_gaussian_mechanism(
            2.0, [0.0, 1.0, 2.0], [0.8, 0.15, 0.05], **{**o, "value_discretization_interval": 0.02}
        ),
        50,
    ),
    "approximate dp": (40 * hs.ApproximateDP(epsilon=0.1, delta=1e-6), parameters(0.1, 1e-6), 40),
    "pure dp": (40 * hs.PureDP(epsilon=0.1), parameters(0.1, 0.0), 40),
}


def peer_delta(make, times, pessimistic):
    options = {"pessimistic_estimate": pessimistic, "value_discretization_interval": STEP}
    return [make(**options).self_compose(times).get_delta_for_epsilon(epsilon) for epsilon in EPSILONS]


@pytest.mark.parametrize("name", CASES)
def test_brackets_overlap_and_ours_is_the_narrower(name):
    ours, make, times = CASES[name]
    bounds = ours.delta_bounds(epsilon=EPSILONS)
    for lower, upper, theirs in zip(bounds.lower, bounds.upper, peer_delta(make, times, True), strict=True):
        assert lower <= theirs + SLACK
        assert upper <= theirs + 2e-3 * theirs + SLACK
    if name in ("approximate dp", "pure dp"):
        return
    for upper, theirs in zip(bounds.upper, peer_delta(make, times, False), strict=True):
        assert theirs <= upper + SLACK
