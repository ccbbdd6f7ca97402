# SPDX-License-Identifier: Apache-2.0
"""``hockeystick sweep``: the same quantities for a grid of DP-SGD runs."""

from __future__ import annotations

import csv
import errno
import importlib
import io
import os
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

import hockeystick as hs

from . import options
from .app import app
from .output import print_json, print_table, say, to_json

__all__ = ["sweep"]

_FORMAT = "hockeystick.sweep/1"
_FORMS = ("csv", "json", "parquet")
_GRID = "One value, several (0.5,1,2) or a range with a number of points (0.5:2:7; 0.001:0.1:5:log)."


@app.command()
def sweep(
    noise_multiplier: Annotated[str, typer.Option(help=_GRID)],
    steps: Annotated[str, typer.Option(help="The same, whole numbers.")],
    sampling_rate: Annotated[
        str | None, typer.Option(help="The same; or give --batch-size and --dataset-size.", show_default=False)
    ] = None,
    batch_size: Annotated[str | None, typer.Option(help="The same, whole numbers.", show_default=False)] = None,
    dataset_size: options.DatasetSize = None,
    delta: Annotated[list[float] | None, typer.Option(help="Ask epsilon at this delta; may be repeated.")] = None,
    epsilon: Annotated[list[float] | None, typer.Option(help="Ask delta at this epsilon; may be repeated.")] = None,
    mu: Annotated[bool, typer.Option("--mu", help="Ask mu from --fpr-floor on.")] = False,
    fpr_floor: options.FprFloor = 1e-10,
    fpr: Annotated[
        list[float] | None, typer.Option(help="Ask the largest true-positive rate at this false-positive rate.")
    ] = None,
    sampling: options.Sampling = "poisson",
    truncated_batch_size: options.TruncatedBatchSize = None,
    relation: options.Relation = "add_remove",
    threads: Annotated[int, typer.Option(help="Threads.")] = 1,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write to .csv, .json or .parquet.", show_default=False)
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(help="Keep what is finished in this file, and go on from it.", show_default=False)
    ] = None,
    progress: Annotated[bool, typer.Option("--progress/--no-progress", help="Show a bar, on standard error.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Ask the same quantities of a grid of DP-SGD runs; each comes with both sides of its bracket.

    Example: hockeystick sweep --noise-multiplier 0.5:2:7 --sampling-rate 0.01 --steps 500,1000 --delta 1e-5 -o grid.csv
    """
    if output is not None:
        _check_output(output)
    quantities = [
        *(hs.Quantity.epsilon(delta=each) for each in delta or ()),
        *(hs.Quantity.delta(epsilon=each) for each in epsilon or ()),
        *([hs.Quantity.mu(fpr_floor=fpr_floor)] if mu else []),
        *(hs.Quantity.tpr(fpr=each) for each in fpr or ()),
    ]
    if not quantities:
        raise ValueError("at least one of --delta, --epsilon, --mu and --fpr must be given, got none")
    grid = {
        "noise_multiplier": _numbers("--noise-multiplier", noise_multiplier),
        "sampling_rate": None if sampling_rate is None else _numbers("--sampling-rate", sampling_rate),
        "batch_size": None if batch_size is None else _whole_numbers("--batch-size", batch_size),
        "steps": _whole_numbers("--steps", steps),
        "dataset_size": dataset_size,
        "truncated_batch_size": truncated_batch_size,
        "sampling": sampling,
        "relation": relation,
    }
    table = hs.sweep(
        {name: value for name, value in grid.items() if value is not None},
        quantities,
        threads=threads,
        progress=progress,
        resume=resume,
    )
    records = table.records()
    if output is not None:
        _write(output, records)
    if as_json:
        print_json({"format": _FORMAT, "records": records})
    elif output is not None:
        say(f"written: {output}, {len(records)} settings")
    else:
        names = [name for name in records[0] if name not in ("sampling", "relation")]
        print_table(names, [[_shown(row[name]) for name in names] for row in records])


def _numbers(name: str, text: str) -> list[float]:
    """The values that an option asks for; ValueError in one sentence for anything else."""
    parts = text.split(":")
    try:
        if len(parts) == 1:
            return [float(each) for each in text.split(",")]
        first, last, points = float(parts[0]), float(parts[1]), int(parts[2])
        spacing = parts[3] if len(parts) == 4 else "linear"
        if len(parts) > 4 or spacing not in ("linear", "log") or points < 2:
            raise ValueError
        if spacing == "log" and not min(first, last) > 0.0:
            raise ValueError
        return list((np.geomspace if spacing == "log" else np.linspace)(first, last, points).tolist())
    except (ValueError, IndexError):
        raise ValueError(
            f"{name} must be numbers with commas, or first:last:points with :log for equal ratios, got {text!r}"
        ) from None


def _whole_numbers(name: str, text: str) -> list[float | int]:
    """The same as int where it is whole; the interface refuses the rest with its own words."""
    return [int(value) if value.is_integer() else value for value in _numbers(name, text)]


def _shown(value: Any) -> str:
    return "" if value is None else f"{value:.8g}" if isinstance(value, float) else str(value)


def _check_output(path: Path) -> None:
    """Raise for a path that could not be written, before hours of work rather than after."""
    form = path.suffix.lower().removeprefix(".")
    if form not in _FORMS:
        raise ValueError(f"--output must end in one of {', '.join('.' + each for each in _FORMS)}, got {str(path)!r}")
    if form == "parquet":
        _pyarrow()
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))


def _write(path: Path, records: list[dict[str, Any]]) -> None:
    form = path.suffix.lower().removeprefix(".")
    if form == "parquet":
        pyarrow, parquet = _pyarrow()
        parquet.write_table(pyarrow.Table.from_pylist(records), path)
    elif form == "json":
        path.write_text(to_json({"format": _FORMAT, "records": records}), encoding="utf-8")
    else:
        buffer = io.StringIO()
        writer = csv.DictWriter(buffer, fieldnames=list(records[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(records)
        path.write_text(buffer.getvalue(), encoding="utf-8")


def _pyarrow() -> tuple[Any, Any]:
    try:
        return importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "a Parquet file needs pyarrow: pip install 'hockeystick[parquet]'", name="pyarrow"
        ) from error
