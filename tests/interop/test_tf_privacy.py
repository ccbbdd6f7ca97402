# SPDX-License-Identifier: Apache-2.0
"""The statement of TensorFlow Privacy: its numbers against the interface, and that of a user against its definition."""

import math
import re

import pytest

import hockeystick as hs
from hockeystick.interop.tf_privacy import _user, compute_dp_sgd_privacy_statement


def epsilons(statement):
    return [float(found) for found in re.findall(r"^    Epsilon .*: +([\d.]+|inf)$", statement, re.MULTILINE)]


def test_numbers_are_those_of_the_runs_rounded_up():
    statement = compute_dp_sgd_privacy_statement(60_000, 256, 60, 1.1, 1e-5, used_microbatching=False)
    once = hs.dpsgd(noise_multiplier=1.1, sampling_rate=1.0, steps=60).epsilon(delta=1e-5)
    poisson = hs.dpsgd(noise_multiplier=1.1, dataset_size=60_000, batch_size=256, epochs=60).epsilon(delta=1e-5)
    for printed, exact in zip(epsilons(statement), (once, poisson), strict=True):
        assert exact <= printed < exact + 1e-3
    assert "without microbatching" in statement
    assert "no Poisson sampling" in " ".join(statement.split())


def test_microbatching_halves_the_noise():
    assert epsilons(compute_dp_sgd_privacy_statement(1000, 10, 1, 2.0, 1e-5)) == epsilons(
        compute_dp_sgd_privacy_statement(1000, 10, 1, 1.0, 1e-5, used_microbatching=False)
    )


def test_a_user_of_one_example_is_an_example():
    found = epsilons(compute_dp_sgd_privacy_statement(1000, 10, 1, 2.0, 1e-5, max_examples_per_user=1))
    assert found[:2] == found[2:]


def test_a_user_of_several_examples():
    """Once per epoch: a Gaussian of so many times the sensitivity. Poisson: above what is certain, the mean number."""
    run = hs.dpsgd(noise_multiplier=2.0, sampling_rate=0.01, steps=100)
    found = epsilons(
        compute_dp_sgd_privacy_statement(1000, 10, 1, 2.0, 1e-5, used_microbatching=False, max_examples_per_user=3)
    )
    assert found[2] == pytest.approx(hs.Gaussian(noise_multiplier=2.0 / 3.0).epsilon(delta=1e-5), abs=1e-3)
    assert found[3] > run.epsilon(delta=1e-5)


def test_examples_of_a_user_in_a_poisson_batch():
    """One step, by the definition: the profile of the binomial mixture of shifted normals against the bare one."""
    run = hs.dpsgd(noise_multiplier=2.0, sampling_rate=0.1, steps=1)
    weights, epsilon = [0.81, 0.18, 0.01], 0.2

    def density(x, mean):
        return math.exp(-((x - mean) ** 2) / 8.0) / math.sqrt(8.0 * math.pi)

    grid = [-30.0 + 0.001 * i for i in range(60_001)]
    with_user = [sum(w * density(x, mean) for mean, w in enumerate(weights)) for x in grid]
    without = [density(x, 0.0) for x in grid]
    expected = 0.001 * sum(max(0.0, p - math.exp(epsilon) * q) for p, q in zip(with_user, without, strict=True))
    bounds = _user(run, 2).delta_bounds(epsilon=epsilon, direction="remove")
    assert bounds.lower <= expected * (1 + 1e-5)
    assert expected * (1 - 1e-5) <= bounds.upper <= expected * (1 + 2e-3)


def test_no_noise_is_no_privacy():
    statement = compute_dp_sgd_privacy_statement(1000, 10, 1, 0.0, 1e-5, max_examples_per_user=2)
    assert epsilons(statement) == [math.inf] * 4


@pytest.mark.parametrize(
    ("wrong", "name"), [({"delta": 0.0}, "delta"), ({"batch_size": 0}, "batch_size"), ({"num_epochs": -1}, "epochs")]
)
def test_wrong_arguments(wrong, name):
    arguments = {"number_of_examples": 100, "batch_size": 10, "num_epochs": 1, "noise_multiplier": 1.0, "delta": 1e-5}
    with pytest.raises(ValueError, match=name):
        compute_dp_sgd_privacy_statement(**{**arguments, **wrong})
