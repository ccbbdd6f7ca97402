# SPDX-License-Identifier: Apache-2.0
"""Certified brackets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Bounds:
    """A certified bracket: lower <= truth <= upper, every error term inside.

    Attributes
    ----------
    lower, upper : float or numpy.ndarray
        The two sides; arrays where the question was an array.
    method : str
        The engine that served: ``"closed_form"``, ``"contour"`` or ``"fft"``; ``"contour, fft"`` where the bracket
        is the narrower of both.
    reason : str
        Why a side is infinite; empty where none is.

    Examples
    --------
    >>> import hockeystick as hs
    >>> bounds = hs.Gaussian(noise_multiplier=1.0).epsilon_bounds(delta=1e-5)
    >>> bounds.method
    'closed_form'
    >>> bounds.lower <= 4.377178095681225 <= bounds.upper
    True
    """

    lower: float | NDArray[np.float64]
    upper: float | NDArray[np.float64]
    method: str
    reason: str = ""

    @property
    def width(self) -> float | NDArray[np.float64]:
        """The width of the bracket, upper - lower."""
        return self.upper - self.lower

    def __iter__(self):  # type: ignore[no-untyped-def]
        """Unpack as ``lower, upper``."""
        return iter((self.lower, self.upper))
