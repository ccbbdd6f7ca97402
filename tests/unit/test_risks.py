# SPDX-License-Identifier: Apache-2.0
"""Risks read off f: closed forms, mechanisms and curves alike, the side each errs on, input contract."""

import math

import numpy as np
import pytest
from scipy import optimize, special

import hockeystick as hs
from hockeystick import TradeoffCurve

MU = 1.3
BOTH = [hs.Gaussian(noise_multiplier=1 / MU), TradeoffCurve.gaussian(mu=MU)]
RUN = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)


def f(alpha):
    return special.ndtr(-special.ndtri(alpha) - MU)


@pytest.mark.parametrize("who", BOTH, ids=["mechanism", "curve"])
class TestGaussian:
    def test_advantage(self, who):
        truth = 2 * special.ndtr(MU / 2) - 1
        assert truth * (1 - 1e-14) <= who.advantage() <= truth * (1 + 1e-12)

    def test_tpr(self, who):
        alpha = np.array([1e-9, 1e-3, 0.05, 0.5])
        truth = special.ndtr(special.ndtri(alpha) + MU)
        assert (who.tpr(alpha) >= truth * (1 - 1e-13)).all()
        np.testing.assert_allclose(who.tpr(alpha), truth, rtol=5e-3)
        assert who.tpr(0.0) < 1e-5
        assert who.tpr(1.0) == 1.0

    @pytest.mark.parametrize("prior", [0.5, 0.3, 0.1, 0.01, 0.7, 0.9])
    def test_bayes_error(self, who, prior):
        """min over alpha of (1 - pi) alpha + pi f(alpha), found by search."""
        found = optimize.minimize_scalar(
            lambda z: (1 - prior) * special.ndtr(z) + prior * special.ndtr(-z - MU), bounds=(-12, 12), method="bounded"
        ).fun
        assert who.bayes_error(prior=prior) <= found * (1 + 1e-9)
        assert who.bayes_error(prior=prior) == pytest.approx(found, rel=2e-3)

    def test_bayes_error_at_the_ends(self, who):
        assert who.bayes_error() == pytest.approx((1 - who.advantage()) / 2, rel=1e-13)
        assert who.bayes_error(prior=0.0) == 0.0
        assert who.bayes_error(prior=1.0) == 0.0
        assert who.bayes_error(prior=1e-12) <= 1e-12

    def test_ppv_and_likelihood_ratio(self, who):
        floor, prior = 1e-3, 0.01
        rate = 1 - f(floor)
        truth = prior * rate / (prior * rate + (1 - prior) * floor)
        assert truth <= who.ppv(prior=prior, fpr_floor=floor) <= truth * 1.01
        assert rate / floor <= who.likelihood_ratio(fpr=floor) <= rate / floor * 1.01
        # A larger rate has a smaller precision: the floor decides.
        assert who.ppv(prior=prior, fpr_floor=0.1) < who.ppv(prior=prior, fpr_floor=1e-3)
        assert who.ppv(prior=prior, fpr_floor=1e-40) == pytest.approx(1.0, abs=1e-3)
        assert who.ppv(prior=prior, fpr_floor=1.0) == pytest.approx(prior, rel=1e-12)
        assert who.ppv(prior=1.0, fpr_floor=0.5) == 1.0
        assert who.ppv(prior=0.0, fpr_floor=0.5) == 0.0

    def test_reconstruction_and_its_relatives(self, who):
        for baseline in (1e-6, 0.01, 0.5):
            truth = 1 - f(baseline)
            assert truth * (1 - 1e-13) <= who.reconstruction(baseline=baseline) <= truth * 1.005
            assert who.attribute_inference(baseline=baseline) == who.reconstruction(baseline=baseline)
        assert who.reidentification(candidates=100) == pytest.approx(who.reconstruction(baseline=0.01), rel=1e-3)
        assert who.reidentification(candidates=1) == 1.0
        assert who.reconstruction(baseline=1.0) == 1.0

    def test_refuses(self, who):
        for call, error, message in [
            (lambda: who.tpr(1.5), ValueError, r"fpr must be in \[0, 1\]"),
            (lambda: who.bayes_error(prior=-0.1), ValueError, r"prior must be in \[0, 1\]"),
            (lambda: who.bayes_error(prior=math.nan), ValueError, "prior must not hold nan"),
            (lambda: who.ppv(prior=0.5, fpr_floor=0.0), ValueError, "fpr must be above 0"),
            (lambda: who.likelihood_ratio(fpr=0.0), ValueError, "fpr must be above 0"),
            (lambda: who.reidentification(candidates=0), ValueError, "candidates must be at least 1"),
            (lambda: who.reidentification(candidates=2.5), ValueError, "candidates must be a whole number"),
            (lambda: who.reconstruction(baseline=True), TypeError, "baseline must be a real number"),
            (lambda: who.attribute_inference(baseline=2.0), ValueError, r"baseline must be in \[0, 1\]"),
        ]:
            with pytest.raises(error, match=message):
                call()


def test_of_a_run():
    curve = RUN.tradeoff(fpr_floor=1e-6)
    assert RUN.advantage() == pytest.approx(0.16101761971, rel=1e-9)
    assert RUN.advantage() == pytest.approx(curve.advantage(), rel=1e-12)
    assert RUN.tpr(0.05) == pytest.approx(curve.tpr(0.05), rel=1e-3)
    assert RUN.bayes_error(prior=0.2) == pytest.approx(curve.bayes_error(prior=0.2), rel=1e-3)
    assert type(RUN.advantage()) is float
    assert type(RUN.tpr(0.05)) is float
    assert RUN.tpr([0.01, 0.05]).shape == (2,)
    assert RUN.bayes_error(prior=[0.1, 0.5]).shape == (2,)


def test_randomized_response_attains_the_reconstruction_bound():
    """k values, baseline 1/k: the mechanism's own answer is right with a probability that the bound equals at k = 2."""
    truth, lie = 0.75, 0.25
    curve = TradeoffCurve.from_distributions(p=[truth, lie], q=[lie, truth], relation="replace")
    # Against a world whose output is uniform: the best guess succeeds with 0.75 from 0.5.
    assert curve.attribute_inference(baseline=0.5) >= truth
