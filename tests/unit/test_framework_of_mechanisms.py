# SPDX-License-Identifier: Apache-2.0
"""Curve, mu, regret and risks of mechanisms other than Gaussians, against closed forms and published values."""

import math

import numpy as np
import pytest
from scipy import special

import hockeystick as hs

ALPHA = np.concatenate([np.logspace(-12, -1, 60), np.linspace(0.1, 1.0, 91)])


def test_response_of_two_values():
    """Two values, the true one with probability .6: the table of a published tool, and what it got wrong."""
    response = hs.RandomizedResponse(noise_probability=0.8)
    curve = response.tradeoff()
    for alpha, beta in [(0.05, 0.925), (0.1, 0.85), (0.2, 0.70), (0.5, 1 / 3), (0.9, 1 / 15)]:
        assert curve(alpha) == pytest.approx(beta, rel=1e-12)
        assert curve(alpha) <= beta <= curve.upper(alpha)
    fit = response.gdp()
    closed = -2 * special.ndtri(0.4)
    assert closed * (1 - 1e-14) <= fit.mu <= closed * (1 + 1e-12)
    assert f"{fit.mu:.4f} {fit.delta_divergence:.4f}" == "0.5067 0.0293"
    assert fit.literal == pytest.approx(closed, rel=1e-12)
    assert curve.relation == "replace"


@pytest.mark.parametrize(
    ("epsilon", "printed"), [(0.1, 0.125), (0.5, 0.624), (1.0, 1.232), (2.0, 2.358), (4.0, 4.195), (8.0, 6.803)]
)
def test_pure_epsilon(epsilon, printed):
    fit = hs.PureDP(epsilon=epsilon).gdp()
    closed = -2 * special.ndtri_exp(-math.log1p(math.exp(epsilon)))
    assert closed * (1 - 1e-14) <= fit.mu <= closed * (1 + 1e-12)
    assert closed * (1 - 1e-9) <= fit.mu_lower <= closed * (1 + 1e-14)
    assert fit.mu == pytest.approx(printed, abs=6e-4)
    assert fit.fpr_at_mu == pytest.approx(1 / (1 + math.exp(epsilon)), rel=1e-10)
    assert fit.literal == fit.mu  # finite without a floor: the loss is bounded and nothing is at infinity


@pytest.mark.parametrize("noise", [0.2, 1.0, 5.0])
def test_laplace(noise):
    """f = 1 - e^S a, e^-S / (4 a), e^-S (1 - a); mu is decided on the diagonal, f = e^{-S/2} / 2."""
    s = 1.0 / noise
    truth = np.where(
        math.exp(-s) / 2 >= ALPHA,
        1 - math.exp(s) * ALPHA,
        np.where(ALPHA >= 0.5, math.exp(-s) * (1 - ALPHA), math.exp(-s) / (4 * ALPHA)),
    )
    curve = hs.Laplace(noise_multiplier=noise).tradeoff()
    assert (curve(ALPHA) <= truth * (1 + 1e-12)).all()
    assert (curve.upper(ALPHA) >= truth * (1 - 1e-12)).all()
    np.testing.assert_allclose(curve(ALPHA), truth, rtol=1e-3, atol=1e-12)
    fit = hs.Laplace(noise_multiplier=noise).gdp()
    closed = -2 * special.ndtri(math.exp(-s / 2) / 2)
    assert closed * (1 - 1e-13) <= fit.mu <= closed * (1 + 1e-6)
    assert closed * (1 - 1e-5) <= fit.mu_lower <= closed * (1 + 1e-13)


def test_approximate_dp():
    """Published: mu 1.232. That is the mu with delta set apart; with a floor it is larger, without one infinite."""
    fit = hs.ApproximateDP(epsilon=1.0, delta=1e-5).gdp(delta0=1e-5 * (1 + 1e-12))
    assert fit.literal == math.inf
    assert fit.mu > 1.3
    assert fit.mu_delta0 == pytest.approx(1.2320353853, rel=1e-6)


def test_zcdp_is_not_its_root():
    """sqrt(2 rho) = 1 is no bound: some mechanism of rho = .5 has a larger mu."""
    fit = hs.ZCDP(rho=0.5).gdp()
    assert 1.283 <= fit.mu <= 1.29
    assert fit.mu_lower == 0.0  # a Renyi curve says nothing from below


def test_gaussian_by_its_number():
    fit = hs.GaussianDP(mu=0.7).gdp()
    assert fit.mu == pytest.approx(0.7, rel=1e-14)
    assert fit.mu_lower <= 0.7 <= fit.mu


def test_compositions_and_order():
    twenty = 20 * hs.Laplace(noise_multiplier=10.0)
    fit = twenty.gdp()
    assert fit.mu_lower > 0.4 * (1 + 1e-3)  # above the limit sqrt(20) / 10 / sqrt(...) of small losses
    assert fit.mu - fit.mu_lower < 1e-3 * fit.mu
    order = hs.compare({"pure 1": hs.PureDP(epsilon=1.0), "laplace 1": hs.Laplace(noise_multiplier=1.0)}).orderings[0]
    assert order.verdict == "weaker"  # every 1-DP mechanism is at least as private as the worst one


def test_nothing_and_everything():
    assert hs.NonPrivate().gdp().mu == math.inf
    assert hs.NonPrivate().advantage() == 1.0
    nothing = (0 * hs.Gaussian(noise_multiplier=1.0)).gdp()
    assert (nothing.mu, nothing.regret) == (0.0, 0.0)
    assert hs.Gaussian(noise_multiplier=0.0).tpr(0.01) == 1.0


@pytest.mark.parametrize(
    ("noise_multiplier", "sampling_rate", "steps"),
    [(1e-3, 0.5, 10), (1.0, 0.01, 10**9), (3.0, 1e-4, 1000)],  # others of the kind answer too, in seconds
)
def test_extreme_runs_answer(noise_multiplier, sampling_rate, steps):
    """At whatever size: a certified mu, at most the one without amplification, and a curve of two sides."""
    run = hs.dpsgd(noise_multiplier=noise_multiplier, sampling_rate=sampling_rate, steps=steps)
    fit = run.gdp()
    assert 0.0 <= fit.mu_lower <= fit.mu <= math.sqrt(steps) / noise_multiplier * (1 + 1e-12)
    assert 0.0 <= fit.regret_lower <= fit.regret <= 1.0
    curve = run.tradeoff(fpr_floor=1e-9)
    assert (curve(ALPHA) <= curve.upper(ALPHA)).all()


def test_tiny_total_variation_is_tight():
    """Rare sampling and much noise: mu .0011, where a table once gave .77."""
    fit = hs.dpsgd(noise_multiplier=3.0, sampling_rate=1e-4, steps=1000).gdp()
    assert fit.mu == pytest.approx(0.00112390, rel=1e-4)
    assert fit.mu - fit.mu_lower <= 1e-4 * fit.mu
