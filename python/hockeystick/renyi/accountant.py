# SPDX-License-Identifier: Apache-2.0
"""The Renyi accountant: an additive ledger over a grid of orders."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _validate
from .._docs import documented_by
from ..description import check_entries, check_version, from_dict, to_dict
from ..dpsgd import dpsgd
from ..mechanisms import Mechanism
from .answers import ledger_delta, ledger_epsilon
from .conversions import CONVERSIONS, RenyiAnswer
from .ledger import Ledger
from .orders import CLASSIC_GRIDS, resolve_orders

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

STATE_VERSION = 1
"""The version of :meth:`RDPAccountant.state_dict`."""


class RDPAccountant:
    """Adds up Renyi divergences, order by order, and converts them when asked.

    Fast, transparent, and sound for mechanisms that are known by a Renyi curve alone; for those known exactly
    :class:`hockeystick.Accountant` gives less. Every number is an upper bound.

    Parameters
    ----------
    orders : array_like, str, optional
        Orders of at least 1, or "tf_privacy", "opacus", "dp_accounting" for the grids of these. By default dense near 1
        and log-spaced to 1e5.
    refine : bool, optional
        Look for the best order among all real ones around the best of `orders`, and beyond an edge of them. By default
        yes, but not for a classic grid, whose numbers are to be reproduced.
    conversion : {"optimal", "improved", "classic"}
        See ``hockeystick.renyi.conversions``.
    relation : {"add_remove", "replace", "zero_out"}
        The neighbouring relation that every step must be stated under.

    Raises
    ------
    TypeError, ValueError
        For arguments out of their domain.

    Examples
    --------
    >>> import hockeystick as hs
    >>> accountant = hs.RDPAccountant()
    >>> accountant.step(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
    >>> epsilon, order = accountant.get_epsilon_and_order(1e-5)
    >>> print(f"{epsilon:.4f} at order {order:.2f}")
    2.1008 at order 7.78
    >>> accountant.compose(hs.ZCDP(rho=0.01))           # known by its curve alone
    >>> print(f"{accountant.get_epsilon(1e-5):.4f}")
    2.1786
    """

    def __init__(
        self,
        *,
        orders: ArrayLike | str | None = None,
        refine: bool | None = None,
        conversion: str = "optimal",
        relation: str = "add_remove",
    ) -> None:
        self._orders = resolve_orders(orders)
        self._orders.flags.writeable = False
        if refine is not None and not isinstance(refine, bool):
            raise TypeError(f"refine must be a bool or None, got {refine!r}")
        self._refine = (
            orders not in CLASSIC_GRIDS if refine is None and isinstance(orders, str) else refine is not False
        )
        self._conversion = _validate.choice("conversion", conversion, CONVERSIONS)
        self._relation = _validate.choice("relation", relation, _validate.RELATIONS)
        self._counts: dict[Mechanism, int] = {}

    @property
    def orders(self) -> NDArray[np.float64]:
        """The grid of orders, increasing."""
        return self._orders

    @property
    def rdp(self) -> NDArray[np.float64]:
        """Upper bounds on the total divergence at each of :attr:`orders`, the larger direction."""
        return self._ledger().upper(self._orders)

    @property
    def relation(self) -> str:
        """The neighbouring relation that every number refers to."""
        return self._relation

    @property
    def history(self) -> tuple[tuple[Mechanism, int], ...]:
        """Distinct mechanisms and how often each was composed."""
        return tuple(self._counts.items())

    def __len__(self) -> int:
        """Return the number of steps."""
        return sum(self._counts.values())

    def step(self, *, noise_multiplier: float, sampling_rate: float = 1.0, steps: int = 1) -> None:
        """Record DP-SGD updates with Poisson batches.

        Parameters
        ----------
        noise_multiplier : float
            Standard deviation of the noise over the clipping norm; at least 0.
        sampling_rate : float
            In [0, 1].
        steps : int
            How many such updates.

        Raises
        ------
        TypeError, ValueError
            For arguments out of their domain; nothing is recorded then.
        """
        run = dpsgd(
            noise_multiplier=noise_multiplier, sampling_rate=sampling_rate, steps=steps, relation=self._relation
        )
        self.compose(run)

    def compose(self, mechanism: Mechanism, count: int = 1) -> None:
        """Record any mechanism, `count` times.

        Parameters
        ----------
        mechanism : Mechanism
            Under the relation of this accountant.
        count : int
            At least 0.

        Raises
        ------
        TypeError, ValueError
            For arguments out of their domain, or another relation; nothing is recorded then.
        """
        number = _validate.count("count", count)
        if not isinstance(mechanism, Mechanism):
            raise TypeError(f"mechanism must be a Mechanism, got {mechanism!r}")
        if mechanism.relation != self._relation:
            raise ValueError(f"mechanism must be under the relation {self._relation!r}, got {mechanism.relation!r}")
        parts = mechanism._parts()
        Ledger.of(entry for part, _ in parts for entry in part._renyi_entries())  # refuses what has no curve
        for part, each in parts:
            if number * each:
                self._counts[part] = self._counts.get(part, 0) + number * each

    def get_epsilon_and_order(self, delta: float) -> RenyiAnswer:
        """Upper bound on epsilon at `delta`, the order that gave it, and the floor of the orders given.

        Parameters
        ----------
        delta : float
            In [0, 1].

        Returns
        -------
        RenyiAnswer
            Unpacks as ``epsilon, order``; its ``floor`` is the least epsilon that the orders given can be expected to
            reach at this delta whatever the noise: see :class:`~hockeystick.renyi.RenyiAnswer`.

        Raises
        ------
        TypeError, ValueError
            For arguments out of their domain.

        Warns
        -----
        UserWarning
            If the search is off and the best order is the first or the last one.

        Examples
        --------
        >>> import hockeystick as hs
        >>> accountant = hs.RDPAccountant(orders=range(2, 65), refine=True)
        >>> accountant.compose(hs.Gaussian(noise_multiplier=100.0))
        >>> answer = accountant.get_epsilon_and_order(1e-6)
        >>> print(f"{answer.value:.5f} at order {answer.order:.0f}; with {accountant.orders[-1]:g} as the last order "
        ...       f"nothing below {answer.floor:.4f}")
        0.03710 at order 397; with 64 as the last order nothing below 0.1375
        """
        target = _validate.probability("delta", delta)
        answer = ledger_epsilon(self._ledger(), target, self._orders, conversion=self._conversion, refine=self._refine)
        self._warn_at_edge(answer)
        return answer

    @documented_by(get_epsilon_and_order)
    def get_epsilon(self, delta: float) -> float:
        """Upper bound on epsilon at `delta`; see :meth:`get_epsilon_and_order`.

        Returns
        -------
        float
        """
        return self.get_epsilon_and_order(delta).value

    @documented_by(get_epsilon_and_order)
    def get_delta_and_order(self, epsilon: float) -> RenyiAnswer:
        """Upper bound on delta at `epsilon`, the order that gave it, and the floor of the orders given.

        Parameters
        ----------
        epsilon : float
            At least 0.
        """
        target = _validate.non_negative("epsilon", epsilon)
        answer = ledger_delta(self._ledger(), target, self._orders, conversion=self._conversion, refine=self._refine)
        self._warn_at_edge(answer)
        return answer

    @documented_by(get_delta_and_order)
    def get_delta(self, epsilon: float) -> float:
        """Upper bound on delta at `epsilon`; see :meth:`get_delta_and_order`.

        Returns
        -------
        float
        """
        return self.get_delta_and_order(epsilon).value

    def state_dict(self) -> dict[str, Any]:
        """Everything that is needed to go on later: plain values, versioned, ready for ``json.dumps``.

        Returns
        -------
        dict
            With the entries ``version``, ``orders``, ``refine``, ``conversion``, ``relation`` and ``history``.
        """
        return {
            "version": STATE_VERSION,
            "orders": self._orders.tolist(),
            "refine": self._refine,
            "conversion": self._conversion,
            "relation": self._relation,
            "history": [{"count": count, **to_dict(mechanism)} for mechanism, count in self._counts.items()],
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Replace everything by a state that :meth:`state_dict` returned.

        Parameters
        ----------
        state : mapping
            Of any release whose version it bears.

        Raises
        ------
        TypeError, ValueError
            If it is none, or of a version that this release does not know; nothing changes then.
        """
        if not isinstance(state, Mapping):
            raise TypeError(f"state must be a mapping, got {state!r}")
        check_version("state", state.get("version"), STATE_VERSION)
        entries = {"version", "orders", "refine", "conversion", "relation", "history"}
        check_entries("state", state, needed=entries, allowed=entries)
        restored = RDPAccountant(
            orders=state["orders"],
            refine=state["refine"],
            conversion=state["conversion"],
            relation=state["relation"],
        )
        for entry in state["history"]:
            if not isinstance(entry, Mapping):
                raise TypeError(f"an entry of the history must be a mapping, got {entry!r}")
            if "count" not in entry:
                raise ValueError(f"an entry of the history must have a count, got {entry!r}")
            restored.compose(from_dict({k: v for k, v in entry.items() if k != "count"}), entry["count"])
        self.__dict__.update(restored.__dict__)

    def _ledger(self) -> Ledger:
        return Ledger.of(
            (curve, count * number)
            for mechanism, count in self._counts.items()
            for curve, number in mechanism._renyi_entries()
        ).prepared()

    def _warn_at_edge(self, answer: RenyiAnswer) -> None:
        if self._refine or answer.value == 0.0 or not np.isfinite(answer.order):
            return
        if answer.order == self._orders[-1]:
            side, remedy = "last", "larger orders"
        elif answer.order == self._orders[0]:
            side, remedy = "first", "orders nearer to 1"
        else:
            return
        warnings.warn(
            f"the best order, {answer.order:g}, is the {side} of `orders`: pass {remedy}, or refine=True",
            UserWarning,
            stacklevel=3,
        )
