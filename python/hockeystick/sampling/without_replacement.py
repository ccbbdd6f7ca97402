# SPDX-License-Identifier: Apache-2.0
"""Batches of fixed size: a fresh uniform subset every time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import _core, _validate
from ..description import describable
from ..mechanisms import Gaussian, Mechanism
from ..mechanisms.laws import both_directions, symmetric
from .attained import Attained
from .release import check_release

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._core import LossLaw
    from .._terms import Release

    Laws = tuple[LossLaw, LossLaw]


@describable("without_replacement")
@dataclass(frozen=True, kw_only=True)
class WithoutReplacement(Mechanism):
    """A release on a uniform subset of `batch_size` of `dataset_size` records, drawn anew each time.

    Made by :meth:`Mechanism.without_replacement`. A record that enters a batch keeps another one out, so the base is
    needed under the replace relation (twice the clipping norm for clipped sums), whatever the relation of the result.

    Pair, replace: delta(eps) = q delta_0(log(1 + (e^eps - 1) / q)) for eps >= 0, q = batch_size / dataset_size, and
    its mirror image below: at every eps the larger of both directions, merged into one symmetric law **before**
    composition. An adversary may pick between the directions anew in every round, so the larger of the two composed
    curves is no bound. add_remove: ((1-q) Q0 + q P0, Q0) and its reverse, composed each on its own.
    Lower side of brackets: data sets whose other records are all alike, ((1-q) Q0 + q P0, Q0), which clipped sums attain.
    Source: Balle, Barthe and Gaboardi 2018; Zhu, Dong and Wang 2022.
    Checked: the curve against both directions, an adaptive adversary over two rounds, published figures.

    Parameters
    ----------
    base : Mechanism
        One release, under the replace relation.
    batch_size, dataset_size : int
        Whole numbers of at least 1, the batch at most the data set; under add_remove, the larger data set.
    relation : {"replace", "add_remove"}
        The relation of the result. For zero_out take replace, of which it is a special case here.

    Raises
    ------
    TypeError, ValueError
        For arguments out of their domain, a composition, and a base under another relation.

    Examples
    --------
    >>> import hockeystick as hs
    >>> base = hs.Gaussian(noise_multiplier=2.0, relation="replace")
    >>> batches = 100 * base.without_replacement(batch_size=10, dataset_size=1000)
    >>> bounds = batches.epsilon_bounds(delta=1e-6)
    >>> print(f"{bounds.lower:.2f} {bounds.upper:.2f}")
    0.23 0.25
    """

    base: Mechanism
    batch_size: int
    dataset_size: int
    relation: str = "replace"

    def __post_init__(self) -> None:
        check_replace_base(self.base, "sampling without replacement")
        batch_size, dataset_size = _validate.sample_of(self.batch_size, self.dataset_size)
        object.__setattr__(self, "batch_size", batch_size)
        object.__setattr__(self, "dataset_size", dataset_size)
        _validate.choice("relation", self.relation, ("replace", "add_remove"))

    @property
    def sampling_rate(self) -> float:
        """How often a record is expected in a batch."""
        return self.batch_size / self.dataset_size

    def _laws(self) -> Laws:
        if self._is_tight():
            return self._attained_laws()
        # Either record may be the one that is in, so a base that is not its own reversal counts both ways round.
        bases = self.base._laws()
        sampled = [_core.poisson_law(law, self.sampling_rate) for law in bases[: 1 if bases[0] is bases[1] else 2]]
        if self.relation == "add_remove":
            return _core.maximum_law(sampled), _core.maximum_law([_core.reversed_law(law) for law in sampled])
        return symmetric(_core.merged_law(_core.maximum_law(sampled) if len(sampled) > 1 else sampled[0]))

    def _attained_releases(self) -> Iterator[tuple[Release, int]]:
        yield (self if self._is_tight() else Attained(of=self)), 1

    def _attained_laws(self) -> Laws:
        return both_directions(_core.poisson_law(self.base._laws()[0], self.sampling_rate))

    def _attained_gaussian(self) -> tuple[float, float] | None:
        plain = self.base._gaussian() if isinstance(self.base, Gaussian) else None
        return (plain[0], self.sampling_rate) if plain else None

    def _gaussian(self) -> tuple[float, float] | None:
        return self._attained_gaussian() if self._is_tight() else None

    def _is_tight(self) -> bool:
        if self.batch_size == self.dataset_size:
            return True
        remove, add = self.base._laws()
        return self.relation == "add_remove" and remove is add


def check_replace_base(base: object, scheme: str) -> None:
    """Raise unless `base` is one release under the replace relation."""
    release = check_release(base)
    if release.relation != "replace":
        raise ValueError(
            f"base must be under the relation 'replace' for {scheme}, got {release.relation!r}: a record that enters a "
            "batch of fixed size keeps another one out"
        )
