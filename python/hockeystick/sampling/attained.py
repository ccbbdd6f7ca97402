# SPDX-License-Identifier: Apache-2.0
"""The lower side of a bracket: what some pair of data sets is known to attain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from .._core import LossLaw


class TwoSided(Protocol):
    """A release whose dominating laws are not attained as a whole."""

    def _attained_laws(self) -> tuple[LossLaw, LossLaw]:
        """Return laws that the release's own dominate, in the directions remove and add."""

    def _attained_gaussian(self) -> tuple[float, float] | None:
        """Return (noise_multiplier, sampling_rate) if those are the laws of a Poisson-subsampled Gaussian."""


@dataclass(frozen=True, kw_only=True)
class Attained:
    """Stands for a release on the lower side of a bracket; never on the upper one, so it is no mechanism."""

    of: TwoSided

    def _laws(self) -> tuple[LossLaw, LossLaw]:
        return self.of._attained_laws()

    def _gaussian(self) -> tuple[float, float] | None:
        return self.of._attained_gaussian()
