# SPDX-License-Identifier: Apache-2.0
"""epsilon at its deltas, with brackets."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hockeystick.report.document import Section, Table, Text, say
from hockeystick.report.numbers import at_least, at_most, exactly

from .headline import relation_text

if TYPE_CHECKING:
    from hockeystick.report.model import Report
    from hockeystick.report.parts import EpsilonRow

__all__ = ["guarantee"]


def guarantee(report: Report) -> Section:
    """Tabulate epsilon at delta and below, with both sides of each bracket."""
    rows = tuple(_epsilon_cells(row) for row in report.epsilon)
    return Section(
        key="guarantee",
        title="Epsilon and delta",
        paragraphs=(
            say(
                "Each epsilon is an upper bound under {relation}: the guarantee. The exact value lies in the bracket.",
                relation=relation_text(report),
            ),
        ),
        table=Table(("delta", "epsilon at most", "bracket of the exact value", "engine"), rows, (0, 1, 2)),
    )


def _epsilon_cells(row: EpsilonRow) -> tuple[Text, ...]:
    if math.isinf(row.upper):
        return (exactly(row.delta),), (at_most(row.upper),), ("no finite epsilon holds",), (row.method,)
    digits = _telling_digits(row.lower, row.upper)
    bracket = say("[{lower}, {upper}]", lower=at_least(row.lower, digits), upper=at_most(row.upper, digits))
    return (exactly(row.delta),), (at_most(row.upper),), bracket, (row.method.replace("_", " "),)


def _telling_digits(lower: float, upper: float) -> int:
    """So many digits that the two ends of a bracket differ, at least 6 and at most 12."""
    if not 0.0 < lower < upper:
        return 6
    return min(12, max(6, 2 - math.floor(math.log10((upper - lower) / upper))))
