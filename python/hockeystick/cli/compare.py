# SPDX-License-Identifier: Apache-2.0
"""``hockeystick compare``: two or more described runs side by side, decided on certified brackets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import hockeystick as hs

from . import options
from .app import app
from .files import load_description
from .output import bracket, print_json, print_table, say

__all__ = ["compare"]


@app.command()
def compare(
    files: Annotated[list[Path], typer.Argument(help="Two or more descriptions.", show_default=False)],
    delta: options.Delta,
    fpr_floor: options.FprFloor = 1e-10,
    figure: Annotated[
        Path | None, typer.Option(help="Draw the curves into this file (.svg, .png, .pdf).", show_default=False)
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Compare runs under one relation: each number with its bracket, and which run is more private by it.

    Example: hockeystick compare a.toml b.toml --delta 1e-5 --figure compare.svg
    """
    runs = _load(files)
    quantities = [
        *(hs.Quantity.epsilon(delta=float(f"{delta * factor:.15g}")) for factor in (1.0, 0.1, 0.01)),
        hs.Quantity.mu(fpr_floor=fpr_floor),
        hs.Quantity.tpr(fpr=0.01),
        hs.Quantity.advantage(),
    ]
    rows = [(quantity, {name: quantity.bounds(run) for name, run in runs.items()}) for quantity in quantities]
    if figure is not None:
        _draw(runs, delta, figure)
    if as_json:
        print_json(
            {
                "format": "hockeystick.compare/1",
                "relation": next(iter(runs.values())).relation,
                "runs": {name: hs.to_dict(run)["mechanism"] for name, run in runs.items()},
                "quantities": [
                    {
                        "quantity": quantity.to_dict(),
                        "bounds": {name: {"lower": b.lower, "upper": b.upper} for name, b in bounds.items()},
                        "more_private": _least(bounds),
                    }
                    for quantity, bounds in rows
                ],
            }
        )
        return
    say(f"relation: {next(iter(runs.values())).relation}; brackets of the exact values, smaller is more private")
    print_table(
        ("quantity", *runs, "more private"),
        [
            (str(quantity), *(bracket(each) for each in bounds.values()), _least(bounds) or "not resolved")
            for quantity, bounds in rows
        ],
    )
    named = {_least(bounds) for _, bounds in rows} - {None}
    if len(named) > 1:
        say("By one number one run is more private, by another the other: their curves cross.")


def _load(files: list[Path]) -> dict[str, hs.Mechanism]:
    """The runs by the names of their files; they must share one relation."""
    if len(files) < 2:
        raise ValueError(f"at least two files must be given, got {len(files)}")
    stems = [file.stem for file in files]
    names = stems if len(set(stems)) == len(stems) else [str(file) for file in files]
    if len(set(names)) < len(names):
        raise ValueError(f"files must differ, got {', '.join(names)}")
    runs = {name: load_description(file) for name, file in zip(names, files, strict=True)}
    relations = {name: run.relation for name, run in runs.items()}
    if len(set(relations.values())) > 1:
        told = ", ".join(f"{relation} for {name}" for name, relation in relations.items())
        raise ValueError(f"runs must share one relation, since numbers under different ones do not compare, got {told}")
    return runs


def _least(bounds: dict[str, Any]) -> str | None:
    """The run whose value is certified to be the smallest; None where brackets overlap."""
    name = min(bounds, key=lambda each: float(bounds[each].upper))
    others = [each for each in bounds if each != name]
    return name if all(bounds[name].upper < bounds[each].lower for each in others) else None


def _draw(runs: dict[str, hs.Mechanism], delta: float, path: Path) -> None:
    try:
        from hockeystick import plot
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"--figure needs {error.name}: pip install 'hockeystick[plot]'", name=error.name
        ) from error
    plot.compare(runs, delta=delta).savefig(path)
