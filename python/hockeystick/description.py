# SPDX-License-Identifier: Apache-2.0
"""Mechanisms as plain, versioned dictionaries, and back.

A description holds strings, numbers, booleans, None, lists and dictionaries only: what JSON, YAML and TOML can write.
A mechanism joins by one line over its class, ``@describable("its_kind")``; the fields of its dataclass are its entries.
One whose fields do not read well says its own by ``_to_fields()`` and ``_from_fields(fields)``.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from . import _validate

if TYPE_CHECKING:
    from collections.abc import Callable

    from .mechanisms import Mechanism

VERSION = 1
"""The version that :func:`to_dict` writes; :func:`from_dict` reads this one and every earlier one."""

_Class = TypeVar("_Class", bound=type)

_CLASSES: dict[str, type] = {}
_KINDS: dict[type, str] = {}

# JSON and TOML disagree on infinite numbers, so they are written as words.
_INFINITIES = {"inf": math.inf, "-inf": -math.inf}


def describable(kind: str) -> Callable[[_Class], _Class]:
    """Let a class of mechanisms be described, under the name `kind`; put it above ``@dataclass``.

    The name is part of the files that people keep: once released it does not change.
    """

    def register(cls: _Class) -> _Class:
        if _CLASSES.get(kind, cls).__qualname__ != cls.__qualname__:
            raise ValueError(f"kind must be new, got {kind!r}, which {_CLASSES[kind].__name__} has")
        _CLASSES[kind] = cls
        _KINDS[cls] = kind
        return cls

    return register


def kinds() -> dict[str, type]:
    """Return the classes that can be described, by the names they have in a description."""
    return dict(_CLASSES)


def to_dict(mechanism: Mechanism) -> dict[str, Any]:
    """Describe a mechanism by a dictionary of plain Python values, which :func:`from_dict` turns into an equal one.

    Parameters
    ----------
    mechanism : Mechanism
        Any mechanism, composition or run.

    Returns
    -------
    dict
        ``{"version": 1, "mechanism": {"kind": ..., ...}}``. ``json.dumps(..., allow_nan=False)`` accepts it: an
        infinite number is the string "inf" or "-inf". Numbers keep their exact value.

    Raises
    ------
    TypeError
        If it is no mechanism, or of a class that has no description.

    Examples
    --------
    >>> import hockeystick as hs
    >>> hs.to_dict(hs.Gaussian(noise_multiplier=2.0))["mechanism"]
    {'kind': 'gaussian', 'noise_multiplier': 2.0, 'relation': 'add_remove'}
    """
    if type(mechanism) not in _KINDS:
        raise TypeError(f"mechanism must be a mechanism that has a description, got {mechanism!r}")
    return {"version": VERSION, "mechanism": _plain(mechanism)}


def from_dict(description: Mapping[str, Any]) -> Mechanism:
    """Make the mechanism that a description stands for.

    Parameters
    ----------
    description : mapping
        As :func:`to_dict` returns it, or written by hand; entries that have a default may be left out.

    Returns
    -------
    Mechanism

    Raises
    ------
    TypeError
        If it is no mapping, or an entry is of the wrong kind.
    ValueError
        For a version, kind or entry that is not known, an entry that is missing, or a value out of its domain. Nothing
        is guessed or left out in silence.

    Examples
    --------
    >>> import hockeystick as hs
    >>> hs.from_dict({"version": 1, "mechanism": {"kind": "gaussian", "noise_multiplier": 2.0}})
    Gaussian(noise_multiplier=2.0, relation='add_remove')
    """
    if not isinstance(description, Mapping):
        raise TypeError(f"description must be a mapping, got {description!r}")
    check_version("description", description.get("version"), VERSION)
    unknown = sorted(map(str, description.keys() - {"version", "mechanism"}))
    if unknown or "mechanism" not in description:
        raise ValueError(
            f"description must have the entries version and mechanism, got {sorted(map(str, description))}"
        )
    made = _made(description["mechanism"])
    if type(made) not in _KINDS:
        raise TypeError(f"mechanism must be a mapping with the entry kind, got {description['mechanism']!r}")
    return made  # type: ignore[no-any-return]


def check_version(name: str, version: Any, newest: int) -> int:
    """Return the version of a document, if this library can read it."""
    if version is None:
        raise ValueError(f"{name} must have the entry version, got none")
    number = _validate.count("version", version)
    if not 1 <= number <= newest:
        raise ValueError(f"version must be in [1, {newest}] for this release to read the {name}, got {version!r}")
    return number


def _plain(value: Any) -> Any:
    """Turn a field of a mechanism, or a mechanism, into plain Python values."""
    if type(value) in _KINDS:
        return {"kind": _KINDS[type(value)], **{name: _plain(field) for name, field in _fields(value).items()}}
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, Mapping):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, (np.ndarray, np.generic)):
        return _plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0.0 else "-inf"
    if isinstance(value, (int, float)):
        return value
    raise TypeError(f"mechanism must hold plain values and mechanisms that have a description, got {value!r}")


def _fields(mechanism: Any) -> dict[str, Any]:
    if hasattr(mechanism, "_to_fields"):
        return dict(mechanism._to_fields())
    return {field.name: getattr(mechanism, field.name) for field in dataclasses.fields(mechanism) if field.init}


def _made(value: Any) -> Any:
    """Turn plain values back: a mapping with a kind is a mechanism, a list a tuple."""
    if isinstance(value, Mapping):
        if "kind" in value:
            return _mechanism({name: _made(each) for name, each in value.items()})
        return {name: _made(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return tuple(_made(each) for each in value)
    if isinstance(value, str):
        return _INFINITIES.get(value, value)
    return value


def _mechanism(entries: dict[str, Any]) -> Any:
    kind = entries.pop("kind")
    cls = _CLASSES.get(kind) if isinstance(kind, str) else None
    if cls is None:
        raise ValueError(f"kind must be one of {', '.join(sorted(_CLASSES))}, got {kind!r}")
    if hasattr(cls, "_from_fields"):
        return cls._from_fields(entries)
    fields = {field.name: field for field in dataclasses.fields(cls) if field.init}
    needed = {
        name
        for name, field in fields.items()
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    }
    check_entries(kind, entries, needed=needed, allowed=fields.keys())
    return cls(**entries)


def check_entries(name: str, entries: Mapping[str, Any], *, needed: Any, allowed: Any) -> None:
    """Raise ValueError unless all needed entries are there and none that is not allowed."""
    missing = sorted(set(needed) - entries.keys())
    if missing:
        raise ValueError(f"{name} must have the entries {', '.join(sorted(needed))}, got none for {', '.join(missing)}")
    unknown = sorted(str(entry) for entry in entries.keys() - set(allowed))
    if unknown:
        raise ValueError(f"{name} must have no entries but {', '.join(sorted(allowed))}, got {', '.join(unknown)}")
