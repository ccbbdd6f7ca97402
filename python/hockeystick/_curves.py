# SPDX-License-Identifier: Apache-2.0
"""What a mechanism answers about its trade-off curve and its mu."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _engines, _validate
from ._adaptive import CURVE_TOLERANCE, CertifiedCurve, ProfileQuestion, fitted, gaussian_curve
from ._docs import documented_by
from .gdp import GDPFit, GDPTable, fit_gdp
from .renyi.questions import RenyiQuestions
from .risks import Risks

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike

    from ._terms import Terms
    from .tradeoff import TradeoffCurve

# A rate of 0 is read from a curve that is tight down to here.
_FLOOR_OF_ZERO = 1e-15


class Curves(RenyiQuestions, Risks):
    """Mixin: the trade-off curve of a subclass and what is read off it."""

    __slots__ = ()

    def _terms(self) -> Terms:
        raise NotImplementedError

    def tradeoff(
        self, *, fpr_floor: float = 1e-15, tolerance: float = CURVE_TOLERANCE, method: str = "auto"
    ) -> TradeoffCurve:
        """Certified trade-off curve f: the least false-negative rate at every false-positive rate.

        The curve is the upper envelope of the lines 1 - delta - e^epsilon alpha of certified profile points and their
        mirror images: a convex, symmetric, piecewise linear lower bound of f. Larger f is more private.

        Parameters
        ----------
        fpr_floor : float
            How far down the false-positive axis the curve is to be tight, to 1e-300; below it the last line, still a
            bound, goes on. In (0, 0.5).
        tolerance : float
            Width of the bracket aimed at above the floor, in log FNR and in log TPR. Points are added where it is
            wider; the engine's own brackets may keep it wider still.
        method : str
            See :meth:`~hockeystick.Mechanism.epsilon_bounds`.

        Returns
        -------
        TradeoffCurve

        Raises
        ------
        ValueError, TypeError
            For arguments out of their domain.
        AccuracyError
            If `method` names an engine that cannot certify the profile.

        Examples
        --------
        >>> import hockeystick as hs
        >>> run = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
        >>> print(f"{run.tradeoff()(0.05):.3f}")
        0.889
        """
        tolerance = _validate.positive("tolerance", tolerance)
        fpr_floor = _validate.floor(fpr_floor)
        _validate.choice("method", method, _engines.METHODS)
        if self._asks_renyi(method):
            return self._renyi_tradeoff(fpr_floor, method)
        exact = self._exact_mu(method)
        if exact is not None:
            return gaussian_curve(exact, relation=self.relation, fpr_floor=fpr_floor, tolerance=tolerance)
        return self._grown(fpr_floor, method).refined(_core.curve_refinement, tolerance)

    @documented_by(tradeoff)
    def gdp(self, *, fpr_floor: float = 1e-10, delta0: float | None = None, method: str = "auto") -> GDPFit:
        """Tightest Gaussian-DP number mu, certified from above and from below, with its regret.

        The least mu with f_mu <= f wherever both rates are at least `fpr_floor`, rounded up, with the residual that it
        implies below the floor. mu means nothing without its floor: for subsampled Gaussians it grows without bound of
        its own towards ``literal`` as the floor falls.

        Parameters
        ----------
        fpr_floor : float
            In (0, 0.5).
        delta0 : float, optional
            Gives the floor-free form too: delta(eps) <= delta0 + (1 - delta0) Gd(eps; mu) for all eps.

        Returns
        -------
        GDPFit

        Examples
        --------
        >>> import hockeystick as hs
        >>> run = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
        >>> fit = run.gdp()
        >>> print(f"{fit.mu:.5f} {fit.mu_lower:.5f} {fit.regret:.4f}")
        0.52220 0.52220 0.0453
        """
        fpr_floor = _validate.floor(fpr_floor)
        if delta0 is not None:
            delta0 = _validate.inner_probability("delta0", delta0)
        _validate.choice("method", method, _engines.METHODS)

        def fit(curve: TradeoffCurve) -> GDPFit:
            return fit_gdp(curve, fpr_floor=fpr_floor, delta0=delta0)

        if self._asks_renyi(method):
            return fit(self._renyi_tradeoff(min(fpr_floor, delta0 or 1.0), method))
        exact = self._exact_mu(method)
        if exact is not None:
            return fit(gaussian_curve(exact, relation=self.relation, fpr_floor=fpr_floor))
        return fitted(self._grown(fpr_floor, method), delta0, fit)

    @documented_by(tradeoff)
    def gdp_table(
        self, *, fpr_floors: Iterable[float] = (1e-3, 1e-6, 1e-8, 1e-10, 1e-12), method: str = "auto"
    ) -> GDPTable:
        """How mu, its residual and its regret move with the floor: one :meth:`gdp` a floor.

        Parameters
        ----------
        fpr_floors : iterable of float
            Each in (0, 0.5).

        Returns
        -------
        GDPTable

        Examples
        --------
        >>> import hockeystick as hs
        >>> run = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
        >>> [f"{fit.mu:.3f}" for fit in run.gdp_table(fpr_floors=[1e-3, 1e-6]).fits]
        ['0.444', '0.474']
        """
        return GDPTable(fits=tuple(self.gdp(fpr_floor=floor, method=method) for floor in fpr_floors))

    @documented_by(Risks.likelihood_ratio)
    def tpr(self, fpr: ArrayLike) -> Any:
        """Upper bound on the true-positive rate of every membership test at false-positive rate `fpr`: 1 - f(fpr).

        Parameters
        ----------
        fpr : float or array_like
            In [0, 1].

        Examples
        --------
        >>> import hockeystick as hs
        >>> print(f"{hs.Gaussian(noise_multiplier=0.4).tpr(0.05):.3f}")     # mu = 2.5
        0.804
        """
        rates = _validate.array_within("fpr", fpr, 0.0, 1.0)
        least = float(np.where(rates == 0.0, _FLOOR_OF_ZERO, rates).min(initial=0.25))
        return self.tradeoff(fpr_floor=max(least, 1e-300)).tpr(fpr)

    def _exact_mu(self, method: str) -> tuple[float, float] | None:
        """Bracket of mu where the mechanism is a Gaussian and a closed form may serve; None otherwise."""
        terms = self._terms()
        if method not in ("auto", "closed_form") or not terms.is_gaussian:
            return None
        return terms.gaussian_mu_bounds

    def _grown_or_none(self, fpr_floor: float) -> CertifiedCurve | None:
        """Return a curve that can be asked for more points; None where it comes whole (a Gaussian, a Renyi curve)."""
        if self._asks_renyi("auto") or self._exact_mu("auto") is not None:
            return None
        return self._grown(fpr_floor, "auto")

    def _grown(self, fpr_floor: float, method: str) -> CertifiedCurve:
        terms = self._terms()
        _, end, _ = _engines.epsilon_bounds(terms, -math.inf, [0, 1], "auto", _engines.CURVE_POINT)
        literal = terms.literal_mu_upper
        return CertifiedCurve(
            ProfileQuestion(terms, method),
            relation=self.relation,
            fpr_floor=fpr_floor,
            end=end,
            literal=math.inf if literal is None else literal,
        )
