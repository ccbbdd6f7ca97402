# SPDX-License-Identifier: Apache-2.0
"""Epsilon over the steps of a run, against a budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.ticker import MaxNLocator

from hockeystick import Budget, _validate, calibrate
from hockeystick.report import series
from hockeystick.report.numbers import exactly

from .style import BLUE, INK, MUTED, VERMILION, look, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from hockeystick import Mechanism

__all__ = ["epsilon_over_steps"]


def epsilon_over_steps(
    source: Mechanism | series.StepsSeries,
    *,
    delta: float | None = None,
    budget: float | None = None,
) -> Figure:
    """Draw the upper bound on epsilon after each number of steps, and where it meets a budget.

    Parameters
    ----------
    source : Mechanism or StepsSeries
        A run of equal steps, such as :func:`hockeystick.dpsgd` makes.
    delta : float, optional
        For a mechanism: the delta of epsilon.
    budget : float, optional
        An epsilon that is not to be passed.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    ValueError, TypeError
        For a mechanism of different or fewer than two steps, without a `delta`, or a budget out of its domain.

    Examples
    --------
    >>> import hockeystick as hs
    >>> from hockeystick import plot
    >>> run = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
    >>> plot.epsilon_over_steps(run, delta=1e-5, budget=1.0).axes[0].get_ylabel()
    'epsilon at delta = 1e-5'
    """
    if budget is not None:
        budget = _validate.positive("budget", budget)
    fitting = None
    if not isinstance(source, series.StepsSeries):
        mechanism, source = source, _series_of(source, delta)
        if budget is not None and budget < source.epsilon_upper[-1]:
            fitting = _fitting(mechanism, budget, source.delta)
    with look():
        figure, (axes,) = new_figure(width=4.4, height=3.3)
        axes.plot(source.steps, source.epsilon_upper, color=BLUE, label="upper bound")
        axes.set(xlabel=source.each, ylabel=f"epsilon at delta = {exactly(source.delta)}", xlim=(0, source.steps[-1]))
        axes.xaxis.set_major_locator(MaxNLocator(nbins=5))
        axes.set_ylim(0.0, 1.08 * max(source.epsilon_upper[-1], budget or 0.0, 1e-12))
        if budget is not None:
            _draw_budget(axes, source, budget, fitting)
        axes.set_title("Epsilon over the run")
    return figure


def _series_of(mechanism: Mechanism, delta: float | None) -> series.StepsSeries:
    parts = mechanism._parts()
    if delta is None:
        raise TypeError("delta must be given for a mechanism, got None")
    if len(parts) != 1 or parts[0][1] < 2:
        raise ValueError(f"source must be a run of at least two equal steps, got {mechanism!r}")
    found = series.steps(parts[0][0], parts[0][1], delta=delta)
    assert found is not None
    return found


def _fitting(mechanism: Mechanism, budget: float, delta: float) -> int:
    """The largest number of steps that is certified to fit: one more is not."""
    [(step, count)] = mechanism._parts()
    target = Budget.epsilon(budget, delta=delta)
    return int(calibrate(lambda steps: steps * step, target, integer=True, increasing=True, lower=0, upper=count).value)


def _draw_budget(axes: Axes, curve: series.StepsSeries, budget: float, fitting: int | None) -> None:
    axes.axhline(budget, color=VERMILION, lw=1.4, ls="--")
    axes.annotate(
        f"budget {budget:g}", (0.0, budget), xytext=(6, 4), textcoords="offset points", color=INK, fontsize=8.5
    )
    within = [count for count, epsilon in zip(curve.steps, curve.epsilon_upper, strict=True) if epsilon <= budget]
    if len(within) < len(curve.steps):
        last, least = (within[-1], "at least ") if fitting is None else (fitting, "")
        axes.axvline(last, color=MUTED, lw=1.0, ls=":")
        axes.annotate(
            f"{least}{last} {curve.each} fit",
            (last, 0.0),
            xytext=(5, 8),
            textcoords="offset points",
            color=INK,
            fontsize=8.5,
        )
