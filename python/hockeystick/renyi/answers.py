# SPDX-License-Identifier: Apache-2.0
"""Epsilon, delta and curves of a ledger of Renyi curves; all upper bounds."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ..tradeoff import TradeoffCurve
from .conversions import (
    RenyiAnswer,
    delta_floor,
    epsilon_floor,
    epsilons,
    exp_upper,
    log_deltas,
    total_variation_upper,
)
from .orders import default_orders

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from .ledger import Ledger, Objective

    Array = NDArray[np.float64]

# Of log delta on a profile, and how far the best order may move from one of its points to the next.
_PROFILE_TOLERANCE = 1e-6
_NEIGHBOURS = 3

_KL = np.array([1.0])
_PURE = np.array([math.inf])


def ledger_epsilon(
    ledger: Ledger, delta: float, orders: Array, *, conversion: str = "optimal", refine: bool = True
) -> RenyiAnswer:
    """Upper bound on epsilon at `delta`: the least over the orders, or over all real orders around the best."""
    floor = epsilon_floor(orders, delta)
    if not ledger.entries or delta == 1.0:
        return RenyiAnswer(0.0, math.nan, "trivial", floor)
    if refine and delta >= total_variation_upper(float(ledger.upper(_KL)[0])):
        return RenyiAnswer(0.0, math.nan, "total_variation", floor)
    pure = float(ledger.upper(_PURE)[0])
    best = RenyiAnswer(pure, math.inf if pure < math.inf else math.nan, "trivial", floor)
    if delta == 0.0:
        return best
    log_delta = math.log(delta)
    value, order = _staged(
        ledger,
        orders,
        conversion,
        refine,
        lambda name: lambda at, there, back: epsilons(name, at, there, back, log_delta),
    )
    return RenyiAnswer(value, order, conversion, floor) if value < best.value else best


def ledger_log_delta(
    ledger: Ledger, epsilon: float, orders: Array, *, conversion: str = "optimal", refine: bool = True
) -> tuple[float, float, str]:
    """Upper bound on log delta at `epsilon`, its order and conversion."""
    if not ledger.entries or float(ledger.upper(_PURE)[0]) <= epsilon:
        return -math.inf, math.nan, "trivial"
    log_variation = 0.0
    if refine:
        variation = total_variation_upper(float(ledger.upper(_KL)[0]))
        log_variation = math.log(variation) + 1e-15 if variation > 0.0 else -math.inf
    value, order = _staged(
        ledger,
        orders,
        conversion,
        refine,
        lambda name: lambda at, there, back: log_deltas(name, at, there, back, epsilon),
    )
    if value < log_variation:
        return value, order, conversion
    return log_variation, math.nan, "total_variation" if refine else "trivial"


def ledger_delta(
    ledger: Ledger, epsilon: float, orders: Array, *, conversion: str = "optimal", refine: bool = True
) -> RenyiAnswer:
    """Upper bound on delta at `epsilon`."""
    log_delta, order, used = ledger_log_delta(ledger, epsilon, orders, conversion=conversion, refine=refine)
    return RenyiAnswer(exp_upper(log_delta), order, used, delta_floor(orders, epsilon))


def ledger_profile(ledger: Ledger, log_delta_floor: float, points: int = 400) -> tuple[Array, Array]:
    """Epsilons from 0 to where delta is below the floor, and upper bounds on log delta there.

    The least optimal conversion over a dense grid of orders. The best order changes slowly with epsilon, so that it is
    looked for near the last one: any order is sound. What all orders allow together is the convex hull of these points,
    which a trade-off curve takes.
    """
    kl, pure = float(ledger.upper(_KL)[0]), float(ledger.upper(_PURE)[0])
    cap = math.log(max(total_variation_upper(kl), 5e-324)) + 1e-15
    orders = default_orders()
    forward = ledger.upper(orders)
    orders, forward = orders[np.isfinite(forward)], forward[np.isfinite(forward)]
    farthest = pure
    if orders.size:
        farthest = min(pure, float(epsilons("improved", orders, forward, forward, log_delta_floor).min()))
    if not 0.0 < farthest < math.inf:
        return np.array([0.0]), np.array([cap])
    grid = np.concatenate(
        [np.geomspace(farthest * 1e-3, farthest, points // 2), np.linspace(0.0, farthest, points // 2)]
    )
    grid = np.unique(grid)
    logs = np.full(grid.shape, cap)
    near = slice(0, orders.size)
    for index, epsilon in enumerate(grid):
        if epsilon >= pure:
            logs[index] = -math.inf
        elif orders.size:
            found = log_deltas(
                "optimal", orders[near], forward[near], forward[near], float(epsilon), tolerance=_PROFILE_TOLERANCE
            )
            best = near.start + int(np.argmin(found))
            logs[index] = min(cap, float(found.min()))
            near = slice(max(best - _NEIGHBOURS, 0), best + _NEIGHBOURS + 1)
    return grid, np.minimum.accumulate(logs)


def ledger_tradeoff(ledger: Ledger, fpr_floor: float, relation: str) -> TradeoffCurve:
    """Lower bound on the trade-off function: a line below it for each point of the profile, and their envelope."""
    if not ledger.entries:
        grid, logs = np.array([0.0]), np.array([-math.inf])
    else:
        grid, logs = ledger_profile(ledger, math.log(fpr_floor) - 4.0)
    return TradeoffCurve.from_profile(epsilon=grid, log_delta_upper=logs, relation=relation)


def _staged(
    ledger: Ledger, orders: Array, conversion: str, refine: bool, objective: Callable[[str], Objective]
) -> tuple[float, float]:
    """Search by the improved conversion, which costs nothing, and only around its best order by the optimal one."""
    if conversion != "optimal" or not refine:
        return ledger.best(objective(conversion), orders, refine=refine)
    value, order = ledger.best(objective("improved"), orders, refine=True)
    if not math.isfinite(value):
        return value, order
    near = 1.0 + (order - 1.0) * np.geomspace(0.25, 4.0, 9)
    return min((value, order), ledger.best(objective("optimal"), near, refine=True))
