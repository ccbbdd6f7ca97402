# SPDX-License-Identifier: Apache-2.0
"""The parts of a report: plain, frozen values without words."""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = [
    "REGRET_LIMIT",
    "AccountantRow",
    "EngineSummary",
    "EpsilonRow",
    "FloorRow",
    "GDPSummary",
    "GuessRow",
    "MechanismSummary",
    "Note",
    "Part",
    "PrecisionRow",
    "Risks",
    "SamplingSummary",
    "TPRRow",
    "Versions",
]

# With less regret than this the one number mu may stand for the whole curve.
REGRET_LIMIT = 0.01


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """One kind of release in a composition, and how often it is made.

    Attributes
    ----------
    name : str
        The mechanism in words.
    count : int
        Number of releases.
    parameters : tuple of (name, what it is)
        Its own parameters, in the order of its definition.
    """

    name: str
    count: int
    parameters: tuple[tuple[str, float | str], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class MechanismSummary:
    """What was run.

    Attributes
    ----------
    name : str
        In words.
    code : str
        The mechanism as Python writes it.
    parameters : tuple of (name, what it is)
        As the caller gave them.
    parts : tuple of Part
        The releases it is composed of, relative to the sensitivity under the relation.
    description : str or None
        The description from which it can be built again, as canonical JSON; None where there is no such form.
    """

    name: str
    code: str
    parameters: tuple[tuple[str, float | str], ...]
    parts: tuple[Part, ...]
    description: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class SamplingSummary:
    """How batches are drawn, in the analysis and in practice.

    Attributes
    ----------
    assumed : str
        What the numbers are for: ``"poisson"``, ``"full_batch"``, ...
    in_practice : str or None
        What the caller says the data loader does; None if nothing was said.
    sampling_rate : float or None
        q, where all steps share one.
    steps : int
        T, the number of releases.
    exact_steps : float
        The same before it was rounded up, where epochs were given.
    expected_participations : float or None
        How often a record is expected in a batch.
    dataset_size : int or None
        N, if the caller gave it.
    expected_batch_size : float or None
        q N.
    """

    assumed: str
    in_practice: str | None
    sampling_rate: float | None
    steps: int
    exact_steps: float
    expected_participations: float | None
    dataset_size: int | None
    expected_batch_size: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class EpsilonRow:
    """epsilon at one delta: `upper` is the guarantee, the exact value lies in [lower, upper]."""

    delta: float
    lower: float
    upper: float
    method: str


@dataclass(frozen=True, kw_only=True, slots=True)
class GDPSummary:
    """mu with its floor and price; the attributes are those of :class:`hockeystick.GDPFit`."""

    mu: float
    mu_lower: float
    fpr_floor: float
    residual: float
    literal: float
    regret: float
    regret_lower: float
    delta_divergence: float
    delta_divergence_lower: float
    delta0: float
    mu_delta0: float
    regret_limit: float

    @property
    def may_stand_for_the_curve(self) -> bool:
        """Whether the regret is below the limit; false where mu is infinite."""
        return math.isfinite(self.mu) and self.regret < self.regret_limit


@dataclass(frozen=True, kw_only=True, slots=True)
class FloorRow:
    """mu and its price at one floor; upper bounds all. A smaller floor gives a larger mu."""

    fpr_floor: float
    mu: float
    residual: float
    regret: float
    delta_divergence: float


@dataclass(frozen=True, kw_only=True, slots=True)
class TPRRow:
    """Upper bounds on the true-positive rate of every attack at one false-positive rate, and on their ratio."""

    fpr: float
    tpr_upper: float
    likelihood_ratio_upper: float


@dataclass(frozen=True, kw_only=True, slots=True)
class PrecisionRow:
    """Upper bound on how often an accusation is right: where `prior` are members, for tests above a floor of FPR."""

    prior: float
    fpr_floor: float
    precision_upper: float


@dataclass(frozen=True, kw_only=True, slots=True)
class GuessRow:
    """Upper bound on the success of any guess about a record that is right with `baseline` without the release."""

    baseline: float
    success_upper: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Risks:
    """What any attacker can do; upper bounds all.

    Attributes
    ----------
    tpr : tuple of TPRRow
        Largest true-positive rates at stated false-positive rates.
    advantage_upper : float
        Largest TPR - FPR, which is delta(0).
    success_upper : float
        Largest probability to guess membership right at even odds, (1 + advantage) / 2.
    precision : tuple of PrecisionRow
        Largest precision of membership tests at stated priors.
    guesses : tuple of GuessRow
        Largest success of naming, inferring an attribute or reconstructing, by what is guessed without the release.
    """

    tpr: tuple[TPRRow, ...]
    advantage_upper: float
    success_upper: float
    precision: tuple[PrecisionRow, ...]
    guesses: tuple[GuessRow, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class AccountantRow:
    """What one way of accounting says of the run; see :class:`hockeystick.renyi.ExplanationRow`.

    Attributes
    ----------
    key : str
        Stable, for programs.
    name : str
        The method.
    kind : str
        ``"upper bound"``, ``"lower bound"`` or ``"approximation"`` (no guarantee).
    epsilon : float
        Its epsilon at the report's delta.
    order : float or None
        The Renyi order that gave it, if one did.
    note : str
        Who uses it, or what it leaves out.
    """

    key: str
    name: str
    kind: str
    epsilon: float
    order: float | None
    note: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Note:
    """A warning, or an assumption that no accountant can check.

    Attributes
    ----------
    code : str
        Stable, for programs.
    level : str
        ``"warning"`` (do something), ``"remark"`` (a fact that surprises), ``"assumption"`` (the numbers hold if this
        does).
    text : str
        One or two sentences.
    """

    code: str
    level: str
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class EngineSummary:
    """Who computed, and to what relative width it was asked to; None is each engine's own aim."""

    methods: tuple[str, ...]
    tolerance: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Versions:
    """The versions behind the numbers."""

    hockeystick: str
    numpy: str
    python: str
