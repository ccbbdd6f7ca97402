# SPDX-License-Identifier: Apache-2.0
"""Loss laws that several mechanisms need."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .. import _core

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .._core import LossLaw

# Roundings of one logarithm of a mass, in units of u: the default error of masses that a formula gives.
_ROUNDING = 16 * 2.0**-53


def symmetric(law: LossLaw) -> tuple[LossLaw, LossLaw]:
    """Both directions of a release whose loss law is its own reversal."""
    return law, law


def both_directions(remove: LossLaw) -> tuple[LossLaw, LossLaw]:
    """The pair (P, Q) for the direction remove, and (Q, P) for add."""
    return remove, _core.reversed_law(remove)


def atoms(
    losses: Iterable[float],
    log_masses: Iterable[float],
    *,
    infinity_mass: tuple[float, float] = (0.0, 0.0),
    vanishing_mass: tuple[float, float] = (0.0, 0.0),
    relative_error: float = _ROUNDING,
    loss_error: float = 0.0,
) -> LossLaw:
    """A law of finitely many outcomes: losses, logs of P masses (Q has e^-loss times those), and what is at infinity."""
    return _core.atoms_law(list(losses), list(log_masses), infinity_mass, vanishing_mass, relative_error, loss_error)


def everything() -> LossLaw:
    """The law of a release without noise: all of P at an infinite loss."""
    return atoms([], [], infinity_mass=(1.0, 1.0), vanishing_mass=(1.0, 1.0))


def two_points(epsilon: float, delta: float = 0.0) -> LossLaw:
    """The dominating law of all (epsilon, delta)-DP releases (Kairouz, Oh and Viswanath 2015)."""
    if delta == 1.0 or epsilon == math.inf:
        return everything()
    rest = math.log1p(-delta)
    up = rest - math.log1p(math.exp(-epsilon))
    mass = (delta, delta)
    return atoms([epsilon, -epsilon], [up, up - epsilon], infinity_mass=mass, vanishing_mass=mass)
