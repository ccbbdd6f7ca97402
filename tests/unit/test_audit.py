# SPDX-License-Identifier: Apache-2.0
"""audit: nominal rates at the optimal test, power against claims that are too strong, ties, input contract."""

import json
import math

import numpy as np
import pytest
from scipy import special, stats

import hockeystick as hs
from hockeystick import TradeoffCurve, _core


def gaussian_scores(rng, mu, size):
    return rng.normal(size=size) + mu, rng.normal(size=size)


def claim_of(mu):
    return TradeoffCurve.gaussian(mu=mu, fpr_floor=1e-5)


TRUE, STRONG = claim_of(1.0), claim_of(0.8)


def test_the_truth_is_refuted_at_most_at_the_nominal_rate_and_a_claim_20_percent_too_strong_is_refuted():
    rng = np.random.default_rng(20240601)
    trials, refuted_truth, refuted_strong, above = 400, 0, 0, 0
    for _ in range(trials):
        ins, outs = gaussian_scores(rng, 1.0, 4000)
        result = hs.audit(ins, outs, claim=TRUE, confidence=0.8)
        refuted_truth += result.refuted
        above += result.empirical_mu_lower > 1.0
        refuted_strong += hs.audit(ins, outs, claim=STRONG, confidence=0.8).refuted
    # Nominal .2, so 80 of 400; 112 is four standard deviations above. Bonferroni leaves the rate far below.
    assert refuted_truth <= 112
    assert above <= 112
    assert refuted_truth > 0  # a test that never refutes would have no confidence to spend
    assert refuted_strong >= 0.9 * trials


def test_limits_of_one_point_hold_at_their_exact_rate():
    """At rank k of the scores without the record the limit fails with exactly the significance: it is no approximation."""
    rng = np.random.default_rng(7)
    trials, size = 4000, 200
    failures = 0
    for _ in range(trials):
        outs = np.sort(rng.normal(size=size))
        threshold = outs[size - 10]
        failures += stats.norm.sf(threshold) > _core.clopper_pearson(9, size, 0.1)[1]
    assert abs(failures / trials - 0.1) < 4 * math.sqrt(0.1 * 0.9 / trials)


def test_subsampled_run_at_its_optimal_test():
    """The likelihood-ratio test of one sampled release refutes a claim that leaves the sampling out of the noise."""
    rng = np.random.default_rng(3)
    size, rate = 200_000, 0.1
    outs = rng.normal(size=size)
    ins = rng.normal(size=size) + (rng.random(size) < rate)
    truth = hs.Gaussian(noise_multiplier=1.0).poisson(rate)
    assert hs.audit(ins, outs, claim=truth).verdict == "consistent"
    assert hs.audit(ins, outs, claim=hs.Gaussian(noise_multiplier=1.25).poisson(rate)).refuted


def test_limits_of_counts():
    result = hs.audit_counts(true_positives=300, positives=1000, false_positives=20, negatives=2000)
    (point,) = result.points
    a = 0.025
    assert point.fpr_upper == pytest.approx(stats.beta.isf(a, 21, 1980), rel=1e-9)
    assert point.tpr_lower == pytest.approx(stats.beta.ppf(a, 300, 701), rel=1e-9)
    assert point.fpr_upper >= stats.beta.isf(a, 21, 1980) * (1 - 1e-12)
    mu = special.ndtri(point.tpr_lower) - special.ndtri(point.fpr_upper)
    assert result.empirical_mu_lower == pytest.approx(mu, rel=1e-10)
    assert result.empirical_mu_lower <= mu
    first = math.log((point.tpr_lower - 1e-5) / point.fpr_upper)
    assert result.empirical_epsilon_lower == pytest.approx(first, rel=1e-9)
    assert result.verdict == "no claim"
    # Misses count as well as hits: the same table read backwards gives the same.
    back = hs.audit_counts(true_positives=1980, positives=2000, false_positives=700, negatives=1000)
    assert back.empirical_epsilon_lower == pytest.approx(result.empirical_epsilon_lower, rel=1e-9)
    assert back.empirical_mu_lower == pytest.approx(result.empirical_mu_lower, rel=1e-9)


def test_many_tests_cost_confidence():
    one = hs.audit_counts(true_positives=300, positives=1000, false_positives=20, negatives=2000)
    many = hs.audit_counts(true_positives=[300] * 20, positives=1000, false_positives=20, negatives=2000)
    assert many.empirical_epsilon_lower < one.empirical_epsilon_lower
    a = 0.05 / 40
    assert many.points[0].fpr_upper == pytest.approx(stats.beta.isf(a, 21, 1980), rel=1e-9)


def test_an_epsilon_delta_claim():
    """(1, 1e-5)-DP allows TPR up to e FPR + 1e-5; counts far beyond it refute it, counts within do not."""
    log_delta = math.log(1e-5)
    start = math.log(1e-5 + (1 - 1e-5) * math.tanh(0.5))
    claim = TradeoffCurve.from_profile(epsilon=[0.0, 1.0], log_delta_upper=[start, log_delta])
    wrong = hs.audit_counts(true_positives=4000, positives=10000, false_positives=1000, negatives=10000, claim=claim)
    assert wrong.refuted
    assert wrong.claimed_tpr_upper == pytest.approx(math.e * wrong.points[0].fpr_upper + 1e-5, rel=1e-3)
    assert "refuted at 95 %" in wrong.sentence
    fine = hs.audit_counts(true_positives=2500, positives=10000, false_positives=1000, negatives=10000, claim=claim)
    assert fine.verdict == "consistent"
    assert fine.refuting_point is None


def test_ties_do_not_help():
    """Scores of two values: the thresholds fall on ties, and the counts stay on the safe side."""
    rng = np.random.default_rng(11)
    refuted = 0
    truth = TradeoffCurve.from_distributions(p=[0.6, 0.4], q=[0.4, 0.6])
    for _ in range(200):
        ins, outs = (rng.random(500) < 0.6).astype(float), (rng.random(500) < 0.4).astype(float)
        refuted += hs.audit(ins, outs, claim=truth).refuted
    assert refuted <= 10 + 4 * 3.1
    ins, outs = (rng.random(20000) < 0.6).astype(float), (rng.random(20000) < 0.4).astype(float)
    strong = TradeoffCurve.from_distributions(p=[0.52, 0.48], q=[0.48, 0.52])  # ties cost power, not validity
    assert hs.audit(ins, outs, claim=strong).refuted


def test_few_scores_prove_nothing():
    result = hs.audit([0.0, 1.0], [0.0], claim=TRUE)
    assert not result.refuted
    assert result.empirical_epsilon_lower == 0.0
    assert result.empirical_mu_lower == 0.0


def test_labels_are_never_shared():
    result = hs.audit([0.0, 1.0], [0.0], claim=hs.Gaussian(noise_multiplier=1.0))
    names = result.to_dict().keys()
    assert {"empirical_epsilon_lower", "empirical_mu_lower", "proved_epsilon_upper"} <= names
    assert not {"epsilon", "mu", "epsilon_lower", "mu_lower"} & names
    assert result.proved_epsilon_upper == pytest.approx(4.3772, abs=1e-4)
    assert "proved upper bound" in result.sentence
    assert "empirical lower bounds" in result.sentence
    json.dumps(result.to_dict())
    assert "counted" in str(result)


def test_refuted_above_holds_every_point():
    rng = np.random.default_rng(5)
    result = hs.audit(*gaussian_scores(rng, 1.5, 3000))
    for point in result.points:
        assert result.refuted_above.upper(point.fpr_upper) <= 1 - point.tpr_lower + 1e-12


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (([], [1.0]), {}, ValueError, "scores_in must not be empty"),
        (([1.0], [math.nan]), {}, ValueError, "scores_out must not hold nan"),
        (([[1.0]], [1.0]), {}, ValueError, "scores_in must be one-dimensional"),
        (([1.0], ["a"]), {}, TypeError, "scores_out must be a real number"),
        (([1.0], [1.0]), {"thresholds": 1}, ValueError, "thresholds must be at least 2"),
        (([1.0], [1.0]), {"confidence": 1.0}, ValueError, r"confidence must be in \(0, 1\)"),
        (([1.0], [1.0]), {"delta": 1.0}, ValueError, r"delta must be in \[0, 1\)"),
        (([1.0], [1.0]), {"claim": 1.0}, TypeError, "claim must be a mechanism"),
    ],
)
def test_refuses(arguments, options, error, message):
    with pytest.raises(error, match=message):
        hs.audit(*arguments, **options)


def test_refuses_counts():
    with pytest.raises(ValueError, match="successes must be at most trials"):
        hs.audit_counts(true_positives=3, positives=2, false_positives=0, negatives=1)
    with pytest.raises(ValueError, match="trials must be in"):
        hs.audit_counts(true_positives=0, positives=0, false_positives=0, negatives=1)
    with pytest.raises(ValueError, match="true_positives must be a whole number"):
        hs.audit_counts(true_positives=0.5, positives=1, false_positives=0, negatives=1)
