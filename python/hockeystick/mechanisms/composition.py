# SPDX-License-Identifier: Apache-2.0
"""Compositions: mechanisms with counts, evaluated when asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..description import check_entries, describable
from .base import Mechanism

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


@describable("composition")
@dataclass(frozen=True, kw_only=True)
class Composition(Mechanism):
    """Adaptive composition of mechanisms whose parameters are fixed in advance; equal ones are merged.

    Made by ``+``, ``count *`` and :func:`compose`.

    Parameters
    ----------
    parts : tuple of (Mechanism, int)
        Distinct mechanisms and their counts.
    stated_relation : str
        The relation that all of them share.
    """

    parts: tuple[tuple[Mechanism, int], ...]
    stated_relation: str = "add_remove"

    @property
    def relation(self) -> str:
        """The relation that all parts share."""
        return self.stated_relation

    def __len__(self) -> int:
        return sum(count for _, count in self.parts)

    def _to_fields(self) -> dict[str, Any]:
        parts = [{"count": count, "mechanism": mechanism} for mechanism, count in self.parts]
        return {"relation": self.stated_relation, "parts": parts}

    @classmethod
    def _from_fields(cls, fields: dict[str, Any]) -> Composition:
        check_entries("composition", fields, needed={"parts"}, allowed={"relation", "parts"})
        parts = fields["parts"]
        if not isinstance(parts, tuple) or not all(isinstance(part, dict) for part in parts):
            raise TypeError(f"parts must be a list of mappings with the entry mechanism, got {parts!r}")
        for part in parts:
            check_entries("a part", part, needed={"mechanism"}, allowed={"count", "mechanism"})
            if not isinstance(part["mechanism"], Mechanism):
                raise TypeError(f"mechanism must be a mapping with the entry kind, got {part['mechanism']!r}")
        if not parts:
            return cls(parts=(), stated_relation=fields.get("relation", "add_remove"))
        total = compose(part.get("count", 1) * part["mechanism"] for part in parts)
        if fields.get("relation", total.relation) != total.relation:
            raise ValueError(f"relation must be that of the parts, {total.relation!r}, got {fields['relation']!r}")
        return total

    def _parts(self) -> tuple[tuple[Mechanism, int], ...]:
        return self.parts

    def _releases(self) -> Iterator[tuple[Mechanism, int]]:
        for part, count in self.parts:
            for release, each in part._releases():
                yield release, count * each


def compose(mechanisms: Iterable[Mechanism]) -> Composition:
    """Compose mechanisms; lazy, equal ones merged, evaluated when asked.

    Parameters
    ----------
    mechanisms : iterable of Mechanism
        At least one; all under the same relation.

    Returns
    -------
    Composition

    Raises
    ------
    TypeError
        If an element is not a mechanism.
    ValueError
        If there is none, or if relations differ: numbers under different relations do not add up.

    Examples
    --------
    >>> import hockeystick as hs
    >>> total = hs.compose([hs.Gaussian(noise_multiplier=4.0)] * 3 + [hs.Gaussian(noise_multiplier=2.0)])
    >>> [count for _, count in total.parts]
    [3, 1]
    """
    merged: dict[Mechanism, int] = {}
    relation: str | None = None
    for mechanism in mechanisms:
        if not isinstance(mechanism, Mechanism):
            raise TypeError(f"mechanisms must hold mechanisms, got {mechanism!r}")
        if relation is not None and mechanism.relation != relation:
            raise ValueError(f"mechanisms must share one relation, got {relation!r} and {mechanism.relation!r}")
        relation = mechanism.relation
        for part, count in mechanism._parts():
            merged[part] = merged.get(part, 0) + count
    if relation is None:
        raise ValueError("mechanisms must hold at least one mechanism, got none")
    return Composition(parts=tuple(merged.items()), stated_relation=relation)
