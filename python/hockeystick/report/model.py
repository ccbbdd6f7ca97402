# SPDX-License-Identifier: Apache-2.0
"""What a report states. Every format is rendered from one :class:`Report` and holds no other number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hockeystick._docs import documented_by

from .parts import (
    AccountantRow,
    EngineSummary,
    EpsilonRow,
    FloorRow,
    GDPSummary,
    MechanismSummary,
    Note,
    Risks,
    SamplingSummary,
    Versions,
)

if TYPE_CHECKING:
    from os import PathLike

    from .series import Series

__all__ = ["Report"]


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
        """Return the report as JSON by the published schema; an infinite number is the string ``"inf"``.

        Returns
        -------
        str
        """
        from .encoding import to_json

        return to_json(self)

    @classmethod
    def from_json(cls, text: str) -> Report:
        """Build the report from its JSON, exactly as it was.

        Parameters
        ----------
        text : str
            What :meth:`to_json` returned.

        Returns
        -------
        Report

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

        Returns
        -------
        str

        Raises
        ------
        ValueError, TypeError
            For another form or audience.
        ModuleNotFoundError
            Where the extra ``report`` (jinja2, matplotlib) is not installed; JSON needs none of it.
        """
        from .render import render

        return render(self, form, audience)

    @documented_by(render)
    def save(self, path: str | PathLike[str], *, audience: str = "reviewer") -> None:
        """Write the report; the suffix of `path` decides the form.

        Parameters
        ----------
        path : path
            Ending in .html, .md, .txt, .tex or .json.

        Raises
        ------
        ValueError, TypeError
            For another suffix or audience; nothing is written.
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
