# SPDX-License-Identifier: Apache-2.0
"""Every setting is answered, however far out: a bracket in order, without NaN, for bounded work.

Processor time stands for the work: the bound is several times what the slowest of these take, and far below what a
search without end would.
"""

import itertools
import math
import time

import pytest

import hockeystick as hs

NOISES = (1e-3, 0.5, 1e6)
RATES = (1e-12, 1e-3, 1.0)
STEPS = (0, 1, 10**6, 10**12)
DELTAS = (1e-5, 1e-300)

# Each once took seconds, or was answered by an upper bound that says nothing.
HARD = [
    # noise_multiplier, sampling_rate, steps, delta, most that the upper bound may be
    (0.5, 1e-12, 10**12, 1e-5, 0.0),
    (1e6, 1e-12, 10**6, 1e-200, 1e-9),
    (1e6, 1e-12, 10**12, 1e-200, 1e-9),
    (1e6, 1e-3, 10**6, 1e-5, 0.0),
    (1e6, 1e-3, 10**12, 1e-5, 3e-3),
    (1e6, 1e-3, 10**12, 1e-200, 0.04),
    (8.83, 1.08e-10, 48, math.exp(-67.0), 0.02),
    (0.5, 1e-9, 10**9, 1e-5, 0.03),
    (0.3, 1e-9, 10**9, 1e-5, 3.0),
]
SECONDS = 5.0


def timed(ask):
    begin = time.process_time()
    answer = ask()
    assert time.process_time() - begin < SECONDS
    return answer


def check(bracket):
    assert 0.0 <= bracket.lower <= bracket.upper  # NaN compares false
    return bracket


def run(noise_multiplier, sampling_rate, steps):
    return hs.dpsgd(noise_multiplier=noise_multiplier, sampling_rate=sampling_rate, steps=steps)


@pytest.mark.parametrize("noise_multiplier", NOISES)
@pytest.mark.parametrize("sampling_rate", RATES)
def test_epsilon_of_the_whole_grid(noise_multiplier, sampling_rate):
    for steps, delta in itertools.product(STEPS, DELTAS):
        mechanism = run(noise_multiplier, sampling_rate, steps)
        bracket = check(timed(lambda m=mechanism, d=delta: m.epsilon_bounds(delta=d)))
        # Never without a reason: a Gaussian of finite noise has a finite epsilon at every delta above 0.
        assert math.isfinite(bracket.upper)
        # What holds without amplification holds with it.
        plain = run(noise_multiplier, 1.0, steps).epsilon_bounds(delta=delta)
        assert bracket.upper <= plain.upper * (1.0 + 1e-6)
        assert bracket.lower <= plain.upper


@pytest.mark.parametrize("method", ["auto", "fft"])
@pytest.mark.parametrize(("noise_multiplier", "sampling_rate", "steps", "delta", "most"), HARD)
def test_hard_settings(noise_multiplier, sampling_rate, steps, delta, most, method):
    mechanism = run(noise_multiplier, sampling_rate, steps)
    assert check(timed(lambda: mechanism.epsilon_bounds(delta=delta, method=method))).upper <= most


def test_both_engines_together_where_neither_is_narrow_alone():
    """Removing a record here is too rare for a contour to 1e-6, and its lattice too coarse for the FFT."""
    mechanism = run(0.5, 1e-9, 10**9)
    with pytest.raises(hs.AccuracyError):
        mechanism.epsilon_bounds(delta=1e-5, method="contour")
    alone, together = mechanism.epsilon_bounds(delta=1e-5, method="fft"), mechanism.epsilon_bounds(delta=1e-5)
    assert together.method == "contour, fft"
    assert alone.lower <= together.lower <= together.upper <= alone.upper
    assert together.upper - together.lower < 1e-4 * together.upper < 1e-2 * (alone.upper - alone.lower)


@pytest.mark.parametrize("noise_multiplier", [1e-3, 1e6])
@pytest.mark.parametrize("steps", [1, 10**12])
def test_deltas(noise_multiplier, steps):
    for sampling_rate, epsilon in itertools.product((1e-12, 0.5, 1.0), (0.0, 1.0, 1e4)):
        mechanism = run(noise_multiplier, sampling_rate, steps)
        assert check(timed(lambda m=mechanism, e=epsilon: m.delta_bounds(epsilon=e))).upper <= 1.0


@pytest.mark.parametrize(
    ("noise_multiplier", "sampling_rate", "steps"),
    [
        (1.0, 0.01, 10),
        (0.1, 0.99, 10),
        (1e-3, 1e-12, 10),
        (1e-3, 1e-3, 10**12),
        (0.5, 1e-9, 10**9),
    ],
)
def test_curves_and_mu(noise_multiplier, sampling_rate, steps):
    mechanism = run(noise_multiplier, sampling_rate, steps)
    curve = timed(mechanism.tradeoff)
    assert 0.0 <= curve(0.05) <= 0.95
    fit = timed(mechanism.gdp)
    assert 0.0 <= fit.mu_lower <= fit.mu < math.inf
    assert fit.mu <= math.sqrt(steps) / noise_multiplier * (1.0 + 1e-12)


@pytest.mark.parametrize(("noise_multiplier", "steps"), [(1e-3, 1), (1e-2, 1000), (1e6, 10**12), (0.5, 10**9)])
def test_plain_gaussians_by_the_fft_engine(noise_multiplier, steps):
    mechanism = run(noise_multiplier, 1.0, steps)
    fast = check(timed(lambda: mechanism.epsilon_bounds(delta=1e-5, method="fft")))
    exact = mechanism.epsilon_bounds(delta=1e-5)
    assert fast.lower <= exact.upper
    assert exact.lower <= fast.upper
    assert fast.upper - fast.lower <= 1e-9 * fast.upper


def test_most_steps_end():
    """Updates that cost nothing measurable: the answer is the largest count there is, by closed forms alone."""
    most = timed(lambda: hs.max_steps(epsilon=1, delta=1e-5, noise_multiplier=1e6, sampling_rate=1e-9))
    assert most == 2**53


def test_non_private_has_infinite_mu_from_both_sides():
    fit = hs.NonPrivate().gdp()
    assert fit.mu == fit.mu_lower == math.inf
