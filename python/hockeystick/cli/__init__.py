# SPDX-License-Identifier: Apache-2.0
"""Command line ``hockeystick``; needs the extra ``cli``."""

import sys

__all__ = ["main"]

_NEEDED = {"typer", "rich", "yaml", "jinja2"}


def main() -> None:
    """Run the command line; a mistake ends in one sentence on standard error and exit code 2."""
    try:
        from .commands import run
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _NEEDED:
            raise
        print(f"Error: the command line needs {error.name}: pip install 'hockeystick[cli]'", file=sys.stderr)
        sys.exit(2)
    sys.exit(run())
