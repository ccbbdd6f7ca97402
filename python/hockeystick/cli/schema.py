# SPDX-License-Identifier: Apache-2.0
"""``hockeystick schema``: what a description file and a report in JSON may hold."""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from typing import Annotated, Any

import typer

import hockeystick as hs
from hockeystick import description
from hockeystick.report import schema as report_schema

from .app import app

__all__ = ["description_schema", "schema"]

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_NUMBER = {"anyOf": [{"type": "number"}, {"enum": ["inf", "-inf"]}]}


@app.command()
def schema(
    of: Annotated[str, typer.Argument(help="description or report")] = "description",
) -> None:
    """Print the JSON Schema of description files, or of reports in JSON.

    Example: hockeystick schema description > description.schema.json

    An editor that knows the schema completes and checks description files.
    """
    schemas = {"description": description_schema, "report": report_schema}
    if of not in schemas:
        raise ValueError(f"schema must be one of {', '.join(schemas)}, got {of!r}")
    print(json.dumps(schemas[of](), indent=2))


def description_schema() -> dict[str, Any]:
    """Return the JSON Schema of a description, made from the classes that can be described.

    >>> sorted(description_schema()["required"])
    ['mechanism', 'version']
    """
    kinds = description.kinds()
    return {
        "$schema": _DRAFT,
        "title": "Description of a differentially private mechanism",
        "type": "object",
        "properties": {
            "version": {"const": description.VERSION},
            "mechanism": {"$ref": "#/$defs/mechanism"},
        },
        "required": ["version", "mechanism"],
        "additionalProperties": False,
        "$defs": {
            "mechanism": {
                "type": "object",
                "properties": {"kind": {"enum": sorted(kinds)}},
                "required": ["kind"],
                "allOf": [
                    {"if": {"properties": {"kind": {"const": kind}}}, "then": {"$ref": f"#/$defs/{kind}"}}
                    for kind in sorted(kinds)
                ],
            },
            **{kind: _of_class(kind, kinds[kind]) for kind in sorted(kinds)},
        },
    }


def _of_class(kind: str, cls: type) -> dict[str, Any]:
    summary = (cls.__doc__ or "").strip().partition("\n")[0]
    if kind == "composition":
        return {"description": summary, **_COMPOSITION}
    if hasattr(cls, "_from_fields"):
        # It says its own entries; the library checks them when the file is read.
        return {"description": summary}
    hints = _hints(cls)
    fields = [field for field in dataclasses.fields(cls) if field.init]
    required = [
        field.name
        for field in fields
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    ]
    return {
        "description": summary,
        "properties": {"kind": {}, **{field.name: _of_type(hints.get(field.name, Any)) for field in fields}},
        "required": required,
        "additionalProperties": False,
    }


_COMPOSITION: dict[str, Any] = {
    "properties": {
        "kind": {},
        "relation": {"type": "string"},
        "parts": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "count": {"type": "integer", "minimum": 0},
                    "mechanism": {"$ref": "#/$defs/mechanism"},
                },
                "required": ["mechanism"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["parts"],
    "additionalProperties": False,
}


def _hints(cls: type) -> dict[str, Any]:
    try:
        return typing.get_type_hints(cls)
    except NameError:
        # A type that only a type checker imports: nothing is said of that class's entries.
        return {}


def _of_type(kind: Any) -> dict[str, Any]:
    arguments = typing.get_args(kind)
    if typing.get_origin(kind) in (types.UnionType, typing.Union):
        return {"anyOf": [_of_type(each) for each in arguments]}
    if isinstance(kind, type) and issubclass(kind, hs.Mechanism):
        return {"$ref": "#/$defs/mechanism"}
    simple: dict[Any, dict[str, Any]] = {
        float: _NUMBER,
        int: {"type": "integer"},
        str: {"type": "string"},
        bool: {"type": "boolean"},
        type(None): {"type": "null"},
    }
    return simple.get(kind, {"type": "array"} if typing.get_origin(kind) is tuple else {})
