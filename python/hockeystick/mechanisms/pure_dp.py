# SPDX-License-Identifier: Apache-2.0
"""What is known to be epsilon-DP, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import _validate
from ..description import describable
from .laws import symmetric, two_points
from .stated import Stated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._core import LossLaw
    from .base import Mechanism


@describable("pure_dp")
@dataclass(frozen=True, init=False, repr=False)
class PureDP(Stated):
    """Any release that is epsilon-DP.

    Pair: losses epsilon and -epsilon with P masses 1/(1 + e^-epsilon) and 1/(1 + e^epsilon); symmetric.
    delta(eps) = (e^epsilon - e^eps) / (1 + e^epsilon) for 0 <= eps <= epsilon. Tight for black boxes, also composed.
    Source: Kairouz, Oh and Viswanath 2015.
    Checked: the curve against its formula, compositions against binomial sums.

    Parameters
    ----------
    epsilon : float
        At least 0; infinity is no privacy at all.
    relation : {"add_remove", "replace", "zero_out"}
        The neighbouring relation that the guarantee refers to.

    Raises
    ------
    TypeError, ValueError
        For arguments out of their domain.

    Examples
    --------
    >>> import hockeystick as hs
    >>> boxes = 4 * hs.PureDP(epsilon=10.0)
    >>> print(f"{boxes.epsilon(delta=1e-6):.3f}")
    40.000
    """

    stated_epsilon: float
    relation: str = "add_remove"

    def __init__(self, *, epsilon: float, relation: str = "add_remove") -> None:
        self._state(epsilon=_validate.at_least_zero("epsilon", epsilon), relation=relation)

    def _releases(self) -> Iterator[tuple[Mechanism, int]]:
        if self.stated_epsilon:
            yield self, 1

    def _laws(self) -> tuple[LossLaw, LossLaw]:
        return symmetric(two_points(self.stated_epsilon))
