# SPDX-License-Identifier: Apache-2.0
"""One look for every figure: colours that the colour-blind tell apart, lines that differ without colour."""

from __future__ import annotations

import math
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes

# Okabe and Ito's palette, without its yellow, which is too light for lines.
BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY = "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"
INK, MUTED, RULE, PAPER = "#1b1f24", "#66707c", "#dde1e6", "#ffffff"
CYCLE = (
    (BLUE, "-"),
    (VERMILION, "--"),
    (GREEN, "-."),
    (PURPLE, (0, (5, 1, 1, 1, 1, 1))),
    (ORANGE, (0, (3, 1))),
    (SKY, (0, (1, 1))),
)

STYLE: Any = {
    "axes.axisbelow": True,
    "axes.edgecolor": MUTED,
    "axes.facecolor": "none",
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": INK,
    "axes.titlelocation": "left",
    "axes.titlesize": 9.5,
    "axes.titleweight": "bold",
    "figure.facecolor": PAPER,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    "grid.color": RULE,
    "grid.linewidth": 0.6,
    "legend.fontsize": 8.5,
    "legend.frameon": False,
    "legend.labelcolor": INK,
    "lines.linewidth": 1.8,
    "text.color": INK,
    "xtick.color": MUTED,
    "xtick.labelcolor": INK,
    "xtick.labelsize": 8.5,
    "ytick.color": MUTED,
    "ytick.labelcolor": INK,
    "ytick.labelsize": 8.5,
}
# Fixed identifiers: the same figure is the same file.
SVG_STYLE: Any = {"svg.hashsalt": "hockeystick", "svg.fonttype": "none"}

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@contextmanager
def look() -> Iterator[None]:
    """Apply the look within a block, and leave the caller's settings as they were."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(STYLE)
        yield


def new_figure(*, columns: int = 1, width: float = 4.4, height: float = 3.4) -> tuple[Figure, list[Axes]]:
    """Return a figure of so many panels in a row; it belongs to no window and to no global list."""
    figure = Figure(figsize=(width * columns, height), layout="constrained")
    return figure, [figure.add_subplot(1, columns, number + 1) for number in range(columns)]


def power_of_ten(exponent: float) -> str:
    """Write a power of ten with superscripts that every font has.

    >>> power_of_ten(-5.0)
    '10⁻⁵'
    """
    whole = round(exponent)
    return {0: "1", 1: "10"}.get(whole, "10" + str(whole).translate(_SUPERSCRIPTS))


def logarithmic(axes: Axes, *, x: bool = False, y: bool = False) -> None:
    """Make axes logarithmic with few ticks: powers of ten, or plain numbers where the range is short.

    Call it after the limits are set.
    """
    for wanted, axis, scale in ((x, axes.xaxis, axes.set_xscale), (y, axes.yaxis, axes.set_yscale)):
        if wanted:
            scale("log")
            low, high = axis.get_view_interval()
            short = high < 300.0 * low
            axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if short else (1.0,), numticks=8 if short else 6))
            axis.set_major_formatter(FuncFormatter(_plain_tick if short and low > 1e-4 else _power_tick))
            axis.set_minor_locator(NullLocator())
            axis.set_minor_formatter(NullFormatter())


def _plain_tick(value: float, _: int | None = None) -> str:
    return f"{value:g}"


def _power_tick(value: float, _: int | None = None) -> str:
    return power_of_ten(math.log10(value))


def powers(axes: Axes) -> None:
    """Label a vertical axis that holds decimal logarithms as powers of ten."""
    from matplotlib.ticker import MaxNLocator

    axes.yaxis.set_major_locator(MaxNLocator(nbins=6, integer=True))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: power_of_ten(value)))
