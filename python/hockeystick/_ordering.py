# SPDX-License-Identifier: Apache-2.0
"""Which of two certified curves lies above the other, decided on brackets, and where they cross."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from . import _core

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .tradeoff import TradeoffCurve

    Signs = Callable[[NDArray[np.float64]], NDArray[np.int8]]

_LOWER, _UPPER = 0, 1
_LOG_2 = math.log(2.0)
_HALVINGS = 60
_NARROW = 1e-6  # relative width at which a crossing is located well enough


@dataclass(frozen=True, slots=True)
class PairOrder:
    """What the brackets of two curves prove, for false-positive rates from the floor to the diagonal.

    Attributes
    ----------
    first_no_worse, second_no_worse : bool
        Everywhere the advantage TPR - FPR of the one is at most (1 + tolerance) times that of the other.
    first_better_somewhere, second_better_somewhere : bool
        At some rate its advantage is certainly smaller.
    unresolved : numpy.ndarray
        Log false-positive rates at which neither could be told, worst first.
    """

    first_no_worse: bool
    second_no_worse: bool
    first_better_somewhere: bool
    second_better_somewhere: bool
    unresolved: NDArray[np.float64]

    @property
    def verdict(self) -> str:
        """``stronger``, ``weaker``, ``crossing`` or ``not resolved``, of the first."""
        if self.first_better_somewhere and self.second_better_somewhere:
            return "crossing"
        if self.first_no_worse and self.first_better_somewhere:
            return "stronger"
        if self.second_no_worse and self.second_better_somewhere:
            return "weaker"
        return "not resolved"


def order_of(first: TradeoffCurve, second: TradeoffCurve, log_floor: float, tolerance: float) -> PairOrder:
    """Order two curves by the advantage TPR - FPR at equal FPR.

    Where the upper bound of one side's TPR is linear (between its corners) and the lower bound of the other's is concave,
    their difference is least at the ends: so the corners of both, and the ends of the range, decide for all rates. Beyond
    the diagonal of the weaker curve the mirror image decides.
    """
    ends = _range(first, second, log_floor)
    rates = np.concatenate([first._below[3], second._below[3], ends])
    rates = np.unique(rates[(rates >= ends[0]) & (rates <= ends[1])])
    first_upper, first_lower = _log_gains(first, rates)
    second_upper, second_lower = _log_gains(second, rates)
    slack = math.log1p(tolerance)
    first_excess, second_excess = first_upper - second_lower, second_upper - first_lower
    doubt = np.minimum(np.nan_to_num(first_excess, nan=0.0), np.nan_to_num(second_excess, nan=0.0))
    doubtful = (first_excess > slack) & (second_excess > slack)
    order = np.argsort(-doubt[doubtful])
    return PairOrder(
        first_no_worse=not bool((first_excess > slack).any()),
        second_no_worse=not bool((second_excess > slack).any()),
        first_better_somewhere=bool((first_upper < second_lower).any()),
        second_better_somewhere=bool((second_upper < first_lower).any()),
        unresolved=rates[doubtful][order],
    )


def rate_crossings(first: TradeoffCurve, second: TradeoffCurve, log_floor: float) -> list[tuple[float, float]]:
    """Brackets of the false-positive rates at which the curves cross, increasing."""
    ends = _range(first, second, log_floor)
    rates = np.concatenate([first._below[3], second._below[3], ends])
    rates = np.unique(rates[(rates >= ends[0]) & (rates <= ends[1])])

    def signs(at: NDArray[np.float64]) -> NDArray[np.int8]:
        return _signs(_log_gains(first, at), _log_gains(second, at))

    return [(math.exp(low), math.exp(high)) for low, high in _sign_changes(signs, rates)]


def epsilon_crossings(first: TradeoffCurve, second: TradeoffCurve, log_floor: float) -> list[tuple[float, float]]:
    """Brackets of the epsilons at which the profiles cross, increasing, down to a delta of the floor."""
    epsilons = np.unique(np.concatenate([first._below[0], second._below[0]]))

    def signs(at: NDArray[np.float64]) -> NDArray[np.int8]:
        values = [
            (_core.tradeoff_log_deltas(curve._below, _LOWER, at), _core.tradeoff_log_deltas(curve._above, _UPPER, at))
            for curve in (first, second)
        ]
        seen = np.maximum(values[0][0], values[1][0]) >= log_floor
        return np.where(seen, _signs(*values), 0).astype(np.int8)

    return _sign_changes(signs, epsilons)


def _range(first: TradeoffCurve, second: TradeoffCurve, log_floor: float) -> NDArray[np.float64]:
    diagonal = min(float(curve._below[2][0]) for curve in (first, second)) - _LOG_2
    return np.array([min(log_floor, diagonal), max(diagonal, -1e300)])


def _log_gains(curve: TradeoffCurve, rates: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return _core.tradeoff_log_gains(curve._below, _LOWER, rates), _core.tradeoff_log_gains(curve._above, _UPPER, rates)


def _signs(
    first: tuple[NDArray[np.float64], NDArray[np.float64]], second: tuple[NDArray[np.float64], NDArray[np.float64]]
) -> NDArray[np.int8]:
    """-1 where the first is certainly smaller, 1 where the second is, 0 where their brackets overlap."""
    return (np.int8(1) * (second[0] < first[1]) - np.int8(1) * (first[0] < second[1])).astype(np.int8)


def _sign_changes(signs: Signs, at: NDArray[np.float64]) -> list[tuple[float, float]]:
    values = signs(at)
    told = np.flatnonzero(values)
    brackets = []
    for before, after in itertools.pairwise(told):
        if values[before] != values[after]:
            brackets.append(_narrowed(signs, float(at[before]), float(at[after]), int(values[before])))
    return brackets


def _narrowed(signs: Signs, low: float, high: float, sign: int) -> tuple[float, float]:
    """Halve the bracket from both ends while the sign can be told."""
    for _ in range(_HALVINGS):
        middles = low + (high - low) * np.array([0.25, 0.5, 0.75])
        found = signs(middles)
        lower = max([low, *(float(x) for x, s in zip(middles, found, strict=True) if s == sign)])
        upper = min([high, *(float(x) for x, s in zip(middles, found, strict=True) if s == -sign)])
        if (lower, upper) == (low, high) or high - low <= _NARROW * max(abs(low), abs(high)):
            break
        low, high = lower, upper
    return low, high
