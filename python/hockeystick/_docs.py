# SPDX-License-Identifier: Apache-2.0
"""Docstrings that say once what several functions share, and are whole wherever they are read."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])

_SHARED = ("Returns", "Raises", "Warns")
_ORDER = ("", "Parameters", "Returns", "Raises", "Warns", "Notes", "Examples")
_HEADING = re.compile(r"^(\w+)\n-{3,}\n", re.MULTILINE)
_ENTRY = re.compile(r"^(?=\S)", re.MULTILINE)


def documented_by(*sources: Callable[..., Any]) -> Callable[[_Function], _Function]:
    """Complete a numpydoc docstring from others': parameters that the function has, what it returns and raises.

    What the docstring says itself comes first, then what the first source says. Notes and examples are never taken over.
    """

    def complete(function: _Function) -> _Function:
        if function.__doc__ is None:  # stripped by the interpreter, like all others
            return function
        sections = _sections(function.__doc__)
        entries = _entries(sections.get("Parameters", ""))
        signature = inspect.signature(function)
        returns_nothing = signature.return_annotation in (None, "None")
        for source in sources:
            shared = _sections(source.__doc__ or "")
            for name, text in _entries(shared.get("Parameters", "")).items():
                entries.setdefault(name, text)
            for heading in _SHARED:
                if heading in shared and not (heading == "Returns" and returns_nothing):
                    sections.setdefault(heading, shared[heading])
        wanted = [name for name in signature.parameters if name in entries]
        if wanted:
            sections["Parameters"] = "\n".join(_together(wanted, entries)) + "\n"
        function.__doc__ = "\n".join(_written(heading, sections[heading]) for heading in _ORDER if heading in sections)
        return function

    return complete


def _sections(docstring: str) -> dict[str, str]:
    """The text of each section by its heading; what comes before the first one by an empty heading."""
    parts = _HEADING.split(inspect.cleandoc(docstring) + "\n")
    return {heading: text.strip("\n") + "\n" for heading, text in zip(["", *parts[1::2]], parts[0::2], strict=True)}


def _entries(parameters: str) -> dict[str, tuple[str, str]]:
    """(type, description) of each parameter; several that are described together have the same description."""
    entries = {}
    for entry in _ENTRY.split(parameters):
        head, _, body = entry.partition("\n")
        names, _, kind = head.partition(" : ")
        for name in names.split(","):
            if name.strip():
                entries[name.strip()] = (kind, body.rstrip("\n"))
    return entries


def _together(names: list[str], entries: dict[str, tuple[str, str]]) -> list[str]:
    """One entry for neighbours that share it."""
    groups: list[tuple[list[str], tuple[str, str]]] = []
    for name in names:
        if groups and groups[-1][1] == entries[name]:
            groups[-1][0].append(name)
        else:
            groups.append(([name], entries[name]))
    return [", ".join(each) + (f" : {kind}" if kind else "") + f"\n{body}" for each, (kind, body) in groups]


def _written(heading: str, text: str) -> str:
    return f"{heading}\n{'-' * len(heading)}\n{text}" if heading else text
