# SPDX-License-Identifier: Apache-2.0
"""Who reads: the sections, their order and the title for each audience."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from . import sections as words
from .document import Document, Section, Table, Text, say
from .numbers import at_most, exactly, percent_at_most
from .sampling import IN_A_SENTENCE

if TYPE_CHECKING:
    from .model import Report
    from .parts import GDPSummary

__all__ = ["AUDIENCES", "compose_document"]

# What someone without the code can see to; the rest is for engineers.
_FOR_DECISIONS = {"sampling_assumed", "delta_unchecked", "tuning_not_included", "parameters_fixed"}
AUDIENCES = ("reviewer", "decision", "paper", "brief")


def compose_document(report: Report, audience: str) -> Document:
    """Choose and order what one audience reads; ValueError for an audience that is not known."""
    if not isinstance(audience, str):
        raise TypeError(f"audience must be a string, got {audience!r}")
    if audience not in AUDIENCES:
        raise ValueError(f"audience must be one of {', '.join(AUDIENCES)}, got {audience!r}")
    sections = _SECTIONS[audience](report)
    subtitle = [report.mechanism.name, f"unit of privacy: one {report.unit}"]
    if report.date is not None:
        subtitle.append(report.date)
    return Document(
        audience=audience,
        title=report.title or _title(report.mechanism.name),
        subtitle=(" · ".join(subtitle),),
        cards=() if audience == "paper" else words.cards(report),
        warnings=tuple(note.text for note in report.warnings),
        sections=tuple(section for section in sections if section is not None),
        footer=(f"Computed by hockeystick {report.versions.hockeystick}. Every epsilon and mu is an upper bound.",),
    )


def _title(name: str) -> str:
    """A run is of DP-SGD; anything else is a mechanism of that name."""
    return "Privacy of a DP-SGD run" if name == "DP-SGD" else f"Privacy of a mechanism: {name}"


def _for_reviewer(report: Report) -> tuple[Section | None, ...]:
    return (
        words.meaning(report),
        words.other_risks(report),
        words.guarantee(report),
        words.one_number(report),
        words.curves(report),
        words.mechanism(report),
        words.assumptions(report),
        words.comparison(report),
        words.accounting(report),
    )


def _for_decision(report: Report) -> tuple[Section | None, ...]:
    meaning, curves = words.meaning(report), words.curves(report)
    return (
        Section(key="meaning", title=meaning.title, paragraphs=meaning.paragraphs, bullets=meaning.bullets),
        Section(key="curves", title="All attacks at once", figures=curves.figures[:2]),
        words.assumptions(report, codes=_FOR_DECISIONS),
    )


def _for_terminal(report: Report) -> tuple[Section | None, ...]:
    meaning = words.meaning(report)
    return (
        Section(key="meaning", title=meaning.title, bullets=meaning.bullets),
        words.guarantee(report),
        words.one_number(report),
        words.mechanism(report),
    )


def _for_paper(report: Report) -> tuple[Section, ...]:
    table = Table(
        ("delta", "epsilon", "mu", "mu for FPR from", "regret", "TPR at 1\N{NO-BREAK SPACE}% FPR"),
        tuple(_paper_row(report, number) for number in range(len(report.epsilon))),
        (0, 1, 2, 3, 4, 5),
    )
    paragraphs = (_paper_sentence(report), *((note.text,) for note in report.notes if note.level == "remark"))
    return (
        Section(key="statement", title="Statement", paragraphs=paragraphs, table=table),
        Section(key="curves", title="Curves", figures=words.curves(report).figures[:2]),
    )


def _paper_row(report: Report, number: int) -> tuple[Text, ...]:
    row = report.epsilon[number]
    cells: tuple[Text, ...] = ((exactly(row.delta),), (at_most(row.upper),))
    if number:
        return (*cells, ("",), ("",), ("",), ("",))
    fit = report.gdp
    tpr = next(each.tpr_upper for each in report.risks.tpr if each.fpr == 0.01)
    return (
        *cells,
        (at_most(fit.mu),),
        (exactly(fit.fpr_floor),),
        (at_most(fit.regret),),
        (percent_at_most(tpr),),
    )


def _paper_sentence(report: Report) -> Text:
    row, fit, sampling = report.epsilon[0], report.gdp, report.sampling
    if math.isinf(row.upper):
        return say("No finite epsilon holds at delta = {delta}.", delta=exactly(row.delta))
    drawn = IN_A_SENTENCE.get(sampling.assumed, f", with {sampling.assumed.replace('_', ' ')} sampling")
    claim = say(
        "The run is ({epsilon}, {delta})-differentially private under {relation}{drawn}. ",
        epsilon=at_most(row.upper),
        delta=exactly(row.delta),
        relation=words.relation_text(report),
        drawn=drawn,
    )
    source = f" Upper bounds, computed by hockeystick {report.versions.hockeystick}."
    return (*claim, *_paper_mu(fit), source)


def _paper_mu(fit: GDPSummary) -> Text:
    floor = exactly(fit.fpr_floor)
    if math.isinf(fit.mu):
        return say("No finite mu bounds its trade-off curve for false-positive rates of at least {floor}.", floor=floor)
    stand = "" if fit.may_stand_for_the_curve else ", which is too large for mu to stand for the curve"
    return say(
        "Its trade-off curve is bounded from below by that of a Gaussian with mu = {mu} for false-positive rates of at "
        "least {floor}, with a regret of at most {regret}{stand}.",
        mu=at_most(fit.mu),
        floor=floor,
        regret=at_most(fit.regret),
        stand=stand,
    )


_SECTIONS = {"reviewer": _for_reviewer, "decision": _for_decision, "paper": _for_paper, "brief": _for_terminal}
