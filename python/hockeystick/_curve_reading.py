# SPDX-License-Identifier: Apache-2.0
"""Reading a trade-off curve: rates against rates, and back to (epsilon, delta)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _validate
from ._docs import documented_by
from .bounds import Bounds

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Columns = tuple[NDArray[np.float64], ...]

_LOWER, _UPPER = 0, 1


class CurveReading:
    """Mixin: both sides of a certified curve, kept as lines and corners in the log domain."""

    __slots__ = ()

    _below: Columns
    _above: Columns

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
        return _plain(_exp_down(self._rates(_LOWER, "alpha", alpha)[0]))

    @documented_by(__call__)
    def upper(self, alpha: ArrayLike) -> Any:
        """Upper bound on f(alpha): the other side of the bracket.

        Returns
        -------
        float or numpy.ndarray
            Of the shape of `alpha`.

        Examples
        --------
        >>> import hockeystick as hs
        >>> curve = hs.Gaussian(noise_multiplier=1.0).tradeoff()
        >>> curve(0.05) <= 0.740488977 <= curve.upper(0.05)
        True
        """
        return _plain(_exp_up(self._rates(_UPPER, "alpha", alpha)[0]))

    @documented_by(__call__)
    def inverse(self, beta: ArrayLike) -> Any:
        """Lower bound on the false-positive rate at false-negative rate `beta`; f is its own inverse.

        Parameters
        ----------
        beta : float or array_like
            In [0, 1].

        Returns
        -------
        float or numpy.ndarray
            Of the shape of `beta`.

        Examples
        --------
        >>> import hockeystick as hs
        >>> curve = hs.Gaussian(noise_multiplier=1.0).tradeoff()
        >>> print(f"{curve.inverse(curve(0.05)):.6f}")
        0.050000
        """
        return _plain(_exp_down(self._rates(_LOWER, "beta", beta)[0]))

    @documented_by(__call__)
    def tpr(self, fpr: ArrayLike) -> Any:
        """Upper bound on the true-positive rate at false-positive rate `fpr`: 1 - f, with its own relative accuracy.

        Parameters
        ----------
        fpr : float or array_like
            In [0, 1].

        Returns
        -------
        float or numpy.ndarray
            Of the shape of `fpr`.

        Examples
        --------
        >>> import hockeystick as hs
        >>> print(f"{hs.Gaussian(noise_multiplier=0.4).tradeoff().tpr(0.05):.4f}")     # mu = 2.5
        0.8038
        """
        return _plain(_exp_up(self._rates(_LOWER, "fpr", fpr)[1]))

    def log_fnr(self, *, log_fpr: ArrayLike) -> Any:
        """Lower bound on the log of the false-negative rate at a log false-positive rate (natural logs).

        Parameters
        ----------
        log_fpr : float or array_like
            At most 0.

        Returns
        -------
        float or numpy.ndarray
            Of the shape of `log_fpr`; -inf where the rate may be 0.

        Raises
        ------
        ValueError, TypeError
            For arguments out of their domain.

        Examples
        --------
        >>> from hockeystick.tradeoff import TradeoffCurve
        >>> curve = TradeoffCurve.from_profile(epsilon=[0.0], log_delta_upper=[-2.0])
        >>> print(f"{curve.log_fnr(log_fpr=-460.0):.6f}")
        -0.145413
        """
        return _plain(self._log_rates(_LOWER, log_fpr)[0])

    @documented_by(log_fnr)
    def log_fnr_upper(self, *, log_fpr: ArrayLike) -> Any:
        """Upper bound on the log of f at a log false-positive rate: the other side of :meth:`log_fnr`.

        Examples
        --------
        >>> import hockeystick as hs
        >>> curve = hs.Gaussian(noise_multiplier=1.0).tradeoff()
        >>> curve.log_fnr(log_fpr=-3.0) <= -0.299540512 <= curve.log_fnr_upper(log_fpr=-3.0)
        True
        """
        return _plain(self._log_rates(_UPPER, log_fpr)[0])

    @documented_by(log_fnr)
    def log_tpr(self, *, log_fpr: ArrayLike) -> Any:
        """Upper bound on the log of the true-positive rate at a log false-positive rate (natural logs).

        Examples
        --------
        >>> import hockeystick as hs
        >>> curve = hs.Gaussian(noise_multiplier=1.0).tradeoff(fpr_floor=1e-200)
        >>> print(f"{curve.log_tpr(log_fpr=-450.0):.2f}")
        -420.61
        """
        return _plain(self._log_rates(_LOWER, log_fpr)[1])

    @documented_by(log_tpr)
    def log_tpr_lower(self, *, log_fpr: ArrayLike) -> Any:
        """Lower bound on the log of the best test's true-positive rate: the other side of :meth:`log_tpr`.

        Examples
        --------
        >>> import hockeystick as hs
        >>> curve = hs.Gaussian(noise_multiplier=1.0).tradeoff()
        >>> curve.log_tpr_lower(log_fpr=-3.0) <= curve.log_tpr(log_fpr=-3.0)
        True
        """
        return _plain(self._log_rates(_UPPER, log_fpr)[1])

    @property
    def breakpoints(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(log alpha, log beta) of the corners of the lower curve, alpha increasing to the diagonal.

        The corners beyond the diagonal are their mirror images. The polygon through the corners lies below f.
        """
        return self._below[3][::-1], self._below[4][::-1]

    @property
    def supporting_lines(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(epsilon, log delta) of the lines 1 - delta - e^epsilon alpha that the lower curve is the envelope of.

        Epsilon increases from 0. Each line, and its mirror image in the diagonal, lies below f everywhere: it says that
        the mechanism is (epsilon, delta)-DP.
        """
        return self._below[0], self._below[1]

    def log_delta_bounds(self, *, epsilon: ArrayLike) -> Bounds:
        """Bracket of the natural log of delta(epsilon) = sup over alpha of 1 - f(alpha) - e^epsilon alpha.

        Parameters
        ----------
        epsilon : float or array_like
            At least 0; infinity gives the mass at infinity.

        Returns
        -------
        Bounds
            Upper from the lower curve, lower from the upper curve; both exact conjugates, rounded outward.

        Raises
        ------
        ValueError, TypeError
            For arguments out of their domain.

        Examples
        --------
        >>> import hockeystick as hs
        >>> bounds = hs.Gaussian(noise_multiplier=1.0).tradeoff().log_delta_bounds(epsilon=1.0)
        >>> bounds.lower <= -2.06406644650039 <= bounds.upper
        True
        """
        return self._conjugate(_core.tradeoff_log_deltas, _validate.array_within("epsilon", epsilon, 0.0, np.inf))

    @documented_by(log_delta_bounds)
    def delta_bounds(self, *, epsilon: ArrayLike) -> Bounds:
        """Bracket of delta(epsilon) = sup over alpha of 1 - f(alpha) - e^epsilon alpha; see :meth:`log_delta_bounds`.

        Examples
        --------
        >>> import hockeystick as hs
        >>> bounds = hs.Gaussian(noise_multiplier=1.0).tradeoff().delta_bounds(epsilon=1.0)
        >>> bounds.lower <= 0.12693673750664397 <= bounds.upper
        True
        """
        logs = self.log_delta_bounds(epsilon=epsilon)
        return Bounds(_plain(_exp_down(logs.lower)), _plain(_exp_up(logs.upper)), logs.method)

    @documented_by(delta_bounds)
    def delta(self, *, epsilon: ArrayLike) -> Any:
        """Upper bound on delta(epsilon): the upper side of :meth:`delta_bounds`.

        Returns
        -------
        float or numpy.ndarray
            Of the shape of `epsilon`.

        Examples
        --------
        >>> import hockeystick as hs
        >>> print(f"{hs.Gaussian(noise_multiplier=1.0).tradeoff().delta(epsilon=1.0):.4f}")
        0.1269
        """
        return self.delta_bounds(epsilon=epsilon).upper

    @documented_by(log_delta_bounds)
    def log_delta(self, *, epsilon: ArrayLike) -> Any:
        """Upper bound on the natural log of delta(epsilon): the upper side of :meth:`log_delta_bounds`.

        Returns
        -------
        float or numpy.ndarray
            Of the shape of `epsilon`.

        Examples
        --------
        >>> import hockeystick as hs
        >>> print(f"{hs.Gaussian(noise_multiplier=1.0).tradeoff().log_delta(epsilon=1.0):.4f}")
        -2.0641
        """
        return self.log_delta_bounds(epsilon=epsilon).upper

    @documented_by(log_delta_bounds)
    def epsilon_bounds(self, *, delta: ArrayLike) -> Bounds:
        """Bracket of the least epsilon >= 0 at which the curve's delta is at most `delta`.

        Parameters
        ----------
        delta : float or array_like
            In [0, 1].

        Returns
        -------
        Bounds
            Upper from the lower curve: infinite where its lines do not reach down to `delta`.

        Examples
        --------
        >>> import hockeystick as hs
        >>> bounds = hs.Gaussian(noise_multiplier=1.0).tradeoff().epsilon_bounds(delta=1e-5)
        >>> bounds.lower <= 4.377178095681225 <= bounds.upper
        True
        """
        deltas = _validate.array_within("delta", delta, 0.0, 1.0)
        with np.errstate(divide="ignore"):
            logs = np.log(deltas)
        # The log is right to half a unit in its last place; delta taken a little smaller and larger covers it.
        shift = 4.0 * np.finfo(np.float64).eps * np.maximum(1.0, np.abs(np.where(np.isinf(logs), 0.0, logs)))
        return self._conjugate(_core.tradeoff_epsilons, logs - shift, np.minimum(logs + shift, 0.0))

    @documented_by(epsilon_bounds)
    def epsilon(self, *, delta: ArrayLike) -> Any:
        """Upper bound on epsilon at `delta`: the upper side of :meth:`epsilon_bounds`.

        Returns
        -------
        float or numpy.ndarray
            Of the shape of `delta`.

        Examples
        --------
        >>> import hockeystick as hs
        >>> print(f"{hs.Gaussian(noise_multiplier=1.0).tradeoff().epsilon(delta=1e-5):.3f}")
        4.377
        """
        return self.epsilon_bounds(delta=delta).upper

    def _conjugate(self, function: Any, at: NDArray[np.float64], at_lower: NDArray[np.float64] | None = None) -> Bounds:
        lower_at = at if at_lower is None else at_lower
        upper = function(self._below, _LOWER, np.ascontiguousarray(at.reshape(-1))).reshape(at.shape)
        lower = function(self._above, _UPPER, np.ascontiguousarray(lower_at.reshape(-1))).reshape(at.shape)
        return Bounds(_plain(np.minimum(lower, upper)), _plain(upper), "curve")

    def _rates(self, side: int, name: str, value: ArrayLike) -> tuple[Any, Any]:
        return self._read(_core.tradeoff_points, side, _validate.array_within(name, value, 0.0, 1.0))

    def _log_rates(self, side: int, log_fpr: ArrayLike) -> tuple[Any, Any]:
        array = _validate.numeric_array("log_fpr", log_fpr)
        if (array > 0.0).any():
            raise ValueError(f"log_fpr must be at most 0, got {float(array.max())!r}")
        return self._read(_core.tradeoff_points_at_log, side, array)

    def _read(self, function: Any, side: int, values: NDArray[np.float64]) -> tuple[Any, Any]:
        columns = self._below if side == _LOWER else self._above
        log_beta, log_tpr = function(columns, side, np.ascontiguousarray(values.reshape(-1)))
        return log_beta.reshape(values.shape), log_tpr.reshape(values.shape)


# exp of NumPy errs by less than 2 units in the last place (its own tests), so two steps outward are enough.
def _exp_down(logs: Any) -> Any:
    with np.errstate(under="ignore"):
        return np.maximum(np.nextafter(np.nextafter(np.exp(logs), -1.0), -1.0), 0.0)


def _exp_up(logs: Any) -> Any:
    with np.errstate(under="ignore"):
        values = np.exp(logs)
    return np.where(np.equal(logs, -np.inf), 0.0, np.minimum(np.nextafter(np.nextafter(values, 2.0), 2.0), 1.0))


def _plain(values: Any) -> Any:
    """A float for a scalar question, an array for an array."""
    return float(values) if np.ndim(values) == 0 else values
