# SPDX-License-Identifier: Apache-2.0
"""What must hold of every run: monotone in its parameters, blind to order, additive in counts."""

import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import hockeystick as hs

noises = st.floats(0.5, 30.0)
rates = st.one_of(st.just(1.0), st.floats(5e-3, 0.5))
counts = st.integers(100, 100_000)
deltas = st.floats(-30.0, -2.0).map(math.exp)


def bounds(noise, rate, steps, delta):
    return hs.dpsgd(noise_multiplier=noise, sampling_rate=rate, steps=steps).epsilon_bounds(delta=delta)


def assert_at_most(smaller, larger):
    """Brackets of a <= b cannot contradict it, and where they are apart they show it."""
    assert smaller.lower <= larger.upper
    assert smaller.upper <= larger.upper + (smaller.upper - smaller.lower)


@settings(max_examples=40)
@given(noises, rates, counts, deltas, st.floats(1.001, 3.0))
def test_epsilon_decreases_in_the_noise(noise, rate, steps, delta, factor):
    assert_at_most(bounds(noise * factor, rate, steps, delta), bounds(noise, rate, steps, delta))


@settings(max_examples=40)
@given(noises, rates, counts, deltas, st.floats(1.001, 100.0))
def test_epsilon_decreases_in_delta(noise, rate, steps, delta, factor):
    assert_at_most(bounds(noise, rate, steps, min(1.0, delta * factor)), bounds(noise, rate, steps, delta))


@settings(max_examples=40)
@given(noises, rates, counts, deltas, st.floats(1.001, 3.0))
def test_epsilon_increases_in_the_rate(noise, rate, steps, delta, factor):
    assert_at_most(bounds(noise, rate, steps, delta), bounds(noise, min(1.0, rate * factor), steps, delta))


@settings(max_examples=40)
@given(noises, rates, counts, deltas, st.floats(1.001, 3.0))
def test_epsilon_increases_in_the_steps(noise, rate, steps, delta, factor):
    assert_at_most(bounds(noise, rate, steps, delta), bounds(noise, rate, math.ceil(steps * factor), delta))


mechanisms = st.builds(
    lambda s, q: hs.Gaussian(noise_multiplier=s).poisson(q), st.floats(0.8, 5.0), st.floats(0.01, 1.0)
)
parts = st.lists(st.tuples(mechanisms, st.integers(50, 300)), min_size=1, max_size=4)


@settings(max_examples=25)
@given(parts, st.randoms(use_true_random=False))
def test_the_order_of_composition_does_not_matter(parts, random):
    shuffled = list(parts)
    random.shuffle(shuffled)
    one, other = hs.Accountant(), hs.Accountant()
    for mechanism, count in parts:
        one.compose(mechanism, count)
    for mechanism, count in shuffled:
        other.compose(mechanism, count)
    first, second = (each.mechanism.epsilon_bounds(delta=1e-6) for each in (one, other))
    assert max(first.lower, second.lower) <= min(first.upper, second.upper)
    assert first.upper == pytest.approx(second.upper, rel=1e-6)


@given(parts, st.integers(1, 5))
def test_n_times_a_is_a_plus_a_plus(parts, number):
    one = hs.compose(count * mechanism for mechanism, count in parts)
    total = one
    for _ in range(number - 1):
        total = total + one
    assert number * one == total
    assert hash(number * one) == hash(total)


@settings(max_examples=15)
@given(st.floats(0.05, 20.0), deltas, rates, st.integers(100, 20_000))
def test_calibrated_noise_meets_the_target_and_hardly_more(epsilon, delta, rate, steps):
    noise = hs.noise_multiplier(epsilon=epsilon, delta=delta, sampling_rate=rate, steps=steps)
    bracket = bounds(noise, rate, steps, delta)
    assert bracket.upper <= epsilon
    # Engines whose bracket is wider than the promise cannot be nearer than that.
    assert bracket.upper >= epsilon * (1 - 1e-6) or bracket.upper - bracket.lower > 1e-6 * epsilon


@settings(max_examples=15)
@given(mechanisms, st.floats(0.5, 10.0), st.integers(0, 200))
def test_what_remains_is_exact(step, limit, spent):
    accountant = hs.Accountant(budget=hs.Budget.epsilon(limit, delta=1e-5))
    accountant.compose(step, spent)
    remaining = accountant.remaining(step)
    assume(remaining < 2**53)
    assert remaining == 0 or accountant.can_afford(step, count=remaining)
    assert not accountant.can_afford(step, count=remaining + 1)
