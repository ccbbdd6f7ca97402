# SPDX-License-Identifier: Apache-2.0
"""The application: its commands, how it ends, and how it tells mistakes."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

import hockeystick as hs

__all__ = ["EXIT_NO", "app", "run"]

# The question was answered, and the answer is no: a limit is exceeded, a claim is refuted.
EXIT_NO = 1
_MISTAKE = 2
_INTERRUPTED = 130

app = typer.Typer(
    name="hockeystick",
    help="Differential privacy accounting with certified bounds.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def run(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code; mistakes are told in one sentence on standard error."""
    try:
        code = app(args=arguments, prog_name="hockeystick", standalone_mode=False)
    except ModuleNotFoundError as error:
        if "pip install" not in str(error):
            raise
        return _tell(str(error))
    except typer.Abort:
        return _INTERRUPTED
    except BrokenPipeError:
        # Whoever read the answer has had enough; what is still buffered must not fail at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        return _tell(f"{error.filename}: {error.strerror}" if error.filename else str(error))
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
    return _MISTAKE


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
    """Differential privacy accounting with certified bounds.

    Every number is a bound and says which. Exit codes: 0 answered; 1 answered, and the answer is no (a limit is
    exceeded, a claim refuted); 2 a mistake, told in one sentence.
    """
