# SPDX-License-Identifier: Apache-2.0
"""Units that trainers use: what is worked out, rounded up, said, and refused."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hockeystick as hs
from hockeystick.schedule import resolve_schedule


@given(
    dataset_size=st.integers(1, 10**7),
    part=st.floats(0.001, 1.0),
    epochs=st.integers(1, 200),
)
def test_updates_are_the_exact_number_rounded_up(dataset_size, part, epochs):
    batch_size = max(1, int(part * dataset_size))
    schedule = resolve_schedule(dataset_size=dataset_size, batch_size=batch_size, epochs=epochs)
    assert schedule.steps == math.ceil(Fraction(epochs * dataset_size, batch_size))
    assert schedule.sampling_rate == batch_size / dataset_size
    assert schedule.whole_epochs <= epochs


@pytest.mark.parametrize(
    ("units", "said"),
    [
        ({"sampling_rate": 0.1}, "steps or epochs"),
        ({"sampling_rate": 0.1, "steps": 5, "epochs": 1}, "steps or epochs"),
        ({"steps": 5}, "sampling_rate must be given, or dataset_size and batch_size"),
        ({"steps": 5, "dataset_size": 100}, "got dataset_size=100 and batch_size=None"),
        ({"steps": 5, "sampling_rate": 0.1, "batch_size": 10}, "not both"),
    ],
)
def test_units_missing_or_given_twice(units, said):
    with pytest.raises(TypeError, match=said):
        hs.dpsgd(noise_multiplier=1.0, **units)


@pytest.mark.parametrize(
    ("units", "said"),
    [
        ({"batch_size": 101}, "batch_size must be at most dataset_size, got 101 of 100"),
        ({"batch_size": 0}, "batch_size must be a whole number of at least 1, got 0"),
        ({"batch_size": 2.5}, "batch_size must be a whole number"),
        ({"batch_size": math.nan}, "batch_size must be a number, got nan"),
        ({"epochs": -1.0}, "epochs must be finite and at least 0, got -1.0"),
        ({"epochs": math.inf}, "epochs must be finite and at least 0, got inf"),
    ],
)
def test_senseless_units(units, said):
    with pytest.raises(ValueError, match=said):
        hs.dpsgd(noise_multiplier=1.0, **{"dataset_size": 100, "batch_size": 10, "epochs": 1, **units})


def test_noise_over_clipping_norm():
    run = hs.dpsgd(noise_std=0.5, clipping_norm=0.25, sampling_rate=0.1, steps=5)
    assert run.noise_multiplier == 2.0
    with pytest.raises(TypeError, match="not both"):
        hs.dpsgd(noise_multiplier=2.0, clipping_norm=1.0, sampling_rate=0.1, steps=5)
    with pytest.raises(TypeError, match="got neither"):
        hs.dpsgd(noise_std=0.5, sampling_rate=0.1, steps=5)
    with pytest.raises(ValueError, match="clipping_norm must be finite and above 0"):
        hs.dpsgd(noise_std=0.5, clipping_norm=0.0, sampling_rate=0.1, steps=5)


def test_federated_counts_clients():
    run = hs.federated(noise_multiplier=1.0, clients_per_round=50, population=1000, rounds=200)
    assert (run.sampling_rate, run.steps, run.unit, run.expected_participations) == (0.05, 200, "client", 10.0)
    assert "every client is expected in 10.0 batches" in run.summary()
    with pytest.raises(ValueError, match="clients_per_round must be at most population"):
        hs.federated(noise_multiplier=1.0, clients_per_round=50, population=49, rounds=1)


def test_fixed_order_is_one_release_an_epoch():
    run = hs.dpsgd(noise_multiplier=1.0, dataset_size=1000, batch_size=10, epochs=1, sampling="fixed_order")
    assert (run.steps, run.expected_participations) == (100, 1.0)
    assert f"{run.epsilon(delta=1e-5):.5f}" == "4.37718"
    # An incomplete epoch counts as a whole one.
    run = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=101, sampling="fixed_order", relation="replace")
    assert run.epsilon(delta=1e-5) == (2 * hs.Gaussian(noise_multiplier=0.5)).epsilon(delta=1e-5)


@pytest.mark.parametrize("word", ["shuffle", "shuffled", "shuffling"])
def test_shuffled_batches_are_refused_with_the_fallback(word):
    with pytest.raises(ValueError, match="no tight bound is known for shuffled batches") as caught:
        hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=100, sampling=word)
    assert "sampling='fixed_order'" in str(caught.value)


def test_the_summary_prints_units_and_both_ratios():
    run = hs.dpsgd(noise_multiplier=0.9, dataset_size=14732, batch_size=1024, steps=42, relation="zero_out")
    said = run.summary()
    assert "T = 42 updates\n" in said
    assert "q N = 1024" in said
    assert "every record is expected in 2.9 batches" in said
    assert "0.9 times the clipping norm" in said
