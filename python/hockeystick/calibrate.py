# SPDX-License-Identifier: Apache-2.0
"""The parameter that just meets a target."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _core, _validate
from ._search import Axis, Root, Trial, search
from .bounds import Bounds
from .budget import Budget

if TYPE_CHECKING:
    from ._questions import Questions

# Where a real parameter is looked for when its range is not declared.
_LEAST, _MOST = 1e-12, 1e12


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """Both sides of a root: the parameter that meets the target, and its neighbour that is not certified to.

    Attributes
    ----------
    value : float or int
        The safe side: `mechanism` is certified to meet the target.
    achieved : Bounds
        The certified bracket of the quantity at `value`.
    mechanism : Mechanism
        What `make` returned for `value`.
    unsafe_value : float, int or None
        The other side: the nearest value tried that is not certified to meet the target (for whole numbers, the next
        one). None if every value of the range meets it.
    unsafe_achieved : Bounds or None
        The bracket there. Where even its safe end is over the limit, no value beyond can meet the target; where it is
        not, the difference is due to the width of the bracket.
    target : Budget
        What was asked for.
    trials : int
        How many values were tried.
    """

    value: Any
    achieved: Bounds
    mechanism: Any
    unsafe_value: Any
    unsafe_achieved: Bounds | None
    target: Budget
    trials: int


def calibrate(
    make: Callable[[Any], Questions],
    target: Budget,
    *,
    integer: bool = False,
    increasing: bool | None = None,
    lower: float | None = None,
    upper: float | None = None,
    start: float | None = None,
    tolerance: float = 1e-8,
) -> Calibration:
    """Find the value of one parameter that just meets a target, on the safe side of the root.

    The value returned was tried: the certified side of its quantity is within the limit, so the result holds whatever
    the search assumed. For a real parameter the guarantee is at most `tolerance`, relatively, below the limit, unless
    the brackets of the engine are themselves wider than that (then `achieved` says what was reached); a whole number is
    exact: the next one is not certified to meet the target.

    Parameters
    ----------
    make : callable
        From a value of the parameter to a mechanism. The quantity is to be monotone in it.
    target : Budget
        The quantity and its limit.
    integer : bool
        Whether the parameter is a whole number (steps, epochs, batch size); `make` then gets an int.
    increasing : bool, optional
        Whether a larger value means less privacy (True for steps and rates, False for noise). By default two trials
        tell.
    lower, upper : float, optional
        The range, both ends included. By default [1e-12, 1e12], or [0, 2^53] for whole numbers; declare ``upper=1``
        for a rate.
    start : float, optional
        The first trial; the result of a neighbouring problem saves most of the others.
    tolerance : float
        Relative, above 0.

    Returns
    -------
    Calibration

    Raises
    ------
    TypeError
        If an argument is of the wrong kind.
    ValueError
        If no value of the range meets the target, if the quantity is seen not to be monotone, or for an argument out
        of its domain; and whatever `make` raises.

    Notes
    -----
    Six to nine trials are usual. A trial at which no bound can be certified counts as not meeting the target.

    Examples
    --------
    >>> import hockeystick as hs
    >>> found = hs.calibrate(
    ...     lambda s: hs.dpsgd(noise_multiplier=s, sampling_rate=0.01, steps=1000), hs.Budget.mu(0.5), increasing=False)
    >>> print(f"{found.value:.4f}", found.achieved.upper <= 0.5)
    1.0202 True
    """
    trial, root, sign = _searched(make, target, bool(integer), increasing, (lower, upper), start, tolerance)
    _check_monotone(trial, sign)
    return _result(root, target, len(trial.done))


def closest(
    make: Callable[[Any], Questions],
    target: Budget,
    *,
    increasing: bool,
    lower: float,
    upper: float,
    start: float,
    tolerance: float,
    slope: float = 1.0,
) -> float:
    """Return the safe side alone of a real parameter, which saves the trial on the other side; see :func:`calibrate`.

    `slope` is the likely change of the log of the quantity with the log of the parameter.
    """
    _, root, _ = _searched(
        make, target, False, increasing, (lower, upper), start, tolerance, slope=slope, safe_side_only=True
    )
    return float(_safe(root, target).value)


def _searched(
    make: Callable[[Any], Questions],
    target: Budget,
    integer: bool,
    increasing: bool | None,
    ends: tuple[float | None, float | None],
    start: float | None,
    tolerance: float,
    *,
    slope: float = 1.0,
    safe_side_only: bool = False,
) -> tuple[_Trials, Root, int]:
    if not isinstance(target, Budget):
        raise TypeError(f"target must be a Budget, got {target!r}")
    if increasing is not None and not isinstance(increasing, bool):
        raise TypeError(f"increasing must be a bool or None, got {increasing!r}")
    tolerance = _validate.positive("tolerance", tolerance)
    trial = _Trials(make, target)
    low, high = _range(*ends, integer)
    first = _start(start, low, high, integer)
    sign = _direction(trial, first, low, high, integer) if increasing is None else (1 if increasing else -1)
    root = search(
        trial,
        Axis(low, high, sign, integer),
        start=first,
        window=target.window(min(tolerance, 0.5)),
        slope=slope,
        safe_side_only=safe_side_only,
    )
    return trial, root, sign


class _Trials:
    """The question to the search: each value is tried once."""

    def __init__(self, make: Callable[[Any], Questions], target: Budget) -> None:
        if not callable(make):
            raise TypeError(f"make must be callable, got {make!r}")
        self.make = make
        self.target = target
        self.done: dict[Any, Trial] = {}

    def __call__(self, value: Any) -> Trial:
        if value not in self.done:
            self.done[value] = self._try(value)
        return self.done[value]

    def _try(self, value: Any) -> Trial:
        try:
            mechanism = self.make(value)
            bounds = self.target.quantity.bounds(mechanism)
        except (_core.AccuracyError, MemoryError):
            # Nothing can be certified here, which is not within any limit.
            return Trial(value, math.inf, math.inf, (None, None))
        except (TypeError, ValueError) as error:
            error.add_note(f"in a trial of calibrate with {value!r}; lower= and upper= declare the range")
            raise
        quantity = self.target.quantity
        sides = quantity.coordinate(float(bounds.lower)), quantity.coordinate(float(bounds.upper))
        width = 0.0 if sides[0] == sides[1] else abs(sides[1] - sides[0])
        return Trial(value, self.target.excess(quantity.guarantee(bounds)), width, (mechanism, bounds))


def _range(lower: float | None, upper: float | None, integer: bool) -> tuple[float, float]:
    if integer:
        low: float = 0 if lower is None else _validate.count("lower", lower)
        high: float = _validate.LARGEST_COUNT if upper is None else _validate.count("upper", upper)
    else:
        low = _LEAST if lower is None else _validate.non_negative("lower", lower)
        high = _MOST if upper is None else _validate.positive("upper", upper)
    if not low < high:
        raise ValueError(f"lower must be below upper, got {low!r} and {high!r}")
    return low, high


def _start(start: float | None, low: float, high: float, integer: bool) -> float:
    if start is None:
        return min(max(1 if integer else 1.0, low), high)
    value = _validate.count("start", start) if integer else _validate.positive("start", start)
    if not low <= value <= high:
        raise ValueError(f"start must be in [{low:g}, {high:g}], got {start!r}")
    return value


def _direction(trial: _Trials, first: float, low: float, high: float, integer: bool) -> int:
    """Compare the first value with others, ever farther away, until one tells more or less privacy."""
    here = trial(first)
    for factor in (2, 16, 1024, 2**20):
        for other in (first * factor, first // factor if integer else first / factor):
            if other == first or not low <= other <= high:
                continue
            there = trial(other)
            if there.excess != here.excess:
                return 1 if (there.excess > here.excess) == (other > first) else -1
    raise ValueError(
        f"make must depend on its parameter, got the same {trial.target.quantity} at all of {[*trial.done]}"
    )


def _check_monotone(trial: _Trials, sign: int) -> None:
    """Raise if two trials contradict the direction by more than their brackets allow."""
    ordered = sorted(trial.done.values(), key=lambda each: sign * each.value)
    for one, other in itertools.pairwise(ordered):
        if one.excess > other.excess + one.width + other.width:
            raise ValueError(
                f"make must be monotone in its parameter, got {trial.target.quantity} = {one.found[1]} at {one.value!r} "
                f"and {other.found[1]} at {other.value!r}"
            )


def _result(root: Root, target: Budget, trials: int) -> Calibration:
    safe, unsafe = _safe(root, target), root.unsafe
    return Calibration(
        value=safe.value,
        achieved=safe.found[1],
        mechanism=safe.found[0],
        unsafe_value=None if unsafe is None else unsafe.value,
        unsafe_achieved=None if unsafe is None else unsafe.found[1],
        target=target,
        trials=trials,
    )


def _safe(root: Root, target: Budget) -> Trial:
    if root.safe is not None:
        return root.safe
    nearest = min(root.trials, key=lambda each: each.excess)
    got = "no certified bound" if nearest.found[1] is None else f"{target.quantity.guarantee(nearest.found[1]):g}"
    raise ValueError(f"{target} must be met somewhere in the range of the parameter, got {got} at {nearest.value!r}")
