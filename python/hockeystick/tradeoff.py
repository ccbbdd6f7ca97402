# SPDX-License-Identifier: Apache-2.0
"""The trade-off curve f between false-positive and false-negative rate, bounded from both sides."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _validate

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Columns = tuple[NDArray[np.float64], ...]

_LOWER, _UPPER = 0, 1


@dataclass(frozen=True, slots=True, eq=False)
class TradeoffCurve:
    """Certified bracket of the symmetric trade-off function of a privacy profile.

    f(alpha) is the least false-negative rate that any test with false-positive rate alpha can have when it tells the
    two neighbouring inputs apart; larger f is more private. ``curve(alpha)`` is a lower bound on f, so 1 minus it is
    an upper bound on every attacker's true-positive rate; ``curve.upper(alpha)`` is an upper bound on f.

    The lower curve is convex, non-increasing, symmetric (f is its own inverse) and piecewise linear, and is kept and
    read in the log domain: rates of 1e-200 are numbers. Every rounding is outward. Build one with
    :meth:`from_profile`, or ask a mechanism: ``mechanism.tradeoff()``.

    Attributes
    ----------
    epsilon : numpy.ndarray, shape (n,)
        Points of the profile, increasing from 0.
    log_delta_upper, log_delta_lower : numpy.ndarray, shape (n,)
        Certified bracket of log delta at each, the larger direction.
    relation : str
        The neighbouring relation that it is about.

    Examples
    --------
    >>> import numpy as np
    >>> from hockeystick.tradeoff import TradeoffCurve
    >>> log_delta = np.log([0.2, 1e-300])          # randomized response, the truth with probability 0.6
    >>> curve = TradeoffCurve.from_profile(
    ...     epsilon=[0.0, np.log(1.5)], log_delta_upper=log_delta, log_delta_lower=log_delta, relation="replace")
    >>> print(f"{curve(0.1):.4f} {curve.upper(0.1):.4f} {curve.advantage:.2f}")
    0.8500 0.8500 0.20
    """

    epsilon: NDArray[np.float64]
    log_delta_upper: NDArray[np.float64]
    log_delta_lower: NDArray[np.float64]
    relation: str
    _below: Columns = field(repr=False)
    _above: Columns = field(repr=False)

    @classmethod
    def from_profile(
        cls,
        *,
        epsilon: ArrayLike,
        log_delta_upper: ArrayLike,
        log_delta_lower: ArrayLike | None = None,
        relation: str = "add_remove",
    ) -> TradeoffCurve:
        """Curve of certified points of a profile: delta(epsilon) for the worse direction of the relation.

        Parameters
        ----------
        epsilon : array_like, shape (n,)
            Increasing, the first 0.
        log_delta_upper : array_like, shape (n,)
            Natural log of an upper bound on delta at each; -inf where delta is 0.
        log_delta_lower : array_like, shape (n,), optional
            Natural log of a lower bound; without one nothing is known from that side and the upper curve is 1 - alpha.
        relation : {"add_remove", "replace", "zero_out"}
            Carried along.

        Returns
        -------
        TradeoffCurve

        Raises
        ------
        ValueError, TypeError
            For arrays that are not a profile.

        Notes
        -----
        Lower curve: each point is a line below f and, mirrored in the diagonal, another one; their upper envelope.
        Upper curve: delta is convex in e^epsilon, so that between its points it lies above the extensions of the
        neighbouring chords; the corners of that bound are lines whose envelope lies above f.

        Examples
        --------
        >>> from hockeystick.tradeoff import TradeoffCurve
        >>> TradeoffCurve.from_profile(epsilon=[0.0, 1.0], log_delta_upper=[-1.0, -11.5])(0.25)  # doctest: +ELLIPSIS
        0.382...
        """
        relation = _validate.choice("relation", relation, _validate.RELATIONS)
        columns = [_column("epsilon", epsilon), _column("log_delta_upper", log_delta_upper)]
        if log_delta_lower is None:
            columns.append(np.full_like(columns[1], -np.inf))
        else:
            columns.append(_column("log_delta_lower", log_delta_lower))
        below = _frozen(_core.tradeoff_lower(*columns))
        above = _frozen(_core.tradeoff_upper(*columns))
        epsilons, upper, lower = _frozen(columns)
        return cls(epsilons, upper, lower, relation, below, above)

    def __call__(self, alpha: ArrayLike) -> Any:
        """Lower bound on the false-negative rate at false-positive rate `alpha`: f(alpha) >= this.

        Parameters
        ----------
        alpha : float or array_like
            In [0, 1].

        Returns
        -------
        float or numpy.ndarray
            Of the shape of `alpha`. Relative error of a few hundred units of roundoff below the envelope of the
            profile's lines, never above it.

        Raises
        ------
        ValueError, TypeError
            For `alpha` out of its domain.

        Examples
        --------
        >>> from hockeystick.tradeoff import TradeoffCurve
        >>> curve = TradeoffCurve.from_profile(epsilon=[0.0], log_delta_upper=[-2.0])
        >>> round(curve(0.5), 6)
        0.364665
        """
        log_beta, _ = self._read(_core.tradeoff_points, _LOWER, _validate.array_within("alpha", alpha, 0.0, 1.0))
        return _plain(_exp_down(log_beta))

    def upper(self, alpha: ArrayLike) -> Any:
        """Upper bound on f(alpha): the other side of the bracket.

        Parameters
        ----------
        alpha : float or array_like
            In [0, 1].

        Returns
        -------
        float or numpy.ndarray

        Examples
        --------
        >>> import hockeystick as hs
        >>> curve = hs.Gaussian(noise_multiplier=1.0).tradeoff()
        >>> curve(0.05) <= 0.740488977 <= curve.upper(0.05)
        True
        """
        log_beta, _ = self._read(_core.tradeoff_points, _UPPER, _validate.array_within("alpha", alpha, 0.0, 1.0))
        return _plain(_exp_up(log_beta))

    def inverse(self, beta: ArrayLike) -> Any:
        """Lower bound on the false-positive rate at false-negative rate `beta`; f is its own inverse.

        Parameters
        ----------
        beta : float or array_like
            In [0, 1].

        Returns
        -------
        float or numpy.ndarray
        """
        log_alpha, _ = self._read(_core.tradeoff_points, _LOWER, _validate.array_within("beta", beta, 0.0, 1.0))
        return _plain(_exp_down(log_alpha))

    def tpr(self, alpha: ArrayLike) -> Any:
        """Upper bound on the true-positive rate at false-positive rate `alpha`: 1 - f, with its own relative accuracy.

        Parameters
        ----------
        alpha : float or array_like
            In [0, 1].

        Returns
        -------
        float or numpy.ndarray

        Examples
        --------
        >>> import hockeystick as hs
        >>> print(f"{hs.Gaussian(noise_multiplier=0.4).tradeoff().tpr(0.05):.4f}")     # mu = 2.5
        0.8038
        """
        _, log_tpr = self._read(_core.tradeoff_points, _LOWER, _validate.array_within("alpha", alpha, 0.0, 1.0))
        return _plain(_exp_up(log_tpr))

    def log_fnr(self, *, log_fpr: ArrayLike) -> Any:
        """Lower bound on the log of the false-negative rate at a log false-positive rate (natural logs).

        Parameters
        ----------
        log_fpr : float or array_like
            At most 0.

        Returns
        -------
        float or numpy.ndarray
            -inf where f may be 0.

        Examples
        --------
        >>> from hockeystick.tradeoff import TradeoffCurve
        >>> curve = TradeoffCurve.from_profile(epsilon=[0.0], log_delta_upper=[-2.0])
        >>> print(f"{curve.log_fnr(log_fpr=-460.0):.6f}")
        -0.145413
        """
        return _plain(self._read(_core.tradeoff_points_at_log, _LOWER, _log_rate("log_fpr", log_fpr))[0])

    def log_tpr(self, *, log_fpr: ArrayLike) -> Any:
        """Upper bound on the log of the true-positive rate at a log false-positive rate (natural logs).

        Parameters
        ----------
        log_fpr : float or array_like
            At most 0.

        Returns
        -------
        float or numpy.ndarray
        """
        return _plain(self._read(_core.tradeoff_points_at_log, _LOWER, _log_rate("log_fpr", log_fpr))[1])

    def log_fnr_upper(self, *, log_fpr: ArrayLike) -> Any:
        """Upper bound on the log of f at a log false-positive rate: the other side of :meth:`log_fnr`."""
        return _plain(self._read(_core.tradeoff_points_at_log, _UPPER, _log_rate("log_fpr", log_fpr))[0])

    @property
    def breakpoints(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(log alpha, log beta) of the corners of the lower curve, alpha increasing to the diagonal.

        The corners beyond the diagonal are their mirror images. The polygon through the corners lies below f.
        """
        return self._below[3][::-1], self._below[4][::-1]

    @property
    def advantage(self) -> float:
        """Upper bound on the largest TPR - FPR, which is delta(0), the total variation distance."""
        return min(1.0, math.nextafter(math.exp(self._below[1][0]), math.inf))

    def _read(self, function: Any, side: int, values: NDArray[np.float64]) -> tuple[Any, Any]:
        columns = self._below if side == _LOWER else self._above
        log_beta, log_tpr = function(columns, side, np.ascontiguousarray(values.reshape(-1)))
        return log_beta.reshape(values.shape), log_tpr.reshape(values.shape)


def _column(name: str, value: ArrayLike) -> NDArray[np.float64]:
    array = _validate.numeric_array(name, value)
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got {array.ndim} dimensions")
    return np.array(array, dtype=np.float64, order="C")


def _log_rate(name: str, value: ArrayLike) -> NDArray[np.float64]:
    array = _validate.numeric_array(name, value)
    if (array > 0.0).any():
        raise ValueError(f"{name} must be at most 0, got {float(array.max())!r}")
    return array


def _frozen(columns: Any) -> Columns:
    for column in columns:
        column.flags.writeable = False
    return tuple(columns)


# exp of NumPy errs by less than 2 units in the last place (its own tests), so two steps outward are enough.
def _exp_down(logs: Any) -> Any:
    with np.errstate(under="ignore"):
        return np.maximum(np.nextafter(np.nextafter(np.exp(logs), -1.0), -1.0), 0.0)


def _exp_up(logs: Any) -> Any:
    with np.errstate(under="ignore"):
        values = np.exp(logs)
    return np.where(logs == -np.inf, 0.0, np.minimum(np.nextafter(np.nextafter(values, 2.0), 2.0), 1.0))


def _plain(values: Any) -> Any:
    """A float for a scalar question, an array for an array."""
    return float(values) if np.ndim(values) == 0 else values
