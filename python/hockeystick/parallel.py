# SPDX-License-Identifier: Apache-2.0
"""Parallel composition: mechanisms on disjoint parts of the data."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import _core
from .description import describable
from .mechanisms import GaussianDP, Mechanism

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ._core import LossLaw


@describable("parallel")
@dataclass(frozen=True, kw_only=True)
class Parallel(Mechanism):
    """Releases on disjoint parts, of which a record meets one: the pointwise maximum of their profiles.

    Made by :func:`parallel`. In each direction one law with delta = max of the parts' deltas, which is convex again.

    Parameters
    ----------
    parts : tuple of Mechanism
        At least one; single releases, all under the same relation.
    """

    parts: tuple[Mechanism, ...]

    def __post_init__(self) -> None:
        parts = tuple(self.parts)
        if not parts:
            raise ValueError("parts must hold at least one mechanism, got none")
        for part in parts:
            if not isinstance(part, Mechanism):
                raise TypeError(f"parts must hold mechanisms, got {part!r}")
            if part.relation != parts[0].relation:
                raise ValueError(f"parts must share one relation, got {parts[0].relation!r} and {part.relation!r}")
            if not (part._is_single() and part._known_exactly()):
                raise ValueError(f"parts must be single releases or compositions of plain Gaussians, got {part!r}")
        object.__setattr__(self, "parts", parts)

    @property
    def relation(self) -> str:
        """The relation that all parts share."""
        return self.parts[0].relation

    def _laws(self) -> tuple[LossLaw, LossLaw]:
        pairs = [part._laws() for part in self.parts]
        remove = _core.maximum_law([pair[0] for pair in pairs])
        if all(pair[0] is pair[1] for pair in pairs):
            return remove, remove
        return remove, _core.maximum_law([pair[1] for pair in pairs])


def parallel(mechanisms: Iterable[Mechanism], *, record_may_move: bool = True) -> Mechanism:
    """Compose mechanisms that each see one part of a partition of the records: the worst of them, not their sum.

    The partition must be fixed without looking at the data (by an identifier, say). A part of a partition that depends
    on the data needs ordinary composition, and so do layers, statistics or weights computed from the same records.

    Parameters
    ----------
    mechanisms : iterable of Mechanism
        At least one; single releases or compositions of plain Gaussians, under the same relation.
    record_may_move : bool
        Under replace: whether the new record may belong to another part than the old one. Then two parts change, which
        is their composition and refused here. No matter under add_remove and zero_out.

    Returns
    -------
    Mechanism
        The mechanism itself where there is one kind only.

    Raises
    ------
    TypeError, ValueError
        For arguments out of their domain, different relations, or replace with a record that may move.

    Examples
    --------
    >>> import hockeystick as hs
    >>> sites = hs.parallel([hs.Gaussian(noise_multiplier=2.0), hs.Gaussian(noise_multiplier=3.0)])
    >>> print(f"{sites.epsilon(delta=1e-5):.4f} {hs.Gaussian(noise_multiplier=2.0).epsilon(delta=1e-5):.4f}")
    1.9931 1.9931
    """
    if not isinstance(record_may_move, bool):
        raise TypeError(f"record_may_move must be a boolean, got {record_may_move!r}")
    distinct = tuple(dict.fromkeys(_as_release(part) for part in mechanisms))
    if distinct and distinct[0].relation == "replace" and record_may_move:
        raise ValueError(
            "record_may_move must be False for parallel composition under 'replace', got True: a record that moves changes "
            "two parts, so compose those two, hs.compose([a, b])"
        )
    return distinct[0] if len(distinct) == 1 else Parallel(parts=distinct)


def _as_release(mechanism: object) -> Mechanism:
    """A composition of plain Gaussians as the one Gaussian that it is."""
    if not isinstance(mechanism, Mechanism):
        raise TypeError(f"mechanisms must hold mechanisms, got {mechanism!r}")
    if mechanism._is_single():
        return mechanism
    noises = [(release._gaussian(), count) for release, count in mechanism._releases()]
    if not noises or any(noise is None or noise[1] != 1.0 for noise, _ in noises):
        return mechanism
    squares = math.fsum(count / noise[0] ** 2 for noise, count in noises if noise is not None)
    return GaussianDP(mu=math.sqrt(squares) * (1.0 + 1e-15), relation=mechanism.relation)
