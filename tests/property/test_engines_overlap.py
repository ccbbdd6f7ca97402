# SPDX-License-Identifier: Apache-2.0
"""Two engines that have nothing in common must contain the same truth, few expected occurrences of a record included."""

import math

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

import hockeystick as hs


def log_uniform(low, high):
    return st.floats(math.log(low), math.log(high)).map(math.exp)


@st.composite
def draw_runs(draw):
    """From a third of an expected occurrence on; 300 releases at most, so that the FFT engine stays quick."""
    steps = draw(st.integers(20, 300))
    sampling_rate = min(1.0, draw(log_uniform(0.3, 30.0)) / steps)
    return hs.dpsgd(noise_multiplier=draw(log_uniform(0.8, 4.0)), sampling_rate=sampling_rate, steps=steps)


directions = st.sampled_from(["remove", "add"])


@settings(max_examples=10)
@given(draw_runs(), log_uniform(1e-8, 1e-3), directions)
@example(hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=50), 1e-8, "remove")
def test_epsilon_brackets_of_both_engines_overlap(run, delta, direction):
    fft = run.epsilon_bounds(delta=delta, direction=direction, method="fft")
    try:
        contour = run.epsilon_bounds(delta=delta, direction=direction, method="contour")
    except hs.AccuracyError:
        return  # refused, which docs/contour.md counts
    assert contour.lower <= contour.upper <= contour.lower * (1 + 1e-6) + 1e-12
    assert contour.lower <= fft.upper
    assert fft.lower <= contour.upper


@settings(max_examples=5)
@given(draw_runs(), directions)
@example(hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=10), "remove")
def test_profile_brackets_of_both_engines_overlap(run, direction):
    """A point that cannot be certified to the tolerance is wide, not wrong, and takes no other with it."""
    epsilon = np.linspace(0.0, 2.0, 5)
    fft = run.log_delta_bounds(epsilon=epsilon, direction=direction, method="fft")
    both = run.log_delta_bounds(epsilon=epsilon, direction=direction)
    assert (both.lower <= both.upper).all()
    assert (both.lower <= fft.upper).all()
    assert (fft.lower <= both.upper).all()
    assert (both.upper[1:] <= both.upper[:-1]).all()
