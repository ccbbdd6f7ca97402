# SPDX-License-Identifier: Apache-2.0
"""Gaussian noise on a contribution of random size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import _core, _validate
from ..description import describable
from .base import Mechanism
from .laws import both_directions, everything

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._core import LossLaw


@describable("mixture_of_gaussians")
@dataclass(frozen=True, kw_only=True)
class MixtureOfGaussians(Mechanism):
    """Gaussian noise on a sum to which the record adds a random amount: sensitivity c_j with probability p_j.

    Pair, remove: P = sum p_j N(c_j, s^2), Q = N(0, s^2); add is the reverse. The loss
    log sum p_j e^((c_j x - c_j^2/2) / s^2) is convex and increasing; it is inverted by safeguarded Newton steps within
    closed-form ends. Sensitivities of vectors enter by their norms. Covers several participations in one release, such
    as DP-FTRL, banded matrices, and groups on Poisson samples: sensitivities 0, 1, .., k with binomial probabilities.
    Source: Choquette-Choo, Ganesh, Haque, Steinke and Thakurta 2024.
    Checked: both directions against direct integration; with two parts, against the Poisson-sampled Gaussian.

    Parameters
    ----------
    noise_std : float
        Standard deviation s of the noise, at least 0.
    sensitivities : sequence of float
        Amounts c_j, at least 0.
    probabilities : sequence of float
        As many, at least 0, summing to 1.
    relation : {"add_remove", "zero_out"}
        Under replace no pair is known.

    Raises
    ------
    TypeError, ValueError
        For arguments out of their domain.

    Examples
    --------
    >>> import hockeystick as hs
    >>> step = hs.MixtureOfGaussians(noise_std=1.0, sensitivities=[0.0, 1.0, 2.0], probabilities=[0.98, 0.015, 0.005])
    >>> print(f"{(100 * step).epsilon(delta=1e-5):.3f}")
    4.960
    """

    noise_std: float
    sensitivities: tuple[float, ...]
    probabilities: tuple[float, ...]
    relation: str = "add_remove"

    def __post_init__(self) -> None:
        object.__setattr__(self, "noise_std", _validate.non_negative("noise_std", self.noise_std))
        for name in ("sensitivities", "probabilities"):
            object.__setattr__(self, name, _validate.numbers(name, getattr(self, name), lower=0.0))
        if len(self.sensitivities) != len(self.probabilities):
            raise ValueError(
                f"probabilities must be as many as sensitivities, got {len(self.probabilities)} for "
                f"{len(self.sensitivities)}"
            )
        _validate.sum_to_one("probabilities", self.probabilities)
        _validate.choice("relation", self.relation, ("add_remove", "zero_out"))

    def _releases(self) -> Iterator[tuple[Mechanism, int]]:
        if self._parts_with_shift():
            yield self, 1

    def _parts_with_shift(self) -> list[tuple[float, float]]:
        pairs = zip(self.sensitivities, self.probabilities, strict=True)
        return [(shift, probability) for shift, probability in pairs if shift and probability]

    def _laws(self) -> tuple[LossLaw, LossLaw]:
        parts = self._parts_with_shift()
        rate = min(sum(probability for _, probability in parts), 1.0)
        if not self.noise_std:
            return both_directions(_core.poisson_law(everything(), rate))
        pairs = [(c, p) for c, p in zip(self.sensitivities, self.probabilities, strict=True) if p]
        shifts, weights = zip(*pairs, strict=True)
        return both_directions(_core.gaussian_mixture_law(self.noise_std, list(shifts), list(weights)))
