# SPDX-License-Identifier: Apache-2.0
"""Conversions against their formulas and each other, and the rest that an accountant in Renyi terms answers."""

import math

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.renyi import (
    advanced_composition,
    basic_composition,
    clt_epsilon_estimate,
    clt_mu_estimate,
    delta_from_renyi,
    epsilon_from_renyi,
    total_variation_upper,
    zcdp_delta,
    zcdp_epsilon,
    zcdp_epsilon_closed,
)
from hockeystick.renyi.answers import ledger_profile
from hockeystick.renyi.mixed import dominating_law


@pytest.mark.parametrize("order", [1.01, 2.0, 30.0])
@pytest.mark.parametrize("rho", [0.01, 1.0, 40.0])
@pytest.mark.parametrize("delta", [1e-3, 1e-10, 1e-300])
def test_formulas(order, rho, delta):
    classic = epsilon_from_renyi(orders=order, rdp=rho, delta=delta, conversion="classic")
    improved = epsilon_from_renyi(orders=order, rdp=rho, delta=delta, conversion="improved")
    optimal = epsilon_from_renyi(orders=order, rdp=rho, delta=delta)
    assert classic.value == pytest.approx(rho - math.log(delta) / (order - 1), rel=1e-13)
    wanted = rho + math.log1p(-1 / order) - (math.log(delta) + math.log(order)) / (order - 1)
    assert improved.value == pytest.approx(max(wanted, 0.0), rel=1e-12, abs=1e-12)
    assert optimal.value <= improved.value * (1 + 1e-12) <= classic.value * (1 + 1e-11)
    for answer in (classic, improved, optimal):
        assert (answer.order, answer.conversion) in {(order, "classic"), (order, "improved"), (order, "optimal")}
        conversion = answer.conversion
        back = delta_from_renyi(orders=order, rdp=rho, epsilon=answer.value, conversion=conversion)
        assert back.value == pytest.approx(min(delta, total_variation_upper(rho)), rel=1e-9)


def test_optimal_is_attained_by_two_outcomes():
    """At delta and the epsilon found, some pair of biased coins has that delta and the divergence allowed."""
    order, rho, delta = 3.0, 0.4, 0.05
    epsilon = epsilon_from_renyi(orders=order, rdp=rho, delta=delta).value
    p = np.linspace(delta + 1e-7, 1.0 - 1e-7, 400_001)
    r = (p - delta) * math.exp(-epsilon)

    def divergence(a, b):
        return np.log(a**order * b ** (1 - order) + (1 - a) ** order * (1 - b) ** (1 - order)) / (order - 1)

    assert np.maximum(divergence(p, r), divergence(r, p)).min() == pytest.approx(rho, rel=1e-6)


def test_total_variation():
    assert total_variation_upper(0.02) == pytest.approx(math.sqrt(1 - math.exp(-0.02)), rel=1e-15)
    assert total_variation_upper(math.inf) == 1.0
    assert total_variation_upper(1e-18) == pytest.approx(1e-9, rel=1e-12)
    answer = epsilon_from_renyi(orders=[1.0], rdp=[0.02], delta=0.15)
    assert (answer.value, answer.conversion) == (0.0, "total_variation")
    # Order 1 is no use for any other delta.
    assert epsilon_from_renyi(orders=[1.0], rdp=[0.02], delta=0.1).value == math.inf
    assert delta_from_renyi(orders=[1.0], rdp=[0.02], epsilon=5.0).conversion == "total_variation"
    # Sound for a Gaussian: its total variation is below.
    assert hs.Gaussian(noise_multiplier=2.0).delta(epsilon=0.0) <= total_variation_upper(0.125)


def test_ends():
    assert epsilon_from_renyi(orders=[2.0, np.inf], rdp=[0.5, 3.0], delta=0.0).value == 3.0
    assert epsilon_from_renyi(orders=[2.0], rdp=[0.5], delta=0.0).value == math.inf
    assert epsilon_from_renyi(orders=[2.0], rdp=[0.5], delta=1.0).value == 0.0
    assert epsilon_from_renyi(orders=[2.0], rdp=[np.inf], delta=0.1).value == math.inf
    assert delta_from_renyi(orders=[2.0, np.inf], rdp=[0.5, 3.0], epsilon=3.0).value == 0.0
    assert delta_from_renyi(orders=[2.0], rdp=[np.inf], epsilon=3.0).value == 1.0
    assert delta_from_renyi(orders=[300.0], rdp=[0.5], epsilon=100.0).value == 5e-324


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"orders": [0.5], "rdp": [1.0], "delta": 0.1}, "orders must"),
        ({"orders": [2.0], "rdp": [-1.0], "delta": 0.1}, "rdp must"),
        ({"orders": [2.0], "rdp": [float("nan")], "delta": 0.1}, "rdp must"),
        ({"orders": [2.0, 3.0], "rdp": [1.0], "delta": 0.1}, "equally long"),
        ({"orders": [2.0], "rdp": [1.0], "delta": 1.5}, "delta must"),
        ({"orders": [2.0], "rdp": [1.0], "delta": float("nan")}, "delta must"),
        ({"orders": [2.0], "rdp": [1.0], "delta": 0.1, "conversion": "best"}, "conversion must"),
    ],
)
def test_refusals(arguments, match):
    with pytest.raises(ValueError, match=match):
        epsilon_from_renyi(**arguments)


def test_zcdp():
    """The best order for the improved conversion; composing 100 releases of rho .01 adds rho first."""
    rho, delta = 1.0, 1e-6
    orders = 1 + np.geomspace(1e-2, 1e3, 20001)
    brute = (rho * orders + np.log1p(-1 / orders) - np.log(delta * orders) / (orders - 1)).min()
    assert zcdp_epsilon(rho=rho, delta=delta, conversion="improved").value == pytest.approx(brute, rel=1e-6)
    assert zcdp_epsilon(rho=rho, delta=delta).value <= brute
    assert zcdp_epsilon(rho=rho, delta=delta).value >= hs.Gaussian(noise_multiplier=math.sqrt(0.5)).epsilon(delta=delta)
    assert zcdp_epsilon_closed(rho=rho, delta=delta) == pytest.approx(1 + 2 * math.sqrt(math.log(1e6)), rel=1e-14)
    total = 100 * hs.ZCDP(rho=0.01)
    assert total.epsilon(delta=delta) == pytest.approx(zcdp_epsilon(rho=rho, delta=delta).value, rel=1e-9)
    assert total.epsilon(delta=delta) == pytest.approx(7.77, abs=0.01)
    assert zcdp_delta(rho=rho, epsilon=zcdp_epsilon(rho=rho, delta=delta).value).value == pytest.approx(delta, rel=1e-6)
    assert zcdp_epsilon(rho=0.0, delta=0.0).value == 0.0
    # Truncated: the best order is out of reach.
    truncated = zcdp_epsilon(rho=rho, delta=delta, greatest_order=2.0)
    assert truncated.order < 2.0
    assert truncated.value > 1.3 * zcdp_epsilon(rho=rho, delta=delta).value


@pytest.mark.parametrize(("rho", "mu"), [(0.02, 0.251), (0.5, 1.283), (2.0, 2.760)])
def test_zcdp_to_mu(rho, mu):
    """The curve that divergences imply needs a larger mu than sqrt(2 rho), which is no bound."""
    found = hs.ZCDP(rho=rho).gdp(fpr_floor=1e-6).mu
    assert math.sqrt(2 * rho) < found
    assert found == pytest.approx(mu, rel=4e-3)


def test_renyi_curve_to_tradeoff_and_mu_delta0():
    gaussian = hs.Gaussian(noise_multiplier=1.0)
    curve, truth = gaussian.tradeoff(method="rdp"), gaussian.tradeoff()
    alphas = np.array([1e-12, 1e-6, 0.01, 0.05, 0.3, 0.5])
    assert (curve(alphas) <= truth.upper(alphas)).all()
    assert (curve(alphas) >= truth(alphas) - 0.12).all()
    fit = gaussian.gdp(fpr_floor=1e-6, delta0=1e-6, method="rdp")
    assert 1.0 < fit.mu < 1.6
    assert fit.mu_delta0 is not None
    # delta(eps) <= delta0 + (1 - delta0) Gd(eps; mu) holds for the truth.
    wider = hs.Gaussian(noise_multiplier=1 / fit.mu_delta0)
    for epsilon in (0.0, 1.0, 4.0, 8.0):
        assert gaussian.delta(epsilon=epsilon) <= 1e-6 + wider.delta(epsilon=epsilon)


def test_mixed_currencies_are_sound_and_bracketed():
    """A Gaussian hidden behind its zCDP value: the truth, which is known here, is inside."""
    exact, hidden = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000), hs.ZCDP(rho=0.005)
    mixed = exact + hidden
    truth = exact + hs.Gaussian(noise_multiplier=10.0)
    bounds = mixed.epsilon_bounds(delta=1e-5)
    assert bounds.method == "rdp, fft"
    assert bounds.lower == pytest.approx(exact.epsilon(delta=1e-5), rel=1e-8)
    assert bounds.lower <= truth.epsilon(delta=1e-5) <= bounds.upper
    # Hulled once and composed, the loose part costs two percent over the truth; added in the ledger, fourteen.
    assert bounds.upper <= 1.02 * truth.epsilon(delta=1e-5)
    assert mixed.epsilon(delta=1e-5, method="rdp") > 1.1 * truth.epsilon(delta=1e-5)
    assert mixed.delta(epsilon=2.0) >= truth.delta(epsilon=2.0)
    assert mixed.delta(epsilon=2.0) <= 1.5 * truth.delta(epsilon=2.0)
    assert mixed.delta_bounds(epsilon=2.0).lower <= truth.delta(epsilon=2.0)
    assert (mixed.tradeoff()([1e-6, 0.1]) <= truth.tradeoff().upper([1e-6, 0.1])).all()
    assert mixed.renyi_only == (hidden,)
    assert exact.renyi_only == ()
    with pytest.raises(ValueError, match="method must be 'auto' or 'rdp'"):
        mixed.epsilon(delta=1e-5, method="fft")
    with pytest.raises(hs.AccuracyError, match="tolerance"):
        mixed.epsilon(delta=1e-5, tolerance=1e-6)


@pytest.mark.parametrize("rho", [1e-4, 0.02, 1.0])
def test_the_law_of_a_curve_dominates_the_curve(rho):
    """Its own profile is nowhere below the convex hull of the points, and touches most of them."""
    points, logs = ledger_profile(hs.ZCDP(rho=rho)._renyi_ledger(), math.log(1e-12))
    law = dominating_law(points, logs)
    lower, upper = law.log_delta_bounds(points)
    gaussian = hs.Gaussian(noise_multiplier=1 / math.sqrt(2 * rho)).log_delta_bounds(epsilon=points).lower
    assert (upper >= gaussian).all()
    assert (lower <= logs + 1e-6).all()
    assert np.median(logs - lower) < 0.02
    assert law.log_delta_bounds(np.array([0.0]))[1][0] <= logs[0] + 1e-6
    assert dominating_law(np.array([0.0]), np.array([-1.0])) is None


def test_zcdp_is_converted_once():
    """Each release converted, then composed, would give 10 at rho .01, 100 times; adding gives 7.77."""
    assert (100 * hs.ZCDP(rho=0.01)).epsilon(delta=1e-6) < 7.8


def test_method_rdp_on_arrays_and_infinity():
    run = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
    epsilons = run.epsilon(delta=[1e-9, 1e-5, 1.0], method="rdp")
    assert epsilons.shape == (3,)
    assert epsilons[0] > epsilons[1] > epsilons[2] == 0.0
    assert run.epsilon(delta=0.0, method="rdp") == math.inf
    logs = run.log_delta(epsilon=[0.0, 2.0, math.inf], method="rdp")
    assert logs[0] > logs[1] > logs[2] == -math.inf
    assert run.delta(epsilon=2.0, method="rdp") >= run.delta(epsilon=2.0)
    assert hs.dpsgd(noise_multiplier=0.0, sampling_rate=0.5, steps=1).epsilon(delta=0.1, method="rdp") == math.inf
    assert hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.5, steps=0).epsilon(delta=0.1, method="rdp") == 0.0


def test_comparisons():
    assert basic_composition(epsilons=[0.5, 1.0], counts=[4, 2]) == pytest.approx(4.0)
    assert advanced_composition(epsilons=[0.01], counts=[10_000], delta_slack=1e-5) < 10
    # Never above the basic sum, and above the truth for pure mechanisms.
    assert advanced_composition(epsilons=[3.0], counts=[2], delta_slack=1e-9) == pytest.approx(6.0)
    assert math.isinf(basic_composition(epsilons=[math.inf], counts=[1]))
    with pytest.raises(ValueError, match="delta_slack"):
        advanced_composition(epsilons=[1.0], counts=[1], delta_slack=0.0)
    with pytest.raises(ValueError, match="epsilons"):
        basic_composition(epsilons=[-1.0], counts=[1])


@pytest.mark.parametrize(
    ("setting", "estimate", "truth"),
    [((1.0, 0.01, 1000), 1.84, 2.13), ((0.6, 0.01, 100), 1.71, 4.75), ((0.6, 0.001, 10_000), 1.71, 3.152)],
)
def test_the_central_limit_is_no_bound(setting, estimate, truth):
    noise, rate, steps = setting
    mu = clt_mu_estimate(noise_multiplier=noise, sampling_rate=rate, steps=steps)
    assert clt_epsilon_estimate(mu=mu, delta=1e-6) == pytest.approx(estimate, abs=0.006)
    exact = hs.dpsgd(noise_multiplier=noise, sampling_rate=rate, steps=steps).epsilon(delta=1e-6)
    assert exact == pytest.approx(truth, abs=0.006)


def test_the_central_limit_without_replacement():
    mu = clt_mu_estimate(noise_multiplier=2.0, sampling_rate=0.01, steps=100, sampling="without_replacement")
    wide = math.exp(0.25) * 0.7733726476231317 + 3 * 0.4012936743170763 - 2
    assert mu == pytest.approx(0.01 * math.sqrt(200 * wide), rel=1e-12)
    assert clt_mu_estimate(noise_multiplier=1e-3, sampling_rate=0.01, steps=1) == math.inf
