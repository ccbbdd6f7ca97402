# SPDX-License-Identifier: Apache-2.0
"""The calls of riskcal, beside riskcal where it is right, and evaluated where they calibrate."""

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.interop import riskcal as ours

RUN = {"noise_multiplier": 1.0, "sample_rate": 0.01, "num_steps": 1000}


@pytest.fixture
def theirs():
    return pytest.importorskip("riskcal.calibration.dpsgd")


def test_beside_riskcal(theirs):
    alphas = np.array([1e-3, 0.01, 0.05, 0.3])
    mine, its = (
        ours.get_beta_for_dpsgd(**RUN, alpha=alphas),
        theirs.get_beta_for_dpsgd(**RUN, alpha=alphas, grid_step=1e-3),
    )
    assert mine == pytest.approx(its, abs=2e-4)
    assert ours.get_advantage_for_dpsgd(**RUN) == pytest.approx(
        theirs.get_advantage_for_dpsgd(**RUN, grid_step=1e-3), abs=1e-4
    )


def test_small_false_positive_rates_are_within_reach():
    beta = ours.get_beta_for_dpsgd(**RUN, alpha=1e-40)
    assert isinstance(beta, float)
    assert 1.0 - 1e-15 <= beta <= 1.0


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_the_ends_of_the_curve(alpha):
    assert 0.0 <= ours.get_beta_for_dpsgd(**RUN, alpha=alpha) <= 1.0 - alpha


def test_calibration_to_an_advantage_is_safe_and_tight(theirs):
    noise = ours.find_noise_multiplier_for_advantage(0.1, 0.01, 1000)
    assert 0.1 * (1 - 1e-6) <= ours.get_advantage_for_dpsgd(noise, 0.01, 1000) <= 0.1
    its = theirs.find_noise_multiplier_for_advantage(0.1, 0.01, 1000, grid_step=1e-3)
    assert noise == pytest.approx(its, rel=2e-2)


def test_calibration_to_rates_is_safe_and_tight():
    noise = ours.find_noise_multiplier_for_err_rates(0.01, 0.95, 0.01, 1000)
    assert hs.Budget.fnr(0.95, fpr=0.01).allows(hs.dpsgd(noise_multiplier=noise, sampling_rate=0.01, steps=1000))
    # Another curve of the same run, tight to its own tolerance.
    assert ours.get_beta_for_dpsgd(noise, 0.01, 1000, 0.01) == pytest.approx(0.95, abs=1e-5)


def test_wrong_targets_are_refused():
    with pytest.raises(ValueError, match=r"advantage must be in \(0, 1\), got 1.0"):
        ours.find_noise_multiplier_for_advantage(1.0, 0.01, 10)
    with pytest.raises(ValueError, match=r"alpha \+ beta must be below 1"):
        ours.find_noise_multiplier_for_err_rates(0.5, 0.5, 0.01, 10)
    with pytest.raises(ValueError, match="alpha"):
        ours.get_beta_for_dpsgd(**RUN, alpha=1.5)
