# SPDX-License-Identifier: Apache-2.0
"""What popular summaries of Gaussian differential privacy get wrong, each with the right number."""

import math

import numpy as np
import pytest
from scipy import special

import hockeystick as hs
from hockeystick import TradeoffCurve, fit_gdp

RUN = hs.dpsgd(noise_multiplier=0.6, sampling_rate=0.01, steps=100)


def test_five_per_cent_at_mu_2_5():
    """Claimed: TPR at most .196. That is the FNR, from below; the attack may succeed four times in five."""
    mechanism = hs.Gaussian(noise_multiplier=1 / 2.5)
    curve = mechanism.tradeoff(tolerance=1e-6)
    tpr = special.ndtr(2.5 - special.ndtri(0.95))
    assert f"{tpr:.5f} {1 - tpr:.5f}" == "0.80376 0.19624"
    assert tpr <= curve.tpr(0.05) <= tpr + 1e-5
    assert 1 - tpr - 1e-5 <= curve(0.05) <= 1 - tpr
    balanced = (curve.tpr(0.05) + 0.95) / 2
    assert balanced == pytest.approx(0.877, abs=5e-4)
    assert 1 - mechanism.bayes_error() == pytest.approx(special.ndtr(1.25), rel=1e-12)  # .894 over all thresholds


def test_a_grid_of_step_a_thousandth_certifies_nothing():
    """Claimed: mu is the greatest implied mu on alpha = .001, .002, ... Below the first point it may be anything."""
    alpha = np.arange(1, 1000) / 1000.0
    curve = RUN.tradeoff()
    beta = curve(alpha)
    on_the_grid = float(np.max(special.ndtri(1 - beta) - special.ndtri(alpha)))
    truth = RUN.gdp(fpr_floor=1e-10)
    assert f"{on_the_grid:.3f}" == "0.732"
    assert truth.mu_lower > 1.1068
    # The certified statement from those points alone: hardly any, since f may drop at once before the first.
    certified = fit_gdp(TradeoffCurve.from_points(fpr=alpha, fnr=beta, meaning="samples"), fpr_floor=1e-10)
    assert certified.mu > 3.0
    assert certified.mu_lower == pytest.approx(on_the_grid, rel=0.05)


@pytest.mark.parametrize(
    ("mechanism", "mu"),
    [(200 * hs.Gaussian(noise_multiplier=1.0), 14.142135623730951), (hs.Gaussian(noise_multiplier=0.02), 50.0)],
)
def test_mu_beyond_ten(mechanism, mu):
    """Claimed: search mu in [0, 10]. A clipped 10 is no guarantee; there is no search here."""
    fit = mechanism.gdp()
    assert fit.mu == pytest.approx(mu, rel=1e-14)
    assert fit.mu >= mu * (1 - 1e-15)


@pytest.mark.parametrize(("pure", "mu"), [(20.0, 11.76), (30.0, 14.7)])
def test_mu_of_a_large_pure_epsilon(pure, mu):
    high = 1 / (1 + math.exp(-pure))
    table = ([-pure, pure], [math.exp(-pure) * high, high], 0.0)
    fit = TradeoffCurve.from_pmfs(remove=table).gdp()
    closed = -2 * special.ndtri_exp(-pure - math.log1p(math.exp(-pure)))
    assert fit.mu == pytest.approx(closed, rel=1e-11)
    assert fit.mu == pytest.approx(mu, abs=0.05)


def test_one_direction_is_not_enough():
    """Claimed: one direction will do, by symmetry. Of DP-SGD's two the smaller promises a quarter too much."""
    run = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
    assert run.epsilon(delta=1e-6, direction="add") == pytest.approx(1.59, abs=5e-3)
    assert run.epsilon(delta=1e-6) == pytest.approx(2.1245, abs=1e-4)
    epsilon = np.linspace(0.0, 3.0, 301)
    bounds = run.log_delta_bounds(epsilon=epsilon, direction="add")
    one = TradeoffCurve.from_profile(epsilon=epsilon, log_delta_upper=bounds.upper, log_delta_lower=bounds.lower)
    both = run.tradeoff()
    assert one(1e-4) > both.upper(1e-4) + 1e-5  # not a lower bound of f
    assert one.gdp(fpr_floor=1e-6).mu < 0.41 < 0.4739 < run.gdp(fpr_floor=1e-6).mu_lower + 1e-3  # noqa: PLR0133


def test_a_residual_makes_mu_infinite():
    """Claimed (as a published tool does): the mu of (1, 1e-5)-DP is 1.232. Without a floor there is none."""
    log_start = math.log(1e-5 + (1 - 1e-5) * math.tanh(0.5))
    curve = TradeoffCurve.from_profile(epsilon=[0.0, 1.0], log_delta_upper=[log_start, math.log(1e-5)])
    assert curve.gdp().literal == math.inf
    assert curve.gdp(fpr_floor=1e-3).mu < curve.gdp(fpr_floor=1e-10).mu < math.inf


def test_mu_depends_on_its_floor_and_so_does_the_regret():
    """Claimed: mu belongs to the mechanism. It belongs to the mechanism and the floor."""
    table = RUN.gdp_table(fpr_floors=(1e-3, 1e-6, 1e-8, 1e-10, 1e-12))
    assert [f"{fit.mu:.3f}" for fit in table.fits] == ["0.613", "0.879", "1.002", "1.107", "1.201"]
    regrets = [fit.regret_lower for fit in table.fits]
    assert regrets == sorted(regrets)
    assert all(later.regret_lower > earlier.regret for earlier, later in zip(table.fits, table.fits[1:], strict=False))
    assert RUN.gdp().literal == pytest.approx(10 / 0.6, rel=1e-12)  # no amplification at all
    text = str(table)
    assert text.count("\n") == 5
    assert "1.1070" in text  # rounded up: to nearest, 1.1069 would not be a bound
    assert [row["fpr_floor"] for row in table.to_dict()] == [1e-3, 1e-6, 1e-8, 1e-10, 1e-12]


def test_regret_is_not_the_delta_divergence():
    """Two measures go by one name: the vertical gap is at least twice the other."""
    fit = RUN.gdp()
    assert fit.regret_lower >= 2 * fit.delta_divergence_lower - 1e-4
    assert fit.delta_divergence <= fit.regret / 2 + 1e-12


def test_rule_in_words():
    close = hs.dpsgd(noise_multiplier=9.4, sampling_rate=0.328, steps=2000).gdp()
    assert close.may_stand_for_curve
    assert close.rule.startswith("mu = 1.5685 may stand for the curve for false-positive rates of at least 1e-10")
    far = RUN.gdp()
    assert not far.may_stand_for_curve
    assert "should not stand for the curve" in far.rule
    between = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000).gdp(fpr_floor=1e-3)
    assert between.delta_divergence < 0.01 < between.regret
    assert "By the delta-divergence, 0.0074, that other work goes by, it would pass." in between.rule
    assert "No finite mu" in fit_gdp(TradeoffCurve.from_profile(epsilon=[0.0], log_delta_upper=[0.0])).rule
