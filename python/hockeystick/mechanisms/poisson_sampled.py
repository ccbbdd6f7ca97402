# SPDX-License-Identifier: Apache-2.0
"""One release on a Poisson sample."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import _core, _validate
from ..description import describable
from .base import Mechanism
from .gaussian import Gaussian
from .laws import atoms, both_directions, symmetric

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._core import LossLaw


@describable("poisson_sampled")
@dataclass(frozen=True, kw_only=True)
class PoissonSampled(Mechanism):
    """A release on a Poisson sample: every record enters on its own with probability q. Made by ``.poisson``.

    Pair, add_remove and zero_out: for the base pair (P0, Q0) = (with the record, without it), remove is
    ((1-q) Q0 + q P0, Q0), so that L = log(1 - q + q e^L0), and add is the reverse, built from the base's own direction
    add (Zhu, Dong and Wang 2022, theorem 11). For a symmetric base delta_remove(eps) = q delta_0(log(1 + (e^eps-1)/q)).
    The directions are composed each on its own: remove is not always the larger one.

    Pair, replace (Gaussian only): ((1-q) N(0, s^2) + q N(1, s^2), (1-q) N(0, s^2) + q N(-1, s^2)) with s the noise over
    half the sensitivity, which is what one clipped record moves a sum by (Lebeda, Regehr, Kamath and Steinke 2025,
    proposition 13). For other bases no pair is proved, and they are refused.

    Checked: both directions against direct integration, closed forms, and 30-digit values of compositions.

    Parameters
    ----------
    base : Mechanism
        The single release that is applied to the sample.
    sampling_rate : float
        In [0, 1].

    Raises
    ------
    TypeError, ValueError
        For arguments out of their domain, compositions, and bases without a pair under their relation.
    """

    base: Mechanism
    sampling_rate: float

    def __post_init__(self) -> None:
        if not isinstance(self.base, Mechanism):
            raise TypeError(f"base must be a mechanism, got {self.base!r}")
        if not self.base._known_exactly():
            raise TypeError(f"base must have a pair of distributions, got {self.base!r}, which samples itself")
        if not self.base._is_single():
            raise ValueError(f"base must be one release for sampling, got {self.base!r}: sample each of its releases")
        if self.base.relation == "replace" and not isinstance(self.base, Gaussian):
            raise ValueError(
                "relation must be 'add_remove' or 'zero_out' for Poisson sampling, got 'replace': a dominating pair is "
                f"proved for the Gaussian alone, not for {type(self.base).__name__}"
            )
        rate = _validate.probability("sampling_rate", self.sampling_rate)
        object.__setattr__(self, "sampling_rate", rate)

    @property
    def relation(self) -> str:
        """The relation of the base."""
        return self.base.relation

    def _releases(self) -> Iterator[tuple[Mechanism, int]]:
        if self.sampling_rate:
            yield self, 1

    def _laws(self) -> tuple[LossLaw, LossLaw]:
        rate = self.sampling_rate
        remove, add = self.base._laws()
        if isinstance(self.base, Gaussian) and self.relation == "replace" and rate < 1.0:
            return symmetric(_poisson_replace(self.base.noise_multiplier, rate))
        sampled = _core.poisson_law(remove, rate)
        if remove is add:
            return both_directions(sampled)
        return sampled, _core.reversed_law(_core.poisson_law(_core.reversed_law(add), rate))

    def _gaussian(self) -> tuple[float, float] | None:
        plain = self.base._gaussian() if self.relation != "replace" else None
        return (plain[0], plain[1] * self.sampling_rate) if plain else None


def _poisson_replace(noise_multiplier: float, rate: float) -> LossLaw:
    if noise_multiplier:
        return _core.poisson_replace_law(2.0 * noise_multiplier, rate)
    mass = (rate, rate)
    return atoms([0.0], [math.log1p(-rate)], infinity_mass=mass, vanishing_mass=mass)
