# SPDX-License-Identifier: Apache-2.0
"""Sums of Renyi curves, and the best order of a conversion among all real orders."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .. import _core
from .curves import ADD, REMOVE, RenyiBounds, SubsampledGaussianCurve
from .orders import GREATEST_EXCESS, LEAST_EXCESS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Objective = Callable[[Array, Array, Array], Array]

# A round of the search looks at so many orders inside the bracket; each divides it by about half of that.
_POINTS = 9
_ROUNDS = 6


@dataclass(frozen=True)
class Ledger:
    """Curves with their counts; divergences of one order add up, direction by direction.

    Adding is sound for adaptive composition whose curves are fixed in advance, for mechanisms known exactly and for
    those known by an upper bound alone.
    """

    entries: tuple[tuple[RenyiBounds, int], ...]

    @classmethod
    def of(cls, entries: Iterable[tuple[RenyiBounds, int]]) -> Ledger:
        """Merge equal curves; the order of first appearance is kept."""
        merged: dict[RenyiBounds, int] = {}
        for curve, count in entries:
            if count:
                merged[curve] = merged.get(curve, 0) + count
        return cls(tuple(merged.items()))

    def prepared(self) -> Ledger:
        """Return the same ledger with every curve ready for many questions in a row."""
        return Ledger(tuple((curve.prepared(), count) for curve, count in self.entries))

    @property
    def directions(self) -> tuple[int, ...]:
        """The directions that decide: one where removing is the worse one in every part."""
        return (REMOVE,) if all(curve.remove_dominates for curve, _ in self.entries) else (REMOVE, ADD)

    @property
    def loose(self) -> tuple[RenyiBounds, ...]:
        """The parts that are known by an upper bound alone."""
        return tuple(curve for curve, _ in self.entries if not curve.exact)

    def bounds(self, orders: Array, direction: int) -> tuple[Array, Array]:
        """Lower and upper bounds on the total divergence of one direction."""
        lower, upper = np.zeros_like(orders), np.zeros_like(orders)
        gaussians = [(c, n) for c, n in self.entries if isinstance(c, SubsampledGaussianCurve)]
        if gaussians:
            noise = np.array([c.noise_multiplier for c, _ in gaussians])
            rates = np.array([c.sampling_rate for c, _ in gaussians])
            counts = np.array([float(n) for _, n in gaussians])
            rows = _core.renyi_bounds(noise, rates, orders, direction)
            lower, upper = (counts @ side.reshape(len(counts), -1) for side in rows)
        for curve, count in self.entries:
            if not isinstance(curve, SubsampledGaussianCurve):
                below, above = curve.bounds(orders, direction)
                lower, upper = lower + count * below, upper + count * above
        slack = 4e-16 * (len(self.entries) + 1)
        return lower * (1.0 - slack), upper * (1.0 + slack)

    def upper(self, orders: Array) -> Array:
        """Upper bounds on the total divergence, the larger direction."""
        upper = self.bounds(orders, REMOVE)[1]
        return upper if len(self.directions) == 1 else np.maximum(upper, self.bounds(orders, ADD)[1])

    def best(self, objective: Objective, orders: Array, *, refine: bool) -> tuple[float, float]:
        """Least value of objective(orders, forward, reverse), an upper bound at every order, and the order that has it.

        With `refine`, among all orders near the best of `orders`, which are extended while their edge is the best.
        Any order is sound, so the search can be unlucky but never wrong.
        """
        results = [self._best(objective, orders, direction, refine=refine) for direction in self.directions]
        return max(results)

    def _best(self, objective: Objective, orders: Array, direction: int, *, refine: bool) -> tuple[float, float]:
        def values(at: Array) -> Array:
            forward = self.bounds(at, direction)[1]
            reverse = forward if len(self.directions) == 1 else self.bounds(at, 1 - direction)[1]
            return objective(at, forward, reverse)

        usable = orders[(orders > 1.0) & (orders < math.inf)]
        if not usable.size:
            return math.inf, math.nan
        found = values(usable)
        if not refine:
            place = int(np.argmin(found))
            return float(found[place]), float(usable[place])
        usable, found = _extended(values, usable, found)
        return _refined(values, usable, found)


def _extended(values: Callable[[Array], Array], orders: Array, found: Array) -> tuple[Array, Array]:
    """Add orders beyond an edge for as long as the edge is the best of them."""
    while True:
        place = int(np.argmin(found))
        if place == len(orders) - 1 and orders[-1] - 1.0 < GREATEST_EXCESS and math.isfinite(found[-1]):
            more = 1.0 + np.geomspace(1.0, 1e3, 13)[1:] * (orders[-1] - 1.0)
            orders, found = np.append(orders, more), np.append(found, values(more))
        elif place == 0 and orders[0] - 1.0 > LEAST_EXCESS:
            more = 1.0 + np.geomspace(1e-3, 1.0, 13)[:-1] * (orders[0] - 1.0)
            orders, found = np.append(more, orders), np.append(values(more), found)
        else:
            return orders, found


def _refined(values: Callable[[Array], Array], orders: Array, found: Array) -> tuple[float, float]:
    """Narrow the bracket around the best order, in log(order - 1)."""
    place = int(np.argmin(found))
    best, order = float(found[place]), float(orders[place])
    low, high = orders[max(place - 1, 0)] - 1.0, orders[min(place + 1, len(orders) - 1)] - 1.0
    for _ in range(_ROUNDS):
        inside = np.geomspace(low, high, _POINTS)
        results = values(1.0 + inside)
        place = int(np.argmin(results))
        if results[place] < best:
            best, order = float(results[place]), float(1.0 + inside[place])
        low, high = inside[max(place - 1, 0)], inside[min(place + 1, _POINTS - 1)]
        if high - low <= 1e-7 * high:
            break
    return best, order
