# SPDX-License-Identifier: Apache-2.0
"""What every composition engine must satisfy, over random settings."""

import math
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import hockeystick as hs

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[1] / "reference")]

import rule_line_float as witness
import slow_reference


def log_uniform(low, high):
    return st.floats(math.log(low), math.log(high)).map(math.exp)


noise_multipliers = log_uniform(0.8, 20.0)
sampling_rates = log_uniform(5e-3, 1.0)
deltas = log_uniform(1e-15, 1e-3)
directions = st.sampled_from(["remove", "add"])


@st.composite
def draw_runs(draw):
    """Runs in which a record is expected in five batches or more: elsewhere rare jumps make the lattice long."""
    noise_multiplier, sampling_rate = draw(noise_multipliers), draw(sampling_rates)
    steps = draw(log_uniform(5 / sampling_rate, 50 / sampling_rate).map(round))
    return hs.dpsgd(noise_multiplier=noise_multiplier, sampling_rate=sampling_rate, steps=steps)


runs = draw_runs()
few = settings(max_examples=12)


@few
@given(runs, directions)
def test_profile_is_ordered_decreasing_and_convex(run, direction):
    """As far as brackets can tell: no certified lower side above what monotony and convexity in e^eps allow."""
    x = np.linspace(1.0, 3.0, 21)
    bounds = run.delta_bounds(epsilon=np.log(x), direction=direction, method="fft")
    assert (bounds.lower >= 0).all()
    assert (bounds.lower <= bounds.upper).all()
    assert (bounds.upper <= 1).all()
    assert (bounds.lower[1:] <= bounds.upper[:-1]).all()
    chords = (bounds.upper[:-2] + bounds.upper[2:]) / 2
    assert (bounds.lower[1:-1] <= chords * (1 + 1e-14)).all()


@few
@given(runs, deltas)
def test_epsilon_brackets_are_ordered_and_decrease_with_delta(run, delta):
    bounds = run.epsilon_bounds(delta=np.array([delta, 3 * delta, 10 * delta]), method="fft")
    assert (bounds.lower >= 0).all()
    assert (bounds.lower <= bounds.upper).all()
    assert (bounds.lower[1:] <= bounds.upper[:-1]).all()


@few
@given(runs, deltas, directions)
def test_epsilon_and_delta_are_inverse(run, delta, direction):
    """delta(eps_upper) <= delta <= delta(eps_lower), as far as the second bracket can tell."""
    bounds = run.epsilon_bounds(delta=delta, direction=direction, method="fft")
    assume(math.isfinite(bounds.upper))
    back = run.log_delta_bounds(epsilon=np.array([bounds.lower, bounds.upper]), direction=direction, method="fft")
    assert back.lower[1] <= math.log(delta) * (1 - 1e-15)
    if bounds.lower > 0:
        assert back.upper[0] >= math.log(delta) * (1 + 1e-15)


@few
@given(
    st.lists(st.tuples(noise_multipliers, sampling_rates, st.integers(200, 600)), min_size=2, max_size=4),
    deltas,
    st.randoms(use_true_random=False),
)
def test_composition_commutes(settings_list, delta, random):
    """Any order and any grouping is the same mechanism: the brackets share a point."""

    def build(rows):
        return hs.compose(n * hs.Gaussian(noise_multiplier=s).poisson(q) for s, q, n in rows)

    shuffled = list(settings_list)
    random.shuffle(shuffled)
    one = build(settings_list).epsilon_bounds(delta=delta, method="fft")
    other = (build(shuffled[:1]) + build(shuffled[1:])).epsilon_bounds(delta=delta, method="fft")
    assert max(one.lower, other.lower) <= min(one.upper, other.upper)


@few
@given(noise_multipliers, st.integers(1, 2000), deltas, directions, st.sampled_from(["auto", "fft"]))
def test_plain_gaussians_agree_with_the_closed_form(noise_multiplier, count, delta, direction, method):
    run = count * hs.Gaussian(noise_multiplier=noise_multiplier)
    closed = run.epsilon_bounds(delta=delta, method="closed_form")
    bounds = run.epsilon_bounds(delta=delta, direction=direction, method=method)
    assert bounds.lower <= closed.upper
    assert closed.lower <= bounds.upper
    exact = run.log_delta_bounds(epsilon=closed.upper, method="closed_form")
    engine = run.log_delta_bounds(epsilon=closed.upper, direction=direction, method=method)
    assert engine.lower <= exact.upper
    assert exact.lower <= engine.upper


@few
@given(noise_multipliers, sampling_rates, deltas, directions)
def test_one_release_agrees_with_the_closed_form(noise_multiplier, sampling_rate, delta, direction):
    run = hs.Gaussian(noise_multiplier=noise_multiplier).poisson(sampling_rate)
    closed = run.epsilon_bounds(delta=delta, direction=direction, method="closed_form")
    bounds = run.epsilon_bounds(delta=delta, direction=direction, method="fft")
    assert bounds.lower <= closed.upper
    assert closed.lower <= bounds.upper


@few
@given(runs, deltas)
def test_two_tolerances_overlap(run, delta):
    loose = run.epsilon_bounds(delta=delta, method="fft")
    try:
        tight = run.epsilon_bounds(delta=delta, method="fft", tolerance=1e-5)
    except hs.AccuracyError:
        assume(False)
    assert max(loose.lower, tight.lower) <= min(loose.upper, tight.upper)
    assert tight.upper - tight.lower <= 1e-5 * tight.upper


@few
@given(runs, deltas, directions)
def test_both_engines_overlap(run, delta, direction):
    fft = run.epsilon_bounds(delta=delta, direction=direction, method="fft")
    try:
        contour = run.epsilon_bounds(delta=delta, direction=direction, method="contour")
    except hs.AccuracyError:  # settings that this engine does not serve
        assume(False)
    assert max(fft.lower, contour.lower) <= min(fft.upper, contour.upper)


@few
@given(runs, st.lists(deltas, min_size=1, max_size=4), st.sampled_from(["auto", "fft"]))
def test_arrays_are_scalars_side_by_side(run, several, method):
    together = run.epsilon_bounds(delta=np.array(several), method=method)
    for index, delta in enumerate(several):
        alone = run.epsilon_bounds(delta=delta, method=method)
        assert isinstance(alone.upper, float)
        assert (alone.lower, alone.upper) == (together.lower[index], together.upper[index])


@few
@given(runs, st.lists(st.floats(0.0, 5.0), min_size=1, max_size=4), st.sampled_from(["auto", "fft"]))
def test_delta_arrays_agree_with_scalars(run, several, method):
    """Grids may differ with the points asked for: the brackets share a point, in the order and shape asked for."""
    shaped = np.array([several, several[::-1]])
    together = run.delta_bounds(epsilon=shaped, method=method)
    assert together.upper.shape == shaped.shape
    for index, epsilon in enumerate(several):
        alone = run.delta_bounds(epsilon=epsilon, method=method)
        assert max(alone.lower, together.lower[0, index]) <= min(alone.upper, together.upper[0, index])
        assert together.upper[0, index] == together.upper[1, len(several) - 1 - index]


@few
@given(noise_multipliers, sampling_rates, st.integers(500, 5000), deltas)
def test_more_steps_less_noise_or_more_sampling_never_help(noise_multiplier, sampling_rate, steps, delta):
    def bracket(s, q, n):
        return hs.dpsgd(noise_multiplier=s, sampling_rate=q, steps=n).epsilon_bounds(delta=delta, method="fft")

    base = bracket(noise_multiplier, sampling_rate, steps)
    for worse in (
        bracket(noise_multiplier, sampling_rate, steps + 1),
        bracket(noise_multiplier * 0.99, sampling_rate, steps),
        bracket(noise_multiplier, min(1.0, sampling_rate * 1.01), steps),
    ):
        assert base.lower <= worse.upper


@few
@given(log_uniform(0.5, 10), log_uniform(0.01, 0.9), st.integers(50, 3000), deltas, directions)
def test_witness_lies_inside(noise_multiplier, sampling_rate, steps, delta, direction):
    """Against an independent quadrature in double precision, good to some 1e-9."""
    assume(steps * sampling_rate >= 5)  # below, the witness converges too slowly to serve
    run = hs.dpsgd(noise_multiplier=noise_multiplier, sampling_rate=sampling_rate, steps=steps)
    bounds = run.epsilon_bounds(delta=delta, direction=direction, method="fft")
    try:
        found = witness.epsilon([witness.Step(noise_multiplier, sampling_rate, steps)], direction, delta)
    except (ArithmeticError, ValueError):
        assume(False)
    assert bounds.lower <= found + 1e-8 * (1 + found)
    assert found - 1e-8 * (1 + found) <= bounds.upper


@few
@given(
    st.lists(st.tuples(log_uniform(1, 5), log_uniform(0.2, 1)), min_size=2, max_size=4),
    st.floats(0.0, 3.0),
    directions,
    st.sampled_from(["auto", "fft"]),
)
def test_slow_reference_brackets_the_same_truth(rows, epsilon, direction, method):
    run = hs.compose(hs.Gaussian(noise_multiplier=s).poisson(q) for s, q in rows)
    bounds = run.delta_bounds(epsilon=epsilon, direction=direction, method=method)
    lower, upper = slow_reference.delta_bracket(rows, direction, epsilon, 2e-3)
    assert bounds.lower <= upper + 1e-12
    assert lower - 1e-12 <= bounds.upper
    # Not vacuous: Connect-the-Dots at this step is near the truth.
    assert bounds.upper == pytest.approx(upper, rel=2e-2, abs=1e-5)
