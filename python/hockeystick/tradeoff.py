# SPDX-License-Identifier: Apache-2.0
"""The trade-off curve f between false-positive and false-negative rate, bounded from both sides."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from . import _core, _curve_sources, _validate
from ._curve_reading import CurveReading
from .risks import Risks

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike, NDArray

    from ._curve_sources import LossTable
    from .gdp import GDPFit, GDPTable

    Columns = tuple[NDArray[np.float64], ...]


@dataclass(frozen=True, slots=True, eq=False)
class TradeoffCurve(CurveReading, Risks):
    """Certified bracket of the symmetric trade-off function of a privacy profile.

    f(alpha) is the least false-negative rate that any test with false-positive rate alpha can have when it tells the
    two neighbouring inputs apart; larger f is more private. ``curve(alpha)`` is a lower bound on f, so 1 minus it is
    an upper bound on every attacker's true-positive rate; ``curve.upper(alpha)`` is an upper bound on f.

    The lower curve is convex, non-increasing, symmetric (f is its own inverse) and piecewise linear, and is kept and
    read in the log domain: rates of 1e-300 are numbers. Every rounding is outward. Ask a mechanism,
    ``mechanism.tradeoff()``, or build one with :meth:`from_profile`, :meth:`from_points`, :meth:`from_pmfs`,
    :meth:`from_distributions` or :meth:`gaussian`.

    Attributes
    ----------
    relation : str
        The neighbouring relation that it is about.
    literal : float
        An upper bound, known from elsewhere, on the least mu with f_mu <= f everywhere; infinite if none is.
    gaussian_mu : tuple of float or None
        Bracket of mu if f is exactly the curve of a Gaussian.

    Examples
    --------
    >>> import numpy as np
    >>> from hockeystick.tradeoff import TradeoffCurve
    >>> log_delta = np.log([0.2, 1e-300])          # randomized response, the truth with probability 0.6
    >>> curve = TradeoffCurve.from_profile(
    ...     epsilon=[0.0, np.log(1.5)], log_delta_upper=log_delta, log_delta_lower=log_delta, relation="replace")
    >>> print(f"{curve(0.1):.4f} {curve.upper(0.1):.4f} {curve.advantage():.2f}")
    0.8500 0.8500 0.20
    """

    relation: str
    _profile: Columns = field(repr=False)
    _linear: bool = field(repr=False)
    _below: Columns = field(repr=False)
    _above: Columns = field(repr=False)
    literal: float = math.inf
    gaussian_mu: tuple[float, float] | None = None

    @classmethod
    def from_profile(
        cls,
        *,
        epsilon: ArrayLike,
        log_delta_upper: ArrayLike,
        log_delta_lower: ArrayLike | None = None,
        log_complement_lower: ArrayLike | None = None,
        log_complement_upper: ArrayLike | None = None,
        relation: str = "add_remove",
        literal: float = math.inf,
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
        log_complement_lower, log_complement_upper : array_like, shape (n,), optional
            Bounds on log(1 - delta), which say what log delta cannot where delta is near 1 (mu beyond 75 or so).
        relation : {"add_remove", "replace", "zero_out"}
            Carried along.
        literal : float
            An upper bound, known from elsewhere, on the least mu with f_mu <= f everywhere.

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
        upper = _curve_sources.column("log_delta_upper", log_delta_upper)
        nothing = np.full_like(upper, -np.inf)
        columns = (
            _curve_sources.column("epsilon", epsilon),
            upper,
            nothing if log_delta_lower is None else _curve_sources.column("log_delta_lower", log_delta_lower),
            _curve_sources.optional_column("log_complement_lower", log_complement_lower),
            _curve_sources.optional_column("log_complement_upper", log_complement_upper),
        )
        return cls._of_columns(columns, False, relation, literal=literal)

    @classmethod
    def from_points(
        cls,
        *,
        fpr: ArrayLike,
        fnr: ArrayLike | None = None,
        tpr: ArrayLike | None = None,
        meaning: str = "polygon",
        relation: str = "add_remove",
    ) -> TradeoffCurve:
        """Curve of tabulated operating points, pooled with their mirror images under one convex hull.

        Two operations make a set of points a trade-off function. **Convex hull**: mixing two tests by a coin gives
        every point on the segment between them, so f lies at or below all segments. **Symmetrisation**: a test of P
        against Q, read backwards, is one of Q against P with both error rates exchanged; where the relation holds in
        both directions the guarantee is the hull of min(f, f^{-1}). It is never max(f, f^{-1}), which would claim the
        better direction's privacy for the worse one.

        Parameters
        ----------
        fpr : array_like, shape (n,)
            False-positive rates.
        fnr, tpr : array_like, shape (n,)
            One of the two; `tpr` keeps the digits of small true-positive rates, `fnr` those of small misses.
        meaning : {"polygon", "samples", "tests"}
            What the points are known to be.
            ``"polygon"``: the vertices of f, which is linear between them; both sides of the curve are that polygon.
            ``"samples"``: single points on some convex f. Between them the upper side is the chord and the lower side
            the polygon of the crossings of the neighbouring chords: a table of f certifies no more.
            ``"tests"``: tests that exist. They bound f from above only; the lower side is 0.
        relation : {"add_remove", "replace", "zero_out"}
            Carried along.

        Returns
        -------
        TradeoffCurve

        Raises
        ------
        ValueError, TypeError
            For points that are no rates, or both or neither of `fnr` and `tpr`.

        Examples
        --------
        >>> from hockeystick.tradeoff import TradeoffCurve
        >>> curve = TradeoffCurve.from_points(fpr=[0.0, 0.1, 1.0], fnr=[1.0, 0.5, 0.0])
        >>> print(f"{curve(0.1):.2f} {curve(0.5):.2f}")        # the mirror image: FNR 0.1 at FPR 0.5
        0.50 0.10
        """
        rates, rates_tpr = _curve_sources.rates(fpr, fnr, tpr)
        meaning = _validate.choice("meaning", meaning, ("polygon", "samples", "tests"))
        seen = _curve_sources.tests_profile(*rates)
        if meaning == "polygon":
            return cls._of_columns(seen, True, relation)
        if meaning == "tests":
            below = (np.zeros(1), np.zeros(1), np.full(1, -np.inf), np.zeros(0), np.zeros(0))
            return cls._of_sides(below, seen, relation)
        return cls._of_sides(_curve_sources.samples_profile(rates[0], rates_tpr), seen, relation)

    @classmethod
    def from_pmfs(
        cls,
        *,
        remove: LossTable,
        add: LossTable | None = None,
        pessimistic: bool = True,
        relation: str = "add_remove",
    ) -> TradeoffCurve:
        """Curve of tabulated privacy loss distributions, one per direction, as other libraries hold them.

        Parameters
        ----------
        remove : tuple of (losses, masses, infinity_mass)
            P masses at increasing finite losses log dP/dQ, and the P mass at infinity.
        add : tuple of (losses, masses, infinity_mass), optional
            The other direction; None if it is the same (a symmetric loss distribution).
        pessimistic : bool
            Whether the tables dominate the mechanism (the usual case): then they bound f from below only, and the
            upper curve is trivial. False takes them for the loss distributions themselves.
        relation : {"add_remove", "replace", "zero_out"}
            Carried along.

        Returns
        -------
        TradeoffCurve

        Raises
        ------
        ValueError, TypeError
            For arrays that are no distribution.

        Notes
        -----
        delta(epsilon) = infinity_mass + sum over losses above epsilon of (1 - e^{epsilon - loss}) mass, for epsilon >= 0
        alone: masses at negative losses, where the noise of a transform would be multiplied by e^{-loss}, are not used,
        nothing is renormalised, and both rates of every test come from the same table.

        Examples
        --------
        >>> from hockeystick.tradeoff import TradeoffCurve
        >>> import numpy as np
        >>> table = (np.log([1 / 1.5, 1.5]), np.array([0.4, 0.6]), 0.0)          # randomized response
        >>> print(f"{TradeoffCurve.from_pmfs(remove=table, pessimistic=False)(0.1):.4f}")
        0.8500
        """
        columns = _curve_sources.tables_profile(remove, remove if add is None else add)
        if not isinstance(pessimistic, bool):
            raise TypeError(f"pessimistic must be True or False, got {pessimistic!r}")
        if pessimistic:
            columns = (*columns[:2], np.full_like(columns[2], -np.inf), columns[3], np.zeros(0))
        return cls._of_columns(columns, False, relation)

    @classmethod
    def from_distributions(cls, *, p: ArrayLike, q: ArrayLike, relation: str = "add_remove") -> TradeoffCurve:
        """Curve of telling P from Q, both given as masses over the same finite outcomes.

        The likelihood-ratio tests are the vertices of f, which is linear between them; the tests of Q against P are
        their mirror images.

        Parameters
        ----------
        p, q : array_like, shape (n,)
            Masses, each adding up to 1; outcomes that only one of them has are mass at infinity.
        relation : {"add_remove", "replace", "zero_out"}
            Carried along.

        Returns
        -------
        TradeoffCurve

        Raises
        ------
        ValueError, TypeError
            For arrays that are no distributions.

        Examples
        --------
        >>> from hockeystick.tradeoff import TradeoffCurve
        >>> print(f"{TradeoffCurve.from_distributions(p=[0.6, 0.4], q=[0.4, 0.6])(0.2):.4f}")
        0.7000
        """
        columns = _core.profile_of_distributions(*_curve_sources.log_masses(p, q))
        return cls._of_columns(columns, True, relation)

    @classmethod
    def gaussian(
        cls, *, mu: ArrayLike, fpr_floor: float = 1e-15, tolerance: float = 1e-4, relation: str = "add_remove"
    ) -> TradeoffCurve:
        """Curve of a Gaussian, or of the tensor product of several: f_mu1 (x) f_mu2 ... = f_mu, mu^2 = sum of mu_i^2.

        The tensor product is the trade-off function of answering with all of them: composition.

        Parameters
        ----------
        mu : float or array_like
            At least 0; sensitivity over noise.
        fpr_floor : float
            How far down the false-positive axis the bracket is to be tight; to 1e-300.
        tolerance : float
            Width of the bracket aimed at, in log TPR and log FNR above the floor.
        relation : {"add_remove", "replace", "zero_out"}
            Carried along.

        Returns
        -------
        TradeoffCurve

        Raises
        ------
        ValueError, TypeError
            For arguments out of their domain.

        Examples
        --------
        >>> from hockeystick.tradeoff import TradeoffCurve
        >>> curve = TradeoffCurve.gaussian(mu=[0.3, 0.4])
        >>> print(f"{curve.gdp().mu:.12f} {curve(0.05):.4f}")
        0.500000000000 0.8739
        """
        from ._adaptive import gaussian_curve

        mus = _validate.array_within("mu", mu, 0.0, math.inf)
        root = math.sqrt(math.fsum(x * x for x in mus.flat)) if mus.size > 1 else float(mus.flat[0])
        spread = 4e-16 if mus.size > 1 else 0.0
        return gaussian_curve(
            (root * (1.0 - spread), root * (1.0 + spread)),
            relation=_validate.choice("relation", relation, _validate.RELATIONS),
            fpr_floor=_validate.floor(fpr_floor),
            tolerance=_validate.positive("tolerance", tolerance),
        )

    @classmethod
    def worst_of(cls, curves: Iterable[TradeoffCurve]) -> TradeoffCurve:
        """Curve of a mechanism that may be any one of several: the convex hull of their minimum (the larger delta).

        Parameters
        ----------
        curves : iterable of TradeoffCurve
            At least one; all under one relation.

        Returns
        -------
        TradeoffCurve

        Raises
        ------
        ValueError
            For no curve, or curves under several relations.

        Examples
        --------
        >>> import hockeystick as hs
        >>> curves = [hs.Gaussian(noise_multiplier=1.0).tradeoff(), hs.PureDP(epsilon=1.0).tradeoff()]
        >>> worst = hs.TradeoffCurve.worst_of(curves)
        >>> bool(worst(0.05) <= min(curve.upper(0.05) for curve in curves))
        True
        """
        return cls._combined(curves, np.maximum)

    @classmethod
    def best_of(cls, curves: Iterable[TradeoffCurve]) -> TradeoffCurve:
        """Curve of one mechanism for which each of several was proved: their maximum (every line of each holds).

        Parameters
        ----------
        curves : iterable of TradeoffCurve
            At least one; all under one relation, and all about the same mechanism.

        Returns
        -------
        TradeoffCurve

        Raises
        ------
        ValueError
            For no curve, curves under several relations, or some that contradict each other: one's delta is certainly above
            another's upper bound.

        Examples
        --------
        >>> import hockeystick as hs
        >>> proofs = [hs.TradeoffCurve.from_profile(epsilon=[0.0, 1.0], log_delta_upper=[-1.0, low]) for low in (-2.0, -3.0)]
        >>> print(f"{hs.TradeoffCurve.best_of(proofs).delta(epsilon=1.0):.4f}")
        0.0498
        """
        return cls._combined(curves, np.minimum)

    @property
    def profile(self) -> _curve_sources.CertifiedPoints:
        """The certified points it was made of: (epsilon, log_delta_lower, log_delta_upper)."""
        return _curve_sources.CertifiedPoints(self._profile[0], self._profile[2], self._profile[1])

    def gdp(self, *, fpr_floor: float = 1e-10, delta0: float | None = None) -> GDPFit:
        """Least mu with f_mu <= f above a floor, an upper bound, with its price: see :func:`hockeystick.fit_gdp`.

        Parameters
        ----------
        fpr_floor : float
            In [0, 1); 0 asks for the literal mu.
        delta0 : float, optional
            In (0, 1): gives the form without a floor as well.

        Returns
        -------
        GDPFit

        Raises
        ------
        ValueError, TypeError
            For arguments out of their domain.

        Examples
        --------
        >>> import hockeystick as hs
        >>> print(f"{hs.PureDP(epsilon=1.0).tradeoff().gdp().mu:.3f}")
        1.232
        """
        from .gdp import fit_gdp

        return fit_gdp(self, fpr_floor=fpr_floor, delta0=delta0)

    def gdp_table(self, *, fpr_floors: Iterable[float] = (1e-3, 1e-6, 1e-8, 1e-10, 1e-12)) -> GDPTable:
        """How mu, its residual and its regret move with the floor: one :meth:`gdp` a floor.

        Parameters
        ----------
        fpr_floors : iterable of float
            Each in [0, 1).

        Returns
        -------
        GDPTable

        Raises
        ------
        ValueError, TypeError
            For a floor out of its domain.

        Examples
        --------
        >>> import hockeystick as hs
        >>> print(hs.PureDP(epsilon=1.0).tradeoff().gdp_table(fpr_floors=[1e-3]))
        FPR floor        mu    residual    regret   delta-divergence   FPR at mu
            0.001    1.2321      0.0316    0.2140             0.0576       0.269
        """
        from .gdp import GDPTable

        return GDPTable(fits=tuple(self.gdp(fpr_floor=floor) for floor in fpr_floors))

    @classmethod
    def _of_columns(
        cls,
        columns: Columns,
        linear: bool,
        relation: str,
        *,
        literal: float = math.inf,
        gaussian_mu: tuple[float, float] | None = None,
    ) -> TradeoffCurve:
        return cls(
            relation=_validate.choice("relation", relation, _validate.RELATIONS),
            _profile=_curve_sources.frozen(columns),
            _linear=linear,
            _below=_curve_sources.frozen(_core.tradeoff_lower(columns, linear)),
            _above=_curve_sources.frozen(_core.tradeoff_upper(columns, linear)),
            literal=_validate.mu("literal", literal),
            gaussian_mu=gaussian_mu,
        )

    @classmethod
    def _of_sides(cls, lower_side: Columns, upper_side: Columns, relation: str) -> TradeoffCurve:
        """Curve whose lower side comes from one profile and whose upper side from another, a polygon each."""
        below, above = _core.tradeoff_lower(lower_side, True), _core.tradeoff_upper(upper_side, True)
        points = np.union1d(lower_side[0], upper_side[0])
        points = points[np.concatenate([[True], np.diff(points) > 2e-14 * points[1:]])]
        upper = _core.tradeoff_log_deltas(below, 0, points)
        lower = np.minimum(_core.tradeoff_log_deltas(above, 1, points), upper)
        return cls(
            relation=_validate.choice("relation", relation, _validate.RELATIONS),
            _profile=_curve_sources.frozen((points, upper, lower, np.zeros(0), np.zeros(0))),
            _linear=False,
            _below=_curve_sources.frozen(below),
            _above=_curve_sources.frozen(above),
        )

    @classmethod
    def _combined(cls, curves: Iterable[TradeoffCurve], choose_upper: np.ufunc) -> TradeoffCurve:
        each = _curve_sources.same_relation(curves)
        points = np.unique(np.concatenate([curve._profile[0] for curve in each]))
        points = points[np.concatenate([[True], np.diff(points) > 2e-14 * points[1:]])]
        upper = choose_upper.reduce([_core.tradeoff_log_deltas(curve._below, 0, points) for curve in each])
        lower = np.maximum.reduce([_core.tradeoff_log_deltas(curve._above, 1, points) for curve in each])
        if (lower > upper).any():
            raise ValueError("curves must be about one mechanism, got some whose bounds contradict each other")
        literal = (max if choose_upper is np.maximum else min)(curve.literal for curve in each)
        empty = np.zeros(0)
        return cls._of_columns((points, upper, lower, empty, empty), False, each[0].relation, literal=literal)
