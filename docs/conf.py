# SPDX-License-Identifier: Apache-2.0
"""Sphinx settings."""

from importlib.metadata import version as installed_version

project = "hockeystick"
author = "The hockeystick authors"
release = installed_version("hockeystick")
extensions = ["sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax", "myst_parser"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
napoleon_google_docstring = False
# Types as plain text: "array_like, shape (n,)" is no cross-reference.
napoleon_use_param = False
napoleon_use_rtype = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # the numpydoc sections say the types
nitpicky = True
# What numpydoc says of types ("array_like, shape (n,)") is no name of a class.
nitpick_ignore_regex = [("py:class", ".*")]
exclude_patterns = ["build"]
html_theme = "alabaster"
html_static_path: list[str] = []
