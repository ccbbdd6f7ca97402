# SPDX-License-Identifier: Apache-2.0
"""Audit in the plane of the trade-off curve: what attacks showed, with confidence, beside what was claimed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _validate
from ._docs import documented_by
from .audit_result import AuditPoint, AuditResult
from .tradeoff import TradeoffCurve

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

# What the errors of both quantiles add up to, with their difference, at the sizes that doubles hold.
_QUANTILE_ROUNDING = 1e-13
_LEAST_FLOOR = 1e-300


def audit(
    scores_in: ArrayLike,
    scores_out: ArrayLike,
    *,
    claim: Any = None,
    thresholds: int = 16,
    confidence: float = 0.95,
    delta: float = 1e-5,
) -> AuditResult:
    """Empirical lower bounds on the privacy loss from an attack's scores, and a claim's standing against them.

    Parameters
    ----------
    scores_in, scores_out : array_like
        The attack's score (larger: more likely in) in independent runs with and without the record.
    claim : mechanism or TradeoffCurve, optional
        What is claimed.
    thresholds : int
        How many tests are made of the scores, at least 2. More find more and pay with wider limits.
    confidence : float
        In (0, 1), of all statements together.
    delta : float
        In [0, 1), of the epsilons told.

    Returns
    -------
    AuditResult

    Raises
    ------
    ValueError, TypeError
        For arguments out of their domain.

    Notes
    -----
    Assumes that the scores are independent, one for each run of the mechanism; many canaries in one run are not. Then
    no assumption on their law is made, and data may be as few as they are. Thresholds are order statistics at ranks
    fixed in advance: half of them of `scores_out` (the k-th largest has a false-positive rate below the Beta(k, n - k +
    1) law's, which is the Clopper-Pearson upper limit for k - 1 in n, ties included), with the true positives counted
    in the other sample; half of them of `scores_in`, the other way round. So no threshold is chosen by looking at the
    counts that it is judged by. The error probability is divided evenly by the limits (two a threshold; Bonferroni).

    Each point (FPR limit, TPR limit) is then a test that exists: the claim f is refuted where f(FPR) > 1 - TPR. The
    largest f not refuted is `refuted_above`, the symmetric convex hull of the points.

    Examples
    --------
    >>> import numpy as np
    >>> import hockeystick as hs
    >>> rng = np.random.default_rng(1)
    >>> scores_out, scores_in = rng.normal(size=20000), rng.normal(size=20000) + 1.0      # the best test at mu = 1
    >>> result = hs.audit(scores_in, scores_out, claim=hs.Gaussian(noise_multiplier=1.0))
    >>> result.verdict
    'consistent'
    >>> hs.audit(scores_in, scores_out, claim=hs.Gaussian(noise_multiplier=1.25)).verdict
    'the claim is refuted at 95 %'
    """
    ins, outs = _scores("scores_in", scores_in), _scores("scores_out", scores_out)
    number = _validate.count("thresholds", thresholds)
    if number < 2:
        raise ValueError(f"thresholds must be at least 2, got {thresholds!r}")
    significance = _significance(confidence, number)
    points = [
        *(_from_out(ins, outs, rank, significance) for rank in _ranks(len(outs), (number + 1) // 2)),
        *(_from_in(ins, outs, rank, significance) for rank in _ranks(len(ins), number // 2)),
    ]
    return _result(points, claim, confidence, delta)


@documented_by(audit)
def audit_counts(
    *,
    true_positives: ArrayLike,
    positives: ArrayLike,
    false_positives: ArrayLike,
    negatives: ArrayLike,
    claim: Any = None,
    confidence: float = 0.95,
    delta: float = 1e-5,
) -> AuditResult:
    """Do the same from confusion counts of one or several tests whose thresholds were fixed before the counts were seen.

    Parameters
    ----------
    true_positives, positives, false_positives, negatives : int or array_like of int
        Of `positives` runs with the record the test found `true_positives`; of `negatives` runs without it, it accused
        `false_positives`. Arrays: one entry a test.

    Examples
    --------
    >>> import hockeystick as hs
    >>> result = hs.audit_counts(true_positives=900, positives=1000, false_positives=100, negatives=1000)
    >>> print(f"{result.empirical_epsilon_lower:.2f} {result.empirical_mu_lower:.2f}")
    1.99 2.35
    """
    columns = np.broadcast_arrays(
        *(np.atleast_1d(np.asarray(value)) for value in (true_positives, positives, false_positives, negatives))
    )
    significance = _significance(confidence, columns[0].size)
    points = []
    for row in zip(*(column.ravel() for column in columns), strict=True):
        hits, ins, accused, outs = (
            _validate.count(name, value.item())
            for name, value in zip(("true_positives", "positives", "false_positives", "negatives"), row, strict=True)
        )
        fpr_upper = _core.clopper_pearson(accused, outs, significance)[1]
        tpr_lower = _core.clopper_pearson(hits, ins, significance)[0]
        points.append(_point(math.inf, accused, outs, hits, ins, fpr_upper, tpr_lower))
    return _result(points, claim, confidence, delta)


def _result(points: list[AuditPoint], claim: Any, confidence: float, delta: float) -> AuditResult:
    if not 0.0 <= _validate.real("delta", delta) < 1.0:
        raise ValueError(f"delta must be in [0, 1), got {delta!r}")
    evidence = TradeoffCurve.from_points(
        fpr=[p.fpr_upper for p in points], tpr=[p.tpr_lower for p in points], meaning="tests"
    )
    curve = None if claim is None else _claimed_curve(claim, min(p.fpr_upper for p in points))
    worst = None if curve is None else _refuting(curve, points)
    return AuditResult(
        points=tuple(points),
        confidence=float(confidence),
        delta=float(delta),
        empirical_epsilon_lower=float(evidence.epsilon_bounds(delta=delta).lower),
        empirical_mu_lower=max(_implied_mu(p) for p in points),
        proved_epsilon_upper=None if curve is None else float(claim.epsilon(delta=delta)),
        refuted=None if curve is None else worst is not None,
        refuting_point=worst,
        claimed_tpr_upper=None if curve is None or worst is None else float(curve.tpr(worst.fpr_upper)),
        relation=None if curve is None else curve.relation,
        refuted_above=evidence,
    )


def _refuting(curve: TradeoffCurve, points: list[AuditPoint]) -> AuditPoint | None:
    """The point whose miss rate is certainly below the claimed f, the farthest in proportion."""
    # The lower side of the claim, and 1 - TPR rounded up: what is left is refuted whatever the roundings.
    allowed = np.asarray(curve([p.fpr_upper for p in points]))
    missed = np.nextafter(1.0 - np.array([p.tpr_lower for p in points]), 2.0)
    below = allowed > missed
    if not below.any():
        return None
    excess = np.divide(allowed - missed, allowed, where=below, out=np.full(below.shape, -1.0))
    return points[int(excess.argmax())]


def _claimed_curve(claim: Any, least_fpr: float) -> TradeoffCurve:
    if isinstance(claim, TradeoffCurve):
        return claim
    if not hasattr(claim, "tradeoff"):
        raise TypeError(f"claim must be a mechanism or a TradeoffCurve, got {claim!r}")
    curve = claim.tradeoff(fpr_floor=min(max(least_fpr, _LEAST_FLOOR), 0.4))
    if not isinstance(curve, TradeoffCurve):
        raise TypeError(f"claim must be a mechanism or a TradeoffCurve, got {claim!r}")
    return curve


def _scores(name: str, value: ArrayLike) -> NDArray[np.float64]:
    array = _validate.numeric_array(name, value)
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got {array.ndim} dimensions")
    return np.sort(array)


def _significance(confidence: float, tests: int) -> float:
    return (1.0 - _validate.inner_probability("confidence", confidence)) / (2.0 * tests)


def _ranks(size: int, number: int) -> list[int]:
    """Ranks fixed by the size of the sample alone: evenly spaced in their logs, from 1 to half of it."""
    ranks = np.exp(np.linspace(0.0, math.log(max(size / 2.0, 1.0)), number))
    return [int(rank) for rank in np.maximum(np.rint(ranks), 1.0)]


def _from_out(ins: NDArray[np.float64], outs: NDArray[np.float64], rank: int, significance: float) -> AuditPoint:
    """Threshold at the rank-th largest score without the record; "in" is said strictly above it."""
    threshold = float(outs[len(outs) - rank])
    hits = len(ins) - int(np.searchsorted(ins, threshold, side="right"))
    fpr_upper = _core.clopper_pearson(rank - 1, len(outs), significance)[1]
    tpr_lower = _core.clopper_pearson(hits, len(ins), significance)[0]
    return _point(threshold, rank - 1, len(outs), hits, len(ins), fpr_upper, tpr_lower)


def _from_in(ins: NDArray[np.float64], outs: NDArray[np.float64], rank: int, significance: float) -> AuditPoint:
    """Threshold at the rank-th smallest score with the record; "out" is said strictly below it."""
    threshold = float(ins[rank - 1])
    accused = len(outs) - int(np.searchsorted(outs, threshold, side="left"))
    fpr_upper = _core.clopper_pearson(accused, len(outs), significance)[1]
    tpr_lower = _core.clopper_pearson(len(ins) - rank + 1, len(ins), significance)[0]
    return _point(threshold, accused, len(outs), len(ins) - rank + 1, len(ins), fpr_upper, tpr_lower)


def _point(
    threshold: float, accused: int, negatives: int, hits: int, positives: int, fpr_upper: float, tpr_lower: float
) -> AuditPoint:
    return AuditPoint(
        threshold=threshold,
        false_positives=accused,
        negatives=negatives,
        true_positives=hits,
        positives=positives,
        fpr_upper=fpr_upper,
        tpr_lower=tpr_lower,
    )


def _implied_mu(point: AuditPoint) -> float:
    """Lower bound on Phi^{-1}(TPR) - Phi^{-1}(FPR)."""
    if point.tpr_lower <= point.fpr_upper:
        return 0.0
    high, low = (_core.normal_quantile_of_log(math.log(rate)) for rate in (point.tpr_lower, point.fpr_upper))
    return max(0.0, high - low - _QUANTILE_ROUNDING * (1.0 + abs(high) + abs(low)))
