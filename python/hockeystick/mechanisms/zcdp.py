# SPDX-License-Identifier: Apache-2.0
"""Zero-concentrated differential privacy, truncated or not."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import _validate
from ..description import describable
from ..renyi.curves import ConcentratedCurve
from .known_by_renyi import KnownByRenyi

if TYPE_CHECKING:
    from ..renyi.curves import RenyiBounds


@describable("zcdp")
@dataclass(frozen=True, kw_only=True)
class ZCDP(KnownByRenyi):
    """Any mechanism with zero-concentrated privacy: D_a <= xi + rho a for all orders a above 1.

    No pair of distributions is rho-zCDP and dominates all mechanisms that are, so that the Renyi ledger answers: rho
    adds up, and is converted once. With a finite `greatest_order` this is truncated concentrated privacy.
    Source: Bun and Steinke 2016; Bun, Dwork, Rothblum and Steinke 2018 for the truncated form.

    Parameters
    ----------
    rho : float
        At least 0.
    xi : float
        At least 0.
    greatest_order : float
        The promise holds for orders below it; above 1.
    relation : {"add_remove", "replace", "zero_out"}
        The neighbouring relation that the guarantee refers to.

    Raises
    ------
    TypeError, ValueError
        For arguments out of their domain.

    Examples
    --------
    >>> import hockeystick as hs
    >>> print(f"{(100 * hs.ZCDP(rho=0.01)).epsilon(delta=1e-6):.3f}")
    7.766
    """

    rho: float
    xi: float = 0.0
    greatest_order: float = math.inf
    relation: str = "add_remove"

    def __post_init__(self) -> None:
        object.__setattr__(self, "rho", _validate.non_negative("rho", self.rho))
        object.__setattr__(self, "xi", _validate.non_negative("xi", self.xi))
        most = _validate.real("greatest_order", self.greatest_order)
        if not most > 1.0:
            raise ValueError(f"greatest_order must be above 1, got {self.greatest_order!r}")
        object.__setattr__(self, "greatest_order", most)
        _validate.choice("relation", self.relation, _validate.RELATIONS)

    def _renyi_curve(self) -> RenyiBounds:
        return ConcentratedCurve(self.rho, self.xi, self.greatest_order)
