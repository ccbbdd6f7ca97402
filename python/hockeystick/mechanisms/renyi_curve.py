# SPDX-License-Identifier: Apache-2.0
"""A Renyi curve that the caller gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .. import _validate
from ..description import describable
from ..renyi.curves import TabulatedCurve
from .known_by_renyi import KnownByRenyi

if TYPE_CHECKING:
    from ..renyi.curves import RenyiBounds


@describable("renyi_curve")
@dataclass(frozen=True, kw_only=True)
class RenyiCurve(KnownByRenyi):
    """Any mechanism whose Renyi divergences are bounded at some orders, both directions.

    Between the given orders (a - 1) D_a is convex, so chords bound it; below the first order its value does; beyond the
    last one nothing is known.

    Parameters
    ----------
    orders : sequence of float
        At least 1, increasing; infinity is the pure epsilon.
    values : sequence of float
        At least 0; infinity where nothing is known.
    relation : {"add_remove", "replace", "zero_out"}
        The neighbouring relation that the guarantee refers to.

    Raises
    ------
    TypeError, ValueError
        For arguments out of their domain.

    Examples
    --------
    >>> import hockeystick as hs
    >>> curve = hs.RenyiCurve(orders=[2, 4, 8, 16], values=[0.02, 0.04, 0.08, 0.16])
    >>> print(f"{(10 * curve + hs.Gaussian(noise_multiplier=2.0)).epsilon(delta=1e-5):.3f}")
    2.997
    """

    orders: tuple[float, ...]
    values: tuple[float, ...]
    relation: str = "add_remove"

    def __post_init__(self) -> None:
        at = np.atleast_1d(_validate.array_within("orders", self.orders, 1.0, np.inf))
        values = np.atleast_1d(_validate.array_within("values", self.values, 0.0, np.inf))
        if at.ndim != 1 or at.shape != values.shape:
            raise ValueError(f"orders and values must be equally long, got shapes {at.shape} and {values.shape}")
        if (np.diff(at) <= 0.0).any():
            raise ValueError(f"orders must be increasing, got {self.orders!r}")
        object.__setattr__(self, "orders", tuple(at.tolist()))
        object.__setattr__(self, "values", tuple(values.tolist()))
        _validate.choice("relation", self.relation, _validate.RELATIONS)

    def _renyi_curve(self) -> RenyiBounds:
        return TabulatedCurve(self.orders, self.values)
