# SPDX-License-Identifier: Apache-2.0
"""fit_gdp: mu of closed forms, floors, residual, the form without a floor, regret, input contract."""

import dataclasses
import itertools
import math

import numpy as np
import pytest
from closed_profiles import gaussian_curve, gaussian_delta, gaussian_f, response_curve, sampled_curve, slow_mu
from scipy import special

import hockeystick as hs
from hockeystick.gdp import fit_gdp
from hockeystick.tradeoff import TradeoffCurve


@pytest.mark.parametrize("mu", [1e-12, 1e-6, 1e-3, 0.05, 0.4, 1.0, 3.0, 14.1, 60.0])
def test_gaussian_recovers_itself(mu):
    fit = fit_gdp(gaussian_curve(mu, points=3000))
    assert mu <= fit.mu * (1 + 1e-15)
    assert fit.mu == pytest.approx(mu, rel=1e-5)
    assert fit.mu_lower <= mu
    assert fit.mu_lower == pytest.approx(mu, rel=1e-4)
    assert fit.mu_bounds == (fit.mu_lower, fit.mu)
    assert fit.literal == math.inf
    # Given its literal mu it is that number.
    assert fit_gdp(gaussian_curve(mu, points=300), literal=mu).mu == mu


@pytest.mark.parametrize(
    ("pure", "mu"), [(0.1, 0.125), (0.5, 0.624), (1.0, 1.232), (2.0, 2.358), (4.0, 4.195), (8.0, 6.803), (20.0, 11.76)]
)
def test_pure_epsilon(pure, mu):
    fit = fit_gdp(response_curve(pure))
    closed = -2.0 * special.ndtri(1.0 / (1.0 + math.exp(pure)))
    assert fit.mu == pytest.approx(closed, rel=1e-6 if pure > 10 else 1e-11)
    assert fit.mu == pytest.approx(mu, abs=0.005)
    assert fit.literal == pytest.approx(fit.mu, rel=1e-11)


def test_published_response():
    """Two values, the true one with probability 0.6; a staircase in place of the segments would give no regret."""
    fit = fit_gdp(response_curve(math.log(1.5)))
    assert fit.mu == pytest.approx(0.5067, abs=5e-5)
    assert fit.delta_divergence == pytest.approx(0.0293, abs=5e-5)
    assert fit.delta_divergence_lower <= fit.delta_divergence
    assert fit.regret_lower > 0.05


def test_floor_is_part_of_the_number():
    """One subsampled release, in closed form: mu is the shift at the floor, and grows as the floor falls."""
    curve = sampled_curve(1.0, 0.01, points=4000)
    fits = [fit_gdp(curve, fpr_floor=floor) for floor in (1e-2, 1e-4, 1e-6, 1e-10)]
    for fit in fits:
        z = -special.ndtri(fit.fpr_floor)
        rate = 0.99 * fit.fpr_floor + 0.01 * special.ndtr(1.0 - z)
        truth = special.ndtri(rate) + z
        assert truth * (1 - 1e-12) <= fit.mu <= truth + 1e-5
        assert truth - 1e-4 <= fit.mu_lower <= truth * (1 + 1e-12)
        assert fit.fpr_at_mu == pytest.approx(fit.fpr_floor, rel=1e-9)
        assert fit.residual >= special.ndtr(-z + fit.mu) * (1 - 1e-12)
        assert fit.residual == pytest.approx(special.ndtr(-z + fit.mu), rel=1e-9)
    assert all(a.mu < b.mu and a.regret < b.regret for a, b in itertools.pairwise(fits))


def test_fitted_gaussian_lies_below_above_the_floor():
    curve = sampled_curve(0.6, 0.02, points=2000)
    fit = fit_gdp(curve, fpr_floor=1e-6)
    alpha = np.logspace(-6, 0, 3000)
    above = curve(alpha) >= 1e-6
    assert (gaussian_f(alpha, fit.mu)[above] <= curve(alpha)[above] + 1e-15).all()
    less = gaussian_f(alpha, fit.mu_lower * 0.999)
    assert (less[above] > curve.upper(alpha)[above]).any()


def test_delta_is_bounded_by_mu_and_residual():
    curve = sampled_curve(0.6, 0.02, points=2000)
    fit = fit_gdp(curve, fpr_floor=1e-4)
    bound = np.maximum(gaussian_delta(curve.profile.epsilon, fit.mu), fit.residual)
    assert (np.exp(curve.profile.log_delta_lower) <= bound + 1e-15).all()


@pytest.mark.parametrize("delta0", [1e-4, 1e-8])
def test_form_without_a_floor(delta0):
    curve = sampled_curve(0.6, 0.02, points=2000)
    fit = fit_gdp(curve, delta0=delta0)
    bound = delta0 + (1.0 - delta0) * gaussian_delta(curve.profile.epsilon, fit.mu_delta0)
    assert (np.exp(curve.profile.log_delta_lower) <= bound + 1e-15).all()
    less = delta0 + (1.0 - delta0) * gaussian_delta(curve.profile.epsilon, fit.mu_delta0 * 0.99)
    assert (np.exp(curve.profile.log_delta_lower) > less).any()
    assert fit.delta0 == delta0
    assert fit_gdp(curve, delta0=1e-27).mu_delta0 == math.inf  # the profile ends above that
    assert fit_gdp(curve).mu_delta0 is None


def test_approximate_dp_has_no_literal_mu():
    start = math.log(1e-5 + (1 - 1e-5) * math.tanh(0.5)) + 1e-15
    curve = TradeoffCurve.from_profile(
        epsilon=[0.0, 1.0], log_delta_upper=[start, math.log(1e-5)], log_delta_lower=[start - 1e-14, math.log(1e-5)]
    )
    assert fit_gdp(curve, fpr_floor=0.0).mu == math.inf
    fit = fit_gdp(curve, delta0=1e-5)
    assert fit.literal == math.inf
    assert 1.2 < fit.mu < math.inf
    assert fit.mu_delta0 == pytest.approx(1.2320353853, rel=1e-8)


def test_nothing_and_everything():
    nothing = TradeoffCurve.from_profile(epsilon=[0.0], log_delta_upper=[-math.inf])
    fit = fit_gdp(nothing)
    assert (fit.mu, fit.literal, fit.regret) == (0.0, 0.0, pytest.approx(0.0, abs=1e-14))
    everything = TradeoffCurve.from_profile(epsilon=[0.0], log_delta_upper=[0.0], log_delta_lower=[0.0])
    fit = fit_gdp(everything)
    assert fit.mu == math.inf
    assert fit.residual == 1.0


@pytest.mark.parametrize("curve", [gaussian_curve(0.7), sampled_curve(0.5, 0.1), response_curve(2.0)])
def test_solvers_agree_with_each_other_and_with_the_slow_one(curve):
    closed = fit_gdp(curve, fpr_floor=1e-5, delta0=1e-6)
    halved = fit_gdp(curve, fpr_floor=1e-5, delta0=1e-6, solver="bisection")
    assert halved.mu == pytest.approx(closed.mu, rel=1e-12)
    assert halved.mu_delta0 == pytest.approx(closed.mu_delta0, rel=1e-11)
    assert closed.mu == pytest.approx(slow_mu(curve, 1e-5), rel=1e-9)


def test_regret_bracket():
    curve = sampled_curve(1.0, 0.05, points=2000)
    fit = fit_gdp(curve)
    epsilon = np.linspace(0.0, 3.0, 20001)
    z = curve.profile.epsilon
    delta = np.exp(np.interp(epsilon, z, curve.profile.log_delta_upper))  # an estimate: the points are dense
    gap = gaussian_delta(epsilon, fit.mu) - delta
    assert fit.regret_lower - 1e-12 <= gap.max() + 1e-6
    assert gap.max() <= fit.regret + 1e-6
    assert fit.regret - fit.regret_lower < 1e-4
    assert fit.epsilon_at_regret == pytest.approx(epsilon[gap.argmax()], abs=0.05)
    divergence = (gap / (1 + np.exp(epsilon))).max()
    assert fit.delta_divergence_bounds[0] - 1e-6 <= divergence <= fit.delta_divergence_bounds[1] + 1e-6
    # The same maximum over alpha, between the two sides of the curve.
    alpha = np.linspace(1e-6, 1 - 1e-6, 40001)
    vertical = (curve(alpha) - gaussian_f(alpha, fit.mu)).max()
    assert fit.regret_bounds[0] - 1e-4 <= vertical <= fit.regret_bounds[1] + 1e-12
    at = alpha[(curve(alpha) - gaussian_f(alpha, fit.mu)).argmax()]
    assert fit.fpr_at_maximum == pytest.approx(min(at, gaussian_f(at, fit.mu)), abs=0.03)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"fpr_floor": 1.0}, ValueError, r"fpr_floor must be in \[0, 1\), got 1.0"),
        ({"fpr_floor": -1e-3}, ValueError, "fpr_floor must be in"),
        ({"fpr_floor": math.nan}, ValueError, "fpr_floor must be a number, got nan"),
        ({"fpr_floor": "x"}, TypeError, "fpr_floor must be a real number"),
        ({"delta0": 0.0}, ValueError, r"delta0 must be in \(0, 1\), got 0.0"),
        ({"delta0": True}, TypeError, "delta0 must be a real number"),
        ({"literal": -1.0}, ValueError, "literal must be at least 0, got -1.0"),
        ({"solver": "newton"}, ValueError, "solver must be one of"),
    ],
)
def test_refuses(arguments, error, message):
    with pytest.raises(error, match=message):
        fit_gdp(response_curve(1.0), **arguments)


def test_frozen():
    fit = fit_gdp(response_curve(1.0))
    with pytest.raises(dataclasses.FrozenInstanceError):
        fit.mu = 1.0


@pytest.mark.parametrize(
    ("noise_multiplier", "sampling_rate", "steps"), [(1.1, 256 / 60000, 14063), (4.0, 0.1, 10_000)]
)
def test_regret_is_known_to_one_percent_wherever_its_upper_end_lies(noise_multiplier, sampling_rate, steps):
    run = hs.dpsgd(noise_multiplier=noise_multiplier, sampling_rate=sampling_rate, steps=steps)
    fits = run.gdp_table().fits
    for fit in fits:
        assert 0.0 < fit.regret - fit.regret_lower < 0.01 * fit.regret
    # A smaller floor raises mu and with it the regret.
    assert all(one.regret < other.regret_lower for one, other in itertools.pairwise(fits))


@pytest.mark.parametrize(("noise", "rate", "steps"), [(0.1, 0.01, 1000), (3.0, 1e-4, 1000), (1.0, 1e-4, 1000)])
def test_mu_of_rare_or_huge_jumps(noise, rate, steps):
    """Where one tilt serves badly the bracket of mu is still one of a few per cent."""
    fit = hs.dpsgd(noise_multiplier=noise, sampling_rate=rate, steps=steps).gdp()
    assert 0.0 < fit.mu_lower <= fit.mu <= 1.03 * fit.mu_lower
