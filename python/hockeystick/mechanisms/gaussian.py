# SPDX-License-Identifier: Apache-2.0
"""The Gaussian mechanism."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import _core, _validate
from ..description import describable
from .base import Mechanism
from .laws import everything, symmetric

if TYPE_CHECKING:
    from .._core import LossLaw


@describable("gaussian")
@dataclass(frozen=True, kw_only=True)
class Gaussian(Mechanism):
    """The Gaussian mechanism; delta(eps) = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu), mu = 1/noise_multiplier.

    Parameters
    ----------
    noise_multiplier : float
        Standard deviation of the noise over the L2 sensitivity under `relation`. Zero is no privacy at all.
    relation : {"add_remove", "replace", "zero_out"}
        The neighbouring relation that the sensitivity refers to.

    Raises
    ------
    TypeError, ValueError
        For arguments out of their domain.

    Examples
    --------
    >>> import hockeystick as hs
    >>> print(f"{hs.Gaussian(noise_multiplier=1.0).epsilon(delta=1e-5):.5f}")
    4.37718
    """

    noise_multiplier: float
    relation: str = "add_remove"

    def __post_init__(self) -> None:
        object.__setattr__(self, "noise_multiplier", _validate.non_negative("noise_multiplier", self.noise_multiplier))
        _validate.choice("relation", self.relation, _validate.RELATIONS)

    def _laws(self) -> tuple[LossLaw, LossLaw]:
        if not self.noise_multiplier:
            return symmetric(everything())
        return symmetric(_core.gaussian_law(self.noise_multiplier, 1.0, 0))

    def _gaussian(self) -> tuple[float, float] | None:
        return self.noise_multiplier, 1.0
