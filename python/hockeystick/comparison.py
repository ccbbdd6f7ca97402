# SPDX-License-Identifier: Apache-2.0
"""What a comparison of guarantees says: orderings, and numbers side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ._rounded import up

if TYPE_CHECKING:
    from .gdp import GDPFit


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordering:
    """How two guarantees stand to each other.

    Attributes
    ----------
    first, second : str
        Their names.
    verdict : {"stronger", "weaker", "crossing", "not resolved"}
        Of the first against the second. ``stronger``: at no false-positive rate in the range does the first give a test
        more advantage (up to the comparison's tolerance), and somewhere certainly less. ``crossing``: each certainly
        less somewhere. ``not resolved``: the brackets are too wide to tell, or the two are equal up to the tolerance.
    fpr_crossings : tuple of (float, float)
        Brackets of the false-positive rates, up to the diagonal, at which the curves cross.
    epsilon_crossings : tuple of (float, float)
        Brackets of the epsilons at which the profiles delta(epsilon) cross.
    sentence : str
        What a reader may quote.
    """

    first: str
    second: str
    verdict: str
    fpr_crossings: tuple[tuple[float, float], ...]
    epsilon_crossings: tuple[tuple[float, float], ...]
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonRow:
    """One guarantee in numbers: mu with its price, epsilon at the common deltas, advantage; all upper bounds."""

    name: str
    fit: GDPFit
    epsilons: tuple[float, ...]
    advantage: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Guarantees side by side, made by :func:`compare`.

    Attributes
    ----------
    rows : tuple of ComparisonRow
        In the order given.
    orderings : tuple of Ordering
        One for each pair.
    deltas : tuple of float
        Where the epsilons are taken.
    fpr_floor, tolerance : float
        The range, and what counts as equal within it.
    relation : str
        The relation that all are about.

    Examples
    --------
    >>> import hockeystick as hs
    >>> found = hs.compare({"a": hs.Gaussian(noise_multiplier=1.0), "b": hs.Gaussian(noise_multiplier=2.0)})
    >>> found.ordering("a", "b").verdict
    'weaker'
    """

    rows: tuple[ComparisonRow, ...]
    orderings: tuple[Ordering, ...]
    deltas: tuple[float, ...]
    fpr_floor: float
    tolerance: float
    relation: str

    def ordering(self, first: str, second: str) -> Ordering:
        """Return the ordering of two by name, in the order in which they were given.

        Parameters
        ----------
        first, second : str
            Names of the guarantees.

        Returns
        -------
        Ordering

        Raises
        ------
        KeyError
            If there is no such pair in that order.
        """
        for each in self.orderings:
            if (each.first, each.second) == (first, second):
                return each
        raise KeyError(f"no pair {first!r}, {second!r} in this order")

    def __str__(self) -> str:
        width = max(9, *(len(row.name) for row in self.rows))
        heads = [f"eps at {delta:g}" for delta in self.deltas]
        lines = [f"{'guarantee':{width}}        mu    regret  advantage  " + "  ".join(f"{h:>12}" for h in heads)]
        lines += [
            f"{row.name:{width}} {up(row.fit.mu):>9} {up(row.fit.regret):>9}  {up(row.advantage):>9}  "
            + "  ".join(f"{up(epsilon):>12}" for epsilon in row.epsilons)
            for row in self.rows
        ]
        lines.append(
            f"Upper bounds under {self.relation}; mu and regret for false-positive rates from {self.fpr_floor:g} on."
        )
        return "\n".join([*lines, *(each.sentence for each in self.orderings)])

    def to_dict(self) -> dict[str, Any]:
        """Return plain values under stable keys.

        Returns
        -------
        dict
            Ready for JSON.
        """
        return {
            "format": "hockeystick.comparison/1",
            "relation": self.relation,
            "fpr_floor": self.fpr_floor,
            "tolerance": self.tolerance,
            "deltas": list(self.deltas),
            "guarantees": [
                {
                    "name": row.name,
                    "mu": row.fit.mu,
                    "mu_lower": row.fit.mu_lower,
                    "regret": row.fit.regret,
                    "delta_divergence": row.fit.delta_divergence,
                    "residual": row.fit.residual,
                    "advantage": row.advantage,
                    "epsilon": list(row.epsilons),
                }
                for row in self.rows
            ],
            "orderings": [
                {
                    "first": each.first,
                    "second": each.second,
                    "verdict": each.verdict,
                    "fpr_crossings": [list(pair) for pair in each.fpr_crossings],
                    "epsilon_crossings": [list(pair) for pair in each.epsilon_crossings],
                    "sentence": each.sentence,
                }
                for each in self.orderings
            ],
        }
