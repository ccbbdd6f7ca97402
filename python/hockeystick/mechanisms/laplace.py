# SPDX-License-Identifier: Apache-2.0
"""The Laplace mechanism."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import _core, _validate
from ..description import describable
from ..renyi.curves import LaplaceCurve, RenyiBounds
from .base import Mechanism
from .laws import everything, symmetric

if TYPE_CHECKING:
    from .._core import LossLaw


@describable("laplace")
@dataclass(frozen=True, kw_only=True)
class Laplace(Mechanism):
    """The Laplace mechanism: noise of scale b on a query of L1 sensitivity 1; (1/b, 0)-DP, and less for larger delta.

    Pair: P = Lap(0, b), Q = Lap(1, b). Loss: S = 1/b below 0, S - 2x/b in between, -S above 1: atoms
    P(L = S) = 1/2 and P(L = -S) = e^-S / 2 with a density between. Symmetric.
    delta(eps) = 1 - e^((eps - S)/2) for abs(eps) <= S, and 0 above.
    Source: Dwork, McSherry, Nissim and Smith 2006 for the mechanism; the curve by direct integration.
    Checked: the curve against direct integration, compositions against 60-digit values.

    Parameters
    ----------
    noise_multiplier : float
        Scale b of the noise over the L1 sensitivity under `relation`. Zero is no privacy at all.
    relation : {"add_remove", "replace", "zero_out"}
        The neighbouring relation that the sensitivity refers to.

    Raises
    ------
    TypeError, ValueError
        For arguments out of their domain.

    Examples
    --------
    >>> import hockeystick as hs
    >>> releases = 20 * hs.Laplace(noise_multiplier=10.0)
    >>> print(f"{releases.epsilon(delta=1e-6):.3f} instead of 2, the sum of their epsilons")
    1.774 instead of 2, the sum of their epsilons
    """

    noise_multiplier: float
    relation: str = "add_remove"

    def __post_init__(self) -> None:
        object.__setattr__(self, "noise_multiplier", _validate.non_negative("noise_multiplier", self.noise_multiplier))
        _validate.choice("relation", self.relation, _validate.RELATIONS)

    def _laws(self) -> tuple[LossLaw, LossLaw]:
        return symmetric(_core.laplace_law(self.noise_multiplier) if self.noise_multiplier else everything())

    def _renyi_curve(self) -> RenyiBounds:
        return LaplaceCurve(self.noise_multiplier)
