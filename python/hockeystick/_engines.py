# SPDX-License-Identifier: Apache-2.0
"""Which engine answers, and what it is asked: the only place that holds this policy.

Every function takes :class:`~hockeystick._terms.Terms` and returns certified brackets; the maximum over the relation's
directions is taken after each has been composed on its own.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from . import _core

_Answer = TypeVar("_Answer")

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from ._core import LossLaw
    from ._terms import Terms

METHODS = ("auto", "closed_form", "contour", "fft", "rdp")


class Aim(NamedTuple):
    """How narrow brackets are to come out, in relative width: of epsilon, or of delta.

    Attributes
    ----------
    contour : tuple of float
        Tried in turn, narrowest first. The engine refuses what it cannot certify; a wider try costs little and is still
        far narrower than the FFT.
    fft : float
        The FFT engine's.
    enough : float
        A bracket of log delta that the contour engine leaves at most this wide is taken as it is, though it aimed at
        less, rather than asked for again of the FFT engine.
    """

    contour: tuple[float, ...]
    fft: float
    enough: float = 0.0


# Numbers that are reported; and points of a curve, which are many and have a bracket of their own to say where more are
# needed.
NUMBER = Aim(contour=(1e-9, 1e-6), fft=1e-4)
CURVE_POINT = Aim(contour=(1e-9, 1e-6), fft=1e-3, enough=3e-3)


def aim_at(tolerance: float | None) -> Aim:
    """What a reported number is to be: within `tolerance` if there is one."""
    return NUMBER if tolerance is None else Aim(contour=(tolerance,), fft=tolerance)


# Of a composed loss on a lattice, which the FFT engine then has without discretisation, at no cost.
_FEW_POINTS = 4096

_DIRECTION_NUMBERS = {"remove": 0, "add": 1}


def directions_of(direction: str | None) -> list[int]:
    """The direction asked for, or both."""
    return [0, 1] if direction is None else [_DIRECTION_NUMBERS[direction]]


def epsilon_bounds(
    terms: Terms,
    log_delta: float,
    directions: Sequence[int],
    method: str,
    aim: Aim,
    *,
    threads: int = 1,
) -> tuple[float, float, str]:
    """Bracket of the larger epsilon of the directions, and the engine that served."""
    lower, upper, served = _epsilon_bounds(terms, log_delta, directions, method, aim, threads)
    if terms.attained is not None:
        lower = min(_epsilon_bounds(terms.attained, log_delta, directions, "auto", aim, threads)[0], upper)
    return lower, upper, served


def log_delta_bounds(
    terms: Terms,
    epsilons: NDArray[np.float64],
    directions: Sequence[int],
    method: str,
    aim: Aim,
    *,
    threads: int = 1,
) -> tuple[NDArray[np.float64], NDArray[np.float64], str]:
    """Brackets of the larger log delta of the directions at increasing epsilons, and the engine that served."""
    lower, upper, served = _log_delta_bounds(terms, epsilons, directions, method, aim, threads)
    if terms.attained is not None:
        attained, _, _ = _log_delta_bounds(terms.attained, epsilons, directions, "auto", aim, threads)
        lower = np.minimum(attained, upper)
    # delta never rises: a point that is left wide has the bounds of its neighbours.
    return np.maximum.accumulate(lower[::-1])[::-1], np.minimum.accumulate(upper), served


def _epsilon_bounds(
    terms: Terms,
    log_delta: float,
    directions: Sequence[int],
    method: str,
    aim: Aim,
    threads: int,
) -> tuple[float, float, str]:
    if terms.is_empty or log_delta == 0.0:
        return 0.0, 0.0, "closed_form"
    method = _resolve(terms, method)
    if log_delta == -math.inf:
        return *_pure_epsilon(terms, directions), "closed_form"
    if method == "closed_form":
        brackets = [_closed_epsilon(terms, log_delta, each) for each in directions]
        return max(b[0] for b in brackets), max(b[1] for b in brackets), method

    def by_contour(wanted: float) -> tuple[float, float]:
        return _contour_epsilon(terms, directions, log_delta, wanted, threads)

    if method in ("auto", "contour"):
        served = _contour(by_contour, aim.contour, must=method == "contour")
        if served is not None:
            return (*served, "contour")
    lower, upper = _core.fft_epsilon_bounds(*terms.laws(directions), log_delta, aim.fft)
    if method == "auto" and lower < (1.0 - aim.fft) * upper and aim.fft not in aim.contour:
        # What the FFT engine leaves wide the contour engine may at least certify as narrow as was asked of the FFT.
        served = _contour(by_contour, (aim.fft,), must=False)
        if served is not None:
            return max(lower, served[0]), min(upper, served[1]), "contour, fft"
    return lower, upper, "fft"


def _log_delta_bounds(
    terms: Terms,
    epsilons: NDArray[np.float64],
    directions: Sequence[int],
    method: str,
    aim: Aim,
    threads: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64], str]:
    if terms.is_empty:
        nothing = np.full(epsilons.shape, -math.inf)
        return nothing, nothing, "closed_form"
    method = _resolve(terms, method)
    if method == "closed_form":
        return (*_larger(lambda each: _closed_log_delta(terms, epsilons, each), directions), method)
    if method in ("auto", "contour"):
        lower, upper, left = _contour_log_delta(terms, epsilons, directions, aim, threads)
        if method == "contour" and left.all():
            raise _core.AccuracyError("contour: log delta cannot be certified to the tolerance (rare jumps)")
        if method == "contour" or not left.any():
            return lower, upper, "contour"
        rest = np.ascontiguousarray(epsilons[left])
        lows, ups = _core.fft_log_delta_bounds(*terms.laws(directions), rest, aim.fft)
        lower[left], upper[left] = np.maximum(lower[left], lows), np.minimum(upper[left], ups)
        return lower, upper, "fft" if left.all() else "contour, fft"
    return (*_core.fft_log_delta_bounds(*terms.laws(directions), epsilons, aim.fft), "fft")


def _contour_log_delta(
    terms: Terms, epsilons: NDArray[np.float64], directions: Sequence[int], aim: Aim, threads: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    """Brackets by the contour engine, narrowest first, and which of them are left to another engine."""
    lower, upper = np.full(epsilons.shape, -math.inf), np.zeros(epsilons.shape)
    left = np.ones(epsilons.shape, dtype=np.bool_)
    width = np.full(epsilons.shape, math.inf)
    for wanted in aim.contour:
        rest = np.ascontiguousarray(epsilons[left])
        try:
            lows, ups = _contour_profile(terms, directions, rest, wanted, threads)
        except _core.AccuracyError:  # it takes no such law at all
            break
        lower[left], upper[left] = np.maximum(lower[left], lows), np.minimum(upper[left], ups)
        width = np.subtract(upper, lower, out=np.zeros(epsilons.shape), where=upper > -math.inf)
        left = width > wanted * np.maximum(1.0, np.abs(upper))
        if not left.any():
            break
    return lower, upper, left & (width > aim.enough)


def _contour_epsilon(
    terms: Terms, directions: Sequence[int], log_delta: float, wanted: float, threads: int
) -> tuple[float, float]:
    if terms.is_subsampled_gaussian:
        return _core.contour_epsilon_bounds(*terms.columns, directions, log_delta, wanted, threads)
    return _core.contour_law_epsilon_bounds(*terms.laws(directions), log_delta, wanted, threads)


def _contour_profile(
    terms: Terms, directions: Sequence[int], epsilons: NDArray[np.float64], wanted: float, threads: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if terms.is_subsampled_gaussian:
        return _core.contour_log_delta_bounds(*terms.columns, directions, epsilons, wanted, threads)
    return _core.contour_law_log_delta_bounds(*terms.laws(directions), epsilons, wanted, threads)


def _contour(question: Callable[[float], _Answer], tolerances: tuple[float, ...], *, must: bool) -> _Answer | None:
    """Ask the contour engine, narrowest first; None (or, if it must answer, its error) where it certifies nothing."""
    for wanted in tolerances:
        try:
            return question(wanted)
        except _core.AccuracyError:
            if must and wanted == tolerances[-1]:
                raise
    return None


def _resolve(terms: Terms, method: str) -> str:
    """Turn "auto" into the closed form where there is one; refuse a method that does not apply."""
    closed = terms.is_gaussian or terms.is_single_release
    if method == "closed_form" and not closed:
        raise ValueError(
            "method must be 'auto', 'contour' or 'fft' for a composition of subsampled releases, got 'closed_form'"
        )
    if method == "contour" and not terms.has_nodes:
        pairs = zip(terms.others, terms.pairs, strict=True)
        without = {type(release).__name__ for (release, _), pair in pairs if not all(law.has_nodes for law in pair)}
        names = ", ".join(sorted(without))
        raise ValueError(f"method must be 'auto', 'closed_form' or 'fft' for {names}, got 'contour'")
    if method == "auto":
        return "closed_form" if closed else "auto" if _suits_contour(terms) else "fft"
    return method


def _suits_contour(terms: Terms) -> bool:
    """Whether the contour engine is to be asked first: few outcomes on a lattice are composed exactly by FFT."""
    return terms.is_subsampled_gaussian or (terms.has_nodes and terms.lattice_points > _FEW_POINTS)


def _larger(
    question: Callable[[int], tuple[NDArray[np.float64], NDArray[np.float64]]], directions: Sequence[int]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    lower, upper = question(directions[0])
    for each in directions[1:]:
        other_lower, other_upper = question(each)
        lower, upper = np.maximum(lower, other_lower), np.maximum(upper, other_upper)
    return lower, upper


def _closed_epsilon(terms: Terms, log_delta: float, direction: int) -> tuple[float, float]:
    if terms.is_gaussian:
        least, most = terms.gaussian_mu_bounds
        return _core.gaussian_epsilon_bounds(log_delta, least)[0], _core.gaussian_epsilon_bounds(log_delta, most)[1]
    if not terms.is_subsampled_gaussian:
        return _only_law(terms, direction).epsilon_bounds(log_delta)
    noise_multiplier, sampling_rate = float(terms.noise_multipliers[0]), float(terms.sampling_rates[0])
    return _core.subsampled_epsilon_bounds(log_delta, noise_multiplier, sampling_rate, direction)


def _closed_log_delta(
    terms: Terms, epsilons: NDArray[np.float64], direction: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if terms.is_gaussian:
        least, most = terms.gaussian_mu_bounds
        return _core.gaussian_log_delta_bounds(epsilons, least)[0], _core.gaussian_log_delta_bounds(epsilons, most)[1]
    if not terms.is_subsampled_gaussian:
        return _only_law(terms, direction).log_delta_bounds(epsilons)
    noise_multiplier, sampling_rate = float(terms.noise_multipliers[0]), float(terms.sampling_rates[0])
    return _core.subsampled_log_delta_bounds(epsilons, noise_multiplier, sampling_rate, direction)


def _only_law(terms: Terms, direction: int) -> LossLaw:
    return terms.laws([direction])[0][0][0]


def _pure_epsilon(terms: Terms, directions: Sequence[int]) -> tuple[float, float]:
    """The epsilon at delta 0: the sum of the greatest losses, infinite with any mass at infinity."""
    laws, counts = terms.laws(directions)
    return _core.pure_epsilon_bounds(laws, counts)
