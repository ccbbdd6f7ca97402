# SPDX-License-Identifier: Apache-2.0
"""``hockeystick compare``: two or more described runs side by side, ordered on certified brackets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import hockeystick as hs
from hockeystick.report.numbers import at_most, exactly

from . import options
from .app import app
from .files import load_description
from .output import draw, print_json, print_table, say

__all__ = ["compare"]


@app.command()
def compare(
    files: Annotated[list[Path], typer.Argument(help="Two or more descriptions.", show_default=False)],
    delta: options.Delta,
    fpr_floor: options.FprFloor = 1e-10,
    tolerance: Annotated[
        float, typer.Option(help="Advantages TPR - FPR within this of each other, relatively, count as equal.")
    ] = 1e-3,
    figure: options.FigureFile = None,
    as_json: options.AsJson = False,
) -> None:
    """Compare runs under one relation: which is more private at every false-positive rate, or where they cross.

    Example: hockeystick compare a.toml b.toml --delta 1e-5 --figure compare.svg
    """
    runs = _load(files)
    deltas = [delta, *(float(f"{delta * factor:.15g}") for factor in (0.1, 0.01))]
    found = hs.compare(runs, deltas=deltas, fpr_floor=fpr_floor, tolerance=tolerance)
    if figure is not None:
        draw(figure, lambda plot: plot.compare(runs, delta=delta))
    if as_json:
        print_json(found.to_dict())
        return
    heads = [f"epsilon at {exactly(each)}" for each in found.deltas]
    print_table(
        ("upper bounds", *heads, f"mu (FPR from {exactly(fpr_floor)})", "regret", "advantage"),
        [
            (
                row.name,
                *(str(at_most(each, 6)) for each in row.epsilons),
                str(at_most(row.fit.mu, 6)),
                str(at_most(row.fit.regret)),
                str(at_most(row.advantage)),
            )
            for row in found.rows
        ],
    )
    say(f"relation: {found.relation}")
    for ordering in found.orderings:
        say(ordering.sentence)


def _load(files: list[Path]) -> dict[str, hs.Mechanism]:
    """The runs by the names of their files."""
    if len(files) < 2:
        raise ValueError(f"at least two files must be given, got {len(files)}")
    stems = [file.stem for file in files]
    names = stems if len(set(stems)) == len(stems) else [str(file) for file in files]
    if len(set(names)) < len(names):
        raise ValueError(f"files must differ, got {', '.join(names)}")
    return {name: load_description(file) for name, file in zip(names, files, strict=True)}
