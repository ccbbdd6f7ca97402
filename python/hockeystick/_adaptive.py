# SPDX-License-Identifier: Apache-2.0
"""Curves from a profile that is asked for where it matters: few certified points, placed by the bracket they give."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from . import _core, _engines
from .tradeoff import TradeoffCurve

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._terms import Terms
    from .gdp import GDPFit

    Columns = tuple[NDArray[np.float64], ...]
    # epsilons -> (log_delta_upper, log_delta_lower, log_complement_lower, log_complement_upper), the last two maybe empty
    Question = Callable[[NDArray[np.float64]], Columns]
    Refinement = Callable[[Columns, Columns, Columns, float, float], NDArray[np.float64]]

CURVE_TOLERANCE = 1e-4
MU_TOLERANCE = 1e-6
# The regret's bracket is narrowed to this, absolutely and relatively.
REGRET_TOLERANCES = (1e-7, 1e-3)

_MOST_ROUNDS = 40
_COSTLY_ROUNDS = 8  # once an engine served whose cost is that of a whole composition
_MOST_POINTS = 3000
_LEAST_ROOM = 16
_FIRST_SPACING = 0.5
_LARGEST_GUESSED_MU = 40.0  # beyond, no double holds the rates away from the diagonal
_NO_NUMBERS = np.zeros(0)


class ProfileQuestion:
    """Asks for the points of a composition's profile that a curve is made of.

    Attributes
    ----------
    costly : bool
        Whether an engine had to serve that composes whole distributions.
    """

    def __init__(self, terms: Terms, method: str) -> None:
        self._terms, self._method = terms, method
        self.costly = False

    def __call__(self, epsilons: NDArray[np.float64]) -> Columns:
        """(log_delta_upper, log_delta_lower) at increasing epsilons, and no complements."""
        lower, upper, served = _engines.log_delta_bounds(
            self._terms, epsilons, [0, 1], self._method, _engines.CURVE_POINT
        )
        self.costly |= "fft" in served
        return upper, lower, _NO_NUMBERS, _NO_NUMBERS


class CertifiedCurve:
    """Grows a curve: asks a question at the epsilons that a refinement names, until it names none."""

    def __init__(
        self,
        question: Question,
        *,
        relation: str,
        fpr_floor: float,
        end: float = math.inf,
        literal: float = math.inf,
        gaussian_mu: tuple[float, float] | None = None,
    ) -> None:
        self._question = question
        self._rounds_left = _MOST_ROUNDS
        self._log_floor = math.log(fpr_floor)
        self._facts = (relation, literal, gaussian_mu)
        first = np.zeros(1)
        self._columns: Columns = (first, *question(first))
        self.ask(self._first_epsilons(fpr_floor, end))

    @property
    def curve(self) -> TradeoffCurve:
        """The curve of all points asked for so far."""
        relation, literal, gaussian_mu = self._facts
        return TradeoffCurve._of_columns(self._columns, False, relation, literal=literal, gaussian_mu=gaussian_mu)

    def refined(self, refinement: Refinement, tolerance: float, log_floor: float | None = None) -> TradeoffCurve:
        """The curve after asking until `refinement` has nothing to gain, or too much has been asked."""
        curve = self.curve
        floor = self._log_floor if log_floor is None else log_floor
        while self._rounds_left > 0:
            wanted = refinement(curve._profile, curve._below, curve._above, floor, tolerance)
            if not self.ask(wanted):
                break
            curve = self.curve
        return curve

    def refined_about(self, epsilons: tuple[float, ...]) -> TradeoffCurve:
        """The curve after cutting the two cells on either side of each epsilon in four."""
        points = self._columns[0]
        cells: set[int] = set()
        for epsilon in epsilons:
            at = int(np.searchsorted(points, epsilon))
            cells.update(range(max(0, at - 2), min(at + 2, len(points) - 1)))
        start = np.array(sorted(cells), dtype=np.intp)
        parts = np.arange(1, 4) / 4.0
        self.ask((points[start, None] + (points[start + 1] - points[start])[:, None] * parts).ravel())
        return self.curve

    def ask(self, epsilons: NDArray[np.float64]) -> bool:
        """Ask at those epsilons that are new; whether there were any, and room for them."""
        points = self._columns[0]
        after = np.minimum(np.searchsorted(points, epsilons), len(points) - 1)
        distance = np.minimum(np.abs(points[after] - epsilons), np.abs(points[np.maximum(after - 1, 0)] - epsilons))
        epsilons = np.ascontiguousarray(epsilons[distance > 1e-13 * epsilons])
        room = _MOST_POINTS - len(points)
        if self._rounds_left <= 0 or not len(epsilons) or room < _LEAST_ROOM:
            return False
        epsilons = np.ascontiguousarray(epsilons[:: math.ceil(len(epsilons) / room)])
        answers = (epsilons, *self._question(epsilons))
        self._rounds_left -= 1
        if getattr(self._question, "costly", False):
            self._rounds_left = min(self._rounds_left, _COSTLY_ROUNDS)
        joined = [np.concatenate(pair) for pair in zip(self._columns, answers, strict=True)]
        order = np.argsort(joined[0], kind="stable")
        self._columns = tuple(each[order] if len(each) else each for each in joined)
        return True

    def _first_epsilons(self, fpr_floor: float, end: float) -> NDArray[np.float64]:
        """The slopes of a Gaussian's curve with the same delta(0) between the diagonal and the floor: a guess."""
        mu = _guessed_mu(self._columns)
        if mu == 0.0 or math.isinf(mu):
            return _NO_NUMBERS
        floor_quantile = -_core.normal_quantile_of_log(math.log(fpr_floor))
        # Beyond a mu of twice that the mirror images of smaller rates are what the curve is read from.
        reach = max(floor_quantile, mu) - mu / 2.0 if mu < _LARGEST_GUESSED_MU else 8.0
        span = reach if reach <= 1.0 else (reach * reach + 1.0) / 2.0
        count = min(max(8, math.ceil(span / _FIRST_SPACING)), 96)
        steps = span * np.arange(1, count + 1) / count
        epsilons = mu * np.where(steps <= 1.0, steps, np.sqrt(np.maximum(2.0 * steps - 1.0, 1.0)))
        if end == 0.0 or math.isinf(end):
            return epsilons
        return np.append(epsilons[epsilons < end * (1.0 - 1e-9)], end)


def gaussian_curve(
    mu: tuple[float, float], *, relation: str, fpr_floor: float, tolerance: float = CURVE_TOLERANCE
) -> TradeoffCurve:
    """The curve of a Gaussian whose mu lies in a bracket of roundings."""

    def question(epsilons: NDArray[np.float64]) -> Columns:
        low, high = mu
        lower, complement_upper = (
            _core.gaussian_log_delta_bounds(epsilons, low)[0],
            _core.gaussian_log_complement_bounds(epsilons, low)[1],
        )
        upper, complement_lower = (
            _core.gaussian_log_delta_bounds(epsilons, high)[1],
            _core.gaussian_log_complement_bounds(epsilons, high)[0],
        )
        return upper, lower, complement_lower, complement_upper

    grown = CertifiedCurve(question, relation=relation, fpr_floor=fpr_floor, literal=mu[1], gaussian_mu=mu)
    return grown.refined(_core.curve_refinement, tolerance)


def fitted(grown: CertifiedCurve, delta0: float | None, fit: Callable[[TradeoffCurve], GDPFit]) -> GDPFit:
    """Fit mu on a curve grown for it, and narrow the brackets of its regret."""
    curve = grown.refined(_core.mu_refinement, MU_TOLERANCE)
    if delta0 is not None:
        curve = grown.refined(_core.mu_given_delta0_refinement, MU_TOLERANCE, math.log(delta0))
    result = fit(curve)
    before = math.inf
    while math.isfinite(result.mu):
        width = max(result.regret - result.regret_lower, result.delta_divergence - result.delta_divergence_lower)
        wanted = _core.regret_refinement(curve._profile, curve._linear, result.mu, *REGRET_TOLERANCES)
        # More points do not help where the brackets of delta themselves are what keeps it wide.
        if width > 0.9 * before or not grown.ask(wanted):
            break
        before = width
        curve = grown.curve
        result = fit(curve)
    return result


def _guessed_mu(columns: Columns) -> float:
    """The mu with 1 - 2 Phi(-mu/2) = delta(0), roughly."""
    log_delta = float(columns[1][0])
    if log_delta < math.log(1e-3):
        return math.exp(log_delta) * math.sqrt(2.0 * math.pi)
    if len(columns[3]):
        log_complement = float(columns[3][0])
    else:
        log_complement = math.log(-math.expm1(log_delta)) if log_delta < 0.0 else -math.inf
    return -2.0 * _core.normal_quantile_of_log(log_complement - math.log(2.0))
