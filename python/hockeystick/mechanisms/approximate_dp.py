# SPDX-License-Identifier: Apache-2.0
"""What is known to be (epsilon, delta)-DP, and nothing else."""

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


@describable("approximate_dp")
@dataclass(frozen=True, init=False, repr=False)
class ApproximateDP(Stated):
    """Any release that is (epsilon, delta)-DP.

    Pair: mass delta at infinity; the rest, 1 - delta, on epsilon and -epsilon as for :class:`PureDP`. Symmetric.
    delta(eps) = delta + (1 - delta) (e^epsilon - e^eps) / (1 + e^epsilon) for 0 <= eps <= epsilon, and delta above.
    Source: Kairouz, Oh and Viswanath 2015; tight for black boxes, also composed.
    Checked: the curve against its formula, compositions against 60-digit values.

    Parameters
    ----------
    epsilon : float
        At least 0; infinity is no privacy at all.
    delta : float
        In [0, 1].
    relation : {"add_remove", "replace", "zero_out"}
        The neighbouring relation that the guarantee refers to.

    Raises
    ------
    TypeError, ValueError
        For arguments out of their domain.

    Examples
    --------
    >>> import hockeystick as hs
    >>> boxes = 10 * hs.ApproximateDP(epsilon=0.1, delta=1e-8)
    >>> print(f"{boxes.epsilon(delta=1e-6):.3f} {boxes.epsilon(delta=1e-8)}")
    0.999 inf
    """

    stated_epsilon: float
    stated_delta: float
    relation: str = "add_remove"

    def __init__(self, *, epsilon: float, delta: float, relation: str = "add_remove") -> None:
        epsilon = _validate.at_least_zero("epsilon", epsilon)
        self._state(epsilon=epsilon, delta=_validate.probability("delta", delta), relation=relation)

    def _releases(self) -> Iterator[tuple[Mechanism, int]]:
        if self.stated_epsilon or self.stated_delta:
            yield self, 1

    def _laws(self) -> tuple[LossLaw, LossLaw]:
        return symmetric(two_points(self.stated_epsilon, self.stated_delta))
