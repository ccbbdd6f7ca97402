# SPDX-License-Identifier: Apache-2.0
"""What was composed, in order: the record that an accountant keeps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _validate
from .description import check_entries, from_dict, to_dict
from .mechanisms import Composition, Mechanism

if TYPE_CHECKING:
    from numpy.typing import NDArray


class History:
    """Mechanisms and how often, equal ones in a row as one entry; adding is atomic and costs the same at any length."""

    def __init__(self, relation: str) -> None:
        self.relation = _validate.choice("relation", relation, _validate.RELATIONS)
        self._entries: list[tuple[Mechanism, int]] = []
        self._counts: dict[Mechanism, int] = {}

    def __len__(self) -> int:
        return sum(self._counts.values())

    @property
    def entries(self) -> tuple[tuple[Mechanism, int], ...]:
        """The entries, in order."""
        return tuple(self._entries)

    @property
    def kinds(self) -> int:
        """How many different mechanisms there are."""
        return len(self._counts)

    @property
    def mechanism(self) -> Composition:
        """All of it as one mechanism."""
        return Composition(parts=tuple(self._counts.items()), stated_relation=self.relation)

    def add(self, mechanism: Mechanism, count: Any) -> None:
        """Record a mechanism `count` times, or raise and record nothing."""
        count = _validate.count("count", count)
        self.require_relation("mechanism", mechanism)
        parts = mechanism._parts()
        if len(parts) == 1:
            # A run of equal steps is recorded as its steps, so that what is equal is seen to be.
            mechanism, count = parts[0][0], count * parts[0][1]
        if not count or not parts:
            return
        # Nothing below this line can fail.
        added = {part: self._counts.get(part, 0) + count * number for part, number in mechanism._parts()}
        self._counts.update(added)
        if self._entries and self._entries[-1][0] == mechanism:
            count += self._entries.pop()[1]
        self._entries.append((mechanism, count))

    def extend(self, other: History) -> None:
        """Record all that another one holds."""
        for mechanism, count in other.entries:
            self.add(mechanism, count)

    def copy(self) -> History:
        """Return an independent one."""
        other = History(self.relation)
        other._entries, other._counts = list(self._entries), dict(self._counts)
        return other

    def require_relation(self, name: str, mechanism: Any) -> None:
        """Raise unless it is a mechanism under the relation of this history."""
        if not isinstance(mechanism, Mechanism):
            raise TypeError(f"{name} must be a Mechanism, got {mechanism!r}")
        if mechanism.relation != self.relation:
            raise ValueError(f"{name} must be under the relation {self.relation!r}, got {mechanism.relation!r}")

    def prefixes(self, wanted: NDArray[np.int64]) -> list[Composition]:
        """All of it as it was after the wanted numbers of steps (of an entry of several mechanisms, at its ends)."""
        prefixes = []
        past = History(self.relation)
        for mechanism, count in self._entries:
            size, begin, done = size_of(mechanism), len(past), 0
            inside = wanted[(wanted > begin) & (wanted <= begin + count * size)]
            for times in np.unique(-(-(inside - begin) // size)).tolist():
                past.add(mechanism, times - done)
                done = times
                prefixes.append(past.mechanism)
            past.add(mechanism, count - done)
        return prefixes

    def to_list(self) -> list[dict[str, Any]]:
        """Describe the entries by plain values."""
        return [{"count": count, "mechanism": to_dict(mechanism)["mechanism"]} for mechanism, count in self._entries]

    @classmethod
    def from_list(cls, relation: str, entries: Any, description_version: Any) -> History:
        """Make the history that :meth:`to_list` described."""
        if not isinstance(entries, Iterable) or isinstance(entries, (str, bytes, Mapping)):
            raise TypeError(f"history must be a list of entries, got {entries!r}")
        history = cls(relation)
        for entry in entries:
            if not isinstance(entry, Mapping):
                raise TypeError(f"an entry of the history must be a mapping, got {entry!r}")
            check_entries(
                "an entry of the history", entry, needed={"count", "mechanism"}, allowed={"count", "mechanism"}
            )
            described = {"version": description_version, "mechanism": entry["mechanism"]}
            history.add(from_dict(described), entry["count"])
        return history


def size_of(mechanism: Mechanism) -> int:
    """How many steps a mechanism is."""
    return sum(number for _, number in mechanism._parts())
