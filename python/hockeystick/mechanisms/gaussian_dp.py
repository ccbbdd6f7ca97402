# SPDX-License-Identifier: Apache-2.0
"""What is known to be mu-GDP."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import _core, _validate
from ..description import describable
from .base import Mechanism
from .laws import everything, symmetric

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._core import LossLaw


@describable("gaussian_dp")
@dataclass(frozen=True, kw_only=True)
class GaussianDP(Mechanism):
    """Any release that is mu-GDP: at least as private as a Gaussian of noise multiplier 1/mu.

    Pair: P = N(mu, 1), Q = N(0, 1). Symmetric. delta(eps) = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu).
    Source: Dong, Roth and Su 2022. Checked: as :class:`Gaussian`. A mu read off a curve with a floor is no such promise.

    Parameters
    ----------
    mu : float
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
    >>> hs.GaussianDP(mu=0.5).epsilon(delta=1e-5) == hs.Gaussian(noise_multiplier=2.0).epsilon(delta=1e-5)
    True
    """

    mu: float
    relation: str = "add_remove"

    def __post_init__(self) -> None:
        object.__setattr__(self, "mu", _validate.at_least_zero("mu", self.mu))
        _validate.choice("relation", self.relation, _validate.RELATIONS)

    def _releases(self) -> Iterator[tuple[Mechanism, int]]:
        if self.mu:
            yield self, 1

    def _laws(self) -> tuple[LossLaw, LossLaw]:
        return symmetric(everything() if math.isinf(self.mu) else _core.gaussian_law(1.0 / self.mu, 1.0, 0))

    def _gaussian(self) -> tuple[float, float] | None:
        # 1/mu rounded down is a little less noise.
        return None if math.isinf(self.mu) or not self.mu else (math.nextafter(1.0 / self.mu, 0.0), 1.0)
