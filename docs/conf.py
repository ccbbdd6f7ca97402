# SPDX-License-Identifier: Apache-2.0
"""Sphinx settings."""

import sys
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Any

from docutils import nodes

sys.path.insert(0, str(Path(__file__).parent))  # for mathml.py

project = "hockeystick"
author = "The hockeystick authors"
release = installed_version("hockeystick")
extensions = ["sphinx.ext.autodoc", "sphinx.ext.napoleon", "myst_parser", "mathml"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
napoleon_google_docstring = False
# Types as plain text: "array_like, shape (n,)" is no cross-reference.
napoleon_use_param = False
napoleon_use_rtype = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the numpydoc sections say the types
autodoc_default_options = {"members": True}
maximum_signature_line_length = 88
autodoc_mock_imports = ["dp_accounting", "opacus", "torch"]
nitpicky = True
# What numpydoc says of types ("array_like, shape (n,)") is no name of a class.
nitpick_ignore_regex = [("py:class", ".*")]
exclude_patterns = ["build"]
html_theme = "furo"
html_title = f"hockeystick {release}"
html_math_renderer = "mathml"
html_static_path: list[str] = []

_COLON = "\ufdd0"  # no character: Unicode leaves it to programs


def _hide_colon(app: Any, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Keep napoleon from reading the text of a property up to a colon as its type."""
    if what == "property" and lines:
        lines[0] = lines[0].replace(":", _COLON)


def _show_colon(app: Any, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    lines[:] = [line.replace(_COLON, ":") for line in lines]


def _trim_blocks(app: Any, document: nodes.document) -> None:
    """Take away the blank line that ends an example for the sake of its test."""
    for block in document.findall(nodes.literal_block):
        text = block.astext().rstrip()
        if block.rawsource == block.astext():  # plain text, to be highlighted
            block.rawsource, block[:] = text, [nodes.Text(text)]


def setup(app: Any) -> None:
    """Put a step before napoleon's and one after it; see the functions above."""
    app.connect("doctree-read", _trim_blocks)
    app.connect("autodoc-process-docstring", _hide_colon, priority=400)
    app.connect("autodoc-process-docstring", _show_colon, priority=600)
