# SPDX-License-Identifier: Apache-2.0
"""Formulas as MathML in the pages themselves: no script, nothing from the network."""

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert


def _renderer(display: str) -> tuple[Any, None]:
    def visit(translator: Any, node: nodes.math | nodes.math_block) -> None:
        translator.body.append(convert(node.astext(), display=display))
        raise nodes.SkipNode

    return visit, None


def setup(app: Any) -> dict[str, bool]:
    """Offer the renderer under the name mathml."""
    app.add_html_math_renderer("mathml", _renderer("inline"), _renderer("block"))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
