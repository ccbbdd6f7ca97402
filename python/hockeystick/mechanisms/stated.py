# SPDX-License-Identifier: Apache-2.0
"""Mechanisms that are known by a guarantee alone, whose arguments are named like questions."""

from __future__ import annotations

import dataclasses
from typing import Any, Self

from .. import _validate
from ..description import check_entries
from .base import Mechanism

_PREFIX = "stated_"


class Stated(Mechanism):
    """Base of a frozen dataclass with ``init=False`` whose field ``stated_epsilon`` is the argument `epsilon`.

    On a mechanism ``epsilon`` and ``delta`` are questions; what was promised goes by another name inside, and by its own
    in the constructor, in print and in descriptions.
    """

    __slots__ = ()

    def _state(self, *, relation: str, **stated: float) -> None:
        """Set the fields, checked by the caller, and the relation."""
        for name, value in stated.items():
            object.__setattr__(self, _PREFIX + name, value)
        object.__setattr__(self, "relation", _validate.choice("relation", relation, _validate.RELATIONS))

    def _to_fields(self) -> dict[str, Any]:
        fields = dataclasses.fields(self)  # type: ignore[arg-type]  # every subclass is a dataclass
        return {field.name.removeprefix(_PREFIX): getattr(self, field.name) for field in fields}

    @classmethod
    def _from_fields(cls, fields: dict[str, Any]) -> Self:
        known = {field.name.removeprefix(_PREFIX) for field in dataclasses.fields(cls)}  # type: ignore[arg-type]
        check_entries(cls.__name__, fields, needed=known - {"relation"}, allowed=known)
        return cls(**fields)

    def __repr__(self) -> str:
        """Show the arguments of the constructor."""
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self._to_fields().items())})"
