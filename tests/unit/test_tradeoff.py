# SPDX-License-Identifier: Apache-2.0
"""TradeoffCurve: values of closed forms, both sides, extremes, input contract."""

import math
import pickle

import numpy as np
import pytest
from closed_profiles import gaussian_curve, gaussian_f, greatest_line, response_curve, sampled_curve
from scipy import special

from hockeystick.tradeoff import TradeoffCurve


def test_response_table():
    """Two values, the true one with probability 0.6."""
    curve = response_curve(math.log(1.5))
    for alpha, beta in [(0.05, 0.925), (0.1, 0.85), (0.2, 0.7), (0.5, 1 / 3), (0.9, 1 / 15)]:
        assert curve(alpha) == pytest.approx(beta, rel=1e-12)
        assert curve.upper(alpha) == pytest.approx(beta, rel=1e-12)
        assert curve(alpha) <= beta <= curve.upper(alpha)
    assert curve.advantage() == pytest.approx(0.2, rel=1e-12)
    assert curve.advantage() >= 0.2
    assert curve.relation == "replace"


@pytest.mark.parametrize("mu", [1e-6, 1e-3, 0.3, 1.0, 2.5, 8.0])
def test_gaussian_is_bracketed(mu):
    curve = gaussian_curve(mu)
    alpha = np.concatenate([np.logspace(-12, -0.01, 400), 1.0 - np.logspace(-10, -2, 50)])
    truth = gaussian_f(alpha, mu)
    assert (curve(alpha) <= truth * (1 + 1e-12) + 1e-15).all()
    assert (curve.upper(alpha) >= truth * (1 - 1e-12) - 1e-15).all()
    assert (curve.upper(alpha) - curve(alpha) < 1e-4).all()
    assert curve.advantage() == pytest.approx(math.erf(mu / 2 / math.sqrt(2)), rel=1e-12)


def test_false_positive_rate_of_five_per_cent_at_mu_2_5():
    """The false-negative rate is at least .19624 there, so the true-positive rate at most .80376: not the other way."""
    curve = gaussian_curve(2.5, points=4000)
    assert 0.1962 < curve(0.05) <= 0.19625
    assert 0.80375 < curve.tpr(0.05) < 0.8038


def test_small_rates_keep_their_digits():
    curve = gaussian_curve(1.0, points=4000, log_delta_end=-720.0)
    log_alpha = np.array([-690.0, -460.5, -230.0, -50.0])
    # log TPR = log Phi(mu + Phi^{-1}(alpha)), by scipy's log-domain pair.
    truth = special.log_ndtr(1.0 + special.ndtri_exp(log_alpha))
    found = curve.log_tpr(log_fpr=log_alpha)
    assert (found >= truth * (1 + 1e-12)).all()
    np.testing.assert_allclose(found, truth, atol=5e-3)
    assert curve.log_fnr(log_fpr=-460.5) == pytest.approx(-math.exp(truth[1]), rel=1e-2)
    assert curve.log_fnr(log_fpr=-460.5) <= curve.log_fnr_upper(log_fpr=-460.5) <= 0.0
    assert curve(1e-200) == pytest.approx(1.0, abs=1e-15)
    assert curve.tpr(1e-200) == pytest.approx(
        math.exp(special.log_ndtr(1.0 + special.ndtri_exp(math.log(1e-200)))), rel=5e-3
    )


def test_tiny_false_negative_rates():
    curve = gaussian_curve(30.0, points=4000)
    assert curve(0.5) == pytest.approx(gaussian_f(0.5, 30.0), rel=1e-3)
    assert 0.0 < curve(0.5) <= gaussian_f(0.5, 30.0)


def test_against_all_lines():
    curve = sampled_curve(0.7, 0.05, points=60)
    for alpha in np.linspace(0.0, 1.0, 101):
        assert curve(alpha) <= greatest_line(curve, alpha) + 1e-15
        assert curve(alpha) == pytest.approx(greatest_line(curve, alpha), abs=1e-13)


def test_ends_and_inverse():
    curve = gaussian_curve(1.0)
    assert curve(1.0) == 0.0
    assert curve(0.0) == pytest.approx(1.0, abs=1e-12)
    assert curve.upper(1.0) == 0.0
    assert curve.upper(0.0) == 1.0
    assert curve.tpr(1.0) == 1.0
    for alpha in (0.01, 0.2, 0.4, 0.7):
        assert curve.inverse(curve(alpha)) == pytest.approx(alpha, rel=1e-9)


def test_breakpoints_are_ordered_and_below():
    log_alpha, log_beta = gaussian_curve(1.0).breakpoints
    assert (np.diff(log_alpha) > 0).all()
    assert (np.diff(log_beta) < 0).all()
    assert (np.exp(log_beta) <= gaussian_f(np.exp(log_alpha), 1.0) + 1e-14).all()


def test_without_lower_points_nothing_is_known_from_above():
    curve = TradeoffCurve.from_profile(epsilon=[0.0, 1.0], log_delta_upper=[-1.0, -20.0])
    assert curve.upper(0.3) == pytest.approx(0.7, rel=1e-12)


def test_kinds_and_shapes():
    curve = gaussian_curve(1.0, points=50)
    assert type(curve(0.1)) is float
    assert type(curve(1)) is float
    assert curve(np.full((2, 3), 0.1)).shape == (2, 3)
    assert curve([0.1, 0.2]).shape == (2,)
    assert type(curve.log_fnr(log_fpr=-1.0)) is float
    assert curve.log_tpr(log_fpr=[[-1.0], [-2.0]]).shape == (2, 1)


def test_frozen():
    curve = gaussian_curve(1.0, points=50)
    with pytest.raises(AttributeError):
        curve.relation = "replace"
    with pytest.raises(ValueError, match="read-only"):
        curve.profile.epsilon[0] = 1.0
    again = pickle.loads(pickle.dumps(curve))
    assert again(0.2) == curve(0.2)


def test_inputs_are_not_frozen_or_kept():
    epsilon = np.array([0.0, 1.0])
    curve = TradeoffCurve.from_profile(epsilon=epsilon, log_delta_upper=np.array([-1.0, -2.0]))
    before = curve(0.2)
    epsilon[1] = 0.5
    assert curve(0.2) == before


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda c: c(1.5), ValueError, r"alpha must be in \[0, 1\], got 1.5"),
        (lambda c: c(-0.1), ValueError, r"alpha must be in \[0, 1\], got -0.1"),
        (lambda c: c(math.nan), ValueError, "alpha must not hold nan"),
        (lambda c: c("a"), TypeError, "alpha must be a real number"),
        (lambda c: c(True), TypeError, "alpha must be a real number"),
        (lambda c: c([]), ValueError, "alpha must not be empty"),
        (lambda c: c.inverse(2), ValueError, r"beta must be in \[0, 1\]"),
        (lambda c: c.upper(2), ValueError, r"alpha must be in \[0, 1\]"),
        (lambda c: c.log_fnr(log_fpr=0.5), ValueError, "log_fpr must be at most 0, got 0.5"),
        (lambda c: c.log_tpr(log_fpr=math.nan), ValueError, "log_fpr must not hold nan"),
    ],
)
def test_refuses(call, error, message):
    with pytest.raises(error, match=message):
        call(response_curve(1.0))


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"epsilon": [0.5, 1.0]}, ValueError, "epsilon must begin at 0"),
        ({"epsilon": [0.0, 0.0]}, ValueError, "epsilon must be finite and increase"),
        ({"epsilon": [0.0, math.inf]}, ValueError, "epsilon must be finite and increase"),
        ({"epsilon": [0.0]}, ValueError, "same number of points"),
        ({"epsilon": [[0.0, 1.0]]}, ValueError, "epsilon must be one-dimensional"),
        ({"log_delta_upper": [0.5, -1.0]}, ValueError, "log_delta must satisfy lower <= upper <= 0"),
        ({"log_delta_lower": [-0.5, -1.0]}, ValueError, "log_delta must satisfy lower <= upper <= 0"),
        ({"log_delta_upper": [math.nan, -1.0]}, ValueError, "log_delta_upper must not hold nan"),
        ({"epsilon": "0"}, TypeError, "epsilon must be a real number"),
        ({"relation": "swap"}, ValueError, "relation must be one of"),
    ],
)
def test_refuses_profiles(changes, error, message):
    arguments = {"epsilon": [0.0, 1.0], "log_delta_upper": [-1.0, -2.0], "log_delta_lower": [-1.0, -2.0]}
    with pytest.raises(error, match=message):
        TradeoffCurve.from_profile(**(arguments | changes))
