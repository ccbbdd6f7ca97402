# SPDX-License-Identifier: Apache-2.0
"""The numbers that stand out, and the relation in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hockeystick.report.document import Card, say
from hockeystick.report.numbers import at_most, exactly, percent_at_most

if TYPE_CHECKING:
    from hockeystick.report.model import Report

__all__ = ["cards", "relation_text"]

RELATIONS = {
    "add_remove": "adding or removing one {unit}",
    "replace": "replacing one {unit} by another",
    "zero_out": "blanking one {unit}",
}


def relation_text(report: Report) -> str:
    """Say the relation in words."""
    return RELATIONS[report.relation].format(unit=report.unit)


def cards(report: Report) -> tuple[Card, ...]:
    """Return the numbers that stand out: epsilon with its delta, mu with its floor, the odds of an attacker."""
    row, fit = report.epsilon[0], report.gdp
    epsilon = Card(
        "epsilon",
        _at_most(row.upper),
        (at_most(row.upper),),
        say("at delta = {delta}, under {relation}", delta=exactly(row.delta), relation=relation_text(report)),
    )
    standing = "may stand for the curve" if fit.may_stand_for_the_curve else "is not to be quoted alone"
    caption = say(
        "for false-positive rates of at least {floor}; it {standing}", floor=exactly(fit.fpr_floor), standing=standing
    )
    if math.isinf(fit.mu):
        caption = say("no finite mu holds for false-positive rates of at least {floor}", floor=exactly(fit.fpr_floor))
    mu = Card("mu", _at_most(fit.mu), (at_most(fit.mu),), caption)
    success = Card(
        "right guesses about membership",
        "at most",
        (percent_at_most(report.risks.success_upper),),
        ("where members and non-members are equally likely; a coin is right in 50\xa0%",),
    )
    return epsilon, mu, success


def _at_most(value: float) -> str:
    return "at most" if math.isfinite(value) else ""
