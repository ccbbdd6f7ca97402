# SPDX-License-Identifier: Apache-2.0
"""What sampling does to a Renyi curve: upper bounds at every order.

Whole orders have sums of positive terms; (order - 1) D_order is convex, so chords between them bound the orders in
between. Beyond the largest whole order summed, the curve without sampling serves (sampling only mixes).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from .curves import RenyiBounds

    Array = NDArray[np.float64]

GREATEST_WHOLE_ORDER = 512
"""Sums for whole orders go so far."""

# Logarithms of binomials, sums of 512 terms: relative errors far below this.
_UP = 1.0 + 1e-11


def poisson_upper(base: RenyiBounds, sampling_rate: float, orders: Array) -> Array:
    """Upper bound on D_order of `base` applied to a Poisson sample, both directions.

    For a base whose pair is known and swapped by an involution, the whole orders are exact:
    the moment is sum_l C(a, l) (1-q)^(a-l) q^l e^((l-1) D_l). For a curve alone the terms from l = 3 on count three times
    (Zhu, Wang 2019, theorem 5).
    """
    factor = 1.0 if base.exact and base.remove_dominates else 3.0

    def log_terms(order: int, log_choose: Array, divergences: Array) -> Array:
        parts = np.arange(2, order + 1)
        log_weight = log_choose[2:] + parts * np.log(sampling_rate) + (order - parts) * np.log1p(-sampling_rate)
        moments = (parts - 1.0) * divergences[: order - 1]
        excess = np.where(parts == 2, _log_expm1(moments), _log_scaled_less_one(factor, moments))
        return np.asarray(log_weight + excess)

    return _from_whole_orders(base, sampling_rate, orders, log_terms)


def without_replacement_upper(base: RenyiBounds, sampling_rate: float, orders: Array) -> Array:
    """Upper bound on D_order of `base` on a sample of fixed size without replacement, both directions.

    Theorem 9 of Wang, Balle and Kasiviswanathan (2019). `base` must be the curve under replacement of one record.
    """
    largest = float(base.bounds(np.array([np.inf]), 0)[1][0])
    log_pure = _log_expm1(np.array([largest]))[0]

    def log_terms(order: int, log_choose: Array, divergences: Array) -> Array:
        parts = np.arange(2, order + 1)
        moments = (parts - 1.0) * divergences[: order - 1]
        caps = moments + np.minimum(np.log(2.0), parts * log_pure)
        caps[0] = min(np.log(4.0) + _log_expm1(moments[:1])[0], caps[0])
        return np.asarray(log_choose[2:] + parts * np.log(sampling_rate) + caps)

    return _from_whole_orders(base, sampling_rate, orders, log_terms)


def gaussian_without_replacement_upper(remove: Array, add: Array, orders: Array) -> Array:
    """Upper bound on D_order of a Gaussian on a sample of fixed size, replace-one, at any order.

    `remove` and `add` are the divergences of the Poisson-subsampled Gaussian of the same rate, with the noise over the
    sensitivity under replacement. One release is dominated by the profile max(remove, add) on both sides of 0, whose
    moment is, as an integral of hockey sticks, at most the sum of both moments: A - 1 <= (A_remove - 1) + (A_add - 1).
    """
    excess = orders - 1.0
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        moments = np.logaddexp(_log_expm1(excess * remove), _log_expm1(excess * add))
        upper = np.logaddexp(0.0, moments) / excess
        small = moments < 0.0
        upper[small] = np.log1p(np.exp(moments[small])) / excess[small]
    upper = np.where(excess == 0.0, remove + add, upper)
    return np.where(np.isfinite(orders), upper * _UP, np.maximum(remove, add))


def _from_whole_orders(
    base: RenyiBounds, sampling_rate: float, orders: Array, log_terms: Callable[[int, Array, Array], Array]
) -> Array:
    unsampled = np.maximum(base.bounds(orders, 0)[1], base.bounds(orders, 1)[1])
    if sampling_rate in (0.0, 1.0):
        return unsampled * sampling_rate
    summed = orders <= GREATEST_WHOLE_ORDER
    if not summed.any():
        return unsampled
    whole = np.arange(2.0, GREATEST_WHOLE_ORDER + 1.0)
    divergences = np.maximum(base.bounds(whole, 0)[1], base.bounds(whole, 1)[1])
    log_factorials = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1.0, GREATEST_WHOLE_ORDER + 1.0)))])

    def moment(order: int) -> float:
        if order == 1:
            return 0.0
        log_choose = log_factorials[order] - log_factorials[: order + 1] - log_factorials[order::-1]
        logs = log_terms(order, log_choose, divergences)
        top = float(logs.max())
        if not np.isfinite(top):
            return 0.0 if top == -np.inf else np.inf
        log_excess = top + float(np.log(np.exp(logs - top).sum()))
        return float(np.logaddexp(0.0, log_excess)) if log_excess > 0.0 else float(np.log1p(np.exp(log_excess)))

    bounds = unsampled.copy()
    moments: dict[int, float] = {}
    for index in np.flatnonzero(summed):
        below = min(max(int(orders[index]), 1), GREATEST_WHOLE_ORDER - 1)
        moments.update({each: moment(each) for each in (below, below + 1) if each not in moments})
        excess, share = orders[index] - 1.0, orders[index] - below
        chord = (1.0 - share) * moments[below] + share * moments[below + 1]
        # At order 1 the moment is 0 and so is the chord; D grows with the order.
        chord = moments[2] if below == 1 else chord / excess
        bounds[index] = min(bounds[index], chord * _UP)
    return bounds


def _log_expm1(values: Array) -> Array:
    """Log(e^x - 1) for x >= 0, without overflow."""
    with np.errstate(divide="ignore", over="ignore"):
        small = np.log(np.expm1(np.minimum(values, 30.0)))
        return np.asarray(np.where(values > 30.0, values + np.log1p(-np.exp(-np.maximum(values, 30.0))), small))


def _log_scaled_less_one(factor: float, values: Array) -> Array:
    """Log(factor e^x - 1) for x >= 0, factor at least 1."""
    return _log_expm1(values + np.log(factor))
