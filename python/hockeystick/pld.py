# SPDX-License-Identifier: Apache-2.0
"""Privacy loss distributions on a uniform grid, as other libraries keep them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from . import _core, _engines, _validate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._core import LossLaw
    from ._terms import Terms

# P mass that may be counted as infinite at the upper end of a grid.
_NEGLIGIBLE = 1e-30
# P mass that may be moved up to the lower end.
_NEGLIGIBLE_BELOW = 1e-15
_LONGEST = 2**22


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class LossMasses:
    """The law of the privacy loss in one direction, dominating the mechanism's.

    Attributes
    ----------
    first : int
        Index of the first grid point: its loss is `first` times the step.
    masses : numpy.ndarray
        P mass at consecutive grid points.
    infinity_mass : float
        P mass at infinity.
    """

    first: int
    masses: NDArray[np.float64]
    infinity_mass: float


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class PLD:
    """`count` copies of one loss law on the grid `step` times the integers; pessimistic (Connect-the-Dots).

    Made by :meth:`Mechanism.pld`: the law is that of one release, or, composed, that of all, and then `count` is 1.

    Attributes
    ----------
    step : float
        Distance of the grid points.
    remove, add : LossMasses
        One release, either direction.
    count : int
        How many releases :meth:`epsilon` composes.
    """

    step: float
    remove: LossMasses
    add: LossMasses
    count: int

    def epsilon(self, *, delta: float) -> float:
        """Upper bound on epsilon at delta of the composition, both directions composed on this grid.

        Parameters
        ----------
        delta : float
            In (0, 1].

        Returns
        -------
        float
            Infinity where delta is below the mass at infinity.

        Raises
        ------
        TypeError, ValueError
            For a delta out of its domain.

        Examples
        --------
        >>> import hockeystick as hs
        >>> run = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
        >>> print(f"{run.pld(step=1e-3).epsilon(delta=1e-5):.3f}")
        1.829
        """
        delta = _validate.probability("delta", delta)
        if delta == 0.0:
            return math.inf
        largest = 0.0
        for each in (self.remove, self.add):
            largest = _core.pmf_epsilon_upper(
                self.step, each.first, each.masses, each.infinity_mass, self.count, math.log(delta), largest
            )
        return largest


def loss_distribution(remove: LossLaw, add: LossLaw, count: int, step: float) -> PLD:
    """Build the PLD of `count` copies of a release from its laws in the two directions."""
    directions = []
    for law in (remove, add):
        first, masses, infinity_mass = _core.pessimistic_pmf(law, step, _NEGLIGIBLE)
        masses.flags.writeable = False
        directions.append(LossMasses(first=first, masses=masses, infinity_mass=infinity_mass))
    return PLD(step=step, remove=directions[0], add=directions[1], count=count)


def composed_distribution(terms: Terms, step: float) -> PLD:
    """Connect the dots of the composed profile: its error is that of one release, whatever the number of steps."""
    directions = []
    for direction in (0, 1):
        first, log_delta_upper = _composed_points(terms, direction, step)
        first, masses, infinity_mass = _core.connected_pmf(step, first, log_delta_upper)
        masses.flags.writeable = False
        directions.append(LossMasses(first=first, masses=masses, infinity_mass=infinity_mass))
    return PLD(step=step, remove=directions[0], add=directions[1], count=1)


def _composed_points(terms: Terms, direction: int, step: float) -> tuple[int, NDArray[np.float64]]:
    """Upper bounds on log delta of one direction on the grid, from where its complement is negligible to where it is."""
    highest = _engines.epsilon_bounds(terms, math.log(_NEGLIGIBLE), [direction], "auto", _engines.NUMBER)[1]
    lowest = _engines.epsilon_bounds(terms, math.log(_NEGLIGIBLE_BELOW), [1 - direction], "auto", _engines.NUMBER)[1]
    if not (highest + lowest) / step < _LONGEST:
        raise _core.AccuracyError(f"a grid of step {step:g} from {-lowest:g} to {highest:g} is too long")
    first = -math.ceil(lowest / step)
    epsilons = step * np.arange(first, math.ceil(highest / step) + 1, dtype=np.float64)
    _, upper = _core.contour_log_delta_bounds(*terms.columns, [direction], epsilons, _engines.CURVE_POINT.contour[0])
    if not (upper < 0.0).any():
        raise _core.AccuracyError("the composed profile cannot be certified on a grid (rare jumps)")
    return first, upper
