# SPDX-License-Identifier: Apache-2.0
"""The figures of a document, drawn from the numbers that the report holds."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .document import Document
    from .model import Report

__all__ = ["draw_figures"]


def draw_figures(report: Report, document: Document) -> dict[str, str]:
    """Return the SVG of every figure that the document names."""
    try:
        from hockeystick import plot
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"the figures of a report need {error.name}: pip install 'hockeystick[report]'", name=error.name
        ) from error
    drawn = {}
    for figure in (figure for section in document.sections for figure in section.figures):
        if figure.key == "tradeoff":
            picture = plot.tradeoff(report.series.tradeoff, scale="linear")
        elif figure.key == "small-rates":
            picture = plot.tradeoff(report.series.tradeoff, scale="logarithmic")
        elif figure.key == "profile" and report.series.profile is not None:
            marks = [(row.upper, row.delta) for row in report.epsilon if row.delta > 0.0 and math.isfinite(row.upper)]
            picture = plot.profile(report.series.profile, marks=marks)
        elif figure.key == "steps" and report.series.steps is not None:
            picture = plot.epsilon_over_steps(report.series.steps)
        elif figure.key == "renyi" and report.series.renyi is not None:
            picture = plot.renyi(report.series.renyi, panel="curve")
        elif figure.key == "renyi-order" and report.series.renyi is not None:
            picture = plot.renyi(report.series.renyi, panel="epsilon")
        else:
            raise AssertionError(f"no figure {figure.key!r}")
        drawn[figure.key] = plot.inline_svg(picture, name=f"figure-{figure.key}", label=figure.caption)
    return drawn
