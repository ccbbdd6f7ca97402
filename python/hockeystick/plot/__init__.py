# SPDX-License-Identifier: Apache-2.0
"""Figures of privacy guarantees, in one look; needs the extra ``plot`` (matplotlib).

Every function returns a :class:`matplotlib.figure.Figure` that belongs to no window: ``figure.savefig("curve.svg")``,
or let a notebook show it.
"""

from .audit import audit
from .profile import profile
from .renyi import renyi
from .runs import compare
from .sensitivity import sensitivity
from .steps import epsilon_over_steps
from .svg import inline_svg
from .tradeoff import tradeoff

__all__ = ["audit", "compare", "epsilon_over_steps", "inline_svg", "profile", "renyi", "sensitivity", "tradeoff"]
