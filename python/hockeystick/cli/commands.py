# SPDX-License-Identifier: Apache-2.0
"""The commands, a module each: importing it puts the command into the application."""

from . import audit, calibrate, compare, dpsgd, epsilon, explain, report, schema, sweep
from .app import app, run

__all__ = ["app", "audit", "calibrate", "compare", "dpsgd", "epsilon", "explain", "report", "run", "schema", "sweep"]
