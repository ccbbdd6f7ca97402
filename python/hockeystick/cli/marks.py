# SPDX-License-Identifier: Apache-2.0
"""Text in YAML, JSON or TOML as plain values, with the line of every entry."""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

__all__ = ["FORMS", "Lines", "MarkedError", "parse"]

FORMS = ("yaml", "yml", "json", "toml")

# The line, from 1 on, of every entry by its place: ("mechanism", "parts", 0, "count").
Lines = dict[tuple[str | int, ...], int]

_TOML_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?$")
_TOML_KEY = re.compile(
    r"""^\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))*)\s*="""
)
_STRINGS_AND_COMMENTS = re.compile(r"\"(?:\\.|[^\"\\])*\"|'[^']*'|#.*")


class MarkedError(ValueError):
    """A mistake in a text, with its line (None where only the whole is wrong)."""

    def __init__(self, message: str, line: int | None) -> None:
        super().__init__(message)
        self.line = line


def parse(text: str, form: str) -> tuple[Any, Lines]:
    r"""Return the plain values of a text and the line of every entry.

    Parameters
    ----------
    text : str
        The file.
    form : str
        One of :data:`FORMS`.

    Raises
    ------
    MarkedError
        For a text that is not of this form, or a key that is given twice.

    Examples
    --------
    >>> values, lines = parse('version = 1\n[mechanism]\nkind = "gaussian"\n', "toml")
    >>> values["mechanism"], lines["mechanism", "kind"]
    ({'kind': 'gaussian'}, 3)
    """
    if form == "toml":
        return _parse_toml(text)
    if form == "json":
        return _parse_json(text)
    return _parse_yaml(text)


def _parse_json(text: str) -> tuple[Any, Lines]:
    def refuse(constant: str) -> None:
        raise MarkedError(f"numbers must be finite, got {constant}", None)

    try:
        values = json.loads(text, parse_constant=refuse)
    except json.JSONDecodeError as error:
        raise MarkedError(f"the text is not JSON: {error.msg}", error.lineno) from error
    # JSON is YAML as well, but for tabs between its tokens.
    _, lines = _parse_yaml(text.replace("\t", " "))
    return values, lines


def _parse_yaml(text: str) -> tuple[Any, Lines]:
    from .yaml_nodes import parse_yaml

    return parse_yaml(text)


def _parse_toml(text: str) -> tuple[Any, Lines]:
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"\s*\(at line (\d+), column \d+\)", str(error))
        message = str(error).replace(found[0], "") if found else str(error)
        line = int(found[1]) if found else len(text.splitlines()) or 1
        raise MarkedError(f"the text is not TOML: {message}", line) from error
    return values, _toml_lines(text)


def _toml_lines(text: str) -> Lines:
    """The lines of the tables and keys of a valid TOML text; what is inside a value has the line of its key."""
    lines: Lines = {}
    lengths: dict[tuple[str | int, ...], int] = {}
    table: tuple[str | int, ...] = ()
    open_brackets = 0
    for number, line in enumerate(text.splitlines(), start=1):
        bare = _STRINGS_AND_COMMENTS.sub('""', line)
        if open_brackets:
            open_brackets += _depth(bare)
        elif header := _TOML_HEADER.match(line):
            table = _resolve(_keys(header[2]), lengths)
            if header[1] == "[[":
                lengths[table] = lengths.get(table, 0) + 1
                table = (*table, lengths[table] - 1)
            lines[table] = number
        elif key := _TOML_KEY.match(line):
            lines[(*table, *_keys(key[1]))] = number
            open_brackets = _depth(bare.partition("=")[2])
    return lines


def _depth(bare: str) -> int:
    return sum(bare.count(c) for c in "[{") - sum(bare.count(c) for c in "]}")


def _keys(dotted: str) -> tuple[str, ...]:
    return tuple(key.strip("\"'") for key in re.findall(r"\"[^\"]*\"|'[^']*'|[A-Za-z0-9_-]+", dotted))


def _resolve(keys: tuple[str, ...], lengths: dict[tuple[str | int, ...], int]) -> tuple[str | int, ...]:
    """A header's keys as a place: below an array of tables it means the last one."""
    place: tuple[str | int, ...] = ()
    for position, key in enumerate(keys):
        place = (*place, key)
        if place in lengths and position < len(keys) - 1:
            place = (*place, lengths[place] - 1)
    return place
