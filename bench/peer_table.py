# SPDX-License-Identifier: Apache-2.0
"""The table of peers, in Markdown, and its place in the documents that quote it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
QUOTING = (ROOT / "README.md", ROOT / "bench" / "README.md")
BEGIN, END = "<!-- peers: written by bench/compare_peers.py --write -->", "<!-- peers: end -->"


@dataclass(frozen=True)
class Line:
    """One question: this package and the peer beside it."""

    question: str
    here: str
    peer: str
    faster: float  # repeated, processor time
    faster_at_first: float  # the first call after other programs' work, processor time


def table(lines: list[Line], date: str) -> str:
    """The whole block between the markers."""
    rows = [
        f"One run of `bench/compare_peers.py`, one thread, processor time, {date}:",
        "",
        "| question | here | peer | faster | first call |",
        "| --- | --- | --- | --- | --- |",
        *(
            f"| {each.question} | {each.here} | {each.peer} | {rounded(each.faster)} | {rounded(each.faster_at_first)} |"
            for each in lines
        ),
        "",
        f"The smallest margin: {min(lines, key=lambda each: each.faster).question}.",
    ]
    return "\n".join(rows)


def rounded(ratio: float) -> str:
    """A ratio to two digits: no run repeats more of it."""
    return f"{float(f'{ratio:.2g}'):.0f} times" if ratio >= 10.0 else f"{ratio:.1f} times"


def block_of(text: str) -> str:
    """What stands between the markers of a document."""
    return text.split(BEGIN, 1)[1].split(END, 1)[0].strip()


def write(block: str) -> None:
    """Put the block between the markers of every document that quotes it."""
    for path in QUOTING:
        text = path.read_text(encoding="utf-8")
        head, rest = text.split(BEGIN, 1)
        _, tail = rest.split(END, 1)
        path.write_text(f"{head}{BEGIN}\n{block}\n{END}{tail}", encoding="utf-8")
