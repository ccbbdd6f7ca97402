# SPDX-License-Identifier: Apache-2.0
"""The privacy profile: delta as a function of epsilon."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hockeystick.report import series
from hockeystick.report.numbers import round_up

from .style import BLUE, INK, look, new_figure, powers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from hockeystick import Mechanism

__all__ = ["profile"]


def profile(
    source: Mechanism | series.ProfileSeries,
    *,
    largest_epsilon: float = 10.0,
    marks: Sequence[tuple[float, float]] = (),
) -> Figure:
    """Draw delta(epsilon) with both sides of its bracket, delta on a logarithmic axis.

    Parameters
    ----------
    source : Mechanism or ProfileSeries
        What to draw.
    largest_epsilon : float
        For a mechanism: where the axis ends.
    marks : sequence of (epsilon, delta)
        Pairs to mark; each epsilon an upper bound, written rounded up.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError
        For a range of epsilon that holds nothing.

    Examples
    --------
    >>> import hockeystick as hs
    >>> from hockeystick import plot
    >>> figure = plot.profile(hs.Gaussian(noise_multiplier=1.0), marks=[(4.3772, 1e-5)])
    >>> figure.axes[0].get_xlabel()
    'epsilon'
    """
    if not isinstance(source, series.ProfileSeries):
        found = series.profile(source, largest_epsilon=largest_epsilon)
        if found is None:
            raise ValueError(f"largest_epsilon must be finite and above 0, got {largest_epsilon!r}")
        source = found
    finite = [index for index, value in enumerate(source.log10_delta_upper) if math.isfinite(value)]
    epsilon = [source.epsilon[i] for i in finite]
    upper = [source.log10_delta_upper[i] for i in finite]
    # Where the lower side knows nothing it is drawn along the lower edge.
    lower = [max(source.log10_delta_lower[i], min(upper, default=0.0) - 1.0) for i in finite]
    with look():
        figure, (axes,) = new_figure(width=4.4, height=3.3)
        axes.fill_between(epsilon, lower, upper, color=BLUE, alpha=0.25, lw=0, label="bracket")
        axes.plot(epsilon, upper, color=BLUE, label="upper bound, with its bracket")
        for mark_epsilon, delta in marks:
            axes.plot([mark_epsilon], [math.log10(delta)], marker="o", ms=5, color=BLUE, ls="none")
            axes.annotate(
                f"ε ≤ {round_up(mark_epsilon)}",
                (mark_epsilon, math.log10(delta)),
                xytext=(7, 2),
                textcoords="offset points",
                color=INK,
                fontsize=8.5,
            )
        powers(axes)
        axes.set(xlabel="epsilon", ylabel="delta", xlim=(0.0, source.epsilon[-1]))
        axes.set_title("Privacy profile")
    return figure
