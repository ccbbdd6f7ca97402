# SPDX-License-Identifier: Apache-2.0
"""The Renyi curve, the epsilon of every order, and the order that serves."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hockeystick import _validate
from hockeystick.report import series
from hockeystick.report.numbers import exactly, round_up

from .style import BLUE, INK, VERMILION, logarithmic, look, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from hockeystick import Mechanism

__all__ = ["renyi"]


def renyi(source: Mechanism | series.RenyiSeries, *, delta: float | None = None, panel: str = "both") -> Figure:
    """Draw the Renyi divergence over its order, and the epsilon that each order gives at a delta.

    Parameters
    ----------
    source : Mechanism or RenyiSeries
        What to draw.
    delta : float, optional
        For a mechanism: the delta of epsilon, in (0, 1).
    panel : {"both", "curve", "epsilon"}
        Which of the two panels.

    Returns
    -------
    matplotlib.figure.Figure
        Both curves are upper bounds; the mark is the order with the least epsilon. The exact epsilon is smaller.

    Raises
    ------
    ValueError, TypeError
        Without a `delta` in its domain for a mechanism.

    Examples
    --------
    >>> import hockeystick as hs
    >>> from hockeystick import plot
    >>> figure = plot.renyi(hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000), delta=1e-5)
    >>> [axes.get_ylabel() for axes in figure.axes]
    ['Rényi divergence', 'epsilon at delta = 1e-5']
    """
    if not isinstance(source, series.RenyiSeries):
        if delta is None:
            raise TypeError("delta must be given for a mechanism, got None")
        source = series.renyi(source, delta=delta)
    draw = {"curve": (_draw_curve,), "epsilon": (_draw_epsilon,), "both": (_draw_curve, _draw_epsilon)}
    panels = draw[_validate.choice("panel", panel, tuple(draw))]
    with look():
        figure, axes = new_figure(columns=len(panels), width=4.4, height=3.3)
        for each, place in zip(panels, axes, strict=True):
            each(place, source)
    return figure


def _draw_curve(axes: Axes, curve: series.RenyiSeries) -> None:
    _draw(axes, curve, curve.divergence_upper)
    axes.set_ylabel("Rényi divergence")
    axes.set_title("Rényi curve, upper bound")


def _draw_epsilon(axes: Axes, curve: series.RenyiSeries) -> None:
    best = min(curve.epsilon_upper)
    _draw(axes, curve, curve.epsilon_upper, bottom=0.5 * best)
    label = f"ε ≤ {round_up(best)}, order {curve.best_order:.3g}"
    # On the side where there is room.
    side = "right" if curve.best_order > math.sqrt(math.prod(axes.get_xlim())) else "left"
    axes.annotate(
        label, (curve.best_order, best), xytext=(0, -15), textcoords="offset points", ha=side, color=INK, fontsize=8.5
    )
    axes.set_ylabel(f"epsilon at delta = {exactly(curve.delta)}")
    axes.set_title("Epsilon by the order")


def _draw(axes: Axes, curve: series.RenyiSeries, values: tuple[float, ...], bottom: float | None = None) -> None:
    """Draw over the orders that are of use: those whose epsilon is within a hundred times the least."""
    best = min(curve.epsilon_upper)
    useful = [index for index, epsilon in enumerate(curve.epsilon_upper) if epsilon <= 100.0 * best]
    orders = [curve.orders[index] for index in useful]
    axes.plot(orders, [values[index] for index in useful], color=BLUE)
    axes.plot(
        [curve.best_order], [values[curve.orders.index(curve.best_order)]], marker="o", ms=5, color=VERMILION, ls="none"
    )
    axes.set(xlabel="order (mark: the best one)", xlim=(orders[0], orders[-1]), yscale="log")
    axes.set_ylim(bottom=bottom)
    logarithmic(axes, x=True, y=True)
