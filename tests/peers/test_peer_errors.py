# SPDX-License-Identifier: Apache-2.0
"""Settings in which a published accountant is wrong, with the right value.

Each test names what the peer says and asserts the truth of this package alone, so that no peer is needed to run it.
True values are closed forms (40 digits) or the witness of tests/reference/rule_line_float.py, which
tests/reference/test_witness.py and make_reference.py check; mu is derived in tests/reference/test_curve_reference.py.
"""

import time

import numpy as np
import pytest

import hockeystick as hs


def dpsgd(noise_multiplier, sampling_rate, steps):
    return hs.dpsgd(noise_multiplier=noise_multiplier, sampling_rate=sampling_rate, steps=steps)


def assert_brackets(bounds, truth, digits_of_truth=1e-10, width=1e-4):
    """The truth, known to a relative digits_of_truth, is inside, and the bracket is narrow."""
    assert bounds.lower <= truth * (1 + digits_of_truth)
    assert truth * (1 - digits_of_truth) <= bounds.upper
    assert bounds.upper - bounds.lower <= width * truth


@pytest.mark.parametrize(("steps", "truth", "gdpnum_says"), [(1000, 0.52220147, 0.43936), (100, 0.35823221, 0.194)])
def test_mu_of_dpsgd_at_floor_1e_10(steps, truth, gdpnum_says):
    """gdpnum: too small, since second differences of delta put noise in the tails; finer grids are worse."""
    mu = dpsgd(1.0, 0.01, steps).gdp(fpr_floor=1e-10).mu
    assert truth * (1 - 1e-8) <= mu <= truth * (1 + 1e-6)
    assert gdpnum_says < truth


def test_curve_of_a_gaussian_at_a_small_false_positive_rate():
    """gdpnum and riskcal on dp-accounting's grid of 1e-4: f(1e-6) is 1.67e-3 above the truth."""
    truth = 0.9222094013860807
    curve = hs.Gaussian(noise_multiplier=0.3).tradeoff()
    assert curve(1e-6) <= truth * (1 + 1e-13)
    assert curve(1e-6) == pytest.approx(truth, abs=1e-4)
    assert curve.upper(1e-6) >= truth * (1 - 1e-13)


def test_curve_without_privacy_left():
    """riskcal: .900.  Ten batches, each with the record at probability .99 and a noise of a tenth of it: about 0."""
    curve = dpsgd(0.1, 0.99, 10).tradeoff()
    assert 0 <= curve(0.1) <= curve.upper(0.1) < 1e-10


@pytest.mark.parametrize(("epsilon", "truth"), [(260 / 9, 4.038638979913667e-13), (28.8889, 4.038541653437246e-13)])
def test_delta_of_a_hundred_gaussians(epsilon, truth):
    """dp-accounting: 4.01325e-13, below the truth."""
    run = 100 * hs.Gaussian(noise_multiplier=3.0)
    assert_brackets(run.delta_bounds(epsilon=epsilon), truth, 1e-12, 1e-10)
    assert_brackets(run.delta_bounds(epsilon=epsilon, method="fft"), truth, 1e-12, 1e-2)


@pytest.mark.parametrize("method", ["auto", "fft"])
@pytest.mark.parametrize(("epsilon", "truth"), [(6.0, 1.64966766775e-19), (8.0, 3.14211030220e-26)])
def test_small_deltas_of_dpsgd(epsilon, truth, method):
    """dp-accounting: 1.4e-14 and 1.8e-14, rising."""
    assert_brackets(dpsgd(1.0, 0.01, 1000).delta_bounds(epsilon=epsilon, method=method), truth, width=1e-2)


@pytest.mark.parametrize("method", ["auto", "fft"])
def test_epsilon_at_a_small_delta(method):
    """dp-accounting and opake: infinite."""
    assert_brackets(dpsgd(1.0, 0.01, 1000).epsilon_bounds(delta=1e-16, method=method), 5.16180064857)


@pytest.mark.parametrize("method", ["auto", "fft"])
def test_a_million_rare_steps(method):
    """dp-accounting at its default grid: .5608."""
    truth = 0.5324211555  # to 1e-9: a million rounded losses
    assert_brackets(dpsgd(1.0, 1e-4, 10**6).epsilon_bounds(delta=1e-6, method=method), truth, 1e-9, 1e-4)


def test_twenty_different_noise_multipliers():
    """dp-accounting: seconds (3.4 on the machine of bench/README.md for these)."""
    run = hs.compose(20 * hs.Gaussian(noise_multiplier=1 + 0.05 * i).poisson(0.01) for i in range(20))
    start = time.perf_counter()
    bounds = run.epsilon_bounds(delta=1e-5)
    elapsed = time.perf_counter() - start
    assert_brackets(bounds, 0.729378371308)
    assert elapsed < 1.0  # milliseconds; generous for a busy machine


def test_total_variation_of_one_gaussian():
    """opake: .38292491598, below the truth."""
    bounds = hs.Gaussian(noise_multiplier=1.0).delta_bounds(epsilon=0.0)
    assert bounds.lower <= 0.382924922548026207 <= bounds.upper
    assert bounds.upper - bounds.lower < 1e-14


@pytest.mark.parametrize("method", ["auto", "fft"])
@pytest.mark.parametrize("delta", [0.1, 0.5])
def test_epsilon_is_never_negative(delta, method):
    """prv-accountant: a negative epsilon.  The total variation is below delta, so epsilon is 0."""
    bounds = dpsgd(1.0, 0.01, 10).epsilon_bounds(delta=delta, method=method)
    assert (bounds.lower, bounds.upper) == (0.0, 0.0)


@pytest.mark.parametrize("method", ["auto", "fft"])
def test_little_noise_is_no_central_limit(method):
    """CLT-GDP: 5.563."""
    assert_brackets(dpsgd(0.6, 0.01, 1000).epsilon_bounds(delta=1e-5, method=method), 7.43361382104)


def test_one_gaussian():
    """autodp's Fourier route: -.0048."""
    bounds = hs.Gaussian(noise_multiplier=1.0).epsilon_bounds(delta=1e-5)
    assert bounds.lower <= 4.3771780956812246277 <= bounds.upper
    assert bounds.upper - bounds.lower < 1e-12


def test_one_gaussian_when_a_record_is_replaced():
    """dp-accounting's Renyi accountant: 4.7285, as for add/remove."""
    bounds = hs.dpsgd(noise_multiplier=1.0, sampling_rate=1.0, steps=1, relation="replace").epsilon_bounds(delta=1e-5)
    assert bounds.lower <= 9.9972561464343003965 <= bounds.upper
    assert bounds.upper - bounds.lower < 1e-11


def test_nan_is_refused():
    """dp-accounting's Renyi accountant: epsilon 0 for a NaN noise multiplier or delta."""
    with pytest.raises(ValueError, match="noise_multiplier"):
        dpsgd(float("nan"), 0.01, 10)
    with pytest.raises(ValueError, match="delta"):
        dpsgd(1.0, 0.01, 10).epsilon(delta=np.nan)
