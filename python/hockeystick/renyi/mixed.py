# SPDX-License-Identifier: Apache-2.0
"""Parts known by their Renyi curve alone, composed with parts known exactly: one sound answer.

Two upper bounds hold, and the smaller one is the answer:

- the divergences of all parts are added, order by order, and converted once;
- the divergences of the loose parts are added and converted once into a profile, whose greatest convex minorant is the
  profile of a loss law; that law dominates the loose parts and composes with the others exactly.

The second is the tighter one where the exact parts weigh more. From below, leaving the loose parts out is a bound.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core, _engines
from .answers import ledger_profile
from .curves import ADD, REMOVE
from .ledger import Ledger

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .._core import LossLaw

    Array = NDArray[np.float64]

# Losses are moved up by this, which is far more than the rounding of slopes can cost, and checked afterwards.
_SHIFT = 1e-10
# How far below the delta asked for the minorant goes, in logarithms: what lies beyond is put at infinity.
_BELOW = 12.0


class Mixed:
    """A composition split into what is known exactly and what is not.

    Attributes
    ----------
    exact : Mechanism or None
        The parts known exactly, composed.
    loose : Ledger
        The curves of the others.
    """

    def __init__(self, mechanism: Any) -> None:
        known = [count * part for part, count in mechanism._parts() if count and part._known_exactly()]
        self.exact: Any = sum(known[1:], start=known[0]) if known else None
        self.loose = Ledger.of(
            (curve, count * number)
            for part, count in mechanism._parts()
            if not part._known_exactly()
            for curve, number in part._renyi_entries()
        ).prepared()

    def laws(self, log_delta: float) -> tuple[list[list[LossLaw]], NDArray[np.uint64]] | None:
        """Loss laws and counts, as the core takes them, that dominate all parts; None where there is no finite profile.

        Good for deltas from `log_delta` on: outcomes far below are put at infinity.
        """
        if self.exact is None or not math.isfinite(log_delta):
            return None
        lists, counts = self.exact._terms().laws([REMOVE, ADD])
        if float(self.loose.upper(np.array([np.inf]))[0]) == 0.0:
            return lists, counts
        law = dominating_law(*ledger_profile(self.loose, max(log_delta - _BELOW, -690.0)))
        if law is None:
            return None
        return [[*each, law] for each in lists], np.append(counts, np.uint64(1))

    def epsilon_upper(self, log_delta: float) -> float:
        """Upper bound on epsilon by the dominating laws; infinity where they do not serve."""
        laws = self.laws(log_delta)
        try:
            return math.inf if laws is None else _core.fft_epsilon_bounds(*laws, log_delta, _engines.NUMBER.fft)[1]
        except _core.AccuracyError:
            return math.inf

    def log_delta_upper(self, epsilons: Array, log_delta: float) -> Array:
        """Upper bounds on log delta at increasing epsilons by the dominating laws, good from `log_delta` on; else 0."""
        laws = self.laws(log_delta)
        try:
            if laws is not None:
                return _core.fft_log_delta_bounds(*laws, epsilons, _engines.CURVE_POINT.fft)[1]
        except _core.AccuracyError:
            pass
        return np.zeros_like(epsilons)


def dominating_law(epsilons: Array, log_deltas: Array) -> LossLaw | None:
    """Return a symmetric law that dominates whatever has a profile below the points, epsilons increasing from 0.

    With x = e^epsilon the points, their mirror images (1/x, 1 - 1/x + delta/x) and (0, 1) are hulled from below: a profile
    is convex in x, so that it is below the hull as well. The slopes of the hull are the Q masses. None where rounding
    would put the law's own profile below the hull somewhere, or a single point is given.
    """
    if len(epsilons) < 3:
        return None
    with np.errstate(under="ignore"):
        deltas = np.minimum(np.exp(log_deltas) * (1.0 + 1e-13), 1.0)
    x = np.exp(np.minimum(epsilons, 700.0))
    points = np.concatenate([[0.0], 1.0 / x[:0:-1], x])
    values = np.concatenate([[1.0], (1.0 - 1.0 / x + deltas / x)[:0:-1], deltas])
    kept = _lower_hull(points, values)
    knots, heights = points[kept], values[kept]
    slopes = np.append(np.diff(heights) / np.diff(knots), 0.0)
    masses, infinity_mass = knots[1:] * np.maximum(np.diff(slopes), 0.0), float(heights[-1])
    masses *= (1.0 - infinity_mass) / masses.sum()
    losses = np.log(knots[1:]) + _SHIFT
    # The promise, checked at the corners, between which both are linear: the law's profile by sums of positive terms.
    gaps = -np.expm1(np.minimum(np.log(knots[1:])[:, None] - losses[None, :], 0.0))
    if not (infinity_mass + gaps @ masses >= heights[1:]).all():
        return None
    used = masses > 0.0
    at_infinity = (infinity_mass, infinity_mass)
    rest = 1.0 - float((masses * np.exp(-losses)).sum())  # of Q; the shift takes a little of it away
    vanishing = (max(rest - 1e-12, 0.0), max(rest, 0.0) + 1e-12)
    return _core.atoms_law(losses[used].tolist(), np.log(masses[used]).tolist(), at_infinity, vanishing, 1e-14, 0.0)


def _lower_hull(points: Array, values: Array) -> list[int]:
    """Places of the greatest convex minorant's corners."""
    kept: list[int] = []
    for i in range(len(points)):
        while len(kept) > 1:
            a, b = kept[-2], kept[-1]
            left = (values[b] - values[a]) * (points[i] - points[b])
            if left < (values[i] - values[b]) * (points[b] - points[a]):
                break
            kept.pop()
        kept.append(i)
    return kept
