# SPDX-License-Identifier: Apache-2.0
"""The commands: read options, ask the API, show the answer."""

import json
import sys
from typing import Annotated

import typer
from rich.console import Console

import hockeystick as hs

from .summary import DpsgdSummary

__all__ = ["app", "run"]

app = typer.Typer(
    name="hockeystick",
    help="Differential privacy accounting with certified bounds.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def run(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code; mistakes are told in one sentence on standard error."""
    try:
        code = app(args=arguments, prog_name="hockeystick", standalone_mode=False)
    except (ValueError, TypeError, ArithmeticError, MemoryError) as error:
        return _tell(str(error) or type(error).__name__)
    except Exception as error:
        # Usage errors: their class is click's or typer's own, by the version of typer.
        message = getattr(error, "format_message", None)
        if message is None:
            raise
        return _tell(message() or "a command is missing, see --help")
    return code if isinstance(code, int) else 0


def _tell(message: str) -> int:
    print(f"Error: {' '.join(message.split())}", file=sys.stderr)
    return 2


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"hockeystick {hs.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Differential privacy accounting with certified bounds."""


@app.command()
def dpsgd(
    noise_multiplier: Annotated[
        float, typer.Option(help="Standard deviation of the noise on the sum of a batch, over the clipping norm.")
    ],
    sampling_rate: Annotated[
        float, typer.Option(help="Probability that a record joins a batch: expected batch size over data set size.")
    ],
    steps: Annotated[int, typer.Option(help="Number of updates (not epochs, not micro-batches).")],
    delta: Annotated[float, typer.Option(help="The delta at which to state epsilon.")],
    fpr_floor: Annotated[
        float, typer.Option(help="False-positive rate above which mu bounds the trade-off curve.")
    ] = 1e-10,
    relation: Annotated[
        str, typer.Option(help="Neighbouring data sets: add_remove, zero_out or replace.")
    ] = "add_remove",
    as_json: Annotated[
        bool, typer.Option("--json", help='Print JSON with stable keys; an infinite number is the string "inf".')
    ] = False,
) -> None:
    """State the privacy of a DP-SGD run.

    Example: hockeystick dpsgd --noise-multiplier 1 --sampling-rate 0.01 --steps 1000 --delta 1e-5
    """
    summary = DpsgdSummary.compute(
        noise_multiplier=noise_multiplier,
        sampling_rate=sampling_rate,
        steps=steps,
        delta=delta,
        fpr_floor=fpr_floor,
        relation=relation,
    )
    if as_json:
        print(json.dumps(summary.as_json(), indent=2, allow_nan=False))
    else:
        Console(highlight=False, soft_wrap=True).print(summary.as_text(), markup=False)
