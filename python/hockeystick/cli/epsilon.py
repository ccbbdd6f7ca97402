# SPDX-License-Identifier: Apache-2.0
"""``hockeystick epsilon``: the bracket of epsilon of any described mechanism."""

from __future__ import annotations

from typing import Annotated

import typer

from hockeystick.report.numbers import at_most, exactly

from . import options
from .app import EXIT_NO, app
from .files import load_description
from .output import bracket, print_json, print_table, say

__all__ = ["epsilon"]


@app.command()
def epsilon(
    file: options.File,
    delta: Annotated[list[float], typer.Option(help="Where to state epsilon; may be given several times.")],
    tolerance: Annotated[
        float | None,
        typer.Option(help="Relative width wanted; an error where it cannot be certified.", show_default=False),
    ] = None,
    as_json: options.AsJson = False,
    limit: Annotated[
        float | None,
        typer.Option("--at-most", help="Exit with code 1 if an epsilon is not certified to be at most this."),
    ] = None,
) -> None:
    """Bracket epsilon of a mechanism that a YAML, JSON or TOML file describes.

    Example: hockeystick epsilon run.toml --delta 1e-5 --delta 1e-6

    The file: hockeystick schema description
    """
    mechanism = load_description(file)
    bounds = [mechanism.epsilon_bounds(delta=each, tolerance=tolerance) for each in delta]
    if as_json:
        print_json(
            {
                "format": "hockeystick.epsilon/1",
                "relation": mechanism.relation,
                "epsilon": [
                    {"delta": each, "lower": found.lower, "upper": found.upper, "method": found.method}
                    for each, found in zip(delta, bounds, strict=True)
                ],
            }
        )
    else:
        say(f"relation: {mechanism.relation}; each epsilon is an upper bound, the exact value lies in the bracket")
        print_table(
            ("delta", "epsilon at most", "bracket", "engine"),
            [
                (str(exactly(each)), str(at_most(float(found.upper))), bracket(found), found.method)
                for each, found in zip(delta, bounds, strict=True)
            ],
        )
    if limit is not None and max(found.upper for found in bounds) > limit:
        raise typer.Exit(EXIT_NO)
