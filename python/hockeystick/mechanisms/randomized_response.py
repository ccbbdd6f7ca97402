# SPDX-License-Identifier: Apache-2.0
"""Randomized response over k categories."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import _validate
from ..description import describable
from .base import Mechanism
from .laws import atoms, both_directions, everything, symmetric

if TYPE_CHECKING:
    from .._core import LossLaw


@describable("randomized_response")
@dataclass(frozen=True, kw_only=True)
class RandomizedResponse(Mechanism):
    """Every record reports its category, or with probability p a uniform one of k.

    With a = 1 - p + p/k and b = p/k:
    replace: L = log(a/b) with probability a, its negative with b, 0 with (k-2) b; symmetric;
    delta(eps) = a - e^eps b for 0 <= eps <= log(a/b), and 0 above.
    zero_out (the record replaced by nothing, which reports uniformly): P is the report, Q uniform; remove: log(k a) with
    probability a, log(k b) with (k-1) b; add is the reverse.
    Source: Warner 1965 and Kairouz, Bonawitz and Ramage 2016 for the mechanism; the laws by enumeration.
    Checked: the curve against enumeration, compositions against 60-digit values.

    Parameters
    ----------
    noise_probability : float
        p in [0, 1]; 0 is no privacy at all, 1 tells nothing.
    categories : int
        k, at least 2.
    relation : {"replace", "zero_out"}
        A record that is absent reports nothing, so add_remove does not apply.

    Raises
    ------
    TypeError, ValueError
        For arguments out of their domain.

    Examples
    --------
    >>> import hockeystick as hs
    >>> print(f"{hs.RandomizedResponse(noise_probability=0.4).delta(epsilon=1.0):.6f}")
    0.256344
    """

    noise_probability: float
    categories: int = 2
    relation: str = "replace"

    def __post_init__(self) -> None:
        probability = _validate.probability("noise_probability", self.noise_probability)
        object.__setattr__(self, "noise_probability", probability)
        object.__setattr__(self, "categories", _validate.count("categories", self.categories))
        if self.categories < 2:
            raise ValueError(f"categories must be at least 2, got {self.categories!r}")
        _validate.choice("relation", self.relation, ("replace", "zero_out"))

    def _laws(self) -> tuple[LossLaw, LossLaw]:
        if not self.noise_probability:
            return self._without_noise()
        k = self.categories
        truth = 1.0 - self.noise_probability + self.noise_probability / k
        lie = self.noise_probability / k
        if self.relation == "zero_out":
            masses = [math.log(truth), math.log((k - 1) * lie)]
            return both_directions(atoms([math.log(k * truth), math.log(k * lie)], masses))
        # log(a/b) by its excess over 1, so that a response that is nearly all noise keeps its digits.
        loss = math.log1p((1.0 - self.noise_probability) / lie)
        others = [math.log((k - 2) * lie)] if k > 2 else []
        return symmetric(atoms([loss, -loss, *[0.0] * len(others)], [math.log(truth), math.log(truth) - loss, *others]))

    def _without_noise(self) -> tuple[LossLaw, LossLaw]:
        if self.relation == "replace":
            return symmetric(everything())
        vanishing = 1.0 - 1.0 / self.categories
        return both_directions(atoms([math.log(self.categories)], [0.0], vanishing_mass=(vanishing, vanishing)))
