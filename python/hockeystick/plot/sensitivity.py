# SPDX-License-Identifier: Apache-2.0
"""How epsilon of a DP-SGD run moves with each of its parameters."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import FuncFormatter, MaxNLocator

from hockeystick import DPSGD, _validate
from hockeystick.report.numbers import exactly

from .style import BLUE, VERMILION, look, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

__all__ = ["sensitivity"]

_LABELS = {"noise_multiplier": "noise multiplier", "sampling_rate": "sampling rate", "steps": "steps"}


def sensitivity(run: DPSGD, *, delta: float, factor: float = 2.0, points: int = 25) -> Figure:
    """Draw epsilon over the noise multiplier, the sampling rate and the number of steps, one at a time.

    Parameters
    ----------
    run : DPSGD
        The run to start from; it is marked in each panel.
    delta : float
        In (0, 1].
    factor : float
        Above 1: each parameter goes from its value over the factor to its value times the factor (a rate at most to 1).
    points : int
        At least 2: points a panel.

    Returns
    -------
    matplotlib.figure.Figure
        Upper bounds.

    Raises
    ------
    ValueError, TypeError
        For another mechanism, or arguments out of their domain.

    Examples
    --------
    >>> import hockeystick as hs
    >>> from hockeystick import plot
    >>> run = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
    >>> [axes.get_xlabel() for axes in plot.sensitivity(run, delta=1e-5, points=5).axes]
    ['noise multiplier', 'sampling rate', 'steps']
    """
    if not isinstance(run, DPSGD):
        raise TypeError(f"run must be a DP-SGD run, got {run!r}")
    delta = _validate.probability("delta", delta)
    factor = _validate.positive("factor", factor)
    if factor <= 1.0:
        raise ValueError(f"factor must be above 1, got {factor!r}")
    if _validate.count("points", points) < 2:
        raise ValueError(f"points must be at least 2, got {points!r}")
    with look():
        figure, panels = new_figure(columns=3, width=3.0, height=2.9)
        for (name, label), axes in zip(_LABELS.items(), panels, strict=True):
            values = _values(name, getattr(run, name), factor, points)
            axes.plot(values, [_changed(run, name, value).epsilon(delta=delta) for value in values], color=BLUE)
            here = run.epsilon(delta=delta)
            axes.plot([getattr(run, name)], [here], marker="o", ms=5, color=VERMILION, ls="none")
            axes.set(xlabel=label, xlim=(values[0], values[-1]))
            axes.set_ylim(bottom=0.0)
            axes.xaxis.set_major_locator(MaxNLocator(nbins=4))
            axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        panels[0].set_ylabel(f"epsilon at delta = {exactly(delta)}")
        panels[0].set_title("What epsilon depends on (mark: this run)")
    return figure


def _values(name: str, value: float, factor: float, points: int) -> NDArray[np.float64]:
    if not value:
        raise ValueError(f"{name} must be above 0 to be varied, got {value!r}")
    highest = min(value * factor, 1.0) if name == "sampling_rate" else value * factor
    values = np.linspace(value / factor, highest, points)
    return np.unique(np.rint(values)) if name == "steps" else values


def _changed(run: DPSGD, name: str, value: float) -> DPSGD:
    # Sizes and epochs are where rate and steps came from; a varied rate has no such origin.
    origin = {"dataset_size": None, "batch_size": None, "epochs": None}
    return dataclasses.replace(run, **origin, **{name: int(value) if name == "steps" else float(value)})  # type: ignore[arg-type]
