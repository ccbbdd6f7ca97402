# SPDX-License-Identifier: Apache-2.0
"""``hockeystick dpsgd``: the privacy of a DP-SGD run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

import hockeystick as hs

from . import options
from .app import EXIT_NO, app
from .output import print_page, write_report

__all__ = ["dpsgd"]


@app.command()
def dpsgd(
    noise_multiplier: options.NoiseMultiplier,
    delta: options.Delta,
    sampling_rate: options.SamplingRate = None,
    steps: options.Steps = None,
    batch_size: options.BatchSize = None,
    dataset_size: options.DatasetSize = None,
    epochs: options.Epochs = None,
    fpr_floor: options.FprFloor = 1e-10,
    sampling: options.Sampling = "poisson",
    truncated_batch_size: options.TruncatedBatchSize = None,
    relation: options.Relation = "add_remove",
    unit: options.Unit = "record",
    audience: options.Audience = "brief",
    as_json: options.AsJson = False,
    html: options.Html = None,
    describe: Annotated[
        Path | None, typer.Option(help="Write the run's description to this .json file.", show_default=False)
    ] = None,
    show: options.Open = False,
    at_most: options.AtMost = None,
) -> None:
    """State the privacy of a DP-SGD run.

    Example: hockeystick dpsgd --noise-multiplier 1 --sampling-rate 0.01 --steps 1000 --delta 1e-5

    In the units of a trainer: --batch-size 256 --dataset-size 60000 --epochs 60

    With a page for the browser: add --html privacy.html --open

    To compare it later: add --describe run.json
    """
    run = hs.dpsgd(
        noise_multiplier=noise_multiplier,
        sampling_rate=sampling_rate,
        steps=steps,
        batch_size=batch_size,
        # Beside a rate the size only serves the report, but where it tells how often the cap is met.
        dataset_size=dataset_size if sampling_rate is None or sampling == "truncated_poisson" else None,
        epochs=epochs,
        sampling=sampling,
        truncated_batch_size=truncated_batch_size,
        relation=relation,
    )
    report = run.report(delta=delta, fpr_floor=fpr_floor, dataset_size=dataset_size, unit=unit)
    page = report.to_json() if as_json else report.render("txt", audience=audience)
    write_report(report, [html], "reviewer" if audience == "brief" else audience, show=show)
    if describe is not None:
        _write_description(run, describe)
    if as_json:
        print(page, end="")
    else:
        print_page(page)
    if at_most is not None and report.epsilon[0].upper > at_most:
        raise typer.Exit(EXIT_NO)


def _write_description(run: hs.DPSGD, path: Path) -> None:
    if path.suffix.lower() != ".json":
        raise ValueError(f"--describe must end in .json, got {str(path)!r}")
    path.write_text(json.dumps(hs.to_dict(run), indent=2, allow_nan=False) + "\n", encoding="utf-8")
