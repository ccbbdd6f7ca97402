# SPDX-License-Identifier: Apache-2.0
"""Random allocation: every record draws the steps that it takes part in, on its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import _core, _validate
from ..description import describable
from ..mechanisms import Mechanism
from ..renyi.curves import AllocationCurve
from .attained import Attained
from .release import check_release

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._core import LossLaw
    from .._terms import Release
    from ..renyi.curves import RenyiBounds

    Laws = tuple[LossLaw, LossLaw]

# Cells of the grid of likelihood ratios: brackets of some 1e-4 relative width in a fraction of a second.
_CELLS = 2500


@describable("random_allocation")
@dataclass(frozen=True, kw_only=True)
class RandomAllocation(Mechanism):
    """One epoch of `steps` releases, of which the record enters one (or k), drawn uniformly and kept secret.

    Made by :meth:`Mechanism.random_allocation`; also known as balls in bins. Records draw on their own, so batches
    differ in size. Shuffled batches of fixed size are something else.

    Pair, add_remove and zero_out, with (P0, Q0) that of the base: remove P = mean of the products in which one factor
    Q0 is P0, Q = Q0^steps, so that e^L is the mean of `steps` independent ratios e^L0; add is the reverse. The law of
    that mean is computed from both sides by repeated doubling on a graded geometric grid, mean-preserving spreads above
    and mean-preserving contractions below.
    k of steps: k blocks of steps // k releases, one of each, are an upper bound (joint convexity); the lower side is what
    the sum tells of the losses that the releases would have on a Poisson sample of rate k / steps (post-processing).
    Source: Feldman and Shenfeld 2025; Chua et al. 2024.
    Checked: two steps by direct integration, ten by simulation, published figures for a hundred.

    Parameters
    ----------
    base : Mechanism
        One release, under add_remove or zero_out.
    steps : int
        Releases in an epoch, at least 1.
    participations : int
        k, from 1 to `steps`.

    Raises
    ------
    TypeError, ValueError
        For arguments out of their domain, and under replace, where no pair is known.

    Examples
    --------
    >>> import hockeystick as hs
    >>> epoch = hs.Gaussian(noise_multiplier=1.0).random_allocation(steps=100)
    >>> bounds = epoch.epsilon_bounds(delta=1e-6)
    >>> 0.857 < bounds.lower < bounds.upper < 0.859
    True
    """

    base: Mechanism
    steps: int
    participations: int = 1

    def __post_init__(self) -> None:
        check_release(self.base)
        if self.base.relation == "replace":
            raise ValueError(
                "relation must be 'add_remove' or 'zero_out' for random allocation, got 'replace': no dominating pair is "
                "known; hs.dpsgd(sampling='fixed_order') is safe under replace, without amplification"
            )
        for name in ("steps", "participations"):
            object.__setattr__(self, name, _validate.positive_count(name, getattr(self, name)))
        if self.participations > self.steps:
            raise ValueError(f"participations must be at most steps, got {self.participations} of {self.steps}")

    @property
    def relation(self) -> str:
        """The relation of the base."""
        return self.base.relation

    def _releases(self) -> Iterator[tuple[Mechanism, int]]:
        each = self.steps // self.participations
        if self.participations == 1:
            yield self, 1
        elif each == 1:
            yield self.base, self.steps
        else:
            yield RandomAllocation(base=self.base, steps=each), self.participations

    def _renyi_curve(self) -> RenyiBounds:
        return AllocationCurve(self, self.base._renyi_curve())

    def _laws(self) -> Laws:
        return _core.allocation_laws(self.base._laws()[0], True, self.steps, _CELLS)

    def _attained_releases(self) -> Iterator[tuple[Release, int]]:
        if self.participations < self.steps:
            yield Attained(of=self), 1
        else:
            for release, count in self.base._attained_releases():
                yield release, count * self.steps

    def _attained_gaussian(self) -> None:
        return None

    def _attained_laws(self) -> Laws:
        base = self.base._laws()[0]
        if self.participations == 1:
            return _core.allocation_laws(base, False, self.steps, _CELLS)
        return _core.subset_laws_lower(base, self.steps, self.participations, _CELLS)
