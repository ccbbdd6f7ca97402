# SPDX-License-Identifier: Apache-2.0
"""YAML with lines, by the core schema of YAML 1.2: 1e-5 is a number, "no" is a word, a key is given once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from .marks import Lines, MarkedError

if TYPE_CHECKING:
    import yaml

__all__ = ["parse_yaml"]

_NULL = re.compile(r"(?:null|Null|NULL|~|)\Z")
_BOOLEAN = re.compile(r"(?:true|True|TRUE|false|False|FALSE)\Z")
_INTEGER = re.compile(r"[-+]?[0-9]+\Z")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")
_INFINITY = re.compile(r"([-+]?)\.(?:inf|Inf|INF)\Z")


def parse_yaml(text: str) -> tuple[Any, Lines]:
    """Return the values and lines of a YAML text; see :func:`hockeystick.cli.marks.parse`."""
    import yaml

    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise MarkedError(f"the text is not YAML: {error.problem}", line) from error
    except yaml.YAMLError as error:
        raise MarkedError(f"the text is not YAML: {error}", None) from error
    lines: Lines = {}
    return (None if root is None else _value(root, (), lines, set())), lines


def _value(node: yaml.Node, place: tuple[str | int, ...], lines: Lines, seen: set[int]) -> Any:
    import yaml

    lines.setdefault(place, node.start_mark.line + 1)
    if id(node) in seen:
        # Aliases of aliases grow without bound, and a description gains nothing by them.
        raise MarkedError("aliases are not read in a description", node.start_mark.line + 1)
    seen.add(id(node))
    if isinstance(node, yaml.SequenceNode):
        return [_value(each, (*place, index), lines, seen) for index, each in enumerate(node.value)]
    if isinstance(node, yaml.MappingNode):
        return _mapping(node, place, lines, seen)
    assert isinstance(node, yaml.ScalarNode)
    return _scalar(node)


def _mapping(node: yaml.MappingNode, place: tuple[str | int, ...], lines: Lines, seen: set[int]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key_node, value_node in node.value:
        key, line = str(key_node.value), key_node.start_mark.line + 1
        if key in values:
            raise MarkedError(f"{key} is given twice", line)
        lines[(*place, key)] = line
        values[key] = _value(value_node, (*place, key), lines, seen)
    return values


def _scalar(node: yaml.ScalarNode) -> Any:
    text = str(node.value)
    if node.style in ("'", '"', "|", ">"):
        return text
    if _NULL.match(text):
        return None
    if _BOOLEAN.match(text):
        return text.lower() == "true"
    if _INTEGER.match(text):
        return int(text)
    if _FLOAT.match(text):
        return float(text)
    if infinity := _INFINITY.match(text):
        return float(infinity[1] + "inf")
    return text
