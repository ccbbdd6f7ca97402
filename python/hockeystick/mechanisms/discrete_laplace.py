# SPDX-License-Identifier: Apache-2.0
"""The discrete Laplace (geometric) mechanism."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import _validate
from ..description import describable
from .base import Mechanism
from .laws import atoms, symmetric

if TYPE_CHECKING:
    from .._core import LossLaw


@describable("discrete_laplace")
@dataclass(frozen=True, kw_only=True)
class DiscreteLaplace(Mechanism):
    """Noise on the integers with pmf proportional to e^(-abs(x) / scale), for an integer query.

    Pair: P the noise, Q the same shifted by the sensitivity D; a = 1/scale. Loss: a (D - 2x) for x in 0..D, constant
    beyond: D + 1 atoms on a lattice of step 2a, P(L = aD) = 1/(1 + e^-a). Symmetric.
    delta(eps) = F(x) - e^eps F(x - D) at x = ceil(D/2 - eps/(2a)) - 1, F the distribution function.
    Source: Ghosh, Roughgarden and Sundararajan 2012 for the mechanism; the curve by direct summation.
    Checked: the curve against direct sums, compositions against 60-digit values.

    Parameters
    ----------
    scale : float
        Above 0.
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
    >>> print(f"{(10 * hs.DiscreteLaplace(scale=2.0)).epsilon(delta=1e-3):.3f}")
    4.878
    """

    scale: float
    sensitivity: int = 1
    relation: str = "add_remove"

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", _validate.positive("scale", self.scale))
        object.__setattr__(self, "sensitivity", _validate.whole_sensitivity("sensitivity", self.sensitivity))
        _validate.choice("relation", self.relation, _validate.RELATIONS)

    def _laws(self) -> tuple[LossLaw, LossLaw]:
        a, shift = 1.0 / self.scale, self.sensitivity
        outer = -math.log1p(math.exp(-a))
        inner = math.log(math.tanh(0.5 * a))
        losses = [a * (shift - 2 * x) for x in range(shift + 1)]
        masses = [outer, *(inner - a * x for x in range(1, shift)), outer - a * shift]
        return symmetric(atoms(losses, masses))
