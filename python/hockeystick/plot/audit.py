# SPDX-License-Identifier: Apache-2.0
"""What attacks found, beside what the guarantee allows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.patches import Rectangle

from hockeystick import _validate
from hockeystick.report import series

from .style import BLUE, MUTED, VERMILION, logarithmic, look, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike

    from hockeystick import Mechanism

__all__ = ["audit"]


def audit(
    source: Mechanism | series.TradeoffSeries,
    *,
    fpr: ArrayLike,
    tpr: ArrayLike,
    fpr_interval: ArrayLike,
    tpr_interval: ArrayLike,
) -> Figure:
    """Draw the operating points of attacks with their confidence regions under the bound on every attack.

    Parameters
    ----------
    source : Mechanism or TradeoffSeries
        The guarantee that is audited.
    fpr, tpr : array_like, shape (n,)
        Observed rates, in [0, 1].
    fpr_interval, tpr_interval : array_like, shape (n, 2)
        Confidence intervals of the rates, in [0, 1].

    Returns
    -------
    matplotlib.figure.Figure
        A region that lies wholly above the line (lowest TPR above what the highest FPR allows) is drawn in the second
        colour: it refutes the guarantee at its confidence.

    Raises
    ------
    ValueError, TypeError
        For rates out of [0, 1] or of other shapes.

    Examples
    --------
    >>> import hockeystick as hs
    >>> from hockeystick import plot
    >>> run = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
    >>> figure = plot.audit(run, fpr=[0.01], tpr=[0.02], fpr_interval=[[0.006, 0.016]], tpr_interval=[[0.014, 0.03]])
    >>> figure.axes[0].get_ylabel()
    'true-positive rate'
    """
    rates = {"fpr": fpr, "tpr": tpr, "fpr_interval": fpr_interval, "tpr_interval": tpr_interval}
    found = {name: _validate.array_within(name, value, 0.0, 1.0) for name, value in rates.items()}
    count = found["fpr"].size
    for name, array in found.items():
        shape = (count, 2) if name.endswith("interval") else (count,)
        if array.shape != shape:
            raise ValueError(f"{name} must have the shape {shape}, got {array.shape}")
    highest = found["fpr_interval"][:, 1]
    if isinstance(source, series.TradeoffSeries):
        # The bound at the next point of the series: between points the bound lies above their chord.
        allowed = np.asarray(source.tpr_upper)[np.searchsorted(source.fpr, highest)]
    else:
        curve = source.tradeoff()
        allowed = curve.tpr(highest)
        source = series.tradeoff(curve, source.gdp())
    with look():
        figure, (axes,) = new_figure(width=4.8, height=3.9)
        seen = [index for index, rate in enumerate(source.fpr) if rate > 0.0]
        line = [source.fpr[i] for i in seen]
        axes.plot(line, [source.tpr_upper[i] for i in seen], color=BLUE, label="largest TPR, certified")
        axes.plot(line, line, color=MUTED, lw=1.1, ls=":", label="guessing")
        lowest = 0.5 * float(max(1e-6, min(found["fpr_interval"][:, 1].min(), found["tpr_interval"][:, 1].min())))
        for index in range(count):
            refutes = found["tpr_interval"][index, 0] > allowed[index]
            color = VERMILION if refutes else MUTED
            (left, right), (low, high) = found["fpr_interval"][index], found["tpr_interval"][index]
            corner = (max(left, lowest), max(low, lowest))
            axes.add_patch(Rectangle(corner, right - corner[0], high - corner[1], color=color, alpha=0.3, lw=0))
            axes.plot([found["fpr"][index]], [found["tpr"][index]], marker="x" if refutes else "o", ms=5, color=color)
        axes.set(xlabel="false-positive rate", ylabel="true-positive rate", xlim=(lowest, 1), ylim=(lowest, 1))
        logarithmic(axes, x=True, y=True)
        axes.set_title("Attacks against the guarantee")
        axes.legend(loc="lower right")
    return figure
