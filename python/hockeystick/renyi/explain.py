# SPDX-License-Identifier: Apache-2.0
"""One run, every method: from basic composition to the exact value."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core, _validate
from .answers import ledger_epsilon
from .comparison import advanced_composition, basic_composition, clt_epsilon_estimate, clt_mu_estimate
from .concentrated import zcdp_epsilon_closed
from .curves import ConcentratedCurve, SubsampledGaussianCurve
from .orders import CLASSIC_GRIDS, resolve_orders

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .ledger import Ledger

UPPER, LOWER, ESTIMATE = "upper bound", "lower bound", "estimate, no bound"


@dataclass(frozen=True, slots=True)
class ExplanationRow:
    """One method's epsilon.

    Attributes
    ----------
    key : str
        A stable name for programs, such as "renyi_improved".
    method : str
        For readers.
    epsilon : float
        What it says at the delta asked for.
    kind : str
        "upper bound", "lower bound" or "estimate, no bound".
    order : float or None
        The Renyi order that gave it, if one did.
    note : str
        Who uses it, or what it leaves out.
    """

    key: str
    method: str
    epsilon: float
    kind: str
    order: float | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Epsilon of one run at one delta by every method; ``print`` shows a table.

    Attributes
    ----------
    delta : float
        What it was asked at.
    relation : str
        The neighbouring relation.
    rows : tuple of ExplanationRow
        From basic composition to the exact value, then what is no bound.
    loose : tuple of str
        The parts that are known by a Renyi curve alone, which is why no exact value exists.

    Examples
    --------
    >>> import hockeystick as hs
    >>> print(hs.Gaussian(noise_multiplier=2.0).explain(delta=1e-5))
    epsilon at delta 1e-05, relation add_remove
    method                                              epsilon  order  kind
    zCDP, closed form                                   2.52426         upper bound
    Renyi, classic conversion, best order               2.52426  10.60  upper bound
    Renyi, improved conversion, orders of Opacus        2.16572   9.60  upper bound
    Renyi, improved conversion, orders of TF Privacy    2.16801  10.00  upper bound
    Renyi, improved conversion, orders of dp-accounting 2.16572   9.60  upper bound
    Renyi, improved conversion, best order              2.16572   9.60  upper bound
    Renyi, optimal conversion, best order               2.16571   9.60  upper bound
    exact (closed_form)                                 1.99309         upper bound
    exact (closed_form), from below                     1.99309         lower bound
    """

    delta: float
    relation: str
    rows: tuple[ExplanationRow, ...]
    loose: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[ExplanationRow]:
        return iter(self.rows)

    def __getitem__(self, key: str) -> ExplanationRow:
        """Return the row of that key."""
        for row in self.rows:
            if row.key == key:
                return row
        raise KeyError(key)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON but for infinities.

        Returns
        -------
        dict
            With the entries ``delta``, ``relation``, ``rows`` and ``loose``.
        """
        return {
            "delta": self.delta,
            "relation": self.relation,
            "rows": [asdict(row) for row in self.rows],
            "loose": list(self.loose),
        }

    def __str__(self) -> str:
        width = max(len(row.method) for row in self.rows)
        numbers = [f"{row.epsilon:.5f}" if row.epsilon < 1e6 else f"{row.epsilon:.4g}" for row in self.rows]
        orders = ["" if row.order is None else f"{row.order:.2f}" for row in self.rows]
        wide, far = max(map(len, [*numbers, "epsilon"])), max(map(len, [*orders, "order"]))
        lines = [f"epsilon at delta {self.delta:g}, relation {self.relation}"]
        lines.append(f"{'method':<{width}} {'epsilon':>{wide}}  {'order':>{far}}  kind")
        for row, number, order in zip(self.rows, numbers, orders, strict=True):
            kind = f"{row.kind}  ({row.note})" if row.note else row.kind
            lines.append(f"{row.method:<{width}} {number:>{wide}}  {order:>{far}}  {kind}")
        if self.loose:
            lines.append("known by a Renyi curve alone, so that no exact value exists: " + ", ".join(self.loose))
        return "\n".join(lines)


def explain_mechanism(mechanism: Any, *, delta: float, orders: Any = None) -> Explanation:
    """Make the table; see :meth:`hockeystick.Mechanism.explain`."""
    target = _validate.probability("delta", delta)
    if not 0.0 < target < 1.0:
        raise ValueError(f"delta must be in (0, 1), got {delta!r}")
    grid = resolve_orders(orders)
    ledger = mechanism._renyi_ledger()
    rows = [
        *_textbook(mechanism, target),
        *_concentrated(ledger, target),
        *_renyi(ledger, target, grid),
        *_exact(mechanism, target),
        *_limit(ledger, target),
    ]
    return Explanation(target, mechanism.relation, tuple(rows), tuple(map(repr, mechanism.renyi_only)))


def _textbook(mechanism: Any, delta: float) -> Iterator[ExplanationRow]:
    """Basic and advanced composition, the delta shared out evenly among the releases."""
    parts = [(part, count) for part, count in mechanism._parts() if count]
    releases = sum(count for _, count in parts)
    if releases < 2:
        return
    counts = [count for _, count in parts]

    def each(share: float) -> list[float]:
        return [float(part.epsilon(delta=share)) for part, _ in parts]

    # Half of the delta is the price of advanced composition.
    yield ExplanationRow(
        "basic_composition",
        "basic composition",
        basic_composition(epsilons=each(delta / releases), counts=counts),
        UPPER,
    )
    advanced = advanced_composition(epsilons=each(0.5 * delta / releases), counts=counts, delta_slack=0.5 * delta)
    yield ExplanationRow("advanced_composition", "advanced composition", advanced, UPPER)


def _concentrated(ledger: Ledger, delta: float) -> Iterator[ExplanationRow]:
    """The closed form of zCDP, where every part is a plain Gaussian or zCDP."""
    rho = 0.0
    for curve, count in ledger.entries:
        if isinstance(curve, SubsampledGaussianCurve) and curve.sampling_rate == 1.0 and curve.noise_multiplier > 0.0:
            rho += count * 0.5 / curve.noise_multiplier**2
        elif isinstance(curve, ConcentratedCurve) and curve.xi == 0.0 and curve.greatest_order == math.inf:
            rho += count * curve.rho
        else:
            return
    if rho > 0.0:
        yield ExplanationRow("zcdp_closed", "zCDP, closed form", zcdp_epsilon_closed(rho=rho, delta=delta), UPPER)


_GRID_NAMES = {"opacus": "Opacus", "tf_privacy": "TF Privacy", "dp_accounting": "dp-accounting"}


def _renyi(ledger: Ledger, delta: float, grid: np.ndarray[Any, np.dtype[np.float64]]) -> Iterator[ExplanationRow]:
    def row(key: str, conversion: str, place: str, orders: Any, *, refine: bool) -> ExplanationRow:
        answer = ledger_epsilon(ledger, delta, orders, conversion=conversion, refine=refine)
        order = answer.order if math.isfinite(answer.order) else None
        note = "its last order: a larger one is better" if not refine and order == orders[-1] else ""
        note = "its first order: a smaller one is better" if not refine and order == orders[0] else note
        return ExplanationRow(key, f"Renyi, {conversion} conversion, {place}", answer.value, UPPER, order, note)

    yield row("renyi_classic", "classic", "best order", grid, refine=True)
    for name, shown in _GRID_NAMES.items():
        yield row(f"renyi_{name}", "improved", f"orders of {shown}", CLASSIC_GRIDS[name], refine=False)
    yield row("renyi_improved", "improved", "best order", grid, refine=True)
    yield row("renyi_optimal", "optimal", "best order", grid, refine=True)


def _exact(mechanism: Any, delta: float) -> Iterator[ExplanationRow]:
    """Both sides of the tightest engine, and the FFT engine's where another one served."""
    if mechanism.renyi_only:
        bounds = mechanism.epsilon_bounds(delta=delta)
        if "fft" in bounds.method:
            shown = "curves as one law, composed with the rest"
            yield ExplanationRow("mixed", shown, float(bounds.upper), UPPER)
        yield ExplanationRow(
            "exact_parts", "the parts known exactly, alone", float(bounds.lower), LOWER, note="the others left out"
        )
        return
    bounds = mechanism.epsilon_bounds(delta=delta)
    if bounds.method not in ("fft", "closed_form"):
        try:
            lattice = mechanism.epsilon_bounds(delta=delta, method="fft")
        except _core.AccuracyError:
            pass
        else:
            yield ExplanationRow("fft", "privacy loss distribution (FFT)", float(lattice.upper), UPPER)
    yield ExplanationRow("exact", f"exact ({bounds.method})", float(bounds.upper), UPPER)
    yield ExplanationRow("exact_lower", f"exact ({bounds.method}), from below", float(bounds.lower), LOWER)


def _limit(ledger: Ledger, delta: float) -> Iterator[ExplanationRow]:
    """The central limit, for runs made of subsampled Gaussians."""
    sampled = False
    square = 0.0
    for curve, count in ledger.entries:
        if not isinstance(curve, SubsampledGaussianCurve) or curve.noise_multiplier == 0.0:
            return
        sampled = sampled or curve.sampling_rate < 1.0
        mu = clt_mu_estimate(noise_multiplier=curve.noise_multiplier, sampling_rate=curve.sampling_rate, steps=count)
        square += mu * mu
    if sampled and square < math.inf:
        epsilon = clt_epsilon_estimate(mu=math.sqrt(square), delta=delta)
        yield ExplanationRow("clt_gdp", "central limit (CLT-GDP)", epsilon, ESTIMATE, note="can lie below the truth")
