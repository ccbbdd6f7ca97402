# SPDX-License-Identifier: Apache-2.0
"""Concentrated differential privacy: to epsilon and delta."""

from __future__ import annotations

import math

from .. import _validate
from .._docs import documented_by
from .answers import ledger_delta, ledger_epsilon
from .conversions import RenyiAnswer
from .curves import ConcentratedCurve
from .ledger import Ledger
from .orders import default_orders


def zcdp_epsilon(
    *, rho: float, delta: float, xi: float = 0.0, greatest_order: float = math.inf, conversion: str = "optimal"
) -> RenyiAnswer:
    """Upper bound on epsilon at `delta` of a (xi, rho)-zCDP mechanism, the order optimised over all reals.

    Parameters
    ----------
    rho : float
        D_a <= xi + rho a for every order a above 1 (Bun, Steinke 2016); zCDP adds up under composition.
    delta : float
        In [0, 1].
    xi : float
        At least 0; 0 is what is usually called rho-zCDP.
    greatest_order : float
        Finite for truncated concentrated privacy (Bun et al. 2018), which promises it for orders below that alone.
    conversion : {"optimal", "improved", "classic"}
        See ``hockeystick.renyi.conversions``.

    Returns
    -------
    RenyiAnswer

    Raises
    ------
    TypeError, ValueError
        For arguments out of their domain.

    Examples
    --------
    >>> from hockeystick.renyi import zcdp_epsilon, zcdp_epsilon_closed
    >>> print(f"{zcdp_epsilon(rho=1.0, delta=1e-6).value:.3f} {zcdp_epsilon_closed(rho=1.0, delta=1e-6):.3f}")
    7.766 8.434
    """
    ledger = _ledger(rho, xi, greatest_order)
    return ledger_epsilon(
        ledger,
        _validate.probability("delta", delta),
        default_orders(),
        conversion=_validate.choice("conversion", conversion, ("optimal", "improved", "classic")),
    )


@documented_by(zcdp_epsilon)
def zcdp_delta(
    *, rho: float, epsilon: float, xi: float = 0.0, greatest_order: float = math.inf, conversion: str = "optimal"
) -> RenyiAnswer:
    """Upper bound on delta at `epsilon` of a (xi, rho)-zCDP mechanism, the order optimised over all reals.

    Parameters
    ----------
    epsilon : float
        At least 0.

    Examples
    --------
    >>> from hockeystick.renyi import zcdp_delta
    >>> print(f"{zcdp_delta(rho=0.5, epsilon=4.0).value:.2e}")
    1.96e-04
    """
    ledger = _ledger(rho, xi, greatest_order)
    return ledger_delta(
        ledger,
        _validate.non_negative("epsilon", epsilon),
        default_orders(),
        conversion=_validate.choice("conversion", conversion, ("optimal", "improved", "classic")),
    )


@documented_by(zcdp_epsilon)
def zcdp_epsilon_closed(*, rho: float, delta: float) -> float:
    """Upper bound rho + 2 sqrt(rho log(1/delta)), the loose closed form (Bun, Steinke 2016); for comparison.

    Returns
    -------
    float
        Infinity at delta 0.

    Examples
    --------
    >>> from hockeystick.renyi import zcdp_epsilon_closed
    >>> print(f"{zcdp_epsilon_closed(rho=1.0, delta=1e-6):.3f}")
    8.434
    """
    spent = _validate.non_negative("rho", rho)
    target = _validate.probability("delta", delta)
    if spent == 0.0 or target == 0.0:
        return 0.0 if spent == 0.0 else math.inf
    return (spent + 2.0 * math.sqrt(spent * -math.log(target))) * (1.0 + 1e-15)


def _ledger(rho: float, xi: float, greatest_order: float) -> Ledger:
    most = _validate.real("greatest_order", greatest_order)
    if not most > 1.0:
        raise ValueError(f"greatest_order must be above 1, got {greatest_order!r}")
    curve = ConcentratedCurve(_validate.non_negative("rho", rho), _validate.non_negative("xi", xi), most)
    return Ledger.of([(curve, 1)] if curve.rho or curve.xi else [])
