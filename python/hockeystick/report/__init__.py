# SPDX-License-Identifier: Apache-2.0
"""Reports for people: one object with every number, rendered as HTML, Markdown, LaTeX, plain text and JSON.

Made by ``mechanism.report(delta=...)``. HTML and text need the extra ``report``; the object and its JSON do not.
"""

from .build import build_report
from .encoding import schema
from .model import Report
from .parts import (
    REGRET_LIMIT,
    AccountantRow,
    EngineSummary,
    EpsilonRow,
    FloorRow,
    GDPSummary,
    GuessRow,
    MechanismSummary,
    Note,
    Part,
    PrecisionRow,
    Risks,
    SamplingSummary,
    TPRRow,
    Versions,
)
from .series import ProfileSeries, RenyiSeries, Series, StepsSeries, TradeoffSeries

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
    "ProfileSeries",
    "RenyiSeries",
    "Report",
    "Risks",
    "SamplingSummary",
    "Series",
    "StepsSeries",
    "TPRRow",
    "TradeoffSeries",
    "Versions",
    "build_report",
    "schema",
]
