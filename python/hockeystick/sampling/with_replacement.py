# SPDX-License-Identifier: Apache-2.0
"""Batches of independent draws, in which a record may occur several times."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from .. import _core, _validate
from .._binomial import binomial_pmf
from ..description import describable
from ..mechanisms import Gaussian, Mechanism
from ..mechanisms.laws import both_directions, everything, symmetric
from .attained import Attained
from .without_replacement import check_replace_base

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._core import LossLaw
    from .._terms import Release

    Laws = tuple[LossLaw, LossLaw]

# Multiplicities that are together less likely than this are counted as no privacy at all.
_NEGLIGIBLE = 1e-50
# A mixture of more groups than this would take too long.
_MOST_GROUPS = 256


@describable("with_replacement")
@dataclass(frozen=True, kw_only=True)
class WithReplacement(Mechanism):
    """A Gaussian release on `batch_size` independent draws from `dataset_size` records. Made by ``.with_replacement``.

    A record is drawn k ~ Bin(batch_size, 1 / dataset_size) times and then moves the sum k times as far.

    Pair, replace: with eta = Pr[k >= 1], delta(log(1 + eta (e^eps - 1))) = sum_{k >= 1} Pr[k] delta_k(eps), delta_k the
    profile of a group of k, for eps >= 0, and its mirror image below, merged before composition as for sampling without
    replacement. Lower side of brackets: data sets whose other records are all alike, a mixture of Gaussians.
    Source: Balle, Barthe and Gaboardi 2018, theorem 10. Checked: the curve against that sum.

    Parameters
    ----------
    base : Gaussian
        One release, under the replace relation.
    batch_size, dataset_size : int
        Whole numbers of at least 1; here the batch may be the larger one.

    Raises
    ------
    TypeError, ValueError
        For arguments out of their domain and a base under another relation.

    Examples
    --------
    >>> import hockeystick as hs
    >>> base = hs.Gaussian(noise_multiplier=2.0, relation="replace")
    >>> batches = 100 * base.with_replacement(batch_size=10, dataset_size=1000)
    >>> bounds = batches.epsilon_bounds(delta=1e-6)
    >>> print(f"{bounds.lower:.2f} {bounds.upper:.2f}")
    0.23 0.35
    """

    base: Gaussian
    batch_size: int
    dataset_size: int

    def __post_init__(self) -> None:
        if not isinstance(self.base, Gaussian):
            raise TypeError(f"base must be a Gaussian, whose group profiles are known, got {self.base!r}")
        check_replace_base(self.base, "sampling with replacement")
        for name in ("batch_size", "dataset_size"):
            object.__setattr__(self, name, _validate.positive_count(name, getattr(self, name)))
        self._multiplicities()

    @property
    def relation(self) -> str:
        """The relation of the base."""
        return self.base.relation

    @property
    def sampling_rate(self) -> float:
        """How often a record is expected in a batch; may be above 1."""
        return self.batch_size / self.dataset_size

    def _laws(self) -> Laws:
        (_, *times), rest = self._multiplicities()
        drawn = math.fsum([*times, rest])
        possible = [(k, weight) for k, weight in enumerate(times, 1) if weight]
        groups = [self._group(k) for k, _ in possible]
        weights = [weight / drawn for _, weight in possible]
        if rest:
            groups.append(everything())
            weights.append(rest / drawn)
        seen = _core.poisson_law(_core.mixture_law(groups, weights), min(drawn, 1.0))
        return symmetric(_core.merged_law(seen))

    def _group(self, count: int) -> LossLaw:
        noise = self.base.noise_multiplier
        return _core.gaussian_law(noise / count, 1.0, 0) if noise else everything()

    def _attained_releases(self) -> Iterator[tuple[Release, int]]:
        yield Attained(of=self), 1

    def _attained_gaussian(self) -> None:
        return None

    def _attained_laws(self) -> Laws:
        pmf, _ = self._multiplicities()
        if not self.base.noise_multiplier:
            return both_directions(_core.poisson_law(everything(), 1.0 - pmf[0]))
        possible = [(float(k), weight) for k, weight in enumerate(pmf) if weight]
        shifts, weights = ([pair[i] for pair in possible] for i in (0, 1))
        return both_directions(_core.gaussian_mixture_law(self.base.noise_multiplier, shifts, weights))

    def _multiplicities(self) -> tuple[list[float], float]:
        pmf, rest = binomial_pmf(self.batch_size, Decimal(1) / self.dataset_size, tail=_NEGLIGIBLE)
        if len(pmf) > _MOST_GROUPS:
            raise ValueError(
                f"batch_size must be such that no record is drawn more than {_MOST_GROUPS} times, got {self.batch_size} "
                f"draws from {self.dataset_size}"
            )
        return pmf, rest
