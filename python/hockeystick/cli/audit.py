# SPDX-License-Identifier: Apache-2.0
"""``hockeystick audit``: what an attack proves, and whether a claim stands against it."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Annotated, Any

import typer

import hockeystick as hs
from hockeystick.report.numbers import at_least, at_most

from . import options
from .app import EXIT_NO, app
from .files import load_description, read_text
from .output import draw, print_json, print_table, say

__all__ = ["audit"]

_Count = typer.Option(help="Counts of a test whose threshold was fixed beforehand.", show_default=False)


@app.command()
def audit(
    scores: Annotated[
        Path | None,
        typer.Argument(
            help="Scores of an attack: .csv with the columns score and member (1 or 0), or .json with scores_in and "
            "scores_out.",
            show_default=False,
        ),
    ] = None,
    claim: Annotated[
        Path | None, typer.Option(help="Description of the mechanism that is claimed.", show_default=False)
    ] = None,
    true_positives: Annotated[int | None, _Count] = None,
    positives: Annotated[int | None, _Count] = None,
    false_positives: Annotated[int | None, _Count] = None,
    negatives: Annotated[int | None, _Count] = None,
    thresholds: Annotated[int, typer.Option(help="Tests made of the scores.")] = 16,
    confidence: Annotated[float, typer.Option(help="Of all statements together.")] = 0.95,
    delta: Annotated[float, typer.Option(help="The delta of the epsilons.")] = 1e-5,
    figure: options.FigureFile = None,
    as_json: options.AsJson = False,
) -> None:
    """Bound the privacy loss from below by an attack, with confidence; exit code 1 if it refutes the claim.

    Example: hockeystick audit scores.csv --claim run.toml

    From counts: hockeystick audit --true-positives 90 --positives 100 --false-positives 10 --negatives 100
    """
    claimed = None if claim is None else load_description(claim)
    counts = {
        "true_positives": true_positives,
        "positives": positives,
        "false_positives": false_positives,
        "negatives": negatives,
    }
    shared: dict[str, Any] = {"claim": claimed, "confidence": confidence, "delta": delta}
    if scores is not None:
        if any(value is not None for value in counts.values()):
            raise ValueError("scores or counts must be given, not both")
        result = hs.audit(*_read(scores), thresholds=thresholds, **shared)
    else:
        missing = [f"--{name.replace('_', '-')}" for name, value in counts.items() if value is None]
        if missing:
            raise ValueError(f"a file of scores or all four counts must be given, got none for {', '.join(missing)}")
        result = hs.audit_counts(**counts, **shared)  # type: ignore[arg-type]
    if figure is not None:
        if claimed is None:
            raise ValueError("--figure must come with --claim")
        draw(figure, lambda plot: plot.audit(result, claim=claimed))
    _show(result, as_json)
    if result.refuted:
        raise typer.Exit(EXIT_NO)


def _show(result: hs.AuditResult, as_json: bool) -> None:
    if as_json:
        print_json(result.to_dict())
        return
    print_table(
        ("FPR at most", "TPR at least", "false of negatives", "true of positives"),
        [
            (
                str(at_most(point.fpr_upper)),
                str(at_least(point.tpr_lower)),
                f"{point.false_positives} of {point.negatives}",
                f"{point.true_positives} of {point.positives}",
            )
            for point in result.points
        ],
    )
    say(result.sentence)


def _read(path: Path) -> tuple[list[float], list[float]]:
    """The scores with and without the record; ValueError with the line of a mistake."""
    text, form = read_text(path, ("csv", "json"))
    if form == "json":
        try:
            values = json.loads(text)
        except json.JSONDecodeError as error:
            raise ValueError(f"{path}, line {error.lineno}: the text is not JSON: {error.msg}") from error
        if not isinstance(values, dict) or set(values) != {"scores_in", "scores_out"}:
            raise ValueError(f"{path}: the entries must be scores_in and scores_out")
        return values["scores_in"], values["scores_out"]
    reader = csv.DictReader(text.splitlines())
    if not {"score", "member"} <= set(reader.fieldnames or ()):
        raise ValueError(
            f"{path}, line 1: the columns must be score and member, got {', '.join(reader.fieldnames or ())}"
        )
    found: dict[str, list[float]] = {"1": [], "0": []}
    for row in reader:
        member, score = (row["member"] or "").strip(), row["score"] or ""
        if member not in found:
            raise ValueError(f"{path}, line {reader.line_num}: member must be 1 or 0, got {member!r}")
        try:
            found[member].append(float(score))
        except ValueError:
            raise ValueError(f"{path}, line {reader.line_num}: score must be a number, got {score!r}") from None
    return found["1"], found["0"]
