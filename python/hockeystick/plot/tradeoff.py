# SPDX-License-Identifier: Apache-2.0
"""The trade-off curve, its Gaussian bound, and guessing."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hockeystick import _validate
from hockeystick.report import series
from hockeystick.report.numbers import exactly, round_up

from .style import BLUE, MUTED, VERMILION, logarithmic, look, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from hockeystick import Mechanism

__all__ = ["tradeoff"]


def tradeoff(source: Mechanism | series.TradeoffSeries, *, fpr_floor: float = 1e-10, scale: str = "both") -> Figure:
    """Draw the trade-off curve with f_mu and guessing: as false-negative rates, and as true-positive rates on log axes.

    Parameters
    ----------
    source : Mechanism or TradeoffSeries
        What to draw; a series is drawn as it is.
    fpr_floor : float
        For a mechanism: the false-positive rate from which on mu bounds the curve.
    scale : {"both", "linear", "logarithmic"}
        Which of the two panels.

    Returns
    -------
    matplotlib.figure.Figure
        The solid line is a certified lower bound on the false-negative rate (left; larger is more private) and an
        upper bound on the true-positive rate (right); the band up to the upper bound on f is mostly too thin to see.

    Raises
    ------
    ValueError, TypeError
        For a floor out of its domain, or another scale.

    Examples
    --------
    >>> import hockeystick as hs
    >>> from hockeystick import plot
    >>> figure = plot.tradeoff(hs.Gaussian(noise_multiplier=1.0))
    >>> [axes.get_ylabel() for axes in figure.axes]
    ['least false-negative rate', 'largest true-positive rate']
    """
    if not isinstance(source, series.TradeoffSeries):
        fit = source.gdp(fpr_floor=fpr_floor)
        source = series.tradeoff(source.tradeoff(fpr_floor=min(fpr_floor, 1e-12)), fit)
    draw = {"linear": (_draw_linear,), "logarithmic": (_draw_logarithmic,), "both": (_draw_linear, _draw_logarithmic)}
    panels = draw[_validate.choice("scale", scale, tuple(draw))]
    with look():
        figure, axes = new_figure(columns=len(panels), width=4.4, height=3.5)
        for panel, each in zip(panels, axes, strict=True):
            panel(each, source)
        axes[0].legend(loc="upper right" if panels[0] is _draw_linear else "lower right")
    return figure


def _draw_linear(axes: Axes, curve: series.TradeoffSeries) -> None:
    axes.fill_between(curve.fpr, curve.fnr_lower, curve.fnr_upper, color=BLUE, alpha=0.25, lw=0)
    # A curve along an axis is to be seen too.
    axes.plot(curve.fpr, curve.fnr_lower, color=BLUE, label="f, certified lower bound", clip_on=False, zorder=3)
    if math.isfinite(curve.mu):
        label = f"Gaussian, μ = {round_up(curve.mu)} (FPR ≥ {exactly(curve.fpr_floor)})"
        axes.plot(curve.fpr, curve.gaussian_fnr, color=VERMILION, lw=1.4, ls="--", label=label)
    axes.plot([0.0, 1.0], [1.0, 0.0], color=MUTED, lw=1.1, ls=":", label="guessing")
    axes.set(xlabel="false-positive rate", ylabel="least false-negative rate", xlim=(0, 1), ylim=(0, 1))
    axes.set_title("Errors of the best attack")


def _draw_logarithmic(axes: Axes, curve: series.TradeoffSeries) -> None:
    seen = [index for index, rate in enumerate(curve.fpr) if rate > 0.0]
    fpr = [curve.fpr[i] for i in seen]
    axes.plot(fpr, [curve.tpr_upper[i] for i in seen], color=BLUE, label="1 - f, certified upper bound")
    if math.isfinite(curve.mu):
        axes.plot(fpr, [curve.gaussian_tpr[i] for i in seen], color=VERMILION, lw=1.4, ls="--", label="Gaussian")
    axes.plot(fpr, fpr, color=MUTED, lw=1.1, ls=":", label="guessing")
    axes.set(xlabel="false-positive rate", ylabel="largest true-positive rate", xlim=(fpr[0], 1), ylim=(fpr[0], 1))
    logarithmic(axes, x=True, y=True)
    axes.set_title("The same, at small rates")
