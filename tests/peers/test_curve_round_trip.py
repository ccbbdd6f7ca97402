# SPDX-License-Identifier: Apache-2.0
"""Loss tables that dp-accounting made, read as curves: bounds of its own profile, and what gdpnum makes of the same ones."""

import math

import numpy as np
import pytest
from scipy import special

import hockeystick as hs
from hockeystick import TradeoffCurve

pld_module = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
# dp-accounting composes by an FFT whose rounding it does not count.
NOISE = 1e-12


def tables(pld):
    """(losses, masses, infinity_mass) of both directions, as the object holds them."""
    found = []
    for pmf in (pld._pmf_remove, pld._pmf_add):
        dense = pmf.to_dense_pmf()
        losses = (dense._lower_loss + np.arange(len(dense._probs))) * dense._discretization
        found.append((losses, np.maximum(dense._probs, 0.0), float(dense._infinity_mass)))
    return found


def gaussian(noise, rate, steps, step):
    pld = pld_module.from_gaussian_mechanism(noise, sampling_prob=rate, value_discretization_interval=step)
    return pld.self_compose(steps) if steps > 1 else pld


@pytest.mark.parametrize("setting", [(1.0, 0.01, 1000, 1e-3), (1.0, 1.0, 1, 1e-3), (0.6, 0.01, 100, 1e-3)], ids=str)
def test_its_own_profile_comes_back(setting):
    pld = gaussian(*setting)
    remove, add = tables(pld)
    curve = TradeoffCurve.from_pmfs(remove=remove, add=add)
    for epsilon in (0.0, 0.31, 1.0, 2.0):
        # Off its grid the chord of its own grid points; on it, its sum.
        there = pld.get_delta_for_epsilon(round(epsilon / setting[3]) * setting[3])
        here = curve.delta(epsilon=round(epsilon / setting[3]) * setting[3])
        assert here == pytest.approx(there, rel=1e-9, abs=NOISE)
    assert curve.epsilon(delta=1e-5) == pytest.approx(pld.get_epsilon_for_delta(1e-5), rel=1e-6)
    # The table dominates the run, so its curve lies below the run's, up to the rounding that it leaves out.
    run = hs.dpsgd(noise_multiplier=setting[0], sampling_rate=setting[1], steps=setting[2])
    alpha = np.array([1e-6, 1e-3, 0.05, 0.3])
    assert (curve(alpha) <= run.tradeoff().upper(alpha) + NOISE).all()
    np.testing.assert_allclose(curve(alpha), run.tradeoff()(alpha), atol=1e-3)


def test_mu_of_its_table():
    """The table is pessimistic, so its mu is above the run's; gdpnum's, from the same table, is below."""
    gdpnum = pytest.importorskip("gdpnum")
    pld = gaussian(1.0, 0.01, 1000, 1e-3)
    remove, add = tables(pld)
    run = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
    # At 1e-6 the table's rates are far above its noise of 1e-14 or so.
    fit, truth = TradeoffCurve.from_pmfs(remove=remove, add=add).gdp(fpr_floor=1e-6), run.gdp(fpr_floor=1e-6)
    assert truth.mu_lower <= fit.mu <= truth.mu * (1 + 2e-3)
    theirs, _ = gdpnum.PLDConverter(pld).get_mu_and_regret()
    assert theirs < run.gdp(fpr_floor=1e-10).mu_lower - 0.05


def test_randomized_response_of_gdpnum():
    """Segments, not a staircase: gdpnum's regret of 0 is .0293."""
    gdpnum = pytest.importorskip("gdpnum")
    pld = pld_module.from_randomized_response(0.8, 2, value_discretization_interval=1e-4)
    remove, add = tables(pld)
    # For a regret the table must be the law itself, not only a bound of it.
    fit = TradeoffCurve.from_pmfs(remove=remove, add=add, pessimistic=False, relation="replace").gdp()
    assert fit.mu == pytest.approx(0.5067, abs=2e-4)
    assert fit.delta_divergence == pytest.approx(0.0293, abs=2e-4)
    mu, regret = gdpnum.PLDConverter(pld).get_mu_and_regret()
    assert mu == pytest.approx(fit.mu, abs=1e-3)
    assert regret < 1e-3


def test_gaussian_of_small_noise_in_gdpnum():
    """gdpnum's f(1e-6) of a Gaussian with sigma .3 lies 1.7e-3 above f."""
    gdpnum = pytest.importorskip("gdpnum")
    pld = gaussian(0.3, 1.0, 1, 1e-4)
    remove, add = tables(pld)
    truth = special.ndtr(-special.ndtri(1e-6) - 1 / 0.3)
    ours = TradeoffCurve.from_pmfs(remove=remove, add=add)(1e-6)
    assert ours <= truth + NOISE
    assert ours == pytest.approx(truth, abs=2e-4)
    assert float(gdpnum.PLDConverter(pld).get_beta(1e-6)) > truth + 1e-3


def test_curve_out_and_in_again():
    """Points of our curve, handed over as (epsilon, delta), become a curve of theirs and come back below ours."""
    curve = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000).tradeoff()
    epsilon, log_delta = curve.supporting_lines
    pairs = [(e, math.exp(d)) for e, d in zip(epsilon[::20], log_delta[::20], strict=True) if d > -28]
    back = TradeoffCurve.from_profile(
        epsilon=[e for e, _ in pairs], log_delta_upper=[math.log(d) for _, d in pairs], relation="add_remove"
    )
    alpha = np.array([1e-8, 1e-4, 0.05, 0.4])
    assert (back(alpha) <= curve(alpha) * (1 + 1e-12)).all()
    np.testing.assert_allclose(back(alpha), curve(alpha), atol=1e-2)
