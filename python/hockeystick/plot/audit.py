# SPDX-License-Identifier: Apache-2.0
"""What attacks showed, with confidence, beside what the guarantee allows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.patches import Rectangle

from hockeystick import AuditResult, Mechanism, TradeoffCurve
from hockeystick.report import series

from .style import BLUE, MUTED, VERMILION, logarithmic, look, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from hockeystick import AuditPoint

__all__ = ["audit"]


def audit(result: AuditResult, *, claim: Mechanism | TradeoffCurve) -> Figure:
    """Draw the tests of an audit under the bound that a claim puts on every attack.

    Parameters
    ----------
    result : AuditResult
        What :func:`hockeystick.audit` or :func:`hockeystick.audit_counts` returned.
    claim : Mechanism or TradeoffCurve
        The guarantee.

    Returns
    -------
    matplotlib.figure.Figure
        Each test is a mark at its observed rates and a box that reaches to its limits: with the audit's confidence its
        false-positive rate is at most the right edge and its true-positive rate at least the lower edge. A box with its
        lower right corner above the line refutes the claim; it is drawn in the second colour, with a cross.

    Raises
    ------
    TypeError
        For other kinds of arguments.

    Examples
    --------
    >>> import hockeystick as hs
    >>> from hockeystick import plot
    >>> result = hs.audit_counts(true_positives=900, positives=1000, false_positives=100, negatives=1000)
    >>> figure = plot.audit(result, claim=hs.Gaussian(noise_multiplier=1.0))
    >>> figure.axes[0].get_ylabel()
    'true-positive rate'
    """
    if not isinstance(result, AuditResult):
        raise TypeError(f"result must be an audit result, got {result!r}")
    if not isinstance(claim, (Mechanism, TradeoffCurve)):
        raise TypeError(f"claim must be a mechanism or a trade-off curve, got {claim!r}")
    curve = claim if isinstance(claim, TradeoffCurve) else claim.tradeoff()
    # What is not above this is cut off by the axes.
    lowest = 0.5 * max(1e-6, min(min(point.fpr_upper, max(point.tpr_lower, 1e-6)) for point in result.points))
    drawn = series.tradeoff(curve, curve.gdp())
    seen = [index for index, rate in enumerate(drawn.fpr) if rate > 0.0]
    fpr = [drawn.fpr[index] for index in seen]
    with look():
        figure, (axes,) = new_figure(width=4.8, height=3.9)
        axes.plot(fpr, [drawn.tpr_upper[index] for index in seen], color=BLUE, label="claim: TPR at most")
        axes.plot(fpr, fpr, color=MUTED, lw=1.1, ls=":", label="guessing")
        for point in result.points:
            _draw_point(axes, point, refutes=point.tpr_lower > curve.tpr(point.fpr_upper), lowest=lowest)
        axes.set(xlabel="false-positive rate", ylabel="true-positive rate", xlim=(lowest, 1), ylim=(lowest, 1))
        logarithmic(axes, x=True, y=True)
        axes.set_title(f"Attacks against the claim, {100.0 * result.confidence:g} % confidence")
        axes.legend(loc="lower right")
    return figure


def _draw_point(axes: Axes, point: AuditPoint, *, refutes: bool, lowest: float) -> None:
    color = VERMILION if refutes else MUTED
    fpr = max(point.false_positives / point.negatives, lowest)
    tpr = point.true_positives / point.positives
    bottom = max(point.tpr_lower, lowest)
    axes.add_patch(Rectangle((fpr, bottom), point.fpr_upper - fpr, tpr - bottom, color=color, alpha=0.3, lw=0))
    axes.plot([fpr], [tpr], marker="x" if refutes else "o", ms=5, color=color, ls="none")
