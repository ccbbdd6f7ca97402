# SPDX-License-Identifier: Apache-2.0
"""Compositions of arbitrary laws against enumeration, and what must hold between brackets of any mechanisms."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import hockeystick as hs
from hockeystick import _core

masses = st.lists(st.floats(0.02, 1.0), min_size=2, max_size=4)


@st.composite
def tables(draw):
    """Two vectors of probabilities of the same length."""
    p = np.array(draw(masses))
    q = np.array(draw(st.lists(st.floats(0.02, 1.0), min_size=len(p), max_size=len(p))))
    return p / p.sum(), q / q.sum()


@st.composite
def mechanisms(draw):
    kind = draw(st.sampled_from(["laplace", "response", "gaussian", "pure", "exponential", "table", "leak"]))
    scale = draw(st.floats(0.5, 8.0))
    made = {
        "laplace": lambda: hs.Laplace(noise_multiplier=scale, relation="zero_out"),
        "response": lambda: hs.RandomizedResponse(
            noise_probability=min(scale / 9.0, 0.95), categories=3, relation="zero_out"
        ),
        "gaussian": lambda: hs.Gaussian(noise_multiplier=scale, relation="zero_out"),
        "pure": lambda: hs.PureDP(epsilon=1.0 / scale, relation="zero_out"),
        "exponential": lambda: hs.ExponentialMechanism(epsilon=1.0 / scale, relation="zero_out"),
        "table": lambda: hs.TabulatedPair.from_probabilities(*draw(tables()), relation="zero_out"),
        "leak": lambda: hs.ApproximateDP(epsilon=1.0 / scale, delta=1e-4, relation="zero_out"),
    }[kind]()
    rate = draw(st.sampled_from([1.0, 0.5, 0.1]))
    return draw(st.integers(1, 6)) * made.poisson(rate)


def enumerated(pairs):
    p, q = np.ones(1), np.ones(1)
    for (with_record, without), times in pairs:
        for _ in range(times):
            p = np.outer(p, with_record).ravel()
            q = np.outer(q, without).ravel()
    return p, q


@given(
    st.lists(st.tuples(tables(), st.integers(1, 3), st.sampled_from([1.0, 0.3])), min_size=1, max_size=3),
    st.floats(0.0, 2.0),
)
@settings(max_examples=150, deadline=None)
def test_compositions_of_tables_hold_the_enumeration(parts, epsilon):
    total = hs.compose(times * hs.TabulatedPair.from_probabilities(p, q).poisson(rate) for (p, q), times, rate in parts)
    p, q = enumerated([((rate * p + (1 - rate) * q, q), times) for (p, q), times, rate in parts])
    for direction, (a, b) in {"remove": (p, q), "add": (q, p)}.items():
        exact = float(np.sum(np.maximum(a - math.exp(epsilon) * b, 0.0)))
        found = total.delta_bounds(epsilon=epsilon, direction=direction, method="fft")
        assert found.lower <= exact * (1 + 1e-11) + 1e-15
        assert found.upper >= exact * (1 - 1e-11) - 1e-15
        assert found.upper - found.lower <= 0.05 * exact + 1e-10


@given(mechanisms(), mechanisms(), st.floats(0.0, 3.0), st.floats(0.0, 2.0))
@settings(max_examples=60, deadline=None)
def test_more_releases_and_smaller_epsilons_never_help(first, second, epsilon, further):
    alone = first.delta_bounds(epsilon=epsilon)
    together = (first + second).delta_bounds(epsilon=epsilon)
    later = first.delta_bounds(epsilon=epsilon + further)
    assert alone.lower <= alone.upper
    assert together.lower <= together.upper
    assert alone.lower <= together.upper * (1 + 1e-13) + 1e-300
    assert later.lower <= alone.upper * (1 + 1e-13) + 1e-300


@given(mechanisms(), st.floats(-8.0, -1.0))
@settings(max_examples=60, deadline=None)
def test_epsilon_and_delta_are_inverse(mechanism, log_delta):
    delta = 10.0**log_delta
    epsilon = mechanism.epsilon_bounds(delta=delta)
    if epsilon.upper == math.inf:
        assert mechanism.delta_bounds(epsilon=math.inf).upper >= delta * (1 - 1e-9)
        return
    assert mechanism.delta_bounds(epsilon=epsilon.upper).lower <= delta * (1 + 1e-12)
    if epsilon.lower > 0.0:
        assert mechanism.delta_bounds(epsilon=epsilon.lower * (1 - 1e-9)).upper >= delta * (1 - 1e-12)


@given(tables(), tables(), st.floats(0.0, 2.0))
@settings(max_examples=60, deadline=None)
def test_maxima_and_mixtures_of_laws(first, second, epsilon):
    laws = [hs.TabulatedPair.from_probabilities(*pair)._laws()[0] for pair in (first, second)]
    exact = [float(np.sum(np.maximum(p - math.exp(epsilon) * q, 0.0))) for p, q in (first, second)]
    at = np.array([epsilon])
    lower, upper = (math.exp(each[0]) for each in _core.maximum_law(laws).log_delta_bounds(at))
    assert lower <= max(exact) * (1 + 1e-11) + 1e-15
    assert upper >= max(exact) * (1 - 1e-11)
    lower, upper = (math.exp(each[0]) for each in _core.mixture_law(laws, [0.3, 0.7]).log_delta_bounds(at))
    mean = 0.3 * exact[0] + 0.7 * exact[1]
    assert lower <= mean * (1 + 1e-11) + 1e-15
    assert upper >= mean * (1 - 1e-11)


def test_merged_law_composes_above_an_adversary_that_picks_directions():
    # Two rounds at rate .3 of a Gaussian with mu 1, epsilon .01: remove twice .16590, an adversary that picks .17459.
    remove = _core.poisson_law(_core.gaussian_law(1.0, 1.0, 0), 0.3)
    merged = _core.merged_law(remove)
    counts = np.array([2], dtype=np.uint64)
    lower, upper = _core.fft_log_delta_bounds([[merged]], counts, np.array([0.01]), 1e-4)
    assert 0.1832 < math.exp(lower[0]) <= 0.18328
    assert 0.18326 <= math.exp(upper[0]) < 0.1833
    lower, upper = _core.fft_log_delta_bounds([[remove]], counts, np.array([0.01]), 1e-4)
    assert math.exp(upper[0]) >= 0.165895
    assert math.exp(lower[0]) <= 0.165905
