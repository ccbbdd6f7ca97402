# SPDX-License-Identifier: Apache-2.0
"""A composition as the core sees it: distinct releases in columns, with their counts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False, slots=True)
class Terms:
    """Poisson-subsampled (rate below 1) and plain (rate 1) Gaussians, equal ones merged.

    A release without noise, or one that nothing enters, is no row of the table: the former makes the whole
    ``non_private`` (up to its sampling), the latter costs nothing.
    """

    noise_multipliers: NDArray[np.float64]
    sampling_rates: NDArray[np.float64]
    counts: NDArray[np.uint64]

    @property
    def columns(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.uint64]]:
        """The three columns, as every core function takes them."""
        return self.noise_multipliers, self.sampling_rates, self.counts

    @property
    def is_empty(self) -> bool:
        """Whether nothing is released."""
        return not len(self.counts)

    @property
    def is_gaussian(self) -> bool:
        """Whether all releases are plain Gaussians."""
        return bool((self.sampling_rates == 1.0).all())

    @property
    def is_single_release(self) -> bool:
        """Whether there is exactly one release."""
        return len(self.counts) == 1 and int(self.counts[0]) == 1

    @property
    def gaussian_mu(self) -> float:
        """Root of the sum of T_i / sigma_i^2: the literal mu of plain and of Poisson-subsampled Gaussians alike."""
        return math.sqrt(
            math.fsum(int(n) / float(s) ** 2 for s, n in zip(self.noise_multipliers, self.counts, strict=True))
        )

    @property
    def limit_mu_estimate(self) -> float:
        """The mu of the central limit, q sqrt(T (e^(1/sigma^2) - 1)) summed in squares: an estimate of scale, no bound."""
        squares = (
            int(n) * float(q) ** 2 * math.expm1(min(1.0 / float(s) ** 2, 100.0))
            for s, q, n in zip(*self.columns, strict=True)
        )
        return math.sqrt(math.fsum(squares))


def merge_terms(releases: Iterable[tuple[float, float, int]]) -> Terms:
    """Merge (noise_multiplier, sampling_rate, count) rows; the order of first appearance is kept."""
    merged: dict[tuple[float, float], int] = {}
    for noise_multiplier, sampling_rate, number in releases:
        if number and sampling_rate:
            key = (noise_multiplier, sampling_rate)
            merged[key] = merged.get(key, 0) + number
    return Terms(
        np.array([key[0] for key in merged], dtype=np.float64),
        np.array([key[1] for key in merged], dtype=np.float64),
        np.array(list(merged.values()), dtype=np.uint64),
    )
