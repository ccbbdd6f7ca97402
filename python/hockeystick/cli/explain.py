# SPDX-License-Identifier: Apache-2.0
"""``hockeystick explain``: epsilon by every way of accounting, and why two tools differ."""

from __future__ import annotations

from hockeystick.report.numbers import at_least, at_most

from . import options
from .app import app
from .files import load_description
from .output import print_json, print_table, say

__all__ = ["explain"]


@app.command()
def explain(file: options.File, delta: options.Delta, as_json: options.AsJson = False) -> None:
    """Tell what each way of accounting says of a run, and whether that is a bound.

    Example: hockeystick explain run.toml --delta 1e-5
    """
    found = load_description(file).explain(delta=delta)
    if as_json:
        print_json({"format": "hockeystick.explain/1", **found.to_dict()})
        return
    say(f"relation: {found.relation}, delta = {found.delta:g}")
    print_table(
        ("method", "epsilon", "order", "what it is"),
        [
            (
                row.method,
                _epsilon(row.kind, row.epsilon),
                "" if row.order is None else f"{row.order:.4g}",
                row.kind + (f" ({row.note})" if row.note else ""),
            )
            for row in found
        ],
    )
    if found.loose:
        say("known by a Renyi curve alone, so that no exact value exists: " + ", ".join(found.loose))


def _epsilon(kind: str, epsilon: float) -> str:
    """Round a bound to its side, and mark what is none."""
    if kind == "upper bound":
        return str(at_most(epsilon, 6))
    return str(at_least(epsilon, 6)) if kind == "lower bound" else f"~ {epsilon:.3g}"
