# SPDX-License-Identifier: Apache-2.0
"""What was run, and what the numbers rest on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hockeystick.report.document import Fact, Section, Table, say
from hockeystick.report.numbers import exactly
from hockeystick.report.sampling import SCHEMES

from .headline import relation_text

if TYPE_CHECKING:
    from collections.abc import Collection

    from hockeystick.report.model import Report
    from hockeystick.report.parts import Part

__all__ = ["assumptions", "mechanism", "rounded"]

LABELS = {
    "noise_multiplier": "noise multiplier",
    "sampling_rate": "sampling rate q",
    "steps": "steps T",
    "sampling": "sampling",
}


def mechanism(report: Report) -> Section:
    """Say what was run and how batches are drawn."""
    sampling = report.sampling
    facts = [Fact("mechanism", (report.mechanism.name,))]
    facts += [
        Fact(
            LABELS.get(name, name.replace("_", " ")),
            (_parameter(value) + (_rounding(report) if name == "steps" else ""),),
        )
        for name, value in report.mechanism.parameters
        if name not in ("sampling", "dataset_size", "unit", "batch_size")
    ]
    if report.relation == "replace" and report.mechanism.parts:
        facts += [
            Fact("noise over sensitivity", (exactly(float(value)), " under this relation"))
            for name, value in report.mechanism.parts[0].parameters
            if name == "noise_multiplier" and report.mechanism.name == "DP-SGD"
        ]
    facts += [
        Fact("relation", (f"{relation_text(report)} ({report.relation})",)),
        Fact("unit of privacy", (f"one {report.unit}",)),
        Fact("sampling assumed", (SCHEMES.get(sampling.assumed, sampling.assumed.replace("_", " ")),)),
    ]
    if sampling.dataset_size is not None:
        facts.append(Fact(f"number of {report.unit}s N", (exactly(sampling.dataset_size),)))
    if sampling.expected_batch_size is not None and sampling.assumed != "full":
        facts.append(Fact("expected batch size q N", (rounded(sampling.expected_batch_size),)))
    if sampling.expected_participations is not None:
        facts.append(
            Fact(
                "participations",
                say(
                    "each {unit} is expected in {number} of {steps} steps",
                    unit=report.unit,
                    number=rounded(sampling.expected_participations),
                    steps=exactly(sampling.steps),
                ),
            )
        )
    return Section(
        key="mechanism", title="What was run", facts=tuple(facts), table=_parts_table(report.mechanism.parts)
    )


def _rounding(report: Report) -> str:
    sampling = report.sampling
    if sampling.exact_steps == sampling.steps:
        return ""
    return f" (rounded up from {exactly(float(f'{sampling.exact_steps:.12g}'))})"


def _parts_table(parts: tuple[Part, ...]) -> Table | None:
    if len(parts) < 2:
        return None
    rows = tuple(
        (
            (part.name,),
            (", ".join(f"{LABELS.get(name, name.replace('_', ' '))} {_parameter(v)}" for name, v in part.parameters),),
            (exactly(part.count),),
        )
        for part in parts
    )
    return Table(("release", "parameters", "times"), rows, (2,))


def _parameter(value: float | str) -> str:
    return value.replace("_", " ") if isinstance(value, str) else str(exactly(value))


def rounded(value: float) -> str:
    """Write an expectation with four digits: an estimate of size, not a bound."""
    return str(exactly(float(f"{value:.4g}")))


def assumptions(report: Report, *, codes: Collection[str] | None = None) -> Section:
    """List what no accountant can check (only some of it, if `codes` are given), and the remarks."""
    notes = [note for note in report.notes if note.level == "assumption"]
    told = [note for note in notes if codes is None or note.code in codes]
    remarks = tuple((note.text,) for note in report.notes if note.level == "remark")
    rest = "The numbers hold if all of this does; no accountant can check it."
    if len(told) < len(notes):
        rest = "The numbers hold if all of this does, and the technical points of the full report; no accountant can check it."
    return Section(
        key="assumptions",
        title="What the numbers rest on",
        paragraphs=(*remarks, (rest,)),
        bullets=tuple((note.text,) for note in told),
    )
