# SPDX-License-Identifier: Apache-2.0
"""By other ways of accounting, an approximation being called one; and how this report was computed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hockeystick.report.document import Fact, Section, Table, Text, say
from hockeystick.report.numbers import Quantity, at_least, at_most, exactly

from .run import rounded

if TYPE_CHECKING:
    from hockeystick.report.model import Report
    from hockeystick.report.parts import AccountantRow

__all__ = ["accounting", "comparison"]

_KIND_WORDS = {
    "upper bound": "upper bound",
    "lower bound": "lower bound",
    "approximation": "approximation, no guarantee",
}


def comparison(report: Report) -> Section | None:
    """Tabulate the ways of accounting; an approximation is called one."""
    if not report.comparison:
        return None
    rows = tuple(
        (
            (row.name,),
            _compared(row),
            ("",) if row.order is None else (rounded(row.order),),
            (_KIND_WORDS[row.kind] + (f"; {row.note}" if row.note else ""),),
        )
        for row in report.comparison
    )
    return Section(
        key="comparison",
        title="By other ways of accounting",
        paragraphs=(
            say(
                "The same run at delta = {delta}: why two tools differ. Where a method's bound is larger, it is the "
                "method that gives away the difference.",
                delta=exactly(report.delta),
            ),
        ),
        table=Table(("method", "epsilon", "order", "what it is"), rows, (1, 2)),
    )


def _compared(row: AccountantRow) -> Text:
    if row.kind == "upper bound":
        return (at_most(row.epsilon),)
    if row.kind == "lower bound":
        return (at_least(row.epsilon),)
    return ("≈\N{NO-BREAK SPACE}", Quantity(f"{row.epsilon:.3g}", row.epsilon))


def accounting(report: Report) -> Section:
    """Say who computed, how accurately, with which versions, and how to do it again."""
    versions, engine = report.versions, report.engine
    aim = "each engine's own aim" if engine.tolerance is None else f"a relative width of {exactly(engine.tolerance)}"
    facts = (
        Fact("engine", (", ".join(engine.methods).replace("_", " "),)),
        Fact("tolerance", (aim,)),
        Fact(
            "bracket",
            ("discretization, truncation, aliasing, quadrature and floating-point error are inside every bracket",),
        ),
        Fact(
            "versions",
            (f"hockeystick {versions.hockeystick}, NumPy {versions.numpy}, Python {versions.python}",),
        ),
    )
    description = report.mechanism.description
    code = report.mechanism.code
    if description is not None:
        # What is not given may be left out.
        code = json.dumps(json.loads(description, object_hook=_given), indent=2)
    return Section(key="accounting", title="How it was computed", facts=facts, code=code)


def _given(entries: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in entries.items() if value is not None}
