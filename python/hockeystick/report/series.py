# SPDX-License-Identifier: Apache-2.0
"""The curves that figures show, as plain frozen numbers: :mod:`hockeystick.plot` draws them, a report keeps them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from hockeystick.renyi import epsilon_from_renyi

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hockeystick import GDPFit, Mechanism, TradeoffCurve

__all__ = [
    "ProfileSeries",
    "RenyiSeries",
    "Series",
    "StepsSeries",
    "TradeoffSeries",
    "profile",
    "renyi",
    "steps",
    "tradeoff",
]

Numbers = tuple[float, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class TradeoffSeries:
    """Points of a trade-off curve and of the Gaussian one that bounds it.

    Attributes
    ----------
    fpr : tuple of float
        False-positive rates, increasing.
    fnr_lower, fnr_upper : tuple of float
        Certified bracket of f, the least false-negative rate.
    tpr_upper : tuple of float
        Largest true-positive rate, 1 - f with its own relative accuracy.
    gaussian_fnr, gaussian_tpr : tuple of float
        f_mu and 1 - f_mu, rounded to nearest; NaN-free: f_mu of an infinite mu is 0.
    mu, fpr_floor : float
        The number, and the rate from which on it bounds the curve.
    """

    fpr: Numbers
    fnr_lower: Numbers
    fnr_upper: Numbers
    tpr_upper: Numbers
    gaussian_fnr: Numbers
    gaussian_tpr: Numbers
    mu: float
    fpr_floor: float


@dataclass(frozen=True, kw_only=True, slots=True)
class ProfileSeries:
    """Certified bracket of log10 delta(epsilon), -inf where delta is 0."""

    epsilon: Numbers
    log10_delta_lower: Numbers
    log10_delta_upper: Numbers


@dataclass(frozen=True, kw_only=True, slots=True)
class StepsSeries:
    """Upper bound on epsilon at `delta` after each number of steps (or epochs, by `each`)."""

    delta: float
    each: str
    steps: tuple[int, ...]
    epsilon_upper: Numbers


@dataclass(frozen=True, kw_only=True, slots=True)
class RenyiSeries:
    """Upper bound on the Renyi divergence at each order, the epsilon it gives at `delta`, and the best order."""

    delta: float
    orders: Numbers
    divergence_upper: Numbers
    epsilon_upper: Numbers
    best_order: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Series:
    """Every curve of a report; None where the mechanism has none."""

    tradeoff: TradeoffSeries
    profile: ProfileSeries | None
    steps: StepsSeries | None
    renyi: RenyiSeries | None


def tradeoff(curve: TradeoffCurve, fit: GDPFit, *, points: int = 81) -> TradeoffSeries:
    """Read a curve at rates that serve linear and logarithmic axes: half of them spaced by ratio, half evenly."""
    lowest = math.log10(max(fit.fpr_floor, 1e-12))
    fpr = np.unique(np.concatenate([[0.0], np.logspace(lowest, 0.0, points), np.linspace(0.0, 1.0, points)]))
    return TradeoffSeries(
        fpr=_plain(fpr),
        fnr_lower=_plain(curve(fpr)),
        fnr_upper=_plain(curve.upper(fpr)),
        tpr_upper=_plain(curve.tpr(fpr)),
        gaussian_fnr=tuple(_gaussian_fnr(float(a), fit.mu) for a in fpr),
        gaussian_tpr=tuple(_gaussian_tpr(float(a), fit.mu) for a in fpr),
        mu=fit.mu,
        fpr_floor=fit.fpr_floor,
    )


def profile(mechanism: Mechanism, *, largest_epsilon: float, points: int = 61) -> ProfileSeries | None:
    """Bracket the profile from 0 to `largest_epsilon`; None where that is 0 or infinite."""
    if not 0.0 < largest_epsilon < math.inf:
        return None
    epsilon = np.linspace(0.0, largest_epsilon, points)
    bounds = mechanism.log_delta_bounds(epsilon=epsilon)
    scale = math.log(10.0)
    return ProfileSeries(
        epsilon=_plain(epsilon),
        log10_delta_lower=_plain(np.asarray(bounds.lower) / scale),
        log10_delta_upper=_plain(np.asarray(bounds.upper) / scale),
    )


def steps(step: Mechanism, count: int, *, delta: float, each: str = "steps", points: int = 25) -> StepsSeries | None:
    """Bound epsilon after each of up to `points` numbers of steps, denser at the start; None below two steps."""
    if count < 2:
        return None
    counts = np.unique(np.rint(count * np.linspace(0.0, 1.0, points) ** 1.5).astype(np.int64))
    epsilon = tuple(float((int(n) * step).epsilon(delta=delta)) for n in counts)
    return StepsSeries(delta=delta, each=each, steps=tuple(int(n) for n in counts), epsilon_upper=epsilon)


def renyi(mechanism: Mechanism, *, delta: float, points: int = 61) -> RenyiSeries:
    """Bound the Renyi curve and the epsilon of each order, finely about the best one."""
    wide = 1.0 + np.logspace(-2.0, 4.0, points)
    best = int(np.argmin(_epsilons(mechanism, wide, delta)))
    fine = np.geomspace(wide[max(best - 1, 0)], wide[min(best + 1, points - 1)], 21)
    orders = np.unique(np.concatenate([wide, fine]))
    epsilon = _epsilons(mechanism, orders, delta)
    return RenyiSeries(
        delta=delta,
        orders=_plain(orders),
        divergence_upper=_plain(mechanism.rdp(orders=orders)),
        epsilon_upper=_plain(epsilon),
        best_order=float(orders[int(np.argmin(epsilon))]),
    )


def _epsilons(mechanism: Mechanism, orders: NDArray[np.float64], delta: float) -> NDArray[np.float64]:
    """The epsilon that each order gives on its own, by the improved conversion."""
    divergences = mechanism.rdp(orders=orders)
    answers = [
        epsilon_from_renyi(orders=[order], rdp=[divergence], delta=delta, conversion="improved").value
        for order, divergence in zip(orders, divergences, strict=True)
    ]
    return np.array(answers)


def _gaussian_fnr(fpr: float, mu: float) -> float:
    """f_mu(fpr) = Phi(Phi^-1(1 - fpr) - mu), to nearest."""
    if fpr in (0.0, 1.0):
        return 1.0 - fpr
    return _normal_cdf(-_normal_quantile(fpr) - mu)


def _gaussian_tpr(fpr: float, mu: float) -> float:
    if fpr in (0.0, 1.0):
        return fpr
    return _normal_cdf(_normal_quantile(fpr) + mu)


def _normal_cdf(x: float) -> float:
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


def _normal_quantile(probability: float) -> float:
    return NormalDist().inv_cdf(probability)


def _plain(values: np.ndarray) -> Numbers:
    return tuple(float(x) for x in values)
