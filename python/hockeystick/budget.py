# SPDX-License-Identifier: Apache-2.0
"""A limit on a quantity: what a run may spend, or what a calibration aims at."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _core, _validate
from ._docs import documented_by
from .quantity import RATES, Quantity

if TYPE_CHECKING:
    from ._questions import Questions


@dataclass(frozen=True, kw_only=True, repr=False)
class Budget:
    """A limit on one quantity, judged by its certified side: what is allowed is proved to be within.

    Made by its class methods, one a quantity; the conditions are those of :class:`Quantity`.

    Attributes
    ----------
    quantity : Quantity
        What is limited.
    limit : float
        The most that it may be; for the false-negative rate, the least.

    Raises
    ------
    TypeError, ValueError
        For arguments out of their domain.

    Examples
    --------
    >>> import hockeystick as hs
    >>> budget = hs.Budget.epsilon(8, delta=1e-5)
    >>> budget
    Budget.epsilon(8.0, delta=1e-05)
    >>> budget.allows(hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=10_000))
    True
    """

    quantity: Quantity
    limit: float

    def __post_init__(self) -> None:
        if not isinstance(self.quantity, Quantity):
            raise TypeError(f"quantity must be a Quantity, got {self.quantity!r}")
        check = _validate.probability if self.quantity.name in RATES else _validate.non_negative
        object.__setattr__(self, "limit", check("limit", self.limit))

    @classmethod
    def epsilon(cls, limit: float, /, *, delta: float) -> Budget:
        """Epsilon at `delta` at most `limit`.

        Parameters
        ----------
        limit : float
            At least 0.
        delta : float
            In [0, 1].

        Returns
        -------
        Budget

        Raises
        ------
        TypeError, ValueError
            For a limit or a condition out of its domain.
        """
        return cls(quantity=Quantity.epsilon(delta=delta), limit=limit)

    @classmethod
    @documented_by(epsilon)
    def delta(cls, limit: float, /, *, epsilon: float) -> Budget:
        """Delta at `epsilon` at most `limit`.

        Parameters
        ----------
        limit : float
            In [0, 1].
        epsilon : float
            At least 0.
        """
        return cls(quantity=Quantity.delta(epsilon=epsilon), limit=limit)

    @classmethod
    @documented_by(epsilon, Quantity.mu)
    def mu(cls, limit: float, /, *, fpr_floor: float | None = None, delta0: float | None = None) -> Budget:
        """The Gaussian mu at most `limit`, above a floor or beside a `delta0`."""
        return cls(quantity=Quantity.mu(fpr_floor=fpr_floor, delta0=delta0), limit=limit)

    @classmethod
    @documented_by(delta)
    def advantage(cls, limit: float, /) -> Budget:
        """The largest TPR - FPR of any attack at most `limit`."""
        return cls(quantity=Quantity.advantage(), limit=limit)

    @classmethod
    @documented_by(delta, Quantity.tpr)
    def tpr(cls, limit: float, /, *, fpr: float) -> Budget:
        """The true-positive rate of any attack with false-positive rate `fpr` at most `limit`."""
        return cls(quantity=Quantity.tpr(fpr=fpr), limit=limit)

    @classmethod
    @documented_by(delta, Quantity.tpr)
    def fnr(cls, limit: float, /, *, fpr: float) -> Budget:
        """The point f(fpr) of the trade-off curve at least `limit`."""
        return cls(quantity=Quantity.fnr(fpr=fpr), limit=limit)

    @classmethod
    @documented_by(epsilon, Quantity.renyi)
    def renyi(cls, limit: float, /, *, order: float) -> Budget:
        """The Renyi divergence of an order, the larger direction, at most `limit`."""
        return cls(quantity=Quantity.renyi(order=order), limit=limit)

    def allows(self, mechanism: Questions) -> bool:
        """Whether the mechanism is certified to be within the limit.

        Parameters
        ----------
        mechanism : Mechanism
            Or anything else that answers the questions of one.

        Returns
        -------
        bool
            False also where nothing can be certified.
        """
        try:
            return self.accepts(self.quantity.guarantee(self.quantity.bounds(mechanism)))
        except _core.AccuracyError:
            return False

    def accepts(self, guarantee: float) -> bool:
        """Whether a certified value of the quantity is within the limit.

        Parameters
        ----------
        guarantee : float
            What :meth:`Quantity.guarantee` returned.

        Returns
        -------
        bool
        """
        return guarantee >= self.limit if self.quantity.larger_is_safer else guarantee <= self.limit

    @documented_by(accepts)
    def excess(self, guarantee: float) -> float:
        """Return how far a value is over the limit, in the coordinate of the quantity.

        Returns
        -------
        float
            At most 0 iff the value is within; infinity for NaN.
        """
        if math.isnan(guarantee):
            return math.inf
        here, limit = self.quantity.coordinate(guarantee), self.quantity.coordinate(self.limit)
        distance = 0.0 if here == limit else here - limit
        # The coordinate rounds; which side a value is on is decided by the value.
        return min(distance, 0.0) if self.accepts(guarantee) else max(distance, math.ulp(0.0))

    def window(self, tolerance: float) -> float:
        """Return the width, in the coordinate, of what is within the limit by at most `tolerance` of it.

        Parameters
        ----------
        tolerance : float
            A part of the limit.

        Returns
        -------
        float
        """
        other = self.limit * (1.0 + tolerance if self.quantity.larger_is_safer else 1.0 - tolerance)
        return abs(self.excess(min(other, 1.0) if self.quantity.name in RATES else other))

    def to_dict(self) -> dict[str, Any]:
        """Describe by plain values, for JSON.

        Returns
        -------
        dict
            What :meth:`from_dict` takes.
        """
        return {**self.quantity.to_dict(), "limit": self.limit}

    @classmethod
    def from_dict(cls, description: Mapping[str, Any]) -> Budget:
        """Make the budget that :meth:`to_dict` described.

        Parameters
        ----------
        description : mapping
            Such as ``{"quantity": "epsilon", "delta": 1e-5, "limit": 8.0}``.

        Returns
        -------
        Budget

        Raises
        ------
        TypeError, ValueError
            If it is none.
        """
        if not isinstance(description, Mapping):
            raise TypeError(f"budget must be a mapping, got {description!r}")
        if "limit" not in description:
            raise ValueError(f"budget must have the entry limit, got {sorted(map(str, description))}")
        quantity = {name: value for name, value in description.items() if name != "limit"}
        return cls(quantity=Quantity.from_dict(quantity), limit=description["limit"])

    def __str__(self) -> str:
        relation = ">=" if self.quantity.larger_is_safer else "<="
        return f"{self.quantity} {relation} {self.limit:g}"

    def __repr__(self) -> str:
        conditions = "".join(f", {name}={value!r}" for name, value in self.quantity.conditions)
        return f"Budget.{self.quantity.name}({self.limit!r}{conditions})"
