# SPDX-License-Identifier: Apache-2.0
"""What a mechanism answers about its trade-off curve and its mu."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _engines, _validate
from .gdp import GDPFit, fit_gdp
from .renyi.questions import RenyiQuestions
from .tradeoff import TradeoffCurve

if TYPE_CHECKING:
    from ._terms import Terms


class Curves(RenyiQuestions):
    """Mixin: the trade-off curve of a subclass and what is read off it."""

    __slots__ = ()

    @property
    def relation(self) -> str:
        """The neighbouring relation that every number refers to."""
        raise NotImplementedError

    def _terms(self) -> Terms:
        raise NotImplementedError

    def tradeoff(self, *, fpr_floor: float = 1e-15, method: str = "auto") -> TradeoffCurve:
        """Certified trade-off curve f: the least false-negative rate at every false-positive rate.

        The curve is the upper envelope of the lines 1 - delta - e^epsilon alpha of certified profile points and their
        mirror images: a convex, symmetric, piecewise linear lower bound of f. Larger f is more private.

        Parameters
        ----------
        fpr_floor : float
            How far down the false-positive axis the curve is to be tight, to 1e-300; below it the last line, still a
            bound, goes on. In (0, 0.5).
        method : str
            See :meth:`epsilon_bounds`.

        Returns
        -------
        TradeoffCurve

        Examples
        --------
        >>> import hockeystick as hs
        >>> run = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
        >>> print(f"{run.tradeoff()(0.05):.3f}")
        0.889
        """
        return self._curve(_floor(fpr_floor), method)

    def gdp(self, *, fpr_floor: float = 1e-10, delta0: float | None = None, method: str = "auto") -> GDPFit:
        """Tightest Gaussian-DP number mu, certified from above, with its regret.

        The least mu with f_mu <= f wherever both rates are at least `fpr_floor`, rounded up, with the residual that it
        implies below the floor. mu means nothing without its floor: for subsampled Gaussians it grows without bound of
        its own towards ``literal`` as the floor falls.

        Parameters
        ----------
        fpr_floor : float
            In (0, 0.5).
        delta0 : float, optional
            Gives the floor-free form too: delta(eps) <= delta0 + (1 - delta0) Gd(eps; mu) for all eps.
        method : str
            See :meth:`epsilon_bounds`.

        Returns
        -------
        GDPFit

        Examples
        --------
        >>> import hockeystick as hs
        >>> run = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
        >>> print(f"{run.gdp().mu:.3f}")
        0.522
        """
        fpr_floor = _floor(fpr_floor)
        least = min(fpr_floor, delta0) if delta0 else fpr_floor
        return fit_gdp(self._curve(least, method), fpr_floor=fpr_floor, delta0=delta0, literal=self._literal_mu())

    def _literal_mu(self) -> float:
        """Return an upper bound on the mu that holds for the whole curve; infinity where there is none."""
        if self.renyi_only:
            return math.inf
        terms = self._terms()
        return math.inf if not terms.noise_multipliers.all() else terms.gaussian_mu * (1.0 + 4e-16)

    def _curve(self, fpr_floor: float, method: str) -> TradeoffCurve:
        _validate.choice("method", method, _engines.METHODS)
        if self._asks_renyi(method):
            return self._renyi_tradeoff(fpr_floor)
        terms = self._terms()
        if terms.is_empty or not terms.noise_multipliers.all():
            epsilons = np.array([0.0])
        else:
            # Where the false-positive rate is at the floor, delta is smaller by about mu over its quantile.
            scale = min(terms.limit_mu_estimate, 1.0)
            epsilons = _engines.profile_grid(terms, math.log(fpr_floor) - 4.0 + math.log(scale))
        lower, upper, _ = _engines.log_delta_bounds(terms, epsilons, [0, 1], method, None)
        return TradeoffCurve.from_profile(
            epsilon=epsilons, log_delta_upper=upper, log_delta_lower=lower, relation=self.relation
        )


def _floor(fpr_floor: Any) -> float:
    number = _validate.real("fpr_floor", fpr_floor)
    if not 0.0 < number < 0.5:
        raise ValueError(f"fpr_floor must be in (0, 0.5), got {fpr_floor!r}")
    return number
