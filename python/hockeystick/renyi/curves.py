# SPDX-License-Identifier: Apache-2.0
"""Renyi curves: upper (and, where known, lower) bounds on D_order, one small class a law.

A curve answers ``bounds(orders, direction)`` for increasing orders of at least 1, infinity included. Order 1 is the
Kullback-Leibler divergence. `remove_dominates` says that removing a record is at least as bad as adding one at every
order, so that one direction serves for the relation: for subsampled Gaussians by theorem 5 of Mironov, Talwar and Zhang
(2019), which holds for every pair that an involution of the outcomes swaps; for symmetric pairs by symmetry.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .. import _core
from .amplification import poisson_upper, without_replacement_upper

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..mechanisms import Mechanism
    from ..sampling import RandomAllocation

    Array = NDArray[np.float64]

REMOVE, ADD = 0, 1

# Whole moments of a mean cost the square of the order.
_MOST_WHOLE_ORDER = 256.0

# Sums and products of a few doubles, rounded outward.
_UP = 1.0 + 8.0 * np.finfo(np.float64).eps


class RenyiBounds:
    """Base of the curves: frozen values, equal ones merge."""

    __slots__ = ()

    remove_dominates = True
    """Whether the remove direction bounds the add direction at every order."""
    exact = True
    """Whether the curve belongs to a known pair; otherwise it is an upper bound alone, and its lower side is 0."""

    def bounds(self, orders: Array, direction: int) -> tuple[Array, Array]:
        """Lower and upper bounds on the divergence at each order."""
        raise NotImplementedError

    def prepared(self) -> RenyiBounds:
        """Return the curve in a form that answers many questions in a row; itself where there is nothing to prepare."""
        return self


@dataclass(frozen=True, slots=True)
class SubsampledGaussianCurve(RenyiBounds):
    """Poisson-subsampled Gaussian (rate 1: the plain one), certified at every order to about 1e-13 relative."""

    noise_multiplier: float
    sampling_rate: float = 1.0

    def bounds(self, orders: Array, direction: int) -> tuple[Array, Array]:
        """Lower and upper bounds on the divergence at each order."""
        noise, rate = np.array([self.noise_multiplier]), np.array([self.sampling_rate])
        return _core.renyi_bounds(noise, rate, orders, direction)


@dataclass(frozen=True, slots=True)
class LaplaceCurve(RenyiBounds):
    """Laplace noise of scale `noise_multiplier` times the sensitivity, closed form."""

    noise_multiplier: float

    def bounds(self, orders: Array, direction: int) -> tuple[Array, Array]:
        """Lower and upper bounds on the divergence at each order."""
        if self.noise_multiplier == 0.0:
            return np.full_like(orders, np.inf), np.full_like(orders, np.inf)
        return _core.laplace_renyi_bounds(1.0 / self.noise_multiplier, orders)


@dataclass(frozen=True, slots=True)
class DiscreteGaussianCurve(RenyiBounds):
    """Discrete Gaussian of parameter `sigma` against its shift by a whole number, closed form."""

    sigma: float
    shift: int = 1

    def bounds(self, orders: Array, direction: int) -> tuple[Array, Array]:
        """Lower and upper bounds on the divergence at each order."""
        return _core.discrete_gaussian_renyi_bounds(self.sigma, float(self.shift), orders)


@dataclass(frozen=True, slots=True)
class LawCurve(RenyiBounds):
    """Any mechanism with a loss law: atoms that dominate it, an upper bound about 1e-5 above the truth."""

    mechanism: Mechanism

    def bounds(self, orders: Array, direction: int) -> tuple[Array, Array]:
        """Lower (0) and upper bounds on the divergence at each order."""
        return self.prepared().bounds(orders, direction)

    def prepared(self) -> PreparedLawCurve:
        """Return the curve with its atoms made, which answers many questions at the price of one."""
        remove, add = self.mechanism._laws()
        made = _core.renyi_of_law(remove)
        return PreparedLawCurve((made, made if remove is add else _core.renyi_of_law(add)))


@dataclass(frozen=True, slots=True)
class AllocationCurve(RenyiBounds):
    """Random allocation, 1 of `steps`, of releases with the curve `of_release`: the least of three upper bounds.

    The epoch's dominating atoms (:class:`LawCurve`), what they put at infinity limited by the release itself, than which
    the epoch is no worse (joint convexity); remove, whole moments of the mean ratio, which are exact; add, since a mean
    is at least the geometric mean, D_order(Q||P) <= D_{1 + (order - 1) / steps} of one release, add.
    """

    mechanism: RandomAllocation
    of_release: RenyiBounds

    def bounds(self, orders: Array, direction: int) -> tuple[Array, Array]:
        """Lower (0) and upper bounds on the divergence at each order."""
        return self.prepared().bounds(orders, direction)

    def prepared(self) -> PreparedAllocationCurve:
        """Return the curve with its atoms made."""
        limits = self.mechanism.base._laws()
        remove, add = (_core.renyi_of_law(*pair) for pair in zip(self.mechanism._laws(), limits, strict=True))
        return PreparedAllocationCurve((remove, add), self.mechanism.steps, self.of_release.prepared())


@dataclass(frozen=True, slots=True, eq=False)
class PreparedAllocationCurve(RenyiBounds):
    """An :class:`AllocationCurve` whose atoms are made."""

    directions: tuple[_core.RenyiOfLaw, _core.RenyiOfLaw]
    steps: int
    of_release: RenyiBounds

    remove_dominates = False

    def bounds(self, orders: Array, direction: int) -> tuple[Array, Array]:
        """Lower (0) and upper bounds on the divergence at each order."""
        upper = self.directions[direction].upper(orders)
        if direction == REMOVE:
            served = orders[orders <= _MOST_WHOLE_ORDER]
            whole = np.arange(2.0, np.ceil(served.max(initial=1.0)) + 1.0)
            known = self.of_release.bounds(whole, REMOVE)[1]
            other = _core.allocation_renyi_upper(known, self.steps, orders)
        else:
            reduced = np.nextafter(1.0 + (orders - 1.0) / self.steps, np.inf)
            other = self.of_release.bounds(reduced, ADD)[1]
        return np.zeros_like(orders), np.minimum(upper, other)


@dataclass(frozen=True, slots=True, eq=False)
class PreparedLawCurve(RenyiBounds):
    """A :class:`LawCurve` whose atoms are made: one object a direction, the same one twice if symmetric."""

    directions: tuple[_core.RenyiOfLaw, _core.RenyiOfLaw]

    @property
    def remove_dominates(self) -> bool:  # type: ignore[override]
        """Whether both directions have one law."""
        return self.directions[0] is self.directions[1]

    def bounds(self, orders: Array, direction: int) -> tuple[Array, Array]:
        """Lower (0) and upper bounds on the divergence at each order."""
        return np.zeros_like(orders), self.directions[direction].upper(orders)


@dataclass(frozen=True, slots=True)
class AtomsCurve(RenyiBounds):
    """A law of finitely many losses under P, the same for both directions: what is at infinity makes all of it infinite.

    `reverse_infinity_mass` is the mass that Q has where P has none.
    """

    losses: tuple[float, ...]
    masses: tuple[float, ...]
    infinity_mass: float = 0.0
    reverse_infinity_mass: float = 0.0

    def bounds(self, orders: Array, direction: int) -> tuple[Array, Array]:
        """Lower and upper bounds on the divergence at each order."""
        return _core.renyi_bounds_of_atoms(
            np.array(self.losses), np.array(self.masses), self.infinity_mass, self.reverse_infinity_mass, orders
        )


def pure_curve(epsilon: float, delta: float = 0.0) -> AtomsCurve:
    """Curve of the two-point pair that dominates every (epsilon, delta)-DP mechanism; infinite for delta above 0."""
    high = 1.0 / (1.0 + np.exp(-epsilon))
    low = 1.0 / (1.0 + np.exp(epsilon))
    return AtomsCurve((epsilon, -epsilon), (float(high), float(low)), delta, delta)


def randomized_response_curve(noise_probability: float, categories: int = 2) -> AtomsCurve:
    """Curve of k-ary randomized response under replacement: losses +-log(a/b) and 0."""
    low = noise_probability / categories
    high = 1.0 - noise_probability + low
    if low == 0.0:
        return AtomsCurve((0.0,), (0.0,), 1.0, 1.0)
    loss = float(np.log1p((1.0 - noise_probability) / low))
    return AtomsCurve((loss, -loss, 0.0), (high, low, (categories - 2) * low))


@dataclass(frozen=True, slots=True)
class ConcentratedCurve(RenyiBounds):
    """D_order <= xi + rho order for orders below `greatest_order`: zCDP (Bun, Steinke 2016), tCDP if that is finite."""

    rho: float
    xi: float = 0.0
    greatest_order: float = np.inf
    exact = False

    def bounds(self, orders: Array, direction: int) -> tuple[Array, Array]:
        """Lower (0) and upper bounds on the divergence at each order."""
        upper = np.full_like(orders, self.xi * _UP)
        if self.rho:
            upper = (self.xi + self.rho * orders) * _UP
        return np.zeros_like(orders), np.where(orders < self.greatest_order, upper, self._beyond(orders))

    def _beyond(self, orders: Array) -> Array:
        # Pure concentrated privacy (rho = 0) says as much of infinity as of any other order.
        nothing_left = self.rho == 0.0 and self.greatest_order == np.inf
        return np.full_like(orders, self.xi * _UP if nothing_left else np.inf)


@dataclass(frozen=True, slots=True)
class TabulatedCurve(RenyiBounds):
    """Upper bounds at given orders, and what follows from them in between.

    (order - 1) D_order is convex and 0 at order 1, so chords between the given orders are upper bounds; below the first
    order its value serves, since D grows with the order; beyond the last one nothing is known.
    """

    orders: tuple[float, ...]
    values: tuple[float, ...]
    exact = False

    def bounds(self, orders: Array, direction: int) -> tuple[Array, Array]:
        """Lower (0) and upper bounds on the divergence at each order."""
        known, values = np.array(self.orders), np.array(self.values)
        finite = np.isfinite(known) & np.isfinite(values)
        upper = np.full_like(orders, values[-1] if known[-1] == np.inf else np.inf)
        if finite.any():
            known, values = known[finite], values[finite]
            inside = orders <= known[-1]
            excess = orders[inside] - 1.0
            moments = np.interp(excess, known - 1.0, (known - 1.0) * values)
            with np.errstate(divide="ignore", invalid="ignore"):
                chords = np.where(orders[inside] <= known[0], values[0], moments / excess * _UP)
            upper[inside] = np.minimum(upper[inside], chords)
        # The value of any larger order is a bound as well.
        for order, value in zip(self.orders, self.values, strict=True):
            upper = np.where(orders <= order, np.minimum(upper, value), upper)
        return np.zeros_like(orders), upper


@dataclass(frozen=True, slots=True)
class SampledCurve(RenyiBounds):
    """A base curve under Poisson sampling, or under sampling without replacement; see :mod:`.amplification`."""

    base: RenyiBounds
    sampling_rate: float
    poisson: bool = True
    exact = False

    def bounds(self, orders: Array, direction: int) -> tuple[Array, Array]:
        """Lower (0) and upper bounds on the divergence at each order."""
        upper = poisson_upper if self.poisson else without_replacement_upper
        return np.zeros_like(orders), upper(self.base, self.sampling_rate, orders)
