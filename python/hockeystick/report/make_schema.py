# SPDX-License-Identifier: Apache-2.0
"""Write schema/report-1.schema.json from the dataclasses, so that the two cannot drift apart.

Run: python -m hockeystick.report.make_schema
"""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from pathlib import Path
from typing import Any

from .encoding import FORMAT, hints
from .model import Report

TARGET = Path(__file__).parent / "schema" / "report-1.schema.json"


def make_schema() -> dict[str, Any]:
    """Return the JSON Schema of a report."""
    definitions: dict[str, Any] = {
        "number": {
            "description": 'A number; an infinite one is the string "inf" or "-inf".',
            "anyOf": [{"type": "number"}, {"enum": ["inf", "-inf"]}],
        }
    }
    top = _object(Report, definitions)
    top["properties"] = {"format": {"const": FORMAT}, **top["properties"]}
    top["required"] = ["format", *top["required"]]
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Privacy report", **top}
    return {**head, "$defs": dict(sorted(definitions.items()))}


def _object(cls: type, definitions: dict[str, Any]) -> dict[str, Any]:
    names = [field.name for field in dataclasses.fields(cls)]
    return {
        "description": (cls.__doc__ or "").strip().partition("\n")[0],
        "type": "object",
        "properties": {name: _schema(hints(cls)[name], definitions) for name in names},
        "required": names,
        "additionalProperties": False,
    }


def _schema(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    if dataclasses.is_dataclass(kind):
        name = typing.cast("type", kind).__name__
        if name not in definitions:
            definitions[name] = {}
            definitions[name] = _object(typing.cast("type", kind), definitions)
        return {"$ref": f"#/$defs/{name}"}
    arguments = typing.get_args(kind)
    if typing.get_origin(kind) in (types.UnionType, typing.Union):
        return {"anyOf": [_schema(each, definitions) for each in arguments]}
    if typing.get_origin(kind) is tuple and arguments[-1] is ...:
        return {"type": "array", "items": _schema(arguments[0], definitions)}
    if typing.get_origin(kind) is tuple:
        items = [_schema(each, definitions) for each in arguments]
        return {"type": "array", "prefixItems": items, "items": False, "minItems": len(items)}
    if kind is float:
        return {"$ref": "#/$defs/number"}
    return {"type": {str: "string", int: "integer", bool: "boolean", type(None): "null"}[kind]}


if __name__ == "__main__":
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(json.dumps(make_schema(), indent=2) + "\n", encoding="utf-8")
