# SPDX-License-Identifier: Apache-2.0
"""Situations that practitioners reported, with the right answer; the true values as in tests/peers/test_peer_errors.py."""

import math

import numpy as np
import pytest

import hockeystick as hs


def dpsgd(noise_multiplier, sampling_rate, steps):
    return hs.dpsgd(noise_multiplier=noise_multiplier, sampling_rate=sampling_rate, steps=steps)


def assert_epsilon(mechanism, delta, truth, relative=1e-10, **options):
    bounds = mechanism.epsilon_bounds(delta=delta, **options)
    assert bounds.lower <= truth * (1 + relative)
    assert truth * (1 - relative) <= bounds.upper
    assert bounds.upper - bounds.lower <= 1e-4 * truth
    return bounds


@pytest.mark.parametrize("method", ["auto", "fft"])
@pytest.mark.parametrize(
    ("setting", "delta", "truth"),
    [
        ((0.8, 0.125, 1000), 1e-6, 56.7259499777),  # elsewhere an error: "discrete mean differs"
        ((3.0, 0.2, 50), 1 / 48000, 1.96081133902),
        ((1.1, 256 / 60000, 14063), 1e-5, 2.38168972614),
        ((1.1, 256 / 60000, 14063), 1e-7, 2.98428829184),
        ((1.1, 256 / 60000, 14063), 1e-9, 3.50022067753),
        ((0.901, 1024 / 14732, 42), 2e-5, 3.99996549817),
        ((6.78, 1000 / 67349, 201), 1 / (2 * 67349), 0.0999372727765),
        ((1.0, 0.08, 100), 1e-5, 5.61341862585),  # and .718 if the physical batch is taken for the logical one
        ((1.0, 0.01, 100), 1e-5, 0.718035661339),
    ],
)
def test_dpsgd_settings(setting, delta, truth, method):
    assert_epsilon(dpsgd(*setting), delta, truth, method=method)


@pytest.mark.parametrize(
    ("mechanism", "truth"),
    [
        (10 * hs.Gaussian(noise_multiplier=1.0), 17.856586830107613926),
        (dpsgd(1.0, 1.0, 10), 17.856586830107613926),  # rate 1 is the plain Gaussian, never a domain error
        (20 * hs.Gaussian(noise_multiplier=2.4), 9.1659768269149203413),
        (hs.Gaussian(noise_multiplier=1.0), 4.3771780956812246277),
        (hs.Gaussian(noise_multiplier=0.5), 9.9972561464343003965),
    ],
)
def test_plain_gaussians(mechanism, truth):
    bounds = assert_epsilon(mechanism, 1e-5, truth, 4e-16)
    assert bounds.upper - bounds.lower <= 1e-12 * truth
    assert_epsilon(mechanism, 1e-5, truth, 4e-16, method="fft")


@pytest.mark.parametrize(
    ("noise", "rate", "steps", "delta"), [(1.0, 0.01, 100, 1e-8), (4.0, 0.00033, 1000, 1e-9), (1.3, 1 / 60, 60, 1e-7)]
)
def test_few_participations_by_either_engine(noise, rate, steps, delta):
    run = dpsgd(noise, rate, steps)
    fft, contour = (run.epsilon_bounds(delta=delta, method=method) for method in ("fft", "contour"))
    assert fft.lower <= contour.upper
    assert contour.lower <= fft.upper
    assert fft.width <= 1.1e-4 * fft.upper


def test_randomized_response_of_two_values():
    # The truth with probability .6: with probability .8 a uniform value.
    response = hs.RandomizedResponse(noise_probability=0.8)
    curve, fit = response.tradeoff(), response.gdp()
    for alpha, beta in ((0.05, 0.925), (0.1, 0.85), (0.2, 0.70), (0.5, 0.3333), (0.9, 0.0667)):
        assert curve(alpha) == pytest.approx(beta, abs=5e-5)
        assert curve(alpha) <= curve.upper(alpha)
    assert fit.mu == pytest.approx(0.5067, abs=5e-5)
    assert fit.delta_divergence == pytest.approx(0.0293, abs=5e-5)


def test_twenty_laplace_releases():
    bounds = (20 * hs.Laplace(noise_multiplier=10.0)).epsilon_bounds(delta=1e-6, tolerance=1e-4)
    assert bounds.lower == pytest.approx(1.774, abs=5e-4)
    assert bounds.upper == pytest.approx(1.774, abs=5e-4)


def test_noise_for_a_small_epsilon():
    """Calibrated noise 243.785 for (.01, 1e-5)."""
    assert hs.Gaussian(noise_multiplier=243.7855).epsilon(delta=1e-5) < 0.01
    assert hs.Gaussian(noise_multiplier=243.7845).epsilon_bounds(delta=1e-5).lower > 0.01


@pytest.mark.parametrize(
    ("low", "high", "rate", "steps", "delta", "epsilon"),
    [(0.9009, 0.9010, 1024 / 14732, 42, 2e-5, 4.0), (6.775, 6.785, 1000 / 67349, 201, 1 / (2 * 67349), 0.1)],
)
def test_calibrated_noise_lies_between(low, high, rate, steps, delta, epsilon):
    assert dpsgd(low, rate, steps).epsilon_bounds(delta=delta).lower > epsilon
    assert dpsgd(high, rate, steps).epsilon(delta=delta) < epsilon


@pytest.mark.parametrize("method", ["auto", "fft"])
def test_epsilon_is_zero_above_the_total_variation(method):
    """One step of rate .00105: total variation 4.0207e-4, delta 1e-3."""
    bounds = dpsgd(1.0, 0.00105, 1).epsilon_bounds(delta=1e-3, method=method)
    assert (bounds.lower, bounds.upper) == (0.0, 0.0)
    assert dpsgd(1.0, 0.00105, 1).delta(epsilon=0.0) == pytest.approx(4.02071168675e-4, rel=1e-6)


def test_two_hundred_different_noise_multipliers():
    """.5246; 41 s elsewhere."""
    run = hs.compose(hs.Gaussian(noise_multiplier=1 + i / 200).poisson(0.01) for i in range(200))
    assert_epsilon(run, 1e-5, 0.524574287978)


@pytest.mark.parametrize("method", ["auto", "fft"])
@pytest.mark.parametrize(
    ("noise", "rate", "steps"), [(0.1, 0.01, 1000), (0.02, 0.01, 10), (0.001, 0.01, 1), (0.001, 1.0, 1)]
)
def test_tiny_noise_ends_with_a_number(noise, rate, steps, method):
    """Finite or infinite, at once, and ordered; no overflow (warnings are errors here)."""
    try:
        bounds = dpsgd(noise, rate, steps).epsilon_bounds(delta=1e-5, method=method)
    except hs.AccuracyError:
        pytest.fail("no answer")
    # A step that takes the record and shows it: mass rate * P0 at losses near 1 / (2 noise^2), so epsilon is large.
    assert 0 < bounds.lower <= bounds.upper
    assert bounds.upper >= 1 / (2 * noise**2) * 0.5


@pytest.mark.parametrize("method", ["auto"])
def test_delta_far_below_and_monotone(method):
    """sigma 4, rate .00033, 10 000 steps: at delta 1e-18 finite and at most .1457, and no jumps on the way there."""
    run = dpsgd(4.0, 0.00033, 10000)
    truth = np.array(
        [0.0279578039430, 0.0445389543953, 0.0569579926544, 0.0623312275573, 0.0673133035776, 0.0719790420388]
    )
    bounds = run.epsilon_bounds(delta=np.array([1e-6, 1e-10, 1e-14, 1e-16, 1e-18, 1e-20]), method=method)
    assert (bounds.lower <= truth * (1 + 1e-10)).all()
    assert (bounds.upper >= truth * (1 - 1e-10)).all()
    assert (np.diff(bounds.upper) > 0).all()
    assert bounds.upper[4] <= 0.1457


@pytest.mark.parametrize("delta", [0.1, 0.5])
def test_large_delta_gives_zero(delta):
    bounds = dpsgd(1.0, 0.01, 10).epsilon_bounds(delta=delta)
    assert (bounds.lower, bounds.upper) == (0.0, 0.0)


@pytest.mark.parametrize(
    "mechanism", [dpsgd(1.0, 0.0, 1000), dpsgd(1.0, 0.01, 0), 0 * hs.Gaussian(noise_multiplier=1.0)]
)
def test_nothing_released_costs_nothing(mechanism):
    assert mechanism.epsilon(delta=1e-5) == 0.0
    assert mechanism.delta(epsilon=0.0) == 0.0
    assert mechanism.epsilon(delta=0.0) == 0.0


def test_no_noise_is_no_privacy():
    """People switch privacy off by a noise multiplier of 0."""
    assert dpsgd(0.0, 0.01, 1000).epsilon(delta=1e-5) == math.inf
    assert hs.Gaussian(noise_multiplier=0.0).epsilon(delta=1e-5) == math.inf


def test_delta_zero_is_pure_epsilon():
    """Infinite for every Gaussian."""
    assert dpsgd(1.0, 0.01, 10).epsilon(delta=0.0) == math.inf
    assert dpsgd(1.0, 0.01, 10).epsilon(delta=1.0) == 0.0


def test_relations_differ_and_do_not_mix():
    replaced = hs.dpsgd(noise_multiplier=1.0, sampling_rate=1.0, steps=1, relation="replace")
    assert replaced.epsilon(delta=1e-5) == pytest.approx(9.9972561464, rel=1e-9)
    with pytest.raises(ValueError, match="relation"):
        replaced + hs.Gaussian(noise_multiplier=1.0)


def test_shuffled_batches_are_refused_with_the_reason():
    with pytest.raises(ValueError, match="shuffle"):
        hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=10, sampling="shuffle")


def test_one_step_more_than_planned_changes_little():
    planned, run = dpsgd(1.0, 0.01, 1000), dpsgd(1.0, 0.01, 1001)
    assert planned.epsilon(delta=1e-5) < run.epsilon(delta=1e-5) < planned.epsilon(delta=1e-5) * 1.001
