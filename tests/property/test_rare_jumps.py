# SPDX-License-Identifier: Apache-2.0
"""Runs in which the record hardly takes part: served by a split, and inside the brackets of the engine on a lattice."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hockeystick as hs


def log_uniform(low, high):
    return st.floats(math.log(low), math.log(high)).map(math.exp)


@st.composite
def draw_rare_runs(draw):
    steps = draw(st.integers(20, 500))
    sampling_rate = draw(log_uniform(1e-3, 0.5)) / steps
    return hs.dpsgd(noise_multiplier=draw(log_uniform(0.5, 3.0)), sampling_rate=sampling_rate, steps=steps)


@settings(max_examples=15)
@given(draw_rare_runs(), log_uniform(1e-28, 1e-9))
def test_epsilon_and_delta_are_inverse(run, delta):
    """Two questions with splits of their own: each bracket holds the other's point."""
    try:
        bounds = run.epsilon_bounds(delta=delta, direction="remove", method="contour", tolerance=1e-6)
        points = np.array([bounds.lower, bounds.upper])
        there = run.log_delta_bounds(epsilon=points, direction="remove", method="contour", tolerance=1e-6)
    except hs.AccuracyError:
        return  # refused: test_nearly_all_are_served counts
    assert 0 < bounds.lower <= bounds.upper <= bounds.lower * (1 + 1.1e-6)
    assert there.upper[0] >= math.log(delta) - 1e-9
    assert there.lower[1] <= math.log(delta) + 1e-9


def test_nearly_all_are_served():
    """Of forty settings that the whole transform serves badly, all but one or two."""
    generator, refused = np.random.default_rng(3), 0
    for _ in range(40):
        noise, rate, steps, delta = np.exp(
            generator.uniform(np.log([0.5, 1e-6, 20, 1e-28]), np.log([2, 1e-3, 500, 1e-9]))
        )
        run = hs.dpsgd(noise_multiplier=float(noise), sampling_rate=float(rate), steps=int(steps))
        try:
            run.epsilon_bounds(delta=float(delta), direction="remove", method="contour")
        except hs.AccuracyError:
            refused += 1
    assert refused <= 2


@settings(max_examples=2)
@given(draw_rare_runs(), log_uniform(1e-20, 1e-9))
def test_lattice_holds_the_split(run, delta):
    split = run.epsilon_bounds(delta=delta, direction="remove")
    lattice = run.epsilon_bounds(delta=delta, direction="remove", method="fft")
    assert lattice.lower <= split.upper
    assert split.lower <= lattice.upper


@pytest.mark.parametrize("delta", [1e-9, 1e-20])
def test_many_releases_with_rare_jumps(delta):
    """Several laws, each with a window of its own; one law in two parts is the same law."""
    runs = [hs.dpsgd(noise_multiplier=0.9 + 0.05 * i, sampling_rate=1e-4, steps=30) for i in range(4)]
    bounds = hs.compose(runs).epsilon_bounds(delta=delta, direction="remove", method="contour")
    most = [run.epsilon_bounds(delta=delta, direction="remove", method="contour").lower for run in runs]
    assert max(most) < bounds.lower <= bounds.upper <= bounds.lower * (1 + 1e-6)
