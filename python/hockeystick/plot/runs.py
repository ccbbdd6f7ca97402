# SPDX-License-Identifier: Apache-2.0
"""Several runs side by side: their profiles, and where they cross."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

import hockeystick as hs
from hockeystick import Mechanism, _validate
from hockeystick.report.numbers import exactly

from .style import CYCLE, INK, logarithmic, look, new_figure, powers

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["compare"]

_POINTS = 161


def compare(
    runs: Mapping[str, Mechanism],
    *,
    largest_epsilon: float | None = None,
    delta: float = 1e-5,
) -> Figure:
    """Draw the profiles and the attack rates of several runs, and mark where two profiles cross.

    Parameters
    ----------
    runs : mapping of str to Mechanism
        By the name in the legend; at least one, all under one relation.
    largest_epsilon : float, optional
        Where the axis ends; by default a quarter beyond the largest epsilon at `delta`.
    delta : float
        In (0, 1): marked on the axis.

    Returns
    -------
    matplotlib.figure.Figure
        Upper bounds. A run that is lower everywhere is the more private one; where lines cross, neither is.
        Crossings are those that :func:`hockeystick.compare` certifies.

    Raises
    ------
    ValueError, TypeError
        For no run, runs under different relations, more runs than line styles, or arguments out of their domain.

    Examples
    --------
    >>> import hockeystick as hs
    >>> from hockeystick import plot
    >>> runs = {"sampled": hs.dpsgd(noise_multiplier=0.8, sampling_rate=0.01, steps=1000),
    ...         "full batch": hs.Gaussian(noise_multiplier=2.2)}
    >>> figure = plot.compare(runs)
    >>> len(figure.axes)
    2
    """
    _check(runs)
    delta = _validate.probability("delta", delta)
    if largest_epsilon is None:
        finite = [bound for run in runs.values() if np.isfinite(bound := run.epsilon(delta=delta))]
        largest_epsilon = 1.25 * max([*finite, 0.1])
    epsilon = np.linspace(0.0, _validate.positive("largest_epsilon", largest_epsilon), _POINTS)
    bounds = {name: run.log_delta_bounds(epsilon=epsilon) for name, run in runs.items()}
    with look():
        figure, (profiles, rates) = new_figure(columns=2, width=4.4, height=3.6)
        for (name, run), (color, line) in zip(runs.items(), CYCLE, strict=False):
            upper = np.asarray(bounds[name].upper) / np.log(10.0)
            shown = np.isfinite(upper)
            profiles.plot(epsilon[shown], upper[shown], color=color, ls=line, label=name)
            fpr = np.logspace(-6, 0, 121)
            rates.plot(fpr, run.tradeoff().tpr(fpr), color=color, ls=line)
        for epsilon_at, level in _crossings(runs, largest_epsilon):
            profiles.plot([epsilon_at], [level], color=INK, marker="o", ms=6, mfc="none", ls="none")
            profiles.annotate(
                f"cross at ε = {epsilon_at:.3g}",
                (epsilon_at, level),
                xytext=(-6, -12),
                textcoords="offset points",
                ha="right",
                color=INK,
                fontsize=8.5,
            )
        powers(profiles)
        profiles.set(xlabel="epsilon", ylabel="delta, upper bound", xlim=(0.0, epsilon[-1]))
        profiles.axhline(np.log10(delta), color=INK, lw=0.8, ls=":")
        profiles.set_title(f"Privacy profiles (dotted: delta = {exactly(delta)})")
        rates.set(xlabel="false-positive rate", ylabel="largest true-positive rate", xlim=(1e-6, 1), ylim=(1e-6, 1))
        logarithmic(rates, x=True, y=True)
        rates.set_title("What an attacker finds at most")
        figure.legend(loc="outside lower center", ncols=min(len(runs), 4))
    return figure


def _check(runs: Any) -> None:
    if not isinstance(runs, Mapping) or not all(isinstance(run, Mechanism) for run in runs.values()):
        raise TypeError(f"runs must be a mapping of names to mechanisms, got {runs!r}")
    if not 1 <= len(runs) <= len(CYCLE):
        raise ValueError(f"runs must hold 1 to {len(CYCLE)} mechanisms, got {len(runs)}")
    relations = {run.relation for run in runs.values()}
    if len(relations) > 1:
        raise ValueError(f"runs must share one relation, got {', '.join(sorted(relations))}")


def _crossings(runs: Mapping[str, Mechanism], largest_epsilon: float) -> list[tuple[float, float]]:
    """Where certified profiles cross: the middle of each bracket of epsilon, and log10 delta there."""
    if len(runs) < 2:
        return []
    found = []
    for ordering in hs.compare(runs).orderings:
        for low, high in ordering.epsilon_crossings:
            middle = 0.5 * (low + high)
            if middle <= largest_epsilon:
                found.append((middle, float(runs[ordering.first].log_delta(epsilon=middle)) / math.log(10.0)))
    return found
