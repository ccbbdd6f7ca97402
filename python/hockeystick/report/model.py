# SPDX-License-Identifier: Apache-2.0
"""What a report states: plain, frozen values. Every format is rendered from one :class:`Report` and holds no other number."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from os import PathLike

    from .series import Series

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
    "Report",
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
    parameters : tuple of (str, value)
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
    parameters : tuple of (str, value)
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


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """The privacy of one mechanism, as a document. Made by ``mechanism.report(delta=...)``.

    One object holds every number; :meth:`save` renders it by the suffix of the path. The JSON form is exact:
    ``Report.from_json(report.to_json()) == report``.

    Attributes
    ----------
    title, date : str or None
        As the caller gave them.
    unit : str
        The unit of privacy: what one "record" of the relation is.
    relation : str
        The neighbouring relation.
    mechanism, sampling, epsilon, gdp, gdp_floors, risks, comparison, notes, engine, versions
        The parts of the report.
    series : Series
        The curves behind the figures.

    Examples
    --------
    >>> import hockeystick as hs
    >>> run = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
    >>> report = run.report(delta=1e-5)
    >>> print(f"{report.epsilon[0].upper:.3f} at {report.epsilon[0].delta}")
    1.828 at 1e-05
    >>> from hockeystick.report import Report
    >>> Report.from_json(report.to_json()) == report
    True
    """

    title: str | None
    date: str | None
    unit: str
    relation: str
    mechanism: MechanismSummary
    sampling: SamplingSummary
    epsilon: tuple[EpsilonRow, ...]
    gdp: GDPSummary
    gdp_floors: tuple[FloorRow, ...]
    risks: Risks
    comparison: tuple[AccountantRow, ...]
    notes: tuple[Note, ...]
    engine: EngineSummary
    versions: Versions
    series: Series

    @property
    def delta(self) -> float:
        """The delta that the report was asked for."""
        return self.epsilon[0].delta

    @property
    def warnings(self) -> tuple[Note, ...]:
        """The notes that ask for something to be done."""
        return tuple(note for note in self.notes if note.level == "warning")

    def to_json(self) -> str:
        """Return the report as JSON by the published schema; an infinite number is the string ``"inf"``."""
        from .encoding import to_json

        return to_json(self)

    @classmethod
    def from_json(cls, text: str) -> Report:
        """Build the report from its JSON, exactly as it was.

        Raises
        ------
        ValueError
            For a text that is no report of this format.
        """
        from .encoding import from_json

        return from_json(text)

    def render(self, form: str, *, audience: str = "reviewer") -> str:
        """Return the report as text.

        Parameters
        ----------
        form : {"html", "md", "txt", "tex", "json"}
            HTML is one file that asks for nothing from the network.
        audience : {"reviewer", "decision", "paper", "brief"}
            Everything; one page with what the number means; a sentence and a table to print; the numbers, for a
            terminal. JSON holds everything.

        Raises
        ------
        ValueError, TypeError
            For another form or audience.
        ModuleNotFoundError
            Where the extra ``report`` (jinja2, matplotlib) is not installed; JSON needs none of it.
        """
        from .render import render

        return render(self, form, audience)

    def save(self, path: str | PathLike[str], *, audience: str = "reviewer") -> None:
        """Write the report; the suffix of `path` decides the form (.html, .md, .txt, .tex, .json).

        Raises
        ------
        ValueError
            For another suffix; nothing is written.
        OSError
            If the file cannot be written.
        """
        from .render import save

        save(self, path, audience)

    def _repr_html_(self) -> str:
        """Show the report in a notebook, in a frame of its own."""
        from .render import notebook_frame

        return notebook_frame(self)

    def __str__(self) -> Any:
        return self.render("txt")
