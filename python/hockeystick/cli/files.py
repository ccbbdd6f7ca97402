# SPDX-License-Identifier: Apache-2.0
"""Description files: a mechanism in YAML, JSON or TOML, with errors that name file and line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import hockeystick as hs
from hockeystick.description import VERSION

from .marks import FORMS, Lines, MarkedError, parse

__all__ = ["load_description", "read_text"]

Place = tuple[str | int, ...]


def read_text(path: Path, forms: tuple[str, ...] = FORMS) -> tuple[str, str]:
    """Return the text of a file and its form by suffix; one-sentence errors."""
    form = path.suffix.lower().removeprefix(".")
    if form not in forms:
        raise ValueError(f"file must end in one of {', '.join('.' + each for each in forms)}, got {str(path)!r}")
    try:
        return path.read_text(encoding="utf-8"), form
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} must be text in UTF-8, byte {error.start} is not") from error


def load_description(path: Path) -> hs.Mechanism:
    """Read the mechanism that a file describes.

    Raises
    ------
    ValueError
        For a file that is not of its form or no description; the message starts with file and line.
    OSError
        If the file cannot be read.
    """
    text, form = read_text(path)
    try:
        values, lines = parse(text, form)
    except MarkedError as error:
        raise ValueError(f"{_where(path, error.line)}: {error}") from error
    try:
        return hs.from_dict(values)
    except (TypeError, ValueError, ArithmeticError) as error:
        place = _culprit(values)
        raise ValueError(f"{_where(path, _line(values, lines, place, str(error)))}: {error}") from error


def _where(path: Path, line: int | None) -> str:
    return str(path) if line is None else f"{path}, line {line}"


def _culprit(values: Any) -> Place:
    """The place of the innermost mechanism that cannot be made; the whole where there is none."""
    for place, value in _mechanisms(values, ()):
        try:
            hs.from_dict({"version": VERSION, "mechanism": value})
        except (TypeError, ValueError, ArithmeticError):
            return place
    return ()


def _mechanisms(value: Any, place: Place) -> list[tuple[Place, Any]]:
    """Every mapping with a kind, the inner ones first."""
    children: list[tuple[str | int, Any]] = []
    if isinstance(value, dict):
        children = list(value.items())
    elif isinstance(value, list):
        children = list(enumerate(value))
    found = [each for key, child in children for each in _mechanisms(child, (*place, key))]
    return [*found, (place, value)] if isinstance(value, dict) and "kind" in value else found


def _line(values: Any, lines: Lines, place: Place, message: str) -> int | None:
    """The line of the entry that the message speaks of, else that of the nearest place around it."""
    within = [key for key in lines if key[: len(place)] == place and len(key) > len(place)]
    if unknown := re.search(r"no entries but .* got ([\w, -]+)$", message):
        named = [key for key in within if key[-1] in unknown[1].split(", ")]
    else:
        word = message.partition(" ")[0]
        named = [key for key in within if key[-1] == word]
        # Of several entries of that name, the one that holds the value that was refused.
        told = message.rpartition(", got ")[2]
        named = [key for key in named if repr(_at(values, key)) == told] or named
    if named:
        return lines[min(named, key=len)]
    while place and place not in lines:
        place = place[:-1]
    return lines.get(place, 1 if lines else None)


def _at(values: Any, place: Place) -> Any:
    for key in place:
        values = values[key]
    return values
