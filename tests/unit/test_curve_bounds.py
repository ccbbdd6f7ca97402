# SPDX-License-Identifier: Apache-2.0
"""A million random rates from 1e-300 to 1: the lower curve never above the truth, the upper never below, both shaped."""

import math

import numpy as np
import pytest
from scipy import special

import hockeystick as hs
from hockeystick import TradeoffCurve

NUMBER = 1_000_000
LOG_ALPHA = np.sort(
    np.concatenate(
        [
            np.random.default_rng(1).uniform(math.log(1e-300), 0.0, NUMBER // 2),
            np.log(np.random.default_rng(2).random(NUMBER // 2)),
        ]
    )
)
# What the references themselves are off by, relative to the log.
DIGITS = 2e-13


def gaussian(mu):
    """log f and log TPR by scipy's log-domain pair."""
    quantile = special.ndtri_exp(LOG_ALPHA)
    curve = TradeoffCurve.gaussian(mu=mu, fpr_floor=1e-300, tolerance=1e-2)
    return curve, special.log_ndtr(-quantile - mu), special.log_ndtr(quantile + mu)


def laplace(scale):
    """f = 1 - e^S a, e^-S / (4 a), e^-S (1 - a), from the profile 1 - e^{(eps - S) / 2}; delta(S) is 0."""
    s = 1.0 / scale
    epsilon = s * np.linspace(0.0, 1.0, 400) ** 0.5
    with np.errstate(divide="ignore"):
        log_delta = np.log(-np.expm1((epsilon - s) / 2.0))
    spread = 1e-14 * (1.0 + np.abs(np.where(np.isinf(log_delta), 0.0, log_delta)))
    curve = TradeoffCurve.from_profile(
        epsilon=epsilon, log_delta_upper=np.minimum(log_delta + spread, 0.0), log_delta_lower=log_delta - spread
    )
    low, high = -s - math.log(2.0) >= LOG_ALPHA, -math.log(2.0) <= LOG_ALPHA
    rest = np.log(-np.expm1(LOG_ALPHA))
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        log_beta = np.where(
            low, np.log1p(-np.exp(s + LOG_ALPHA)), np.where(high, rest - s, -s - LOG_ALPHA - math.log(4))
        )
        log_tpr = np.where(low, s + LOG_ALPHA, np.log1p(-np.exp(log_beta)))
    return curve, log_beta, log_tpr


def response(epsilon):
    """f = max(1 - e^eps a, e^-eps (1 - a)), from the two points of its profile."""
    log_start = math.log(math.tanh(epsilon / 2.0))
    curve = TradeoffCurve.from_profile(
        epsilon=[0.0, epsilon],
        log_delta_upper=[log_start * (1 - 4e-16), -math.inf],
        log_delta_lower=[log_start * (1 + 4e-16), -math.inf],
        relation="replace",
    )
    steep = -epsilon - math.log1p(math.exp(-epsilon)) > LOG_ALPHA
    rest = np.log(-np.expm1(LOG_ALPHA))
    with np.errstate(invalid="ignore", divide="ignore"):
        log_beta = np.where(steep, np.log1p(-np.exp(np.minimum(0.0, epsilon + LOG_ALPHA))), rest - epsilon)
        log_tpr = np.where(steep, epsilon + LOG_ALPHA, np.log1p(-np.exp(log_beta)))
    return curve, log_beta, log_tpr


CASES = {
    "gaussian 0.3": lambda: gaussian(0.3),
    "gaussian 2.5": lambda: gaussian(2.5),
    "laplace 1": lambda: laplace(1.0),
    "laplace 0.2": lambda: laplace(0.2),
    "response 0.4": lambda: response(0.4),
    "response 3": lambda: response(3.0),
}


@pytest.mark.parametrize("name", CASES)
def test_a_million_rates(name):
    curve, log_beta, log_tpr = CASES[name]()
    slack_beta, slack_tpr = DIGITS * (1.0 + np.abs(log_beta)), DIGITS * (1.0 + np.abs(log_tpr))
    lower, upper = curve.log_fnr(log_fpr=LOG_ALPHA), curve.log_fnr_upper(log_fpr=LOG_ALPHA)
    assert (lower <= log_beta + slack_beta).all()
    assert (upper >= log_beta - slack_beta).all()
    tpr_upper, tpr_lower = curve.log_tpr(log_fpr=LOG_ALPHA), curve.log_tpr_lower(log_fpr=LOG_ALPHA)
    assert (tpr_upper >= log_tpr - slack_tpr).all()
    assert (tpr_lower <= log_tpr + slack_tpr).all()
    # Not by being loose: within a tenth of the log rates everywhere, and close where rates are ordinary.
    assert np.nanmax((tpr_upper - log_tpr) / (1.0 + np.abs(log_tpr))) < 0.1
    ordinary = LOG_ALPHA > -20.0
    assert np.max(np.exp(log_beta[ordinary]) - np.exp(lower[ordinary])) < 2e-2


@pytest.mark.parametrize("name", CASES)
def test_shape(name):
    curve, *_ = CASES[name]()
    alpha = np.unique(np.exp(LOG_ALPHA[::200]))
    beta = curve(alpha)
    assert (np.diff(beta) <= 1e-14).all()
    assert (beta <= 1.0 - alpha + 1e-15).all()
    thinned = alpha[np.concatenate([[True], np.diff(alpha) > 1e-4])]
    slopes = np.diff(curve(thinned)) / np.diff(thinned)
    assert (np.diff(slopes) >= -1e-9).all()
    back = curve(beta)  # f is its own inverse, up to what a flat end leaves open
    inner = (beta > 1e-9) & (beta < 1.0 - 1e-9)
    np.testing.assert_allclose(back[inner], alpha[inner], rtol=1e-6, atol=1e-9)


def test_both_engines_bracket_each_other():
    run = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
    by_contour = run.tradeoff(method="contour", fpr_floor=1e-9)
    by_fft = run.tradeoff(method="fft", fpr_floor=1e-9)
    alpha = np.exp(LOG_ALPHA[math.log(1e-9) < LOG_ALPHA][::5])
    assert (by_contour(alpha) <= by_fft.upper(alpha)).all()
    assert (by_fft(alpha) <= by_contour.upper(alpha)).all()
    assert np.max(by_contour(alpha) - by_fft(alpha)) < 1e-3
