# SPDX-License-Identifier: Apache-2.0
"""The one number mu of a trade-off curve, with what it gives away."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import _core, _validate
from ._rounded import up, up_to_three_digits

if TYPE_CHECKING:
    from .tradeoff import TradeoffCurve

SOLVERS = ("closed_form", "bisection")

# Below this regret the one number may stand for the curve.
REGRET_LIMIT = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class GDPFit:
    """mu of a curve above a floor, certified from above, with its price.

    f_mu(alpha) = Phi(Phi^{-1}(1 - alpha) - mu) lies below f wherever both rates are at least `fpr_floor`. mu is not a
    property of the mechanism alone: a lower floor gives a larger mu and a larger regret, so the three belong together.

    Attributes
    ----------
    mu : float
        Upper bound on the least such mu, rounded up; inf where none is finite.
    mu_lower : float
        Lower bound on the least such mu: how much of `mu` is due to the spacing and the brackets of the profile.
    fpr_floor : float
        The floor. At least the point where both rates are equal is always covered.
    fpr_at_mu : float
        The false-positive rate that decides mu; 0 if none does.
    residual : float
        Upper bound on the true-positive rate at false-positive rates below the floor. For every epsilon >= 0,
        delta(epsilon) <= max(delta of the Gaussian of mu, residual).
    literal : float
        Upper bound on the mu without a floor: often infinite or without amplification.
    regret, regret_lower : float
        Certified bracket of max over alpha of f - f_mu, the false-negative rate given away by quoting mu in place of
        the curve. Below 0.01 the one number may stand for the curve.
    delta_divergence, delta_divergence_lower : float
        The same for max over epsilon >= 0 of (delta of the Gaussian - delta) / (1 + e^epsilon).
    epsilon_at_regret, fpr_at_maximum : float
        Where the regret is greatest: epsilon, and the false-positive rate where f_mu has slope -e^epsilon.
    epsilon_at_delta_divergence : float
        Where the delta-divergence is greatest.
    delta0, mu_delta0, mu_delta0_lower : float or None
        The form without a floor, if it was asked for: delta(epsilon) <= delta0 + (1 - delta0) Gd(epsilon; mu_delta0)
        for every epsilon, Gd the profile of the Gaussian. Upper and lower bound on the least such mu.
    relation : str
        The neighbouring relation that it is about.
    """

    mu: float
    mu_lower: float
    fpr_floor: float
    fpr_at_mu: float
    residual: float
    literal: float
    regret: float
    regret_lower: float
    delta_divergence: float
    delta_divergence_lower: float
    epsilon_at_regret: float
    epsilon_at_delta_divergence: float
    fpr_at_maximum: float
    delta0: float | None
    mu_delta0: float | None
    mu_delta0_lower: float | None
    relation: str

    @property
    def may_stand_for_curve(self) -> bool:
        """Whether mu is finite and its regret certified to be below 0.01; :attr:`rule` says it in words."""
        return math.isfinite(self.mu) and self.regret < REGRET_LIMIT

    @property
    def rule(self) -> str:
        """Whether mu alone may be reported, in words, with the number that decides.

        The rule is on the regret. Other work puts the same limit to the delta-divergence, which is at most half of it;
        where only that is below the limit the sentence says so.
        """
        if not math.isfinite(self.mu):
            return "No finite mu exists here: report the curve, or epsilon at a delta."
        where = f"for false-positive rates of at least {self.fpr_floor:g}"
        if self.may_stand_for_curve:
            return (
                f"mu = {up(self.mu)} may stand for the curve {where}: it gives away at most {up(self.regret)} of "
                f"false-negative rate (below {REGRET_LIMIT:g})."
            )
        tail = (
            f" By the delta-divergence, {up(self.delta_divergence)}, that other work goes by, it would pass."
            if self.delta_divergence < REGRET_LIMIT
            else ""
        )
        return (
            f"mu = {up(self.mu)} holds {where} but should not stand for the curve: it gives away up to "
            f"{up(self.regret)} of false-negative rate (not below {REGRET_LIMIT:g}). Report the curve with it.{tail}"
        )

    @property
    def mu_bounds(self) -> tuple[float, float]:
        """(mu_lower, mu)."""
        return self.mu_lower, self.mu

    @property
    def regret_bounds(self) -> tuple[float, float]:
        """(regret_lower, regret)."""
        return self.regret_lower, self.regret

    @property
    def delta_divergence_bounds(self) -> tuple[float, float]:
        """(delta_divergence_lower, delta_divergence)."""
        return self.delta_divergence_lower, self.delta_divergence


@dataclass(frozen=True, slots=True, kw_only=True)
class GDPTable:
    """How mu and its price move with the floor: one fit a floor. A smaller floor gives a larger mu and a larger regret.

    Attributes
    ----------
    fits : tuple of GDPFit
        In the order asked for.

    Examples
    --------
    >>> import hockeystick as hs
    >>> run = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
    >>> print(run.gdp_table(fpr_floors=(1e-3, 1e-10)))
    FPR floor        mu    residual    regret   delta-divergence   FPR at mu
        0.001    0.4439     0.00407    0.0147             0.0074       0.001
        1e-10    0.5223    2.63e-09    0.0453             0.0225       1e-10
    """

    fits: tuple[GDPFit, ...]

    def __str__(self) -> str:
        lines = ["FPR floor        mu    residual    regret   delta-divergence   FPR at mu"]
        lines += [
            f"{fit.fpr_floor:9.4g} {up(fit.mu):>9} {up_to_three_digits(fit.residual):>11} {up(fit.regret):>9} "
            f"{up(fit.delta_divergence):>18} {fit.fpr_at_mu:11.3g}"
            for fit in self.fits
        ]
        return "\n".join(lines)

    def to_dict(self) -> list[dict[str, float]]:
        """Return the rows as plain numbers.

        Returns
        -------
        list of dict
            One a floor, ready for JSON.
        """
        names = ("fpr_floor", "mu", "mu_lower", "residual", "regret", "regret_lower", "delta_divergence", "fpr_at_mu")
        return [{name: float(getattr(fit, name)) for name in names} for fit in self.fits]


def fit_gdp(
    curve: TradeoffCurve,
    *,
    fpr_floor: float = 1e-10,
    delta0: float | None = None,
    literal: float | None = None,
    solver: str = "closed_form",
) -> GDPFit:
    """Least mu with f_mu <= f above a floor, as an upper bound, with residual and regret.

    Parameters
    ----------
    curve : TradeoffCurve
        The curve.
    fpr_floor : float
        In [0, 1); 0 asks for the literal mu.
    delta0 : float, optional
        In (0, 1): gives the form without a floor as well.
    literal : float, optional
        An upper bound on the literal mu that is known otherwise, such as sqrt(sum of steps / noise_multiplier^2) for
        subsampled Gaussians. A table of finitely many points knows none of its own unless delta reaches 0. It bounds
        `mu` and `mu_delta0` too.
    solver : {"closed_form", "bisection"}
        Two ways to the same number; the second is there to check the first.

    Returns
    -------
    GDPFit

    Raises
    ------
    ValueError, TypeError
        For arguments out of their domain.

    Notes
    -----
    The corners of the lower curve decide: on a segment f - f_mu is concave. Each gives Phi^{-1}(TPR) -
    Phi^{-1}(alpha), raised by its rounding error; the largest is mu. From 1e-12 to 1e4 and beyond, without a search
    interval. Past a mu of 75 or so delta(0) cannot be told from 1 in double precision: a curve of profile points that
    came without log(1 - delta) then gives a mu too large by a factor of up to 2.

    f_mu is its own inverse, so a curve and its mirror image, and hence the two directions of a relation and their
    symmetric hull, have the same mu.

    Examples
    --------
    >>> import hockeystick as hs
    >>> fit = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000).gdp(fpr_floor=1e-6)
    >>> print(f"{fit.mu:.3f} {fit.regret:.3f} {fit.literal:.1f}")
    0.474 0.026 31.6
    """
    fpr_floor = _validate.real("fpr_floor", fpr_floor)
    if not 0.0 <= fpr_floor < 1.0:
        raise ValueError(f"fpr_floor must be in [0, 1), got {fpr_floor!r}")
    bisection = _validate.choice("solver", solver, SOLVERS) == "bisection"
    log_floor = _log(fpr_floor)
    known = curve.literal if literal is None else min(curve.literal, _validate.mu("literal", literal))
    least = min(_core.fit_mu_literal(curve._below, bisection)[0], known)
    mu, log_alpha = _core.fit_mu(curve._below, log_floor, bisection)
    mu_lower = _core.fit_mu_lower(curve._below, curve._above, log_floor, mu, log_alpha)
    mu = min(mu, least)
    if curve.gaussian_mu is not None:  # every point decides, and the closed form knows mu better than any table
        mu_lower, mu = max(mu_lower, curve.gaussian_mu[0]), min(mu, curve.gaussian_mu[1])
    regret = _regret(curve, mu)
    given = (None, None) if delta0 is None else _mu_given(curve, delta0, bisection, least)
    return GDPFit(
        mu=mu,
        mu_lower=min(mu_lower, mu),
        fpr_floor=fpr_floor,
        fpr_at_mu=math.exp(log_alpha),
        residual=_core.residual_upper(curve._below, log_floor, mu),
        literal=least,
        regret=regret[1],
        regret_lower=regret[0],
        delta_divergence=regret[4],
        delta_divergence_lower=regret[3],
        epsilon_at_regret=regret[2],
        epsilon_at_delta_divergence=regret[5],
        fpr_at_maximum=_fpr_of_slope(mu, regret[2]),
        delta0=delta0,
        mu_delta0=given[1],
        mu_delta0_lower=given[0],
        relation=curve.relation,
    )


def _regret(curve: TradeoffCurve, mu: float) -> tuple[float, ...]:
    lower, upper, epsilon, divergence_lower, divergence, divergence_epsilon = _core.regret_bounds(
        curve._profile, curve._linear, mu
    )
    if curve.gaussian_mu is not None:  # d Gd / d mu = phi(mu/2 - eps/mu) is below 0.4
        most = max(0.0, mu - curve.gaussian_mu[0]) * 0.4
        upper, divergence = min(upper, most), min(divergence, 0.5 * most)
        lower, divergence_lower = min(lower, upper), min(divergence_lower, divergence)
    return lower, upper, epsilon, divergence_lower, divergence, divergence_epsilon


def _mu_given(curve: TradeoffCurve, delta0: float, bisection: bool, literal: float) -> tuple[float, float]:
    """(lower, upper) of the mu with delta0 of mass set apart."""
    log_delta0 = math.log(_validate.inner_probability("delta0", delta0))
    mu, log_alpha = _core.fit_mu_given_delta0(curve._below, log_delta0, bisection)
    lower = _core.fit_mu_given_delta0_lower(curve._below, curve._above, log_delta0, mu, log_alpha)
    upper = min(literal, mu)
    return min(lower, upper), upper


def _log(value: float) -> float:
    return math.log(value) if value > 0.0 else -math.inf


def _fpr_of_slope(mu: float, epsilon: float) -> float:
    """Phi(-mu/2 - epsilon/mu): an estimate, told for orientation."""
    if mu == 0.0 or math.isinf(mu):
        return 0.0
    return 0.5 * math.erfc((0.5 * mu + epsilon / mu) / math.sqrt(2.0))
