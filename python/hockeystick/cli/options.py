# SPDX-License-Identifier: Apache-2.0
"""Options that several commands share, each described once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "AsJson",
    "AtMost",
    "Audience",
    "BatchSize",
    "DatasetSize",
    "Date",
    "Delta",
    "Epochs",
    "FigureFile",
    "File",
    "FprFloor",
    "Html",
    "JsonFile",
    "Markdown",
    "NoiseMultiplier",
    "Open",
    "Relation",
    "Sampling",
    "SamplingInPractice",
    "SamplingRate",
    "Steps",
    "Tex",
    "Text",
    "Title",
    "TruncatedBatchSize",
    "TuningIncluded",
    "Unit",
]

NoiseMultiplier = Annotated[
    float, typer.Option(help="Standard deviation of the noise on the sum of a batch, over the clipping norm.")
]
SamplingRate = Annotated[
    float | None,
    typer.Option(
        help="Probability that a record joins a batch; or give --batch-size and --dataset-size.", show_default=False
    ),
]
BatchSize = Annotated[
    int | None, typer.Option(help="Expected size of a batch, not of a micro-batch.", show_default=False)
]
Steps = Annotated[
    int | None, typer.Option(help="Number of updates, not of micro-batches; or give --epochs.", show_default=False)
]
Epochs = Annotated[float | None, typer.Option(help="Passes over the data.", show_default=False)]
Delta = Annotated[float, typer.Option(help="The delta at which to state epsilon.")]
FprFloor = Annotated[float, typer.Option(help="False-positive rate above which mu bounds the trade-off curve.")]
Relation = Annotated[str, typer.Option(help="Neighbouring data sets: add_remove, zero_out or replace.")]
Sampling = Annotated[
    str,
    typer.Option(
        help="How batches are drawn: poisson, truncated_poisson, without_replacement, random_allocation or fixed_order."
    ),
]
TruncatedBatchSize = Annotated[
    int | None,
    typer.Option(
        help="Cap of a batch, for --sampling truncated_poisson, which needs --dataset-size too.", show_default=False
    ),
]
AsJson = Annotated[
    bool, typer.Option("--json", help='Print JSON with stable keys; an infinite number is the string "inf".')
]
AtMost = Annotated[
    float | None,
    typer.Option(help="Exit with code 1 if epsilon is not certified to be at most this.", show_default=False),
]
File = Annotated[Path, typer.Argument(help="Description of a mechanism: .yaml, .json or .toml.", show_default=False)]

FigureFile = Annotated[
    Path | None,
    typer.Option("--figure", help="Draw the curves into this file: .svg, .png or .pdf.", show_default=False),
]

_WRITE = "Write the report to this file as "
Html = Annotated[Path | None, typer.Option("--html", help=_WRITE + "one HTML page.", show_default=False)]
Markdown = Annotated[Path | None, typer.Option("--md", help=_WRITE + "Markdown.", show_default=False)]
Tex = Annotated[Path | None, typer.Option("--tex", help=_WRITE + "a LaTeX table.", show_default=False)]
Text = Annotated[Path | None, typer.Option("--txt", help=_WRITE + "plain text.", show_default=False)]
JsonFile = Annotated[Path | None, typer.Option("--json", help=_WRITE + "JSON; - prints it.", show_default=False)]
Open = Annotated[bool, typer.Option("--open", help="Show the HTML page in the browser.")]
Audience = Annotated[str, typer.Option(help="Who reads: reviewer, decision or paper; brief for a terminal.")]
DatasetSize = Annotated[
    int | None, typer.Option(help="Number of records: checks delta, tells the batch size.", show_default=False)
]
Unit = Annotated[str, typer.Option(help="What one record stands for, such as person.")]
SamplingInPractice = Annotated[
    str | None,
    typer.Option(
        help="How the data loader draws batches; a warning if the numbers assume another.", show_default=False
    ),
]
TuningIncluded = Annotated[bool, typer.Option("--tuning-included", help="Nothing else touched the data.")]
Title = Annotated[str | None, typer.Option(help="Title of the page.", show_default=False)]
Date = Annotated[str | None, typer.Option(help="Date to print.", show_default=False)]
