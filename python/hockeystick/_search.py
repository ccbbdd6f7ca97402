# SPDX-License-Identifier: Apache-2.0
"""Where a monotone question changes sides, in few trials: both sides of the root, each tried.

A trial is a value of a parameter and its `excess`, at most 0 on the safe side. The search works in the signed log of the
parameter, in which the excess increases; it predicts by inverse interpolation (a polynomial of the parameter in the
excess, through the nearest trials) and falls back on bisection whenever a prediction leaves the bracket or two trials
brought too little. Interpolation never decides anything: every side that is returned was tried.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

# Trials that no search should need: bisection alone ends in fewer.
_MOST_TRIALS = 200
# How far the first step beyond a one-sided start may go, in logs; later ones may go twice as far each. Towards less
# privacy the steps are short: a trial with far too little noise can cost a thousand times one that is nearly right.
_FIRST_REACH_TO_SAFE = math.log(4.0)
_FIRST_REACH_TO_UNSAFE = math.log(1.5)
# Parameters closer than this, relatively, are not told apart by a question with an answer to this accuracy.
_RESOLUTION = 1e-13
# The same, and the window, where brackets are wider: nearer values would only resolve the noise of the engine, whose
# trials are then the expensive ones.
_COARSE_RESOLUTION = 1e-7
_COARSE_WINDOW = 5e-7
# Where a bracket is wider than a factor of e, the other side is where certification ends, which is no root of anything.
_CLIFF_RESOLUTION = 1e-4


@dataclass(frozen=True)
class Trial:
    """One value of the parameter, how far it is over the limit, how wide its bracket is, and what was found there."""

    value: Any
    excess: float
    width: float
    found: Any = field(compare=False)


@dataclass(frozen=True)
class Axis:
    """The range of a parameter, as a line on which the excess increases.

    Attributes
    ----------
    lower, upper : float
        The range, both ends included.
    sign : int
        +1 if a larger value has a larger excess, else -1.
    integer : bool
        Whether only whole numbers are tried.
    """

    lower: float
    upper: float
    sign: int
    integer: bool

    def coordinate(self, value: float) -> float:
        """Where a value is; 0 has a place of its own to the left of all others."""
        return self.sign * math.log(max(value, 0.5 if self.integer else math.ulp(0.0)))

    def value(self, coordinate: float) -> Any:
        """Return the value at a place, or nearest to it."""
        bare = min(self.sign * coordinate, 709.0)
        inside = min(max(math.exp(bare), self.lower), self.upper)
        return round(inside) if self.integer else inside

    def end(self, side: int) -> Any:
        """Return the last value in the direction of larger (+1) or smaller (-1) excess."""
        return self.upper if side * self.sign > 0 else self.lower

    def between(self, safe: Any, unsafe: Any, guess: Any) -> Any:
        """Return the value nearest to a guess that lies strictly between two, or None if there is none."""
        low, high = min(safe, unsafe), max(safe, unsafe)
        first = low + 1 if self.integer else math.nextafter(low, math.inf)
        last = high - 1 if self.integer else math.nextafter(high, -math.inf)
        return min(max(guess, first), last) if first <= last else None


@dataclass(frozen=True)
class Root:
    """The two trials nearest to the root; one is None where the whole range is on the other side."""

    safe: Trial | None
    unsafe: Trial | None
    trials: tuple[Trial, ...]


def search(
    question: Callable[[Any], Trial],
    axis: Axis,
    *,
    start: Any,
    window: float,
    slope: float = 1.0,
    safe_side_only: bool = False,
) -> Root:
    """Find the last safe and the first unsafe value.

    Parameters
    ----------
    question : callable
        From a value to its :class:`Trial`; its excess is to be monotone along the axis.
    axis : Axis
        The range.
    start : number
        The first value to try.
    window : float
        For real parameters: both sides are to have an excess of at most this in size. Whole numbers are searched until
        the two sides are neighbours.
    slope : float
        The likely change of the excess with the log of the parameter, above 0: it places the second trial.
    safe_side_only : bool
        Whether to stop as soon as the safe side of a real parameter is within the window.

    Returns
    -------
    Root
    """
    state = _State(axis, window, slope, safe_side_only)
    state.add(question(start))
    while len(state.trials) < _MOST_TRIALS:
        value = state.next_value()
        if value is None:
            break
        state.add(question(value))
    return Root(state.safe, state.unsafe, tuple(state.trials))


class _State:
    """The trials of one search, and where to look next."""

    def __init__(self, axis: Axis, window: float, slope: float, safe_side_only: bool) -> None:
        self.axis = axis
        self.window = window
        self.slope = slope
        self.safe_side_only = safe_side_only
        self.trials: list[Trial] = []
        self.safe: Trial | None = None
        self.unsafe: Trial | None = None
        self._stalled = False

    def add(self, trial: Trial) -> None:
        before = self._distance(), self._nearest()
        self.trials.append(trial)
        if trial.excess <= 0.0:
            self.safe = trial
        else:
            self.unsafe = trial
        after = self._distance(), self._nearest()
        # Both infinite: nothing is bracketed yet, and the reach grows by itself.
        self._stalled = after[0] > 0.5 * before[0] and after[1] > 0.5 * before[1]

    def next_value(self) -> Any:
        """Return the next value to try, or None if the search is over."""
        if self.safe_side_only and self._safe_is_near():
            return None
        if self.safe is not None and self.unsafe is not None:
            return None if self._is_over() else self._inside(self.safe, self.unsafe)
        return self._beyond()

    def _is_over(self) -> bool:
        safe, unsafe = self.safe, self.unsafe
        if self.axis.integer or safe is None or unsafe is None:
            return False
        if self._is_near(safe) and self._is_near(unsafe):
            return True
        width = max(safe.width, unsafe.width)
        fine = _RESOLUTION if width <= self.window else _COARSE_RESOLUTION
        return self._distance() <= (fine if width <= 1.0 else _CLIFF_RESOLUTION)

    def _is_near(self, trial: Trial) -> bool:
        coarse = trial.width > _COARSE_WINDOW
        return abs(trial.excess) <= (max(self.window, _COARSE_WINDOW) if coarse else self.window)

    def _inside(self, safe: Trial, unsafe: Trial) -> Any:
        ends = self.axis.coordinate(safe.value), self.axis.coordinate(unsafe.value)
        guess = None if self._stalled else self._predicted()
        if guess is None or not min(ends) < guess < max(ends):
            guess = 0.5 * (ends[0] + ends[1])
        self._stalled = False
        return self.axis.between(safe.value, unsafe.value, self.axis.value(guess))

    def _beyond(self) -> Any:
        """One step towards the side that has not been seen, or None at the end of the range."""
        last = self.trials[-1]
        side = 1 if self.unsafe is None else -1
        end = self.axis.end(side)
        if last.value == end:
            return None
        here = self.axis.coordinate(last.value)
        first = _FIRST_REACH_TO_UNSAFE if side > 0 else _FIRST_REACH_TO_SAFE
        reach = first * 2.0 ** (len(self.trials) - 1)
        guess = self._predicted()
        move = reach if guess is None else side * (guess - here)
        # A step back contradicts the trials; a tiny one must grow, or it would never cross.
        near = sum(abs(trial.excess) <= 4.0 * self.window for trial in self.trials)
        least = 0.25 * self.window * 2.0**near
        value = self.axis.value(here + side * (reach if move <= 0.0 else min(max(move, least), reach)))
        inside = self.axis.between(last.value, end, value)
        return end if inside is None else inside

    def _predicted(self) -> float | None:
        """Where the excess should be at the aim, by inverse interpolation through the nearest trials."""
        aim = self._aim()
        finite = sorted((t for t in self.trials if math.isfinite(t.excess)), key=lambda t: abs(t.excess - aim))
        if not finite:
            return None
        if len(finite) == 1:
            return self.axis.coordinate(finite[0].value) + (aim - finite[0].excess) / self.slope
        one_sided = self.safe is None or self.unsafe is None
        nearest = finite[: 2 if one_sided and abs(finite[0].excess) > 0.1 else 4]
        places = [self.axis.coordinate(t.value) for t in nearest]
        excesses = [t.excess for t in nearest]
        return _inverse_interpolation(excesses, places, aim)

    def _aim(self) -> float:
        """The excess to look for: in the middle of the window on the side that has not been found yet."""
        if self.axis.integer:
            return 0.0
        return 0.5 * self.window if self._safe_is_near() else -0.5 * self.window

    def _safe_is_near(self) -> bool:
        return self.safe is not None and self._is_near(self.safe) and not self.axis.integer

    def _distance(self) -> float:
        if self.safe is None or self.unsafe is None:
            return math.inf
        return abs(self.axis.coordinate(self.unsafe.value) - self.axis.coordinate(self.safe.value))

    def _nearest(self) -> float:
        return min((abs(trial.excess) for trial in self.trials), default=math.inf)


def _inverse_interpolation(excesses: list[float], places: list[float], aim: float) -> float | None:
    """Neville's value at `aim` of the polynomial that takes each excess to its place; None if two excesses agree."""
    values = list(places)
    for level in range(1, len(values)):
        for i in range(len(values) - level):
            run = excesses[i] - excesses[i + level]
            if run == 0.0:
                return None
            values[i] = ((aim - excesses[i + level]) * values[i] + (excesses[i] - aim) * values[i + 1]) / run
    return values[0] if math.isfinite(values[0]) else None
