# SPDX-License-Identifier: Apache-2.0
"""How answers leave: JSON with stable keys, tables and pages for people, files."""

from __future__ import annotations

import importlib
import json
import math
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

import hockeystick as hs
from hockeystick.report.numbers import at_least, at_most

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from matplotlib.figure import Figure

    from hockeystick import Bounds
    from hockeystick.report import Report

__all__ = ["bracket", "draw", "print_json", "print_page", "print_table", "say", "to_json", "write_report"]


def to_json(values: Mapping[str, Any]) -> str:
    """Return JSON, with the version that made it; an infinite number becomes the string ``inf``."""
    stamped = {"format": values.get("format"), "hockeystick_version": hs.__version__, **values}
    return json.dumps(_plain(stamped), indent=2, allow_nan=False, ensure_ascii=False) + "\n"


def print_json(values: Mapping[str, Any]) -> None:
    """Print JSON; see :func:`to_json`."""
    print(to_json(values), end="")


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0.0 else "-inf"
    return value


def bracket(bounds: Bounds) -> str:
    """Write both sides of a bracket, each rounded outwards."""
    return f"[{at_least(float(bounds.lower), 8)}, {at_most(float(bounds.upper), 8)}]"


def say(text: str) -> None:
    """Print a line to a person."""
    Console(highlight=False, soft_wrap=True).print(text, markup=False)


def print_page(page: str) -> None:
    """Print a page in plain text, its titles in bold where the terminal can."""
    lines = page.rstrip("\n").split("\n")
    shown = Text()
    for number, line in enumerate(lines):
        following = lines[number + 1] if number + 1 < len(lines) else ""
        title = number == 0 or (following and set(following) == {"-"})
        style = "bold" if title else "yellow" if line.startswith("WARNING") else ""
        shown.append(line + "\n", style=style)
    Console(highlight=False, soft_wrap=True).print(shown, end="")


def print_table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
    """Print a table, numbers as they are given."""
    table = Table(box=None, pad_edge=False, header_style="bold", show_edge=False)
    for name in head:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    console = Console(highlight=False)
    # A pipe has no width of its own; a table cut to 80 columns would lose digits.
    console.print(table) if console.is_terminal else Console(highlight=False, width=200).print(table)


def draw(path: Path, make: Callable[[Any], Figure]) -> None:
    """Write a figure that is made from the package of figures, which needs matplotlib."""
    try:
        plot = importlib.import_module("hockeystick.plot")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"a figure needs {error.name}: pip install 'hockeystick[plot]'", name=error.name
        ) from error
    make(plot).savefig(path)


def write_report(report: Report, paths: Iterable[Path | None], audience: str, *, show: bool) -> list[Path]:
    """Write a report to every path that is given, and show the HTML page if asked to."""
    written = [path for path in paths if path is not None]
    for path in written:
        report.save(path, audience=audience)
    pages = [path for path in written if path.suffix.lower() == ".html"]
    if show and not pages:
        raise ValueError("--open must come with --html PATH")
    if show:
        webbrowser.open(pages[0].resolve().as_uri())
    return written
