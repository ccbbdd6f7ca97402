# SPDX-License-Identifier: Apache-2.0
"""From Renyi divergences to (epsilon, delta) and back; every number is an upper bound unless it says estimate.

Three conversions from one order, each at least as tight as the one before:

- ``"classic"`` (Mironov 2017): epsilon = rho + log(1/delta) / (a - 1)
- ``"improved"`` (Canonne, Kamath, Steinke 2020): epsilon = rho + log(1 - 1/a) - log(a delta) / (a - 1)
- ``"optimal"`` (Asoodeh et al. 2021): the least that one order allows, by bisection in the core

and from any order the total variation, delta <= sqrt(1 - e^-rho) (Bretagnolle, Huber 1979), because D_a >= D_1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core, _validate
from .._docs import documented_by

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]

CONVERSIONS = ("classic", "improved", "optimal")

_EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True)
class RenyiAnswer:
    """An upper bound from Renyi divergences, and which order gave it.

    Attributes
    ----------
    value : float
        The upper bound on epsilon, or on delta.
    order : float
        The order that gave it; NaN where no order was needed (an answer from the total variation, or a trivial one).
    conversion : str
        ``"classic"``, ``"improved"``, ``"optimal"``, ``"total_variation"`` or ``"trivial"``.
    floor : float
        What the orders that were given come down to by the improved conversion as the divergences vanish. The optimal
        one goes below only where these are of the order of the delta asked for, with noise that nobody uses.

    Examples
    --------
    >>> import hockeystick as hs
    >>> answer = hs.renyi.epsilon_from_renyi(orders=[2, 8, 32], rdp=[0.1, 0.4, 1.6], delta=1e-6)
    >>> print(f"{answer.value:.4f} at order {answer.order:g}, never below {answer.floor:.4f}")
    1.9021 at order 32, never below 0.3021
    """

    value: float
    order: float
    conversion: str
    floor: float

    def __iter__(self):  # type: ignore[no-untyped-def]
        """Unpack as ``value, order``."""
        return iter((self.value, self.order))


def epsilons(
    conversion: str, orders: Array, forward: Array, reverse: Array, log_delta: float, tolerance: float = 1e-12
) -> Array:
    """Upper bounds on epsilon at log delta from each order above 1, at least 0; the optimal one up to `tolerance`."""
    if conversion == "optimal":
        return _core.renyi_optimal_epsilon_upper(orders, forward, reverse, log_delta, tolerance)
    excess = orders - 1.0
    value = forward - log_delta / excess
    error = forward + abs(log_delta) / excess
    if conversion == "improved":
        value = value + np.log1p(-1.0 / orders) - np.log(orders) / excess
        error = error + np.abs(np.log1p(-1.0 / orders)) + np.log(orders) / excess
    return np.maximum(value + 8.0 * _EPS * error, 0.0)


def log_deltas(
    conversion: str, orders: Array, forward: Array, reverse: Array, epsilon: float, tolerance: float = 1e-12
) -> Array:
    """Upper bounds on log delta at epsilon from each order above 1, at most 0; the optimal one up to `tolerance`."""
    if conversion == "optimal":
        return _core.renyi_optimal_log_delta_upper(orders, forward, reverse, epsilon, tolerance)
    excess = orders - 1.0
    value = excess * (forward - epsilon)
    error = excess * (forward + epsilon)
    if conversion == "improved":
        value = value + excess * np.log1p(-1.0 / orders) - np.log(orders)
        error = error + excess * np.abs(np.log1p(-1.0 / orders)) + np.log(orders)
    return np.minimum(value + 8.0 * _EPS * error, 0.0)


def total_variation_upper(rdp: float) -> float:
    """Upper bound on delta at every epsilon >= 0 from a divergence of any order: sqrt(1 - e^-rdp).

    Parameters
    ----------
    rdp : float
        At least 0; infinity gives 1.

    Returns
    -------
    float

    Raises
    ------
    TypeError, ValueError
        For arguments out of their domain.

    Examples
    --------
    >>> from hockeystick.renyi import total_variation_upper
    >>> print(f"{total_variation_upper(0.02):.4f}")
    0.1407
    """
    number = _validate.real("rdp", rdp)
    if number < 0.0:
        raise ValueError(f"rdp must be at least 0, got {rdp!r}")
    return min(1.0, math.sqrt(-math.expm1(-number)) * (1.0 + 4.0 * _EPS))


def epsilon_from_renyi(*, orders: ArrayLike, rdp: ArrayLike, delta: float, conversion: str = "optimal") -> RenyiAnswer:
    """Upper bound on epsilon at `delta` from divergences at given orders: the least over them.

    Parameters
    ----------
    orders : array_like, shape (n,)
        At least 1. Order 1 (the Kullback-Leibler divergence) serves for the total variation only; infinity is the pure
        epsilon.
    rdp : array_like, shape (n,)
        Upper bounds on the divergences, both directions, at least 0.
    delta : float
        In [0, 1].
    conversion : {"optimal", "improved", "classic"}
        See the module.

    Returns
    -------
    RenyiAnswer

    Raises
    ------
    TypeError, ValueError
        For arguments out of their domain.

    Examples
    --------
    >>> from hockeystick.renyi import epsilon_from_renyi
    >>> for conversion in ("classic", "improved", "optimal"):
    ...     answer = epsilon_from_renyi(orders=[2.0], rdp=[0.5], delta=0.1, conversion=conversion)
    ...     print(f"{answer.value:.4f}")
    2.8026
    1.4163
    0.9250
    """
    at, divergences = _curve(orders, rdp)
    target = _validate.probability("delta", delta)
    _validate.choice("conversion", conversion, CONVERSIONS)
    usable = (at > 1.0) & np.isfinite(at)
    floor = epsilon_floor(at, target)
    best = _special_epsilon(at, divergences, target, floor)
    if usable.any() and target > 0.0:
        used = divergences[usable]
        values = epsilons(conversion, at[usable], used, used, math.log(target))
        place = int(np.argmin(values))
        if values[place] < best.value:
            best = RenyiAnswer(float(values[place]), float(at[usable][place]), conversion, floor)
    return best


@documented_by(epsilon_from_renyi)
def delta_from_renyi(*, orders: ArrayLike, rdp: ArrayLike, epsilon: float, conversion: str = "optimal") -> RenyiAnswer:
    """Upper bound on delta at `epsilon` from divergences at given orders.

    Parameters
    ----------
    epsilon : float
        At least 0.

    Examples
    --------
    >>> from hockeystick.renyi import delta_from_renyi
    >>> print(f"{delta_from_renyi(orders=[8, 32], rdp=[0.4, 1.6], epsilon=1.893).value:.3e}")
    1.327e-06
    """
    at, divergences = _curve(orders, rdp)
    target = _validate.non_negative("epsilon", epsilon)
    _validate.choice("conversion", conversion, CONVERSIONS)
    usable = (at > 1.0) & np.isfinite(at)
    floor = delta_floor(at, target)
    best = RenyiAnswer(total_variation_upper(float(divergences.min())), math.nan, "total_variation", floor)
    if ((at == np.inf) & (divergences <= target)).any():
        return RenyiAnswer(0.0, math.inf, "trivial", floor)
    if usable.any():
        used = divergences[usable]
        logs = log_deltas(conversion, at[usable], used, used, target)
        place = int(np.argmin(logs))
        value = exp_upper(float(logs[place]))
        if value < best.value:
            best = RenyiAnswer(value, float(at[usable][place]), conversion, floor)
    return best


def epsilon_floor(orders: Array, delta: float) -> float:
    """What :func:`epsilon_from_renyi` (improved) comes down to at these orders if all divergences are 0."""
    usable = orders[(orders > 1.0) & np.isfinite(orders)]
    if delta == 0.0 or not usable.size:
        return 0.0 if np.inf in orders or (delta > 0.0 and not usable.size) else math.inf
    nothing = np.zeros_like(usable)
    return float(epsilons("improved", usable, nothing, nothing, math.log(delta)).min())


def delta_floor(orders: Array, epsilon: float) -> float:
    """What :func:`delta_from_renyi` (improved) comes down to at these orders if all divergences are 0."""
    usable = orders[(orders > 1.0) & np.isfinite(orders)]
    if not usable.size:
        return 0.0
    nothing = np.zeros_like(usable)
    return math.exp(float(log_deltas("improved", usable, nothing, nothing, epsilon).min()))


def exp_upper(log_value: float) -> float:
    """e^x rounded up, at most 1; the least double where e^x is below it, 0 at -inf."""
    if log_value == -math.inf:
        return 0.0
    return min(1.0, max(math.exp(log_value) * (1.0 + 4.0 * _EPS), 5e-324))


def _special_epsilon(orders: Array, rdp: Array, delta: float, floor: float) -> RenyiAnswer:
    """What follows without a conversion: from delta 1, the total variation, or order infinity."""
    if delta >= total_variation_upper(float(rdp.min())):
        return RenyiAnswer(0.0, math.nan, "total_variation" if delta < 1.0 else "trivial", floor)
    pure = float(rdp[orders == np.inf].min()) if np.inf in orders else math.inf
    return RenyiAnswer(pure, math.inf if pure < math.inf else math.nan, "trivial", floor)


def _curve(orders: Any, rdp: Any) -> tuple[Array, Array]:
    at = np.atleast_1d(_validate.array_within("orders", orders, 1.0, np.inf))
    divergences = np.atleast_1d(_validate.array_within("rdp", rdp, 0.0, np.inf))
    if at.ndim != 1 or at.shape != divergences.shape:
        raise ValueError(f"orders and rdp must be equally long, got shapes {at.shape} and {divergences.shape}")
    return np.ascontiguousarray(at), np.ascontiguousarray(divergences)
