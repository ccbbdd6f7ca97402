# SPDX-License-Identifier: Apache-2.0
"""The figures and the sentences under them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hockeystick.report.document import Figure, Section
from hockeystick.report.numbers import at_most, exactly

if TYPE_CHECKING:
    from hockeystick.report.model import Report

__all__ = ["curves"]


def curves(report: Report) -> Section:
    """Name the figures that the report has numbers for."""
    fit = report.gdp
    bound = ""
    if math.isfinite(fit.mu):
        floor = exactly(fit.fpr_floor)
        bound = f" Dashed: the Gaussian curve of mu = {at_most(fit.mu)}, a bound for false-positive rates of at least {floor}."
    figures = [
        Figure(
            "tradeoff",
            "Trade-off between false positives and false negatives. Every attack lies on or above the solid line, a "
            f"certified lower bound (shaded: its bracket); a larger curve is more private.{bound}",
        ),
        Figure(
            "small-rates",
            "The same as true-positive rates, at small false-positive rates: every attack lies on or below the solid "
            "line.",
        ),
    ]
    if report.series.profile is not None:
        figures.append(
            Figure(
                "profile",
                "Privacy profile: delta as a function of epsilon, with both sides of its bracket; the marks are the "
                "pairs of the table.",
            )
        )
    over = report.series.steps
    if over is not None:
        figures.append(Figure("steps", f"Epsilon at delta = {exactly(over.delta)} after each number of {over.each}."))
    if report.series.renyi is not None:
        figures += [
            Figure("renyi", "Rényi divergence over its order, an upper bound."),
            Figure(
                "renyi-order",
                f"The epsilon that each order gives by the improved conversion, an upper bound. {_beside_renyi(report)}",
            ),
        ]
    return Section(key="curves", title="Curves", figures=tuple(figures))


def _beside_renyi(report: Report) -> str:
    if any("rdp" in method for method in report.engine.methods):
        return "The epsilon of this report is the least over all real orders, by the optimal conversion."
    return "The epsilon of this report is computed without it and is smaller."
