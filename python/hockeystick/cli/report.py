# SPDX-License-Identifier: Apache-2.0
"""``hockeystick report``: the whole report of any described mechanism, in every format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from hockeystick.report import Report

from . import options
from .app import app
from .files import load_description, read_text
from .output import print_page, say, write_report

__all__ = ["report"]


@app.command()
def report(
    file: Annotated[
        Path,
        typer.Argument(
            help="Description of a mechanism (.yaml, .json, .toml), or a report in JSON.", show_default=False
        ),
    ],
    delta: Annotated[
        float | None, typer.Option(help="Where to state epsilon; a report in JSON has its own.", show_default=False)
    ] = None,
    fpr_floor: options.FprFloor = 1e-10,
    dataset_size: options.DatasetSize = None,
    unit: options.Unit = "record",
    sampling_in_practice: options.SamplingInPractice = None,
    tuning_included: options.TuningIncluded = False,
    title: options.Title = None,
    date: options.Date = None,
    audience: options.Audience = "reviewer",
    html: options.Html = None,
    md: options.Markdown = None,
    tex: options.Tex = None,
    txt: options.Text = None,
    json_file: options.JsonFile = None,
    show: options.Open = False,
) -> None:
    """Write the report of a mechanism: what was run, the numbers, what they mean and rest on.

    Example: hockeystick report run.toml --delta 1e-5 --dataset-size 60000 --html privacy.html --json privacy.json --open

    The same numbers in another format: hockeystick report privacy.json --md privacy.md
    """
    made = _kept(file)
    if made is not None and delta is not None:
        raise ValueError("--delta must not be given for a report in JSON, which has its own numbers")
    if made is None:
        if delta is None:
            raise ValueError("--delta must be given for the description of a mechanism")
        made = load_description(file).report(
            delta=delta,
            fpr_floor=fpr_floor,
            dataset_size=dataset_size,
            unit=unit,
            sampling_in_practice=sampling_in_practice,
            tuning_included=tuning_included,
            title=title,
            date=date,
        )
    if json_file == Path("-"):
        write_report(made, [html, md, tex, txt], audience, show=show)
        print(made.to_json(), end="")
        return
    paths = write_report(made, [html, md, tex, txt, json_file], audience, show=show)
    if paths:
        say("written: " + ", ".join(map(str, paths)))
    else:
        print_page(made.render("txt", audience=audience))


def _kept(file: Path) -> Report | None:
    """A report that a JSON file holds; None for any other file."""
    if file.suffix.lower() != ".json":
        return None
    text, _ = read_text(file)
    try:
        values = json.loads(text)
    except json.JSONDecodeError:
        return None
    if not isinstance(values, dict) or not str(values.get("format", "")).startswith("hockeystick.report/"):
        return None
    return Report.from_json(text)
