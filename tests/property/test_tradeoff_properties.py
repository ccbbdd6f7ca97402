# SPDX-License-Identifier: Apache-2.0
"""What every curve from every profile must satisfy."""

import math

import numpy as np
from closed_profiles import gaussian_f, greatest_line, response_curve, sampled_curve, slow_mu
from hypothesis import given
from hypothesis import strategies as st

from hockeystick.gdp import fit_gdp
from hockeystick.tradeoff import TradeoffCurve

ALPHAS = np.concatenate([[0.0], np.logspace(-14, -1, 60)[:-1], np.linspace(0.1, 1.0, 91)])


@st.composite
def profiles(draw):
    """Points of a true profile: a mixture of pure-epsilon ones and mass at infinity, with loose bounds about it."""
    parts = draw(st.lists(st.tuples(st.floats(0.01, 12.0), st.floats(0.05, 1.0)), min_size=1, max_size=4))
    infinity = draw(st.sampled_from([0.0, 1e-9, 1e-3, 0.2]))
    weights = np.array([w for _, w in parts])
    weights *= (1.0 - infinity) / weights.sum()
    epsilon = np.unique(np.concatenate([[0.0], draw(st.lists(st.floats(0.01, 15.0), min_size=1, max_size=30))]))
    epsilon = epsilon[np.concatenate([[True], np.diff(epsilon) > 1e-6])]
    delta = np.full_like(epsilon, infinity)
    for (pure, _), weight in zip(parts, weights, strict=True):
        delta += weight * np.maximum(0.0, (math.exp(pure) - np.exp(epsilon)) / (1.0 + math.exp(pure)))
    slack = draw(st.sampled_from([1e-14, 1e-6, 0.05]))
    with np.errstate(divide="ignore"):
        upper = np.log(np.minimum(1.0, delta * (1.0 + slack) + 1e-300))
        lower = np.log(np.maximum(0.0, delta * (1.0 - slack) - 1e-15))
    return {"epsilon": epsilon, "log_delta_upper": upper, "log_delta_lower": lower}


@given(profiles())
def test_shape(profile):
    curve = TradeoffCurve.from_profile(**profile)
    # Each value is rounded outward by its own error bound, so shapes hold up to that.
    for values, rounding in ((curve(ALPHAS), 2e-14), (np.asarray(curve.upper(ALPHAS)), 1e-12)):
        assert (values >= 0.0).all()
        assert (values <= 1.0 - ALPHAS + 1e-15).all()
        assert (np.diff(values) <= rounding).all()
        slopes = np.diff(values) / np.diff(ALPHAS)
        tolerance = rounding / np.diff(ALPHAS)
        assert (slopes[1:] >= slopes[:-1] - tolerance[1:] - tolerance[:-1] - 1e-12 * np.abs(slopes[:-1])).all()
    assert (curve(ALPHAS) <= curve.upper(ALPHAS)).all()


@given(profiles(), st.floats(1e-12, 1.0))
def test_is_the_greatest_line(profile, alpha):
    curve = TradeoffCurve.from_profile(**profile)
    # The lines of all points, and what convexity adds at epsilon 0.
    meeting = -np.expm1(curve.profile.log_delta_upper) / (1.0 + np.exp(curve.profile.epsilon))
    expected = max(greatest_line(curve, alpha), 2.0 * float(meeting.max()) - alpha)
    assert curve(alpha) <= expected + 1e-14
    assert curve(alpha) >= expected - 1e-13


@given(profiles(), st.floats(1e-9, 1.0))
def test_symmetric(profile, alpha):
    curve = TradeoffCurve.from_profile(**profile)
    beta = curve(alpha)
    if beta > 1e-9:
        # f is its own inverse where it is not flat: back at alpha, or at the left end of a flat part.
        assert curve(beta) <= alpha * (1 + 1e-9) + 1e-13


@given(profiles(), st.floats(0.01, 2.0))
def test_larger_delta_gives_smaller_curve(profile, more):
    curve = TradeoffCurve.from_profile(**profile)
    larger = TradeoffCurve.from_profile(
        epsilon=profile["epsilon"], log_delta_upper=np.minimum(0.0, profile["log_delta_upper"] + more)
    )
    assert (larger(ALPHAS) <= curve(ALPHAS) + 1e-14).all()


@given(profiles())
def test_conjugate_gives_delta_back(profile):
    """sup over alpha of 1 - f(alpha) - e^eps alpha is the profile again: no more than its upper, no less than its lower."""
    curve = TradeoffCurve.from_profile(**profile)
    log_alpha, log_beta = curve.breakpoints
    alpha = np.concatenate([[0.0], np.exp(log_alpha), np.exp(log_beta)])
    beta = np.concatenate([[curve(0.0)], np.exp(log_beta), np.exp(log_alpha)])
    for eps, log_upper, log_lower in zip(
        profile["epsilon"], profile["log_delta_upper"], profile["log_delta_lower"], strict=True
    ):
        delta = float(np.max(1.0 - beta - math.exp(eps) * alpha))
        assert delta <= math.exp(log_upper) + 1e-12
        assert delta >= math.exp(log_lower) - 1e-12


@given(profiles(), st.sampled_from([1e-12, 1e-6, 1e-2]))
def test_fitted_gaussian_lies_below(profile, floor):
    curve = TradeoffCurve.from_profile(**profile)
    fit = fit_gdp(curve, fpr_floor=floor, delta0=floor)
    assert fit.mu_lower <= fit.mu
    assert fit.regret_lower <= fit.regret
    assert fit.delta_divergence_lower <= fit.delta_divergence <= fit.regret + 1e-12
    alpha = np.concatenate([np.logspace(math.log10(floor), 0.0, 200), ALPHAS])
    beta = np.asarray(curve(alpha))
    covered = (alpha >= floor) & (beta >= floor) & (alpha < 1.0)
    assert (gaussian_f(alpha[covered], fit.mu) <= beta[covered] + 1e-13).all()
    scaled = np.minimum(1.0, alpha / (1.0 - floor))
    assert ((1.0 - floor) * gaussian_f(scaled, fit.mu_delta0) <= beta + 1e-13).all()
    assert (np.asarray(curve.tpr(alpha[alpha < floor])) <= fit.residual + 1e-15).all()


@given(profiles(), st.sampled_from([1e-9, 1e-3]))
def test_solvers_agree(profile, floor):
    curve = TradeoffCurve.from_profile(**profile)
    closed = fit_gdp(curve, fpr_floor=floor).mu
    halved = fit_gdp(curve, fpr_floor=floor, solver="bisection").mu
    assert abs(closed - halved) <= 1e-12 * (1.0 + closed)
    assert abs(closed - slow_mu(curve, floor)) <= 1e-6 * (1.0 + closed)


@given(st.floats(0.01, 25.0))
def test_pure_epsilon_is_exact(pure):
    curve = response_curve(pure)
    alpha = np.concatenate([ALPHAS, np.linspace(0.0, 1.9, 50) / (1.0 + math.exp(pure))])
    truth = np.maximum(np.maximum(0.0, 1.0 - math.exp(pure) * alpha), (1.0 - alpha) * math.exp(-pure))
    assert (curve(alpha) <= truth * (1 + 1e-12) + 1e-15).all()
    tolerance = 1e-13 + 1e-14 * math.exp(pure)  # the table's own width, times the steepest slope
    assert np.abs(curve(alpha) - truth).max() < tolerance
    assert np.abs(np.asarray(curve.upper(alpha)) - truth).max() < tolerance


@given(st.floats(0.3, 20.0), st.floats(1e-4, 1.0), st.floats(-600.0, -1e-6))
def test_subsampled_release_in_closed_form(noise_multiplier, rate, log_alpha):
    """alpha cuts Q = N(0, s^2) at s z, and TPR = (1 - q) alpha + q Phi(1/s - z): f up to the diagonal."""
    from scipy import special

    curve = sampled_curve(noise_multiplier, rate, points=300, log_delta_end=-650.0)
    z = -special.ndtri_exp(log_alpha)
    log_tpr = np.logaddexp(
        (np.log1p(-rate) if rate < 1.0 else -np.inf) + log_alpha,
        np.log(rate) + special.log_ndtr(1.0 / noise_multiplier - z),
    )
    assert curve.log_tpr(log_fpr=log_alpha) >= log_tpr - 1e-11 * (1.0 + abs(log_tpr))
