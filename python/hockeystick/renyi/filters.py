# SPDX-License-Identifier: Apache-2.0
"""Privacy filters: budgets that stay valid when noise, rate or stopping time are chosen by looking at outputs.

An accountant's number assumes that the parameters of every step were fixed beforehand. A filter needs no such
assumption: it lets a step pass only if the budget holds whatever comes out, and its guarantee is the budget, not what was
spent. Sound are filters whose currency adds up conditionally on the past: Renyi divergence of a fixed order (Feldman,
Zrnic 2021), zCDP (which is one of them at every order), and Gaussian mu (Smith, Thakurta 2022; Koskela, Tobaben, Honkela
2023). "Convolve the privacy losses that happened and stop at the budget" is not one of them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _validate
from .._docs import documented_by
from ..mechanisms import Mechanism
from .conversions import CONVERSIONS, RenyiAnswer, epsilon_from_renyi, epsilons
from .orders import default_orders

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

# A budget that sums fill exactly is full, not exceeded; guarantees are stated for this much.
_FULL = 1.0 + 1e-12


class RenyiFilter:
    """Lets adaptively chosen mechanisms pass while their Renyi divergences stay within a budget.

    Made by ``at_orders`` (a budget for each order, all of which hold at the end) or by ``for_epsilon`` (a target
    (epsilon, delta), by one order fixed beforehand).

    Parameters
    ----------
    orders : array_like, shape (n,)
        Above 1, fixed beforehand.
    budgets : array_like, shape (n,)
        The most that the divergences of all that passes may add up to, at each order.
    relation : {"add_remove", "replace", "zero_out"}
        The neighbouring relation.

    Raises
    ------
    TypeError, ValueError
        For arguments out of their domain.

    Examples
    --------
    >>> import hockeystick as hs
    >>> allowed = hs.RenyiFilter.for_epsilon(epsilon=2.0, delta=1e-5)
    >>> noise = 8.0
    >>> while allowed.can_afford(hs.Gaussian(noise_multiplier=noise)):
    ...     allowed.spend(hs.Gaussian(noise_multiplier=noise))
    ...     noise *= 0.9                                    # may depend on what came out
    >>> len(allowed), f"{allowed.guarantee(1e-5).value:.4f}"
    (6, '2.0000')
    """

    def __init__(self, *, orders: ArrayLike, budgets: ArrayLike, relation: str = "add_remove") -> None:
        at = np.atleast_1d(_validate.array_within("orders", orders, 1.0, np.inf))
        most = np.atleast_1d(_validate.array_within("budgets", budgets, 0.0, np.inf))
        if at.ndim != 1 or at.shape != most.shape:
            raise ValueError(f"orders and budgets must be equally long, got shapes {at.shape} and {most.shape}")
        if (at == 1.0).any():
            raise ValueError("orders must be above 1, got 1.0: it converts to no epsilon")
        self._orders, self._budgets = np.array(at), np.array(most)
        self._spent = np.zeros_like(self._orders)
        self._relation = _validate.choice("relation", relation, _validate.RELATIONS)
        self._count = 0

    @classmethod
    def for_epsilon(
        cls, *, epsilon: float, delta: float, order: float | None = None, relation: str = "add_remove"
    ) -> RenyiFilter:
        """Filter whose guarantee is (epsilon, delta), by one order.

        Parameters
        ----------
        epsilon, delta : float
            Above 0; delta below 1.
        order : float, optional
            Fixed beforehand; by default the one that lets the most plain Gaussian noise pass.
        relation : str
            See the class.

        Returns
        -------
        RenyiFilter

        Raises
        ------
        TypeError, ValueError
            For arguments out of their domain.
        """
        target = _validate.positive("epsilon", epsilon)
        delta = _validate.probability("delta", delta)
        if not 0.0 < delta < 1.0:
            raise ValueError(f"delta must be in (0, 1), got {delta!r}")
        at = default_orders() if order is None else np.array([_validate.positive("order", order)])
        if (at <= 1.0).any():
            raise ValueError(f"order must be above 1, got {order!r}")
        budgets = np.array([_largest_divergence(float(each), target, delta) for each in at])
        best = int(np.argmax(budgets / at))
        return cls(orders=at[best : best + 1], budgets=budgets[best : best + 1], relation=relation)

    @property
    def orders(self) -> NDArray[np.float64]:
        """The orders, fixed beforehand."""
        return self._orders.copy()

    @property
    def budgets(self) -> NDArray[np.float64]:
        """What may be spent at each order."""
        return self._budgets.copy()

    @property
    def spent(self) -> NDArray[np.float64]:
        """Upper bounds on what was spent at each order."""
        return self._spent.copy()

    def __len__(self) -> int:
        """Return how many mechanisms have passed."""
        return self._count

    def can_afford(self, next: Mechanism, /, *, count: int = 1) -> bool:
        """Whether `next`, `count` times more, keeps every order within its budget. Never changes anything.

        Parameters
        ----------
        next : Mechanism
            Under the relation of this filter.
        count : int
            At least 0.

        Returns
        -------
        bool

        Raises
        ------
        TypeError, ValueError
            For arguments out of their domain, or another relation.
        """
        return self._fits(self._after(next, count))

    def spend(self, mechanism: Mechanism, /, *, count: int = 1) -> None:
        """Let a mechanism pass; call before it is run.

        Parameters
        ----------
        mechanism : Mechanism
            Under the relation of this filter.
        count : int
            At least 0.

        Raises
        ------
        TypeError, ValueError
            For arguments out of their domain, or if the budget does not hold it; nothing is spent then.
        """
        after = self._after(mechanism, count)
        if not self._fits(after):
            raise ValueError(f"mechanism must fit into the budget that is left, got {mechanism!r} {count} times")
        self._spent = after
        self._count += _validate.count("count", count)

    def guarantee(self, delta: float) -> RenyiAnswer:
        """Upper bound on epsilon at `delta` of everything that can ever pass: from the budgets, not from what was spent.

        Parameters
        ----------
        delta : float
            In [0, 1].

        Returns
        -------
        RenyiAnswer

        Raises
        ------
        TypeError, ValueError
            For `delta` out of its domain.
        """
        return epsilon_from_renyi(orders=self._orders, rdp=self._budgets * _FULL, delta=delta)

    def _fits(self, after: NDArray[np.float64]) -> bool:
        return bool((after <= self._budgets * _FULL).all())

    def _after(self, mechanism: Any, count: Any) -> NDArray[np.float64]:
        number = _validate.count("count", count)
        _require(mechanism, self._relation)
        ledger = mechanism._renyi_ledger()
        cost = ledger.upper(self._orders) if ledger.entries and number else np.zeros_like(self._orders)
        return np.asarray((self._spent + number * cost) * (1.0 + 4e-16))


class GDPFilter:
    """Lets adaptively chosen mechanisms pass while the squares of their Gaussian mu stay within mu^2.

    A mechanism counts with its literal mu, which holds for its whole trade-off curve: 1 / noise multiplier for a
    Gaussian, without amplification for a subsampled one. A mu above a floor of the false-positive rate is no parameter
    that adds up, so it is not taken.

    Parameters
    ----------
    mu : float
        The budget, above 0: whatever passes is mu-GDP together.
    relation : {"add_remove", "replace", "zero_out"}
        The neighbouring relation.

    Examples
    --------
    >>> import hockeystick as hs
    >>> allowed = hs.GDPFilter(mu=1.0)
    >>> allowed.spend(hs.Gaussian(noise_multiplier=2.0), count=3)
    >>> allowed.can_afford(hs.Gaussian(noise_multiplier=2.0)), allowed.can_afford(hs.Gaussian(noise_multiplier=1.9))
    (True, False)
    """

    def __init__(self, *, mu: float, relation: str = "add_remove") -> None:
        self._mu = _validate.positive("mu", mu)
        self._relation = _validate.choice("relation", relation, _validate.RELATIONS)
        self._squares: list[float] = []
        self._count = 0

    @property
    def mu(self) -> float:
        """The budget: whatever passes is mu-GDP together."""
        return self._mu

    @property
    def spent(self) -> float:
        """Root of the sum of squares of what has passed."""
        return math.sqrt(math.fsum(self._squares))

    def __len__(self) -> int:
        """Return how many mechanisms have passed."""
        return self._count

    @documented_by(RenyiFilter.can_afford)
    def can_afford(self, next: Mechanism, /, *, count: int = 1) -> bool:
        """Whether `next`, `count` times more, keeps the sum of squares within mu^2. Never changes anything.

        Raises
        ------
        TypeError, ValueError
            For arguments out of their domain, another relation, or a mechanism that is no mu-GDP for any mu.
        """
        return self._fits(self._square(next, count))

    @documented_by(RenyiFilter.spend)
    def spend(self, mechanism: Mechanism, /, *, count: int = 1) -> None:
        """Let a mechanism pass; call before it is run.

        Raises
        ------
        TypeError, ValueError
            For arguments out of their domain, a mechanism that is no mu-GDP for any mu, or if the budget does not hold
            it; nothing is spent then.
        """
        square = self._square(mechanism, count)
        if not self._fits(square):
            raise ValueError(f"mechanism must fit into the budget that is left, got {mechanism!r} {count} times")
        self._squares.append(square)
        self._count += _validate.count("count", count)

    @documented_by(RenyiFilter.guarantee)
    def guarantee(self, delta: float) -> float:
        """Upper bound on epsilon at `delta` of everything that can ever pass.

        Returns
        -------
        float
        """
        from ..mechanisms import Gaussian

        noise = (1.0 - 1e-15) / self._mu  # what _fits lets pass
        return float(Gaussian(noise_multiplier=noise, relation=self._relation).epsilon(delta=delta))

    def _fits(self, square: float) -> bool:
        # Relative rounding of the squares and of their sum; a budget filled exactly is full, not exceeded.
        return math.fsum([*self._squares, square]) <= self._mu**2 * (1.0 + 1e-15)

    def _square(self, mechanism: Any, count: Any) -> float:
        number = _validate.count("count", count)
        _require(mechanism, self._relation)
        if not number:
            return 0.0
        literal = _literal_mu(mechanism)
        if not literal < math.inf:
            raise ValueError(f"mechanism must be mu-GDP for some finite mu, got {mechanism!r}")
        return number * literal**2


class PLDFilter:
    """Not offered: "convolve the losses of what happened, stop at the budget" is invalid for adaptive choices.

    The composition theorem for privacy loss distributions needs every step's dominating pair fixed beforehand. If noise,
    rate or stopping time depend on outputs, an adversary can spend more exactly where the loss so far happens to be
    large, and the curve of the path taken bounds nothing. Use :class:`RenyiFilter` or :class:`GDPFilter`.

    Raises
    ------
    NotImplementedError
        Always.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(
            "a filter on composed privacy loss distributions is no guarantee when choices depend on outputs: the pairs "
            "of a composition must be fixed beforehand; use RenyiFilter or GDPFilter"
        )


def _literal_mu(mechanism: Mechanism) -> float:
    return float(mechanism.gdp().literal)


def _require(mechanism: Any, relation: str) -> None:
    if not isinstance(mechanism, Mechanism):
        raise TypeError(f"mechanism must be a Mechanism, got {mechanism!r}")
    if mechanism.relation != relation:
        raise ValueError(f"mechanism must be under the relation {relation!r}, got {mechanism.relation!r}")


def _largest_divergence(order: float, epsilon: float, delta: float) -> float:
    """Largest divergence whose optimal conversion gives at most `epsilon` at `delta`, rounded down."""

    def reached(rho: float) -> float:
        at, rdp = np.array([order]), np.array([rho])
        return float(epsilons(CONVERSIONS[-1], at, rdp, rdp, math.log(delta))[0])

    low, high = 0.0, epsilon + 1.0  # of what the filter lets pass
    while reached(high) <= epsilon:
        low, high = high, 2.0 * high
    for _ in range(60):
        middle = 0.5 * (low + high)
        if reached(middle) <= epsilon:
            low = middle
        else:
            high = middle
    return low / _FULL
