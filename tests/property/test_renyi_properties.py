# SPDX-License-Identifier: Apache-2.0
"""What every Renyi curve and every conversion satisfies, at any setting."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import hockeystick as hs
from hockeystick import _core
from hockeystick.renyi import delta_from_renyi, epsilon_from_renyi
from hockeystick.renyi.curves import SubsampledGaussianCurve, TabulatedCurve

NOISE = st.floats(-3.0, 6.0).map(lambda x: 10.0**x)
RATE = st.one_of(st.floats(-12.0, 0.0).map(lambda x: 10.0**x), st.just(1.0), st.just(0.0))
EXCESS = st.floats(-9.0, 4.0).map(lambda x: 10.0**x)
# Of conversions: nearer to order 1 epsilon is in the millions, and rounding decides how tight the search can be.
USED_EXCESS = st.floats(-1.5, 3.0).map(lambda x: 10.0**x)
DIRECTION = st.sampled_from([0, 1])
DELTA = st.floats(-300.0, -0.01).map(lambda x: 10.0**x)
DIVERGENCE = st.floats(-6.0, 3.0).map(lambda x: 10.0**x)


def bounds(noise, rate, orders, direction):
    return _core.renyi_bounds(np.array([noise]), np.array([rate]), np.asarray(orders, dtype=float), direction)


@given(NOISE, RATE, st.lists(EXCESS, min_size=2, max_size=6, unique=True), DIRECTION)
def test_divergences_grow_and_their_moments_are_convex(noise, rate, excesses, direction):
    t = np.array([0.0, *sorted(excesses)])
    lower, upper = bounds(noise, rate, 1.0 + t, direction)
    assert (lower >= 0).all()
    assert (lower <= upper).all()
    assert not np.isnan(upper).any()
    assert (lower[:-1] <= upper[1:]).all()
    # (order - 1) D is convex with value 0 at order 1.
    for i in range(1, len(t) - 1):
        left, right = t[i] - t[i - 1], t[i + 1] - t[i]
        chord = (right * t[i - 1] * upper[i - 1] + left * t[i + 1] * upper[i + 1]) / (left + right)
        assert t[i] * lower[i] <= chord * (1 + 1e-12) + 1e-290
    assert (lower <= (1.0 + t) / (2.0 * noise) / noise * (1 + 1e-12)).all()


@given(NOISE, RATE, EXCESS)
def test_removing_is_at_least_as_bad_as_adding(noise, rate, excess):
    remove, add = (bounds(noise, rate, [1.0 + excess], direction) for direction in (0, 1))
    assert remove[1][0] >= add[0][0]


@given(NOISE, st.floats(0.01, 1.0), st.floats(0.0, 1.0), EXCESS)
def test_more_sampling_and_less_noise_are_worse(noise, rate, part, excess):
    _, upper = bounds(noise, rate, [1.0 + excess], 0)
    assert bounds(noise, rate * part, [1.0 + excess], 0)[0][0] <= upper[0]
    assert bounds(noise * (1.0 + part), rate, [1.0 + excess], 0)[0][0] <= upper[0]


@given(st.floats(0.3, 20.0), st.floats(0.001, 1.0), st.lists(EXCESS, min_size=1, max_size=5, unique=True), EXCESS)
def test_a_table_bounds_the_curve_it_was_made_of(noise, rate, excesses, excess):
    orders = tuple(1.0 + t for t in sorted(excesses))
    curve = SubsampledGaussianCurve(noise, rate)
    table = TabulatedCurve(orders, tuple(curve.bounds(np.array(orders), 0)[1]))
    at = np.array([1.0 + excess])
    assert table.bounds(at, 0)[1][0] >= curve.bounds(at, 0)[0][0]


@given(USED_EXCESS, DIVERGENCE, DELTA)
def test_conversions_are_ordered_and_invert_each_other(excess, rho, delta):
    order = 1.0 + excess
    found = [
        epsilon_from_renyi(orders=order, rdp=rho, delta=delta, conversion=name)
        for name in ("optimal", "improved", "classic")
    ]
    assert found[0].value <= found[1].value * (1 + 1e-9) + 1e-9
    assert found[1].value <= found[2].value * (1 + 1e-9) + 1e-9
    for answer in found:
        assert answer.value >= 0.0
        if answer.value < math.inf and answer.conversion != "total_variation":
            back = delta_from_renyi(orders=order, rdp=rho, epsilon=answer.value, conversion=answer.conversion)
            # Both are upper bounds of the same region, so that coming back cannot gain more than rounding.
            assert back.value <= delta * (1 + 1e-5 + 1e-9 * excess * (answer.value + rho)) + 5e-324


@given(USED_EXCESS, DIVERGENCE, DELTA, st.floats(1.0, 10.0))
def test_epsilon_falls_with_delta_and_grows_with_divergence(excess, rho, delta, factor):
    order = 1.0 + excess
    base = epsilon_from_renyi(orders=order, rdp=rho, delta=delta).value
    assert epsilon_from_renyi(orders=order, rdp=rho, delta=min(delta * factor, 1.0)).value <= base * (1 + 1e-7) + 1e-7
    assert epsilon_from_renyi(orders=order, rdp=rho * factor, delta=delta).value >= base * (1 - 1e-7) - 1e-7


@settings(max_examples=25)
@given(st.floats(0.5, 8.0), st.floats(1e-3, 0.3), st.integers(1, 2000), st.floats(-12.0, -2.0).map(lambda x: 10.0**x))
def test_renyi_is_above_the_exact_value(noise, rate, steps, delta):
    run = hs.dpsgd(noise_multiplier=noise, sampling_rate=rate, steps=steps)
    assert run.epsilon(delta=delta, method="rdp") >= run.epsilon_bounds(delta=delta).lower


@settings(max_examples=25)
@given(st.floats(0.0, 0.2), st.floats(1.0, 20.0), st.floats(-10.0, -2.0).map(lambda x: 10.0**x))
def test_mixed_currencies_hold_for_any_mechanism_behind_the_curve(rho, noise, delta):
    """The Gaussian of that rho is one of the mechanisms that zCDP stands for."""
    known = hs.Gaussian(noise_multiplier=noise)
    behind = [hs.Gaussian(noise_multiplier=1 / math.sqrt(2 * rho))] if rho > 0 else []
    truth = hs.compose([known, *behind]).epsilon(delta=delta)
    found = (known + hs.ZCDP(rho=rho)).epsilon_bounds(delta=delta)
    assert found.lower <= truth * (1 + 1e-12)
    assert truth * (1 - 1e-12) <= found.upper
