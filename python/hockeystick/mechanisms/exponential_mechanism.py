# SPDX-License-Identifier: Apache-2.0
"""The exponential mechanism, and everything of bounded range."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import _core, _validate
from ..description import describable
from .laws import symmetric
from .stated import Stated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._core import LossLaw
    from .base import Mechanism


@describable("exponential_mechanism")
@dataclass(frozen=True, init=False, repr=False)
class ExponentialMechanism(Stated):
    """The exponential mechanism with weights e^(epsilon u / (2 D)), D the sensitivity of the utility u.

    Pair: the loss of any mechanism of bounded range R = epsilon lies in an interval [t - R, t]; the pointwise largest
    curve over t, delta(eps) = (e^(R/2) - e^(eps/2))^2 / (e^R - 1) for abs(eps) <= R, is a valid curve and dominates them
    all, also under adaptive composition. Symmetric. Tighter than :class:`PureDP` of the same epsilon.
    For a monotone utility the weights e^(epsilon u / D) have the same range. One release attains the curve at every
    epsilon, each by a mechanism of its own; composed, the lower side of a bracket is about the curve, not a mechanism.
    Source: Dong, Durfee and Rogers 2020; the curve by maximising over t in closed form.
    Checked: the curve against a brute-force maximum over t. Permute-and-flip is not covered: it is epsilon-DP only.

    Parameters
    ----------
    epsilon : float
        The range R, at least 0.
    relation : {"add_remove", "replace", "zero_out"}
        The neighbouring relation that D refers to.

    Raises
    ------
    TypeError, ValueError
        For arguments out of their domain.

    Examples
    --------
    >>> import hockeystick as hs
    >>> best_of = hs.ExponentialMechanism(epsilon=1.0)
    >>> print(f"{best_of.delta(epsilon=0.5):.4f}, not {hs.PureDP(epsilon=1.0).delta(epsilon=0.5):.4f}")
    0.0774, not 0.2876
    """

    stated_epsilon: float
    relation: str = "add_remove"

    def __init__(self, *, epsilon: float, relation: str = "add_remove") -> None:
        self._state(epsilon=_validate.non_negative("epsilon", epsilon), relation=relation)

    def _releases(self) -> Iterator[tuple[Mechanism, int]]:
        if self.stated_epsilon:
            yield self, 1

    def _laws(self) -> tuple[LossLaw, LossLaw]:
        return symmetric(_core.bounded_range_law(self.stated_epsilon))
