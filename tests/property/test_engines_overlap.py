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


RELEASES = (
    st.builds(hs.Laplace, noise_multiplier=log_uniform(0.5, 20.0)),
    st.builds(hs.PureDP, epsilon=log_uniform(0.01, 2.0)),
    st.builds(hs.ApproximateDP, epsilon=log_uniform(0.01, 1.0), delta=log_uniform(1e-12, 1e-7)),
    st.builds(hs.ExponentialMechanism, epsilon=log_uniform(0.05, 2.0)),
    st.builds(hs.DiscreteGaussian, sigma=log_uniform(1.0, 10.0)),
    st.builds(hs.DiscreteLaplace, scale=log_uniform(1.0, 10.0), sensitivity=st.integers(1, 3)),
    st.builds(hs.RandomizedResponse, noise_probability=st.floats(0.2, 0.9)),
    st.builds(hs.Gaussian, noise_multiplier=log_uniform(1.0, 20.0)),
)


@st.composite
def draw_kinds(draw):
    """One to three kinds, sampled or not, and few or many of them."""
    parts = []
    for _ in range(draw(st.integers(1, 3))):
        release = draw(st.one_of(*RELEASES))
        rate = draw(st.sampled_from([1.0, 0.3, 0.01]))
        if rate < 1.0 and release.relation == "add_remove":
            release = release.poisson(rate)
        parts.append(draw(st.integers(1, 300)) * release)
    relations = {part.relation for part in parts}
    return hs.compose([part for part in parts if part.relation == min(relations)])


@settings(max_examples=12, deadline=None)
@given(draw_kinds(), log_uniform(1e-9, 1e-3), st.sampled_from([None, "remove", "add"]))
@example(30 * hs.Laplace(noise_multiplier=2.0) + hs.Gaussian(noise_multiplier=5.0), 1e-5, None)
@example(2000 * hs.DiscreteGaussian(sigma=5.0), 1e-6, None)
@example(hs.ApproximateDP(epsilon=0.5, delta=1e-6) + 100 * hs.Gaussian(noise_multiplier=4.0).poisson(0.1), 1e-4, "add")
def test_compositions_of_several_kinds_overlap(run, delta, direction):
    fft = run.epsilon_bounds(delta=delta, direction=direction, method="fft")
    epsilon = np.array([0.0, 0.3, 1.0]) * (fft.upper if math.isfinite(fft.upper) else 1.0)
    profile = run.log_delta_bounds(epsilon=np.unique(epsilon), direction=direction, method="fft")
    try:
        contour = run.epsilon_bounds(delta=delta, direction=direction, method="contour")
        curve = run.log_delta_bounds(epsilon=np.unique(epsilon), direction=direction, method="contour")
    except hs.AccuracyError:
        return  # neither noise nor densities nor a lattice
    assert contour.lower <= fft.upper
    assert fft.lower <= contour.upper
    assert (curve.lower <= profile.upper).all()
    assert (profile.lower <= curve.upper).all()
