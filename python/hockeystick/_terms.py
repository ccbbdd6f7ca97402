# SPDX-License-Identifier: Apache-2.0
"""A composition as the core sees it: distinct releases with their counts."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from . import _core

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from ._core import LossLaw


# A relative rounding of mu that covers the sum of T / sigma^2 and its root.
_MU_ROUNDING = 4e-16


class Release(Protocol):
    """One release, on the upper or on the lower side of a bracket; hashable, equal ones are merged."""

    def _laws(self) -> tuple[LossLaw, LossLaw]:
        """Return its loss laws in the directions remove and add; one object twice if symmetric."""

    def _gaussian(self) -> tuple[float, float] | None:
        """Return (noise_multiplier, sampling_rate) if it is a Poisson-subsampled Gaussian."""


@dataclass(frozen=True, eq=False)
class Terms:
    """Releases, equal ones merged: subsampled Gaussians in columns, which the contour engine takes, and all others.

    A release that nothing enters costs nothing and is left out. Where laws dominate without being attained as a whole,
    `attained` holds the terms that the lower side of every bracket is about; None where they are the same.
    """

    noise_multipliers: NDArray[np.float64]
    sampling_rates: NDArray[np.float64]
    counts: NDArray[np.uint64]
    others: tuple[tuple[Release, int], ...] = ()
    attained: Terms | None = None

    @cached_property
    def pairs(self) -> tuple[tuple[LossLaw, LossLaw], ...]:
        """The others' loss laws in the directions remove and add: made when asked for, once for one question."""
        return tuple(release._laws() for release, _ in self.others)

    @property
    def columns(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.uint64]]:
        """The Gaussians' three columns."""
        return self.noise_multipliers, self.sampling_rates, self.counts

    @property
    def is_empty(self) -> bool:
        """Whether nothing is released."""
        return not len(self.counts) and not self.others

    @property
    def is_subsampled_gaussian(self) -> bool:
        """Whether all releases are Gaussians, subsampled or not: the columns are all."""
        return not self.others

    @property
    def has_nodes(self) -> bool:
        """Whether the contour engine knows nodes for all releases."""
        return all(law.has_nodes for pair in self.pairs for law in pair)

    @property
    def lattice_points(self) -> float:
        """How many points the composed loss can have at most where all releases have finitely many outcomes."""
        if len(self.counts) or not all(pair[0].outcomes for pair in self.pairs):
            return math.inf
        return sum(count * (pair[0].outcomes - 1) for (_, count), pair in zip(self.others, self.pairs, strict=True))

    @property
    def is_gaussian(self) -> bool:
        """Whether all releases are plain Gaussians."""
        # The first alone tells of most that are not.
        return not self.others and (self.is_empty or bool(self.sampling_rates[0] == 1.0 == self.sampling_rates.min()))

    @property
    def is_single_release(self) -> bool:
        """Whether there is exactly one release."""
        if len(self.counts) + len(self.others) != 1:
            return False
        return bool((self.others[0][1] if self.others else self.counts[0]) == 1)

    def laws(self, directions: Sequence[int]) -> tuple[list[list[LossLaw]], NDArray[np.uint64]]:
        """One list of loss laws a direction (0 remove, 1 add), and the counts of the releases."""
        lists = []
        for direction in directions:
            gaussians = [
                _core.gaussian_law(float(noise), float(rate), 0 if rate == 1.0 else direction)
                for noise, rate in zip(self.noise_multipliers, self.sampling_rates, strict=True)
            ]
            lists.append([*gaussians, *(pair[direction] for pair in self.pairs)])
        others = np.array([count for _, count in self.others], dtype=np.uint64)
        return lists, np.concatenate([self.counts, others])

    def log_infinity_mass(self, directions: Sequence[int]) -> tuple[float, float]:
        """Certified bracket of the log of the mass at infinity, in the direction that has most of it."""
        if self.is_subsampled_gaussian:
            return -math.inf, -math.inf
        laws, counts = self.laws(directions)
        bounds = [_core.log_infinity_mass_bounds(each, counts) for each in laws]
        return max(lower for lower, _ in bounds), max(upper for _, upper in bounds)

    def infinite_releases(self) -> list[Release]:
        """The releases that put mass at infinity."""
        releases = zip(self.others, self.pairs, strict=True)
        return [mechanism for (mechanism, _), pair in releases if any(law.infinity_mass[0] for law in pair)]

    @property
    def gaussian_mu_bounds(self) -> tuple[float, float]:
        """Root of the sum of T_i / sigma_i^2, rounded down and up: the literal mu of Gaussians, subsampled or not."""
        mu = math.sqrt(
            math.fsum(int(n) / float(s) ** 2 for s, n in zip(self.noise_multipliers, self.counts, strict=True))
        )
        return mu * (1.0 - _MU_ROUNDING), mu * (1.0 + _MU_ROUNDING)

    @property
    def literal_mu_upper(self) -> float | None:
        """The literal mu, rounded up, where a closed form tells it."""
        if self.is_subsampled_gaussian:
            return self.gaussian_mu_bounds[1]
        return math.inf if self.log_infinity_mass([0, 1])[0] > -math.inf else None


def merge_terms(releases: Iterable[tuple[Release, int]]) -> Terms:
    """Merge releases with their counts; the order of first appearance is kept."""
    gaussians: dict[tuple[float, float], int] = {}
    others: dict[Release, int] = {}
    for release, count in releases:
        if not count:
            continue
        gaussian = release._gaussian()
        if gaussian is None or not gaussian[0]:
            others[release] = others.get(release, 0) + count
        elif gaussian[1]:
            gaussians[gaussian] = gaussians.get(gaussian, 0) + count
    return Terms(
        np.array([key[0] for key in gaussians], dtype=np.float64),
        np.array([key[1] for key in gaussians], dtype=np.float64),
        np.array(list(gaussians.values()), dtype=np.uint64),
        tuple(others.items()),
    )


def bracket_terms(releases: Iterable[tuple[Release, int]], attained: Iterable[tuple[Release, int]]) -> Terms:
    """Merge releases, and those for the lower side of brackets where they are not the same."""
    upper_side, lower_side = list(releases), list(attained)
    terms = merge_terms(upper_side)
    return terms if upper_side == lower_side else replace(terms, attained=merge_terms(lower_side))
