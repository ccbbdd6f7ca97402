# SPDX-License-Identifier: Apache-2.0
"""What an audit proves, in numbers and in words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ._rounded import down, up

if TYPE_CHECKING:
    from .tradeoff import TradeoffCurve


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditPoint:
    """One test of an audit: counts, and the limits that hold for all points of the audit together.

    Attributes
    ----------
    threshold : float
        The test says "in" for scores above it; NaN-free, and infinite where counts were given without one.
    false_positives, negatives, true_positives, positives : int
        Of `negatives` runs without the record `false_positives` were taken for runs with it, and so on.
    fpr_upper, tpr_lower : float
        Clopper-Pearson limits, rounded outward: with the audit's confidence the test's false-positive rate is at most
        `fpr_upper` and its true-positive rate at least `tpr_lower`, at every point at once.
    """

    threshold: float
    false_positives: int
    negatives: int
    true_positives: int
    positives: int
    fpr_upper: float
    tpr_lower: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditResult:
    """What an audit proves: empirical lower bounds, at a confidence, and how a claim stands against them.

    Empirical numbers bound the mechanism's privacy loss from below, with a probability of error; proved numbers bound
    it from above, without one. They are never the same kind of number, and no label here is shared by both.

    Attributes
    ----------
    points : tuple of AuditPoint
        The tests.
    confidence : float
        Probability with which all empirical statements hold at once.
    delta : float
        The delta of both epsilons.
    empirical_epsilon_lower, empirical_mu_lower : float
        With that confidence no (epsilon, delta)-DP and no mu-GDP guarantee with less holds.
    proved_epsilon_upper : float or None
        The claim's epsilon at `delta`, if there is a claim.
    refuted : bool or None
        Whether a point lies certainly below the claimed curve; None without a claim.
    refuting_point : AuditPoint or None
        The one that lies farthest below it, relative to the miss rate that the claim allows there.
    claimed_tpr_upper : float or None
        The most that the claim allows at that point's `fpr_upper`.
    relation : str or None
        Of the claim.

    Examples
    --------
    >>> import hockeystick as hs
    >>> result = hs.audit_counts(
    ...     true_positives=900, positives=1000, false_positives=100, negatives=1000, claim=hs.GaussianDP(mu=1.0))
    >>> result.refuted, result.to_dict()["verdict"]
    (True, 'the claim is refuted at 95 %')
    """

    points: tuple[AuditPoint, ...]
    confidence: float
    delta: float
    empirical_epsilon_lower: float
    empirical_mu_lower: float
    proved_epsilon_upper: float | None
    refuted: bool | None
    refuting_point: AuditPoint | None
    claimed_tpr_upper: float | None
    relation: str | None
    refuted_above: TradeoffCurve = field(repr=False, compare=False)

    @property
    def verdict(self) -> str:
        """``"consistent"``, ``"the claim is refuted at 95 %"`` (with the confidence), or ``"no claim"``."""
        if self.refuted is None:
            return "no claim"
        return f"the claim is refuted at {_percent(self.confidence)}" if self.refuted else "consistent"

    @property
    def sentence(self) -> str:
        """What a reader may quote."""
        level = _percent(self.confidence)
        empirical = (
            f"With {level} confidence epsilon is at least {down(self.empirical_epsilon_lower)} at delta = "
            f"{self.delta:g} and mu at least {down(self.empirical_mu_lower)} (empirical lower bounds)."
        )
        if self.refuted is None:
            return empirical
        if self.refuting_point is None:
            return (
                f"Consistent: no test contradicts the claim, whose proved upper bound is epsilon = "
                f"{up(self.proved_epsilon_upper)} at delta = {self.delta:g}. {empirical} An audit that finds nothing "
                "proves nothing."
            )
        point = self.refuting_point
        return (
            f"The claim is refuted at {level}: at a false-positive rate of at most {up(point.fpr_upper)} an attack "
            f"finds at least {down(point.tpr_lower)} of the members, and the claim allows at most "
            f"{up(self.claimed_tpr_upper)}. {empirical}"
        )

    def __str__(self) -> str:
        lines = ["      FPR at most    TPR at least    counted (false of negatives, true of positives)"]
        lines += [
            f"{p.fpr_upper:17.6g} {p.tpr_lower:15.6g}    {p.false_positives} of {p.negatives}, "
            f"{p.true_positives} of {p.positives}"
            for p in self.points
        ]
        return "\n".join([*lines, self.sentence])

    def to_dict(self) -> dict[str, Any]:
        """Return plain values under stable keys.

        Returns
        -------
        dict
            Ready for JSON.
        """
        names = AuditPoint.__dataclass_fields__
        return {
            "format": "hockeystick.audit/1",
            "verdict": self.verdict,
            "sentence": self.sentence,
            "confidence": self.confidence,
            "delta": self.delta,
            "empirical_epsilon_lower": self.empirical_epsilon_lower,
            "empirical_mu_lower": self.empirical_mu_lower,
            "proved_epsilon_upper": self.proved_epsilon_upper,
            "relation": self.relation,
            "points": [{name: getattr(point, name) for name in names} for point in self.points],
        }


def _percent(confidence: float) -> str:
    return f"{100.0 * confidence:.6g} %"
