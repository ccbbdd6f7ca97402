# SPDX-License-Identifier: Apache-2.0
"""Privacy loss distributions of dp-accounting, in and out. Only the way out imports dp-accounting."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..pld import PLD, LossMasses
from ..tradeoff import TradeoffCurve

if TYPE_CHECKING:
    from numpy.typing import NDArray

_UNIT_ROUNDOFF = 2.0**-53


def pld_from_dp_accounting(pld: Any) -> PLD:
    """Take over a privacy loss distribution of dp-accounting.

    Read are `_pmf_remove` and `_pmf_add` with their `_discretization`, masses and `_infinity_mass`.

    Parameters
    ----------
    pld : dp_accounting.pld.privacy_loss_distribution.PrivacyLossDistribution
        A pessimistic one.

    Returns
    -------
    PLD
        One copy of the law that `pld` holds. Rounded masses below 0 become 0, and what is missing to a total of 1 goes
        to infinity: both raise every delta. Bounds from it hold for the mechanism as far as the masses of `pld`
        dominate it; a composition by dp-accounting carries truncation and rounding of some 1e-15 to 1e-12 that nobody
        counts.

    Raises
    ------
    TypeError
        If `pld` has not the fields of such an object.
    ValueError
        If it is an optimistic estimate, or its directions lie on different grids.
    """
    try:
        directions = [each.to_dense_pmf() for each in (pld._pmf_remove, pld._pmf_add)]
        steps = [float(each._discretization) for each in directions]
        pessimistic = all(each._pessimistic_estimate for each in directions)
        laws = [_masses_of(each._lower_loss, each._probs, each._infinity_mass) for each in directions]
    except AttributeError as error:
        raise TypeError(f"pld must be a PrivacyLossDistribution of dp-accounting, got {pld!r}") from error
    if not pessimistic:
        raise ValueError("pld must be a pessimistic estimate, got an optimistic one")
    if steps[0] != steps[1]:
        raise ValueError(f"pld must have one grid for both directions, got steps {steps[0]!r} and {steps[1]!r}")
    return PLD(step=steps[0], remove=laws[0], add=laws[1], count=1)


def pld_to_dp_accounting(pld: PLD) -> Any:
    """Hand a privacy loss distribution to dp-accounting.

    Parameters
    ----------
    pld : PLD
        As :meth:`hockeystick.Mechanism.pld` makes it.

    Returns
    -------
    dp_accounting.pld.privacy_loss_distribution.PrivacyLossDistribution
        Pessimistic; composed by dp-accounting where `pld` stands for several copies.

    Raises
    ------
    TypeError
        If it is no PLD.

    Examples
    --------
    >>> import hockeystick as hs
    >>> from hockeystick.interop.dp_pld import pld_to_dp_accounting
    >>> theirs = pld_to_dp_accounting(hs.Gaussian(noise_multiplier=1.0).pld(step=1e-3))
    >>> print(f"{theirs.get_epsilon_for_delta(1e-5):.3f}")
    4.377
    """
    from dp_accounting.pld import pld_pmf, privacy_loss_distribution

    if not isinstance(pld, PLD):
        raise TypeError(f"pld must be a PLD, got {pld!r}")
    remove, add = (
        pld_pmf.DensePLDPmf(pld.step, law.first, law.masses.copy(), law.infinity_mass, True)
        for law in (pld.remove, pld.add)
    )
    return privacy_loss_distribution.PrivacyLossDistribution(remove, add).self_compose(pld.count)


def curve_from_pld(pld: PLD, *, relation: str = "add_remove") -> TradeoffCurve:
    """Certified trade-off curve of a privacy loss distribution, its masses taken as exact.

    The profile of a law on a grid is linear in e^epsilon between grid points, so that its values at the grid points
    are all of it: delta(epsilon) is the sum over losses l > epsilon of mass (1 - e^(epsilon - l)), and the mass at
    infinity. Both sides of each value include the rounding of its sum.

    Parameters
    ----------
    pld : PLD
        A single copy, such as :func:`pld_from_dp_accounting` returns.
    relation : str
        The neighbouring relation of the mechanism that `pld` is of.

    Returns
    -------
    TradeoffCurve
        Ask it for the false-negative rate at a false-positive rate, or give it to ``hs.fit_gdp``.

    Raises
    ------
    TypeError
        If it is no PLD.
    ValueError
        If it stands for several copies.
    """
    if not isinstance(pld, PLD):
        raise TypeError(f"pld must be a PLD, got {pld!r}")
    if pld.count != 1:
        raise ValueError(f"pld must be a single copy, got {pld.count}; the mechanism's own tradeoff() is tighter")
    # Rounded up: a bound from above at a grid point is one to its right.
    points = 1 + max(0, *(law.first + len(law.masses) - 1 for law in (pld.remove, pld.add)))
    epsilons = np.nextafter(pld.step * np.arange(points), np.inf)
    epsilons[0] = 0.0
    profiles = [_delta_bounds(pld.step, law, epsilons) for law in (pld.remove, pld.add)]
    lower, upper = (np.maximum(remove, add) for remove, add in zip(*profiles, strict=True))
    with np.errstate(divide="ignore"):
        log_lower, log_upper = np.log(lower), np.log(upper)
    return TradeoffCurve.from_profile(
        epsilon=epsilons,
        log_delta_upper=np.minimum(_outward(log_upper, np.inf), 0.0),
        log_delta_lower=_outward(log_lower, -np.inf),
        relation=relation,
    )


def _masses_of(first: int, probabilities: Any, infinity_mass: float) -> LossMasses:
    masses = np.maximum(np.asarray(probabilities, dtype=np.float64), 0.0)
    missing = max(0.0, 1.0 - math.fsum(masses) - max(0.0, infinity_mass))
    masses.flags.writeable = False
    return LossMasses(first=int(first), masses=masses, infinity_mass=max(0.0, float(infinity_mass)) + missing)


def _delta_bounds(step: float, law: LossMasses, epsilons: NDArray[np.float64]) -> NDArray[np.float64]:
    """Lower and upper bounds of delta at the grid points 0, step, 2 step, ...

    Down the grid, with t the sum over losses above of mass e^(point - loss): delta grows by (mass + t)(1 - e^-step) and
    t becomes (mass + t) e^-step. All terms are positive, so that each step adds at most 4 units of roundoff, relative.
    """
    shrink, grow = math.exp(-step), -math.expm1(-step)
    last = law.first + len(law.masses) - 1
    delta, weight = np.zeros(len(epsilons)), np.zeros(len(epsilons))
    finite, t = 0.0, 0.0
    for point in range(last - 1, -1, -1):
        mass = float(law.masses[point + 1 - law.first]) if point + 1 >= law.first else 0.0
        finite += (mass + t) * grow
        t = (mass + t) * shrink
        delta[point], weight[point] = finite, t
    error = _UNIT_ROUNDOFF * (4.0 * max(last, 0) + 8.0)
    # A point lies up to two units of roundoff right of its place on the grid, where delta falls at the rate t.
    moved = 4.0 * _UNIT_ROUNDOFF * epsilons * weight
    lower = np.maximum((delta - moved) * (1.0 - error) + law.infinity_mass * (1.0 - 4.0 * _UNIT_ROUNDOFF), 0.0)
    upper = delta * (1.0 + error) + law.infinity_mass * (1.0 + 4.0 * _UNIT_ROUNDOFF)
    return np.array([lower, np.minimum(upper, 1.0)])


def _outward(logs: NDArray[np.float64], side: float) -> NDArray[np.float64]:
    """Four steps outward, more than a logarithm errs."""
    for _ in range(4):
        logs = np.nextafter(logs, side, where=np.isfinite(logs), out=logs.copy())
    return logs
