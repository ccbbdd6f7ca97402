# SPDX-License-Identifier: Apache-2.0
"""A report as JSON and back, exactly: floats by their shortest form that reads back, infinities as words."""

from __future__ import annotations

import dataclasses
import json
import math
import types
import typing
from importlib import resources
from typing import Any

from . import series
from .model import Report

__all__ = ["FORMAT", "from_json", "hints", "schema", "to_json"]

FORMAT = "hockeystick.report/1"

_INFINITIES = {"inf": math.inf, "-inf": -math.inf}


def to_json(report: Report) -> str:
    """Return the JSON of a report; :func:`schema` describes it."""
    return json.dumps({"format": FORMAT, **_plain(report)}, indent=2, allow_nan=False, ensure_ascii=False) + "\n"


def from_json(text: str) -> Report:
    """Build a report from its JSON; ValueError, with the place, for a text that is none."""
    try:
        values = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"report must be JSON, got an error in line {error.lineno}: {error.msg}") from error
    if not isinstance(values, dict) or values.pop("format", None) != FORMAT:
        raise ValueError(f"report must be of the format {FORMAT!r}")
    return typing.cast("Report", _built(Report, values, "report"))


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a report.

    Returns
    -------
    dict

    Examples
    --------
    >>> schema()["properties"]["format"]
    {'const': 'hockeystick.report/1'}
    """
    text = resources.files(__package__).joinpath("schema", "report-1.schema.json").read_text(encoding="utf-8")
    return typing.cast("dict[str, Any]", json.loads(text))


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0.0 else "-inf"
    return value


def hints(cls: type) -> dict[str, Any]:
    """Return the types of a class's fields, as objects."""
    return typing.get_type_hints(cls, localns={"Series": series.Series})


def _built(kind: Any, value: Any, place: str) -> Any:
    """Build a value of a type from plain JSON values; `place` says where it stands."""
    if dataclasses.is_dataclass(kind):
        return _dataclass(typing.cast("type", kind), value, place)
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union):
        return _one_of(arguments, value, place)
    if origin is tuple and isinstance(value, list):
        each = arguments[:1] * len(value) if arguments[-1] is ... else arguments
        if len(each) == len(value):
            return tuple(_built(t, v, f"{place}[{i}]") for i, (t, v) in enumerate(zip(each, value, strict=True)))
    if kind is float and isinstance(value, str) and value in _INFINITIES:
        return _INFINITIES[value]
    if kind is float and type(value) in (int, float) and math.isfinite(value):
        return float(value)
    if type(value) is kind:
        return value
    raise ValueError(f"{place} must be of another kind, got {value!r}"[:200])


def _one_of(kinds: tuple[Any, ...], value: Any, place: str) -> Any:
    if value is None and type(None) in kinds:
        return None
    failures = []
    for kind in kinds:
        if kind is not type(None):
            try:
                return _built(kind, value, place)
            except ValueError as error:
                failures.append(error)
    raise failures[-1]


def _dataclass(cls: type, value: Any, place: str) -> Any:
    names = [field.name for field in dataclasses.fields(cls)]
    if not isinstance(value, dict) or sorted(value) != sorted(names):
        got = ", ".join(sorted(value)) if isinstance(value, dict) else repr(value)[:100]
        raise ValueError(f"{place} must have exactly the entries {', '.join(names)}, got {got}")
    return cls(**{name: _built(hints(cls)[name], value[name], f"{place}.{name}") for name in names})
