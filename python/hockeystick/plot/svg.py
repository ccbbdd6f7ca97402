# SPDX-License-Identifier: Apache-2.0
"""A figure as SVG to stand in a page: its text is text, its colours follow the page, its names do not clash."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import matplotlib as mpl

from .style import BLUE, GREEN, INK, MUTED, ORANGE, PAPER, PURPLE, RULE, SKY, SVG_STYLE, VERMILION

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["inline_svg"]

_SVG, _XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
_VARIABLES = {
    BLUE: "blue",
    VERMILION: "vermilion",
    GREEN: "green",
    PURPLE: "purple",
    ORANGE: "orange",
    SKY: "sky",
    INK: "ink",
    MUTED: "muted",
    RULE: "rule",
    PAPER: "paper",
}


def inline_svg(figure: Figure, *, name: str, label: str) -> str:
    """Return an ``<svg>`` element.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Drawn in this package's look.
    name : str
        Unique in the page: the start of every identifier.
    label : str
        What the figure shows, for readers that cannot see it.

    Returns
    -------
    str
        Colours are CSS variables (``--figure-ink`` and so on) that fall back to the printed ones.

    Examples
    --------
    >>> import hockeystick as hs
    >>> from hockeystick import plot
    >>> figure = plot.tradeoff(hs.Gaussian(noise_multiplier=1.0))
    >>> plot.inline_svg(figure, name="curve", label="A trade-off curve.")[:4]
    '<svg'
    """
    buffer = io.StringIO()
    with mpl.rc_context(SVG_STYLE):
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    ElementTree.register_namespace("", _SVG)
    ElementTree.register_namespace("xlink", _XLINK)
    root = ElementTree.fromstring(buffer.getvalue())
    for parent in root.iter():
        # The style element would reach beyond the figure, the metadata says nothing.
        for child in [c for c in parent if c.tag in (f"{{{_SVG}}}metadata", f"{{{_SVG}}}style")]:
            parent.remove(child)
    for element in root.iter():
        _rename(element, name)
        _recolour(element)
    for attribute in ("width", "height", "version"):
        root.attrib.pop(attribute, None)
    root.set("role", "img")
    root.set("aria-label", label)
    root.set("style", "stroke-linejoin: round; stroke-linecap: butt")
    return ElementTree.tostring(root, encoding="unicode")


def _rename(element: ElementTree.Element, name: str) -> None:
    if "id" in element.attrib:
        element.set("id", f"{name}-{element.attrib['id']}")
    for attribute, value in element.attrib.items():
        if attribute == f"{{{_XLINK}}}href" and value.startswith("#"):
            element.set(attribute, f"#{name}-{value[1:]}")
        elif "url(#" in value:
            element.set(attribute, value.replace("url(#", f"url(#{name}-"))


def _recolour(element: ElementTree.Element) -> None:
    style = element.attrib.get("style")
    if style is None:
        return
    # Fonts of the page: DejaVu, in which the figure was measured, is wider than nearly all of them.
    style = (
        re.sub(r"(font(?:-family)?:[^;]*?)'DejaVu Sans'[^;]*", r"\1inherit", style) if "font-family" in style else style
    )
    style = re.sub(r"'DejaVu Sans'(?:, [^;]*)?", "var(--figure-font, 'DejaVu Sans', sans-serif)", style)
    element.set("style", re.sub(r"#[0-9a-f]{6}", lambda m: _variable(m[0]), style))


def _variable(colour: str) -> str:
    name = _VARIABLES.get(colour)
    return f"var(--figure-{name}, {colour})" if name else colour
