# SPDX-License-Identifier: Apache-2.0
"""The commands, a module each: importing it puts the command into the application."""

from . import calibrate, dpsgd, epsilon, report, schema, sweep
from .app import app, run

__all__ = ["app", "calibrate", "dpsgd", "epsilon", "report", "run", "schema", "sweep"]
