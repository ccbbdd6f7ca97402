# SPDX-License-Identifier: Apache-2.0
"""A release without any protection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import _validate
from ..description import describable
from .base import Mechanism
from .laws import everything, symmetric

if TYPE_CHECKING:
    from .._core import LossLaw


@describable("non_private")
@dataclass(frozen=True, kw_only=True)
class NonPrivate(Mechanism):
    """A release that tells all: delta(eps) = 1 for every eps. Part of a composition it makes the whole non-private.

    Pair: P and Q on different outcomes; all of P at an infinite loss. On a Poisson sample of rate q, delta is q.
    Checked: alone, composed and sampled.

    Parameters
    ----------
    relation : {"add_remove", "replace", "zero_out"}
        The neighbouring relation of what it is composed with.

    Examples
    --------
    >>> import hockeystick as hs
    >>> hs.NonPrivate().epsilon(delta=0.5)
    inf
    """

    relation: str = "add_remove"

    def __post_init__(self) -> None:
        _validate.choice("relation", self.relation, _validate.RELATIONS)

    def _laws(self) -> tuple[LossLaw, LossLaw]:
        return symmetric(everything())
