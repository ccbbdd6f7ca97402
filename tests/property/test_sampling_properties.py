# SPDX-License-Identifier: Apache-2.0
"""Every pair of a sampling scheme against direct integration of its definition, in random settings; and monotonicity."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import hockeystick as hs

NOISES = st.floats(0.3, 5.0)
RATES = st.floats(0.001, 1.0)
EPSILONS = st.floats(0.0, 4.0)
DIRECTIONS = st.sampled_from(["remove", "add"])
# What the trapezoid rule over a kink may be off by.
SLACK = 3e-7


def mixture(x, noise, shifts, weights):
    return sum(w * stats.norm.pdf(x, c, noise) for c, w in zip(shifts, weights, strict=True))


def divergence(epsilon, noise, p, q):
    """H_{e^eps}(P||Q) of two mixtures of Gaussians, given as (shifts, weights)."""
    reach = max(map(abs, [*p[0], *q[0]])) + 9 * noise
    x = np.linspace(-reach, reach, 40_001)
    gap = mixture(x, noise, *p) - math.exp(epsilon) * mixture(x, noise, *q)
    return float(np.maximum(gap, 0.0).sum() * (x[1] - x[0]))


def assert_encloses(bounds, exact, width=1e-3):
    assert bounds.lower <= exact + SLACK
    assert exact <= bounds.upper + SLACK
    assert bounds.upper - bounds.lower <= width * bounds.upper + SLACK


@settings(max_examples=150, deadline=None)
@given(noise=NOISES, rate=RATES, epsilon=EPSILONS)
def test_poisson_sampling_under_replace(noise, rate, epsilon):
    mechanism = hs.Gaussian(noise_multiplier=noise / 2.0, relation="replace").poisson(rate)
    exact = divergence(epsilon, noise, ([0, 1], [1 - rate, rate]), ([0, -1], [1 - rate, rate]))
    assert_encloses(mechanism.delta_bounds(epsilon=epsilon), exact)


@settings(max_examples=150, deadline=None)
@given(noise=NOISES, batch=st.integers(1, 50), epsilon=EPSILONS)
def test_fixed_size_batches_are_the_larger_direction(noise, batch, epsilon):
    mechanism = hs.Gaussian(noise_multiplier=noise, relation="replace").without_replacement(
        batch_size=batch, dataset_size=50
    )
    with_record, without = ([0, 1], [1 - batch / 50, batch / 50]), ([0], [1.0])
    exact = max(divergence(epsilon, noise, with_record, without), divergence(epsilon, noise, without, with_record))
    assert_encloses(mechanism.delta_bounds(epsilon=epsilon), exact)


@settings(max_examples=100, deadline=None)
@given(noise=NOISES, size=st.integers(1, 6), rate=st.floats(0.001, 0.9), epsilon=EPSILONS, direction=DIRECTIONS)
def test_groups_on_poisson_samples(noise, size, rate, epsilon, direction):
    mechanism = hs.group(hs.Gaussian(noise_multiplier=noise).poisson(rate), size=size)
    pair = (range(size + 1), stats.binom.pmf(range(size + 1), size, rate)), ([0], [1.0])
    p, q = pair if direction == "remove" else pair[::-1]
    assert_encloses(mechanism.delta_bounds(epsilon=epsilon, direction=direction), divergence(epsilon, noise, p, q))


@settings(max_examples=100, deadline=None)
@given(noise=NOISES, rate=st.floats(0.01, 0.9), cap=st.integers(1, 12), epsilon=EPSILONS, direction=DIRECTIONS)
def test_capped_batches_are_the_mixture_of_their_cases(noise, rate, cap, epsilon, direction):
    mechanism = hs.TruncatedPoisson(
        noise_multiplier=noise, sampling_rate=rate, dataset_size=10, truncated_batch_size=cap
    )
    crowd = np.arange(min(cap, 10), 10)
    mass = stats.binom.pmf(crowd, 9, rate)
    full = float(mass.sum())
    kept = float((mass * rate * cap / (crowd + 1)).sum()) / full if full else 0.0
    exact = 0.0
    for weight, move, each in ((1 - full, 1, rate), (full, 2, kept)):
        pair = ([0, move], [1 - each, each]), ([0], [1.0])
        p, q = pair if direction == "remove" else pair[::-1]
        exact += weight * divergence(epsilon, noise, p, q)
    bounds = mechanism.delta_bounds(epsilon=epsilon, direction=direction)
    assert bounds.lower <= exact + SLACK
    assert bounds.upper == pytest.approx(exact, rel=1e-3, abs=SLACK)


def halves(epsilon, noise, direction):
    """Random allocation to one of two releases, integrated over the first, the second in closed form."""
    e = math.exp(epsilon if direction == "remove" else -epsilon)
    z = np.linspace(-9, 9, 6001)
    first = np.exp(z / noise - 0.5 / noise**2)
    strike = 2 * e - first
    with np.errstate(divide="ignore", invalid="ignore"):
        d = -noise * np.log(strike) + 0.5 / noise
        call = np.where(strike <= 0, 1 - strike, stats.norm.cdf(d) - strike * stats.norm.cdf(d - 1 / noise))
    value = call if direction == "remove" else (call - 1 + strike) / e
    return float((stats.norm.pdf(z) * value / 2).sum() * (z[1] - z[0]))


@settings(max_examples=25, deadline=None)
@given(noise=NOISES, epsilon=st.floats(0.0, 2.0), direction=DIRECTIONS)
def test_allocation_to_one_of_two(noise, epsilon, direction):
    mechanism = hs.Gaussian(noise_multiplier=noise).random_allocation(steps=2)
    bounds = mechanism.delta_bounds(epsilon=epsilon, direction=direction)
    assert_encloses(bounds, halves(epsilon, noise, direction))


@settings(max_examples=6, deadline=None)
@given(noise=st.floats(0.5, 3.0), steps=st.integers(1, 200), epochs=st.integers(1, 5))
def test_allocation_is_between_no_noise_and_no_amplification(noise, steps, epochs):
    release = hs.Gaussian(noise_multiplier=noise)
    bounds = (epochs * release.random_allocation(steps=steps)).epsilon_bounds(delta=1e-5)
    assert 0.0 <= bounds.lower <= bounds.upper
    assert bounds.lower <= (epochs * release).epsilon(delta=1e-5)
    assert bounds.upper <= (epochs * release).epsilon(delta=1e-5) * (1 + 2e-3)
    fewer = (epochs * release.random_allocation(steps=max(1, steps // 2))).epsilon_bounds(delta=1e-5)
    assert fewer.upper >= bounds.lower


@settings(max_examples=25, deadline=None)
@given(noise=st.floats(0.5, 3.0), epsilon=st.floats(0.0, 3.0), size=st.integers(2, 4))
def test_the_general_rule_for_groups_encloses_the_exact_one(noise, epsilon, size):
    exact = hs.Gaussian(noise_multiplier=noise / size).delta(epsilon=epsilon)
    bound = hs.GroupBound(base=hs.Gaussian(noise_multiplier=noise), size=size).delta(epsilon=epsilon)
    assert exact * (1 - 1e-9) <= bound <= exact * 1.05 + 1e-9
