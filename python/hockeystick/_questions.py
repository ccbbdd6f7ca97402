# SPDX-License-Identifier: Apache-2.0
"""The questions every mechanism answers. Asking never changes a thing."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _engines, _validate
from ._curves import Curves
from ._docs import documented_by
from .bounds import Bounds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from ._terms import Terms


class Questions(Curves):
    """Mixin: a profile, and what is read off it, from the terms and the relation of a subclass."""

    __slots__ = ()

    @property
    def relation(self) -> str:
        """The neighbouring relation that every number refers to."""
        raise NotImplementedError

    def _terms(self) -> Terms:
        raise NotImplementedError

    def epsilon_bounds(
        self,
        *,
        delta: ArrayLike,
        direction: str | None = None,
        method: str = "auto",
        tolerance: float | None = None,
        threads: int = 1,
    ) -> Bounds:
        """Certified bracket of epsilon(delta), the least epsilon >= 0 with delta(epsilon) <= delta.

        Both sides are bounds: discretisation, truncation, aliasing, quadrature and rounding are inside the bracket.

        Parameters
        ----------
        delta : float or array_like
            In [0, 1].
        direction : {None, "remove", "add"}
            One direction of the relation; None takes the larger.
        method : {"auto", "closed_form", "contour", "fft", "rdp"}
            The engine; "auto" takes the closed form where there is one, else the contour, else the FFT engine. "rdp"
            adds Renyi divergences, an upper bound alone; it also serves what is known by a Renyi curve alone, and then
            the lower side is that of the other parts.
        tolerance : float, optional
            Width wanted, relative to epsilon. By default each engine aims at its own (FFT: 1e-4) and returns the best
            bracket that it reached.
        threads : int
            How many different releases of a composition the contour engine works on at a time. The answer is the same
            for any number; one kind of release is not divided.

        Returns
        -------
        Bounds

        Raises
        ------
        ValueError, TypeError
            For arguments out of their domain.
        AccuracyError
            If `tolerance` is given and cannot be met; the message says what could be reached.

        Examples
        --------
        >>> import hockeystick as hs
        >>> run = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
        >>> bounds = run.epsilon_bounds(delta=1e-5, method="fft")
        >>> bounds.lower <= 1.82823666651657573 <= bounds.upper
        True
        """
        deltas, shape = _validate.values_within("delta", delta, 0.0, 1.0)
        directions, method, tolerance = _options(direction, method, tolerance)
        threads = _validate.threads(threads)
        if self._asks_renyi(method):
            bounds = self._renyi_epsilon_bounds(np.array(deltas).reshape(shape), method)
            _require("epsilon", np.asarray(bounds.lower), np.asarray(bounds.upper), tolerance)
            return Bounds(_plain(np.asarray(bounds.lower)), _plain(np.asarray(bounds.upper)), bounds.method)
        terms = self._terms()
        aim = _engines.aim_at(tolerance)
        answers = [
            _engines.epsilon_bounds(
                terms, math.log(each) if each else -math.inf, directions, method, aim, threads=threads
            )
            for each in deltas
        ]
        lower, upper = [answer[0] for answer in answers], [answer[1] for answer in answers]
        if tolerance is not None or any(low > up for low, up, _ in answers):
            _require("epsilon", np.array(lower), np.array(upper), tolerance)
        reason = _why_infinite(terms, min(deltas), directions) if math.inf in upper else ""
        return Bounds(_shaped(lower, shape), _shaped(upper, shape), _served(a[2] for a in answers), reason)

    @documented_by(epsilon_bounds)
    def epsilon(
        self,
        *,
        delta: ArrayLike,
        direction: str | None = None,
        method: str = "auto",
        tolerance: float | None = None,
    ) -> Any:
        """Upper bound on epsilon at delta: the upper side of :meth:`epsilon_bounds`.

        Returns
        -------
        float or numpy.ndarray
            Infinity where no finite epsilon exists (delta 0, or a release without noise).

        Examples
        --------
        >>> import hockeystick as hs
        >>> run = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
        >>> print(f"{run.epsilon(delta=1e-5):.3f}")
        1.828
        """
        return self.epsilon_bounds(delta=delta, direction=direction, method=method, tolerance=tolerance).upper

    @documented_by(epsilon_bounds)
    def log_delta_bounds(
        self,
        *,
        epsilon: ArrayLike,
        direction: str | None = None,
        method: str = "auto",
        tolerance: float | None = None,
        threads: int = 1,
    ) -> Bounds:
        """Certified bracket of the natural logarithm of delta(epsilon), the hockey-stick divergence of order e^epsilon.

        Parameters
        ----------
        epsilon : float or array_like
            At least 0; infinity gives the mass at infinity.
        tolerance : float, optional
            Width wanted, relative to delta: in log delta, absolute. By default each engine aims at its own (FFT: 1e-4)
            and returns the best bracket that it reached.

        Examples
        --------
        >>> import hockeystick as hs
        >>> run = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
        >>> bounds = run.log_delta_bounds(epsilon=6.0)
        >>> bounds.lower <= -43.2485429127471252 <= bounds.upper
        True
        """
        epsilons = _validate.array_within("epsilon", epsilon, 0.0, math.inf)
        directions, method, tolerance = _options(direction, method, tolerance)
        threads = _validate.threads(threads)
        points, where = np.unique(epsilons, return_inverse=True)
        if self._asks_renyi(method):
            bounds = self._renyi_log_delta_bounds(points, method)
            lower, upper, served = np.asarray(bounds.lower), np.asarray(bounds.upper), bounds.method
        else:
            aim = _engines.aim_at(tolerance)
            lower, upper, served = _profile(self._terms(), points, directions, method, aim, threads)
        # Relative to the upper side, so that nothing underflows; 1 where delta is 0.
        scaled = [np.exp(np.subtract(x, upper, where=upper > -math.inf, out=np.zeros_like(x))) for x in (lower, upper)]
        _require("delta", scaled[0], scaled[1], tolerance)
        shape = epsilons.shape
        return Bounds(_plain(lower[where].reshape(shape)), _plain(upper[where].reshape(shape)), served)

    @documented_by(log_delta_bounds)
    def log_delta(
        self,
        *,
        epsilon: ArrayLike,
        direction: str | None = None,
        method: str = "auto",
        tolerance: float | None = None,
    ) -> Any:
        """Upper bound on the natural logarithm of delta at epsilon: the upper side of :meth:`log_delta_bounds`.

        Returns
        -------
        float or numpy.ndarray
            -infinity where delta is 0.

        Examples
        --------
        >>> import hockeystick as hs
        >>> print(f"{hs.Gaussian(noise_multiplier=1.0).log_delta(epsilon=100.0):.3f}")
        -4960.255
        """
        return self.log_delta_bounds(epsilon=epsilon, direction=direction, method=method, tolerance=tolerance).upper

    @documented_by(log_delta_bounds)
    def delta_bounds(
        self,
        *,
        epsilon: ArrayLike,
        direction: str | None = None,
        method: str = "auto",
        tolerance: float | None = None,
    ) -> Bounds:
        """Certified bracket of delta(epsilon), the hockey-stick divergence of order e^epsilon.

        Returns
        -------
        Bounds
            Where delta is below the least double, 0 from below and the least double from above;
            :meth:`log_delta_bounds` goes on.

        Examples
        --------
        >>> import hockeystick as hs
        >>> bounds = hs.Gaussian(noise_multiplier=1.0).delta_bounds(epsilon=1.0)
        >>> bounds.lower <= 0.12693673750664397 <= bounds.upper
        True
        """
        logs = self.log_delta_bounds(epsilon=epsilon, direction=direction, method=method, tolerance=tolerance)
        tiny = np.finfo(np.float64).smallest_subnormal
        lower = np.exp(logs.lower) * (1.0 - 4e-16)
        upper = np.minimum(np.exp(logs.upper) * (1.0 + 4e-16), 1.0)
        upper = np.where(np.asarray(logs.upper) == -math.inf, 0.0, np.maximum(upper, tiny))
        return Bounds(_plain(np.asarray(lower)), _plain(upper), logs.method)

    @documented_by(delta_bounds)
    def delta(
        self,
        *,
        epsilon: ArrayLike,
        direction: str | None = None,
        method: str = "auto",
        tolerance: float | None = None,
    ) -> Any:
        """Upper bound on delta at epsilon: the upper side of :meth:`delta_bounds`.

        Returns
        -------
        float or numpy.ndarray

        Examples
        --------
        >>> import hockeystick as hs
        >>> run = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
        >>> print(f"{run.delta(epsilon=8.0):.2e}")
        3.14e-26
        """
        return self.delta_bounds(epsilon=epsilon, direction=direction, method=method, tolerance=tolerance).upper


def _profile(
    terms: Terms,
    epsilons: NDArray[np.float64],
    directions: Sequence[int],
    method: str,
    aim: _engines.Aim,
    threads: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64], str]:
    """Brackets of log delta at increasing epsilons, the last of which may be infinite, and the engine that served."""
    finite = epsilons[np.isfinite(epsilons)]
    lower, upper, served = finite, finite, "closed_form"
    if finite.size:
        lower, upper, served = _engines.log_delta_bounds(terms, finite, directions, method, aim, threads=threads)
    if finite.size == epsilons.size:
        return lower, upper, served
    mass = terms.log_infinity_mass(directions)
    return np.append(lower, mass[0]), np.append(upper, mass[1]), served


def _options(direction: str | None, method: str, tolerance: float | None) -> tuple[list[int], str, float | None]:
    if direction is not None:
        _validate.choice("direction", direction, _validate.DIRECTIONS)
    _validate.choice("method", method, _engines.METHODS)
    if tolerance is not None:
        tolerance = _validate.positive("tolerance", tolerance)
    return _engines.directions_of(direction), method, tolerance


def _why_infinite(terms: Terms, delta: float, directions: list[int]) -> str:
    lower, _ = terms.log_infinity_mass(directions)
    if lower > -math.inf:
        sources = ", ".join(repr(mechanism) for mechanism in terms.infinite_releases())
        return f"no epsilon has a delta below {math.exp(lower):.6g}, the mass at infinity, which {sources} put there"
    if delta == 0.0:
        return "delta is 0, and the privacy loss has no upper limit"
    return "no finite bound could be certified"


def _plain(values: NDArray[np.float64]) -> Any:
    """A float for a scalar question, the array otherwise."""
    return float(values) if values.ndim == 0 else values


def _shaped(values: list[float], shape: tuple[int, ...]) -> Any:
    """A float for a scalar question, an array of the question's shape otherwise."""
    return np.array(values).reshape(shape) if shape else values[0]


def _served(methods: Any) -> str:
    return ", ".join(dict.fromkeys(methods))


def _require(name: str, lower: NDArray[np.float64], upper: NDArray[np.float64], tolerance: float | None) -> None:
    """Raise if a bracket contradicts itself, or if a tolerance was asked for and it is wider."""
    if (lower > upper).any():
        raise _core.AccuracyError(
            f"the bounds on {name} contradict each other: {lower!r} above {upper!r}; please report"
        )
    if tolerance is None:
        return
    with np.errstate(invalid="ignore"):
        width = np.where(upper == lower, 0.0, upper - lower)
        relative = np.where(width == 0.0, 0.0, width / upper)
    relative = np.where(np.isnan(relative), math.inf, relative)
    if (relative > tolerance).any():
        worst = int(np.argmax(relative))
        raise _core.AccuracyError(
            f"{name} can be certified to a relative width of {relative.flat[worst]:.2g} here, tolerance was "
            f"{tolerance:g}; the bracket reached is [{lower.flat[worst]:.17g}, {upper.flat[worst]:.17g}]"
        )
