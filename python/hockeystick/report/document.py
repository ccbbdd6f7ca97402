# SPDX-License-Identifier: Apache-2.0
"""A document between the report and its formats: every word and number once, whatever the format."""

from __future__ import annotations

import string
from dataclasses import dataclass

from .numbers import Quantity

__all__ = ["Card", "Document", "Fact", "Figure", "Section", "Table", "Text", "say"]

# A sentence in pieces: words, and numbers that keep their exact value.
Text = tuple[str | Quantity, ...]


@dataclass(frozen=True, slots=True)
class Fact:
    """A labelled statement."""

    label: str
    text: Text


@dataclass(frozen=True, slots=True)
class Card:
    """A number that stands out: on which side it errs ("at most", or nothing), and what it rests on."""

    label: str
    side: str
    number: Text
    caption: Text


@dataclass(frozen=True, slots=True)
class Table:
    """A table; every cell is a text. Columns named in `numeric` are set to the right."""

    head: tuple[str, ...]
    rows: tuple[tuple[Text, ...], ...]
    numeric: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure by its key, with the sentence that says what it shows."""

    key: str
    caption: str


@dataclass(frozen=True, slots=True)
class Section:
    """A titled part: paragraphs, facts, a table, figures, code; each may be empty."""

    key: str
    title: str
    paragraphs: tuple[Text, ...] = ()
    facts: tuple[Fact, ...] = ()
    bullets: tuple[Text, ...] = ()
    table: Table | None = None
    figures: tuple[Figure, ...] = ()
    code: str | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """A page for one audience."""

    audience: str
    title: str
    subtitle: Text
    cards: tuple[Card, ...]
    warnings: tuple[str, ...]
    sections: tuple[Section, ...]
    footer: Text


def say(template: str, **values: str | Quantity) -> Text:
    """Put numbers into a sentence, each as a piece of its own.

    >>> from hockeystick.report.numbers import at_most
    >>> say("epsilon is at most {upper}.", upper=at_most(1.82824))
    ('epsilon is at most ', Quantity(text='1.829', value=1.82824), '.')
    """
    pieces: list[str | Quantity] = []
    for words, name, _, _ in string.Formatter().parse(template):
        if words:
            pieces.append(words)
        if name is not None:
            pieces.append(values[name])
    return tuple(pieces)
