# SPDX-License-Identifier: Apache-2.0
"""The rule for groups that every mechanism has: the iterate of its trade-off function."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from . import _validate
from .description import describable
from .mechanisms import Mechanism
from .mechanisms.laws import atoms, both_directions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from ._core import LossLaw
    from ._terms import Release

# The curve is read at these logs of alpha. Losses are overstated by a step: dense where it matters.
_LOG_ALPHA = np.concatenate([np.arange(-100.0, -25.0, 0.05), np.arange(-25.0, 0.0, 0.005), [0.0]])
# Where the base's curve need not be tight any more.
_FPR_FLOOR = 1e-30


@describable("group_bound")
@dataclass(frozen=True, kw_only=True)
class GroupBound(Mechanism):
    """Any mechanism as it is for a group of `size` records: an upper bound. Made by :func:`group`.

    With f the symmetric trade-off function of the base, f_k = 1 - (1 - f)^(o k) is one for a chain of k neighbouring data
    sets, in either direction at each link (Dong, Roth and Su 2022, theorem 2.14). Its certified lower curve is read on a
    grid of alpha and enclosed by the concave hull of a staircase: losses are overstated by at most 0.005 where alpha
    is above 1e-11. Symmetric. Lower side of brackets: the base, for a single record.

    Parameters
    ----------
    base : Mechanism
        Any mechanism, also a composition.
    size : int
        Number of records, at least 1.
    """

    base: Mechanism
    size: int

    def __post_init__(self) -> None:
        if not isinstance(self.base, Mechanism):
            raise TypeError(f"base must be a mechanism, got {self.base!r}")
        object.__setattr__(self, "size", _validate.positive_count("size", self.size))

    @property
    def relation(self) -> str:
        """The relation of the base."""
        return self.base.relation

    def _releases(self) -> Iterator[tuple[Mechanism, int]]:
        if any(True for _ in self.base._releases()):
            yield self, 1

    def _laws(self) -> tuple[LossLaw, LossLaw]:
        curve = self.base.tradeoff(fpr_floor=_FPR_FLOOR)
        log_tpr = _LOG_ALPHA
        for _ in range(self.size):
            log_tpr = curve.log_tpr(log_fpr=np.minimum(log_tpr, 0.0))
        return both_directions(_symmetric_law(np.exp(_LOG_ALPHA), np.exp(np.minimum(log_tpr, 0.0))))

    def _attained_releases(self) -> Iterator[tuple[Release, int]]:
        return self.base._attained_releases()


def _symmetric_law(alpha: NDArray[np.float64], tpr: NDArray[np.float64]) -> LossLaw:
    """The loss law whose ROC curve is the concave hull of a staircase over (alpha, tpr) and its mirror image."""
    # A step ahead: what lies between two readings is below the later one.
    left, top = _concave_hull(np.concatenate([[0.0], alpha[:-1]]), tpr)
    widths, heights = np.diff(left), np.diff(top)
    # The half above slope 1, up to where it meets its mirror image, the line alpha + tpr = 1.
    part = np.clip((1.0 - left[:-1] - top[:-1]) / (widths + heights), 0.0, 1.0)
    kept = (heights > widths) & (part > 0.0)
    widths, heights = (widths * part)[kept], (heights * part)[kept]
    infinity = float(top[0])
    rest = 1.0 - infinity - float(heights.sum()) - float(widths.sum())
    losses = np.log(heights / widths)
    middle = ([0.0], [math.log(rest)]) if rest > 0.0 else ([], [])
    return atoms(
        [*losses, *-losses, *middle[0]],
        [*np.log(heights), *np.log(widths), *middle[1]],
        infinity_mass=(infinity, infinity),
        vanishing_mass=(infinity, infinity),
        relative_error=1e-12,
    )


def _concave_hull(x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Corners of the least concave function above the points (x increasing)."""
    hull: list[tuple[float, float]] = []
    for point in zip(x.tolist(), y.tolist(), strict=True):
        while len(hull) > 1 and _is_below(hull[-2], hull[-1], point):
            hull.pop()
        hull.append(point)
    corners = np.array(hull)
    return corners[:, 0], corners[:, 1]


def _is_below(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> bool:
    return (b[1] - a[1]) * (c[0] - a[0]) <= (c[1] - a[1]) * (b[0] - a[0])
