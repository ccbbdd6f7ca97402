# SPDX-License-Identifier: Apache-2.0
"""Which of several guarantees is stronger, certified, or where they cross."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _validate
from ._adaptive import CURVE_TOLERANCE, CertifiedCurve, fitted
from ._curves import Curves
from ._ordering import epsilon_crossings, order_of, rate_crossings
from .comparison import Comparison, ComparisonRow, Ordering
from .gdp import fit_gdp
from .tradeoff import TradeoffCurve

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._ordering import PairOrder

_ROUNDS = 6
_DOUBTS = 8  # rates looked into in one round
_NONE = np.zeros(0)


class _Entry:
    """One guarantee while it is being compared: its curve, and where more of it can be asked for."""

    def __init__(self, name: str, guarantee: Any, fpr_floor: float) -> None:
        self.name, self.guarantee = name, guarantee
        self._grown: CertifiedCurve | None = None
        if isinstance(guarantee, TradeoffCurve):
            self.curve = guarantee
        elif isinstance(guarantee, Curves):
            self._grown = guarantee._grown_or_none(fpr_floor)
            if self._grown is None:
                self.curve = guarantee.tradeoff(fpr_floor=fpr_floor, tolerance=CURVE_TOLERANCE / 16.0)
            else:
                fitted(self._grown, None, lambda curve: fit_gdp(curve, fpr_floor=fpr_floor))
                self.curve = self._grown.refined(_core.curve_refinement, CURVE_TOLERANCE)
        else:
            raise TypeError(f"guarantees must be mechanisms or trade-off curves, got {guarantee!r} as {name!r}")

    def look_into(self, log_rates: NDArray[np.float64], epsilons: NDArray[np.float64] = _NONE) -> bool:
        """Ask for the profile about the slopes that the curve has at these rates; whether that was possible."""
        if self._grown is None:
            return False
        lines = np.searchsorted(-self.curve._below[3], -log_rates)
        before = len(self.curve._profile[0])
        about = np.concatenate([self.curve._below[0][lines], epsilons])
        self.curve = self._grown.refined_about(tuple(float(x) for x in about))
        return len(self.curve._profile[0]) > before

    def row(self, deltas: tuple[float, ...], fpr_floor: float) -> ComparisonRow:
        """Put the guarantee in numbers."""
        return ComparisonRow(
            name=self.name,
            fit=fit_gdp(self.curve, fpr_floor=fpr_floor),
            epsilons=tuple(float(self.guarantee.epsilon(delta=delta)) for delta in deltas),
            advantage=float(self.guarantee.advantage()),
        )


def compare(
    guarantees: Mapping[str, Any],
    *,
    deltas: Iterable[float] = (1e-5, 1e-6, 1e-7),
    fpr_floor: float = 1e-10,
    tolerance: float = 1e-3,
) -> Comparison:
    """Order guarantees by their trade-off curves, on certified brackets, and put their numbers side by side.

    Parameters
    ----------
    guarantees : mapping of str to mechanism or TradeoffCurve
        At least two, by name; all under one relation.
    deltas : iterable of float
        Where epsilon is told.
    fpr_floor : float
        The comparison is about false-positive rates (and, mirrored, false-negative rates) from here on. In (0, 0.5).
    tolerance : float
        Advantages TPR - FPR whose ratio is within 1 + tolerance count as equal.

    Returns
    -------
    Comparison
        Its text is a table and one sentence a pair.

    Raises
    ------
    TypeError, ValueError
        For fewer than two guarantees, for what is none, or for different relations, whose numbers do not compare.

    Notes
    -----
    A is at least as private as B if f_A >= f_B everywhere, that is delta_A <= delta_B at every epsilon. It is decided
    on both sides of both curves: between the corners of a lower curve its TPR is linear and the other's concave, so the
    corners decide for every rate. Where the brackets leave doubt the profiles are asked for more points.

    Examples
    --------
    >>> import hockeystick as hs
    >>> result = hs.compare({
    ...     "run": hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000),
    ...     "release": hs.Gaussian(noise_multiplier=1.0),
    ... })
    >>> result.ordering("run", "release").verdict
    'stronger'
    """
    fpr_floor = _validate.floor(fpr_floor)
    tolerance = _validate.positive("tolerance", tolerance)
    told = tuple(_validate.probability("deltas", delta) for delta in deltas)
    if not isinstance(guarantees, Mapping):
        raise TypeError(f"guarantees must be a mapping of names to guarantees, got {guarantees!r}")
    if len(guarantees) < 2:
        raise ValueError(f"guarantees must hold at least two, got {len(guarantees)}")
    relations = {name: getattr(each, "relation", None) for name, each in guarantees.items()}
    if len(set(relations.values())) > 1:
        raise ValueError(f"guarantees must share one relation, as others do not compare, got {relations!r}")
    entries = [_Entry(str(name), each, fpr_floor) for name, each in guarantees.items()]
    orderings = tuple(
        _ordering(first, second, math.log(fpr_floor), tolerance) for first, second in itertools.combinations(entries, 2)
    )
    return Comparison(
        rows=tuple(entry.row(told, fpr_floor) for entry in entries),
        orderings=orderings,
        deltas=told,
        fpr_floor=fpr_floor,
        tolerance=tolerance,
        relation=entries[0].curve.relation,
    )


def _ordering(first: _Entry, second: _Entry, log_floor: float, tolerance: float) -> Ordering:
    order = order_of(first.curve, second.curve, log_floor, tolerance)
    for _ in range(_ROUNDS):
        if order.verdict != "not resolved" or not order.unresolved.size:
            break
        doubts = order.unresolved[:_DOUBTS]
        asked = [entry.look_into(doubts) for entry in (first, second)]
        if not any(asked):
            break
        order = order_of(first.curve, second.curve, log_floor, tolerance)
    rates: list[tuple[float, float]] = []
    epsilons: list[tuple[float, float]] = []
    if order.verdict == "crossing":
        for _ in range(_ROUNDS):
            rates = rate_crossings(first.curve, second.curve, log_floor)
            epsilons = epsilon_crossings(first.curve, second.curve, log_floor)
            ends = np.array([end for pair in epsilons for end in pair])
            slopes = np.log([end for pair in rates for end in pair])
            asked = [entry.look_into(slopes, ends) for entry in (first, second)]
            if not any(asked):
                break
    return Ordering(
        first=first.name,
        second=second.name,
        verdict=order.verdict,
        fpr_crossings=tuple(rates),
        epsilon_crossings=tuple(epsilons),
        sentence=_sentence(first, second, order, rates, epsilons, log_floor, tolerance),
    )


def _sentence(
    first: _Entry,
    second: _Entry,
    order: PairOrder,
    rates: list[tuple[float, float]],
    epsilons: list[tuple[float, float]],
    log_floor: float,
    tolerance: float,
) -> str:
    a, b = first.name, second.name
    where = f"at every false-positive rate from {math.exp(log_floor):g} on, under {first.curve.relation}"
    if order.verdict in ("stronger", "weaker"):
        if order.verdict == "weaker":
            a, b = b, a
        return f"{a} is at least as private as {b} {where}."
    if order.verdict == "crossing":
        at = ", ".join(f"{math.sqrt(low * high):.3g}" for low, high in rates)
        epsilon = ", ".join(f"{0.5 * (low + high):.3g}" for low, high in epsilons)
        return (
            f"Neither {a} nor {b} is the stronger guarantee: their trade-off curves cross at false-positive rate "
            f"{at or 'not located'} and their profiles at epsilon {epsilon or 'not located'}, under "
            f"{first.curve.relation}."
        )
    if order.first_no_worse and order.second_no_worse:
        return f"{a} and {b} are equal up to {tolerance:g} of their advantage {where}."
    return f"Which of {a} and {b} is more private is not resolved at a tolerance of {tolerance:g} {where}."
