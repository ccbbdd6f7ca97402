# SPDX-License-Identifier: Apache-2.0
"""The discrete Gaussian mechanism."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import _core, _validate
from ..description import describable
from ..renyi.curves import DiscreteGaussianCurve, RenyiBounds
from .base import Mechanism
from .laws import symmetric

if TYPE_CHECKING:
    from .._core import LossLaw


@describable("discrete_gaussian")
@dataclass(frozen=True, kw_only=True)
class DiscreteGaussian(Mechanism):
    """Noise on the integers with pmf proportional to e^(-x^2 / (2 sigma^2)), for an integer query.

    Pair: P = N_Z(0, sigma^2), Q the same shifted by the sensitivity D. Loss: D (D - 2x) / (2 sigma^2), a lattice of step
    D / sigma^2. Symmetric. delta(eps) is the sum of p(x) - e^eps p(x - D) over x <= ceil(D/2 - eps sigma^2 / D) - 1.
    Source: Canonne, Kamath and Steinke 2020, theorem 7.
    Checked: the curve against direct sums, compositions against 60-digit values.

    For one query of one number. A vector query has no single worst shift: an L2 sensitivity does not reduce to one, not
    even to a larger one. The noise is taken to be sampled exactly; a sampler that cuts the tails off has a mass at
    infinity that is not counted here. What lies beyond 1e-300 in probability is counted as infinite in upper bounds.

    Parameters
    ----------
    sigma : float
        Above 0; close to the standard deviation, which is a little smaller for small sigma.
    sensitivity : int
        Largest change D of the query under `relation`, in [1, 10^6].
    relation : {"add_remove", "replace", "zero_out"}
        The neighbouring relation that the sensitivity refers to.

    Raises
    ------
    TypeError, ValueError
        For arguments out of their domain.

    Examples
    --------
    >>> import hockeystick as hs
    >>> print(f"{hs.DiscreteGaussian(sigma=2.0).epsilon(delta=1e-5):.3f}")
    2.011
    """

    sigma: float
    sensitivity: int = 1
    relation: str = "add_remove"

    def __post_init__(self) -> None:
        object.__setattr__(self, "sigma", _validate.positive("sigma", self.sigma))
        object.__setattr__(self, "sensitivity", _validate.whole_sensitivity("sensitivity", self.sensitivity))
        _validate.choice("relation", self.relation, _validate.RELATIONS)

    def _laws(self) -> tuple[LossLaw, LossLaw]:
        return symmetric(_core.discrete_gaussian_law(self.sigma, self.sensitivity))

    def _renyi_curve(self) -> RenyiBounds:
        return DiscreteGaussianCurve(self.sigma, self.sensitivity)
