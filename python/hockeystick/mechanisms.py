# SPDX-License-Identifier: Apache-2.0
"""Mechanisms: frozen, hashable values. A composition is a mechanism too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _validate
from ._questions import Questions
from ._terms import Terms, merge_terms
from .description import check_entries, describable
from .pld import PLD, loss_distribution

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .report import Report


class Mechanism(Questions):
    """Base of all mechanisms: composition by ``+`` and ``count *``, and the questions."""

    __slots__ = ()

    def _releases(self) -> Iterator[tuple[float, float, int]]:
        """Yield the (noise_multiplier, sampling_rate, count) rows under this mechanism's relation."""
        raise NotImplementedError

    def _parts(self) -> tuple[tuple[Mechanism, int], ...]:
        """Return the mechanisms this one is composed of, with their counts."""
        return ((self, 1),)

    def _terms(self) -> Terms:
        return merge_terms(self._releases())

    def pld(self, *, step: float = 1e-4) -> PLD:
        """Privacy loss distribution on a uniform grid: a dominating law, as other libraries keep one.

        For an epsilon, :meth:`epsilon` is tighter and faster; this is for exchange and for comparison at a given grid.

        Parameters
        ----------
        step : float
            Distance of the grid points, above 0.

        Returns
        -------
        PLD
            One release's law, and the number of its copies.

        Raises
        ------
        ValueError
            If the mechanism is composed of different releases, or has no noise.
        AccuracyError
            If the grid would be too long.

        Examples
        --------
        >>> import hockeystick as hs
        >>> pld = hs.Gaussian(noise_multiplier=2.0).pld(step=1e-3)
        >>> print(f"{pld.remove.masses.sum() + pld.remove.infinity_mass:.9f}")
        1.000000000
        """
        step = _validate.positive("step", step)
        rows = [row for row in self._releases() if row[1] and row[2]]
        if len({row[:2] for row in rows}) != 1 or not rows[0][0]:
            raise ValueError(f"a PLD needs one kind of release with noise, got {len(rows)} kinds in {self!r}")
        noise_multiplier, sampling_rate, _ = rows[0]
        return loss_distribution(noise_multiplier, sampling_rate, sum(row[2] for row in rows), step)

    def report(
        self,
        *,
        delta: float,
        fpr_floor: float = 1e-10,
        delta0: float = 1e-10,
        dataset_size: int | None = None,
        unit: str | None = None,
        sampling_in_practice: str | None = None,
        tuning_included: bool = False,
        title: str | None = None,
        date: str | None = None,
        tolerance: float | None = None,
    ) -> Report:
        """State the guarantee as a document for people: what was run, the numbers, what they mean and rest on.

        Parameters
        ----------
        delta : float
            In [0, 1]: where epsilon is stated; a tenth and a hundredth of it are stated too.
        fpr_floor : float
            In (0, 0.5): the false-positive rate from which on mu is to bound the curve.
        delta0 : float
            In (0, 1): the slack of the form of mu without a floor.
        dataset_size : int, optional
            Number of records; lets the report check `delta` and tell the expected batch size. By default that of the
            run, where it knows it.
        unit : str, optional
            What one record of the relation stands for, such as "person". By default that of the run, or "record".
        sampling_in_practice : str, optional
            How the data loader draws batches, such as "poisson" or "shuffle"; a warning if the numbers assume another.
        tuning_included : bool
            Whether everything that touched the data, tuning included, is in this mechanism.
        title, date : str, optional
            For the head of the page.
        tolerance : float, optional
            See :meth:`epsilon_bounds`.

        Returns
        -------
        hockeystick.report.Report
            Save it by suffix: ``report.save("privacy.html")``.

        Raises
        ------
        ValueError, TypeError
            For arguments out of their domain.
        AccuracyError
            If `tolerance` is given and cannot be met.

        Examples
        --------
        >>> import hockeystick as hs
        >>> run = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
        >>> report = run.report(delta=1e-5, dataset_size=60_000)
        >>> print(f"{report.epsilon[0].upper:.3f} and mu {report.gdp.mu:.3f} from {report.gdp.fpr_floor:g} on")
        1.828 and mu 0.522 from 1e-10 on
        """
        from .report import build_report

        return build_report(
            self,
            delta=delta,
            fpr_floor=fpr_floor,
            delta0=delta0,
            dataset_size=dataset_size,
            unit=unit,
            sampling_in_practice=sampling_in_practice,
            tuning_included=tuning_included,
            title=title,
            date=date,
            tolerance=tolerance,
        )

    def __add__(self, other: object) -> Mechanism:
        if not isinstance(other, Mechanism):
            return NotImplemented
        return compose([self, other])

    def __mul__(self, count: object) -> Mechanism:
        if isinstance(count, Mechanism):
            return NotImplemented
        number = _validate.count("count", count)
        parts = tuple((part, number * each) for part, each in self._parts() if number)
        return Composition(parts=parts, stated_relation=self.relation)

    __rmul__ = __mul__


@describable("gaussian")
@dataclass(frozen=True, kw_only=True)
class Gaussian(Mechanism):
    """The Gaussian mechanism; delta(eps) = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu), mu = 1/noise_multiplier.

    Parameters
    ----------
    noise_multiplier : float
        Standard deviation of the noise over the L2 sensitivity under `relation`. Zero is no privacy at all.
    relation : {"add_remove", "replace", "zero_out"}
        The neighbouring relation that the sensitivity refers to.

    Raises
    ------
    TypeError, ValueError
        For arguments out of their domain.

    Examples
    --------
    >>> import hockeystick as hs
    >>> print(f"{hs.Gaussian(noise_multiplier=1.0).epsilon(delta=1e-5):.5f}")
    4.37718
    """

    noise_multiplier: float
    relation: str = "add_remove"

    def __post_init__(self) -> None:
        object.__setattr__(self, "noise_multiplier", _validate.non_negative("noise_multiplier", self.noise_multiplier))
        _validate.choice("relation", self.relation, _validate.RELATIONS)

    def poisson(self, sampling_rate: float) -> Mechanism:
        """Apply this to a Poisson sample: every record enters on its own with probability `sampling_rate`.

        Raises
        ------
        ValueError
            Under the replace relation, whose pair for Poisson sampling is another one.
        """
        rate = _validate.probability("sampling_rate", sampling_rate)
        if rate == 1.0:
            return self
        return PoissonSampled(base=self, sampling_rate=rate)

    def _releases(self) -> Iterator[tuple[float, float, int]]:
        yield self.noise_multiplier, 1.0, 1


@describable("poisson_sampled")
@dataclass(frozen=True, kw_only=True)
class PoissonSampled(Mechanism):
    """A Gaussian on a Poisson sample, under add/remove or zero-out: ((1-q) N(0, s^2) + q N(1, s^2), N(0, s^2)).

    Made by :meth:`Gaussian.poisson`.

    Parameters
    ----------
    base : Gaussian
        What is applied to the sample.
    sampling_rate : float
        In [0, 1].
    """

    base: Gaussian
    sampling_rate: float

    def __post_init__(self) -> None:
        if not isinstance(self.base, Gaussian):
            raise TypeError(f"base must be a Gaussian, got {self.base!r}")
        if self.base.relation == "replace":
            raise ValueError(
                "relation must be 'add_remove' or 'zero_out' for Poisson sampling, got 'replace': its dominating pair "
                "is a different one, and this version does not have it"
            )
        rate = _validate.probability("sampling_rate", self.sampling_rate)
        object.__setattr__(self, "sampling_rate", rate)

    @property
    def relation(self) -> str:
        """The relation of the base."""
        return self.base.relation

    def _releases(self) -> Iterator[tuple[float, float, int]]:
        yield self.base.noise_multiplier, self.sampling_rate, 1


@describable("composition")
@dataclass(frozen=True, kw_only=True)
class Composition(Mechanism):
    """Adaptive composition of mechanisms whose parameters are fixed in advance; equal ones are merged.

    Made by ``+``, ``count *`` and :func:`compose`.

    Parameters
    ----------
    parts : tuple of (Mechanism, int)
        Distinct mechanisms and their counts.
    stated_relation : str
        The relation that all of them share.
    """

    parts: tuple[tuple[Mechanism, int], ...]
    stated_relation: str = "add_remove"

    @property
    def relation(self) -> str:
        """The relation that all parts share."""
        return self.stated_relation

    def __len__(self) -> int:
        return sum(count for _, count in self.parts)

    def _to_fields(self) -> dict[str, Any]:
        parts = [{"count": count, "mechanism": mechanism} for mechanism, count in self.parts]
        return {"relation": self.stated_relation, "parts": parts}

    @classmethod
    def _from_fields(cls, fields: dict[str, Any]) -> Composition:
        check_entries("composition", fields, needed={"parts"}, allowed={"relation", "parts"})
        parts = fields["parts"]
        if not isinstance(parts, tuple) or not all(isinstance(part, dict) for part in parts):
            raise TypeError(f"parts must be a list of mappings with the entry mechanism, got {parts!r}")
        for part in parts:
            check_entries("a part", part, needed={"mechanism"}, allowed={"count", "mechanism"})
            if not isinstance(part["mechanism"], Mechanism):
                raise TypeError(f"mechanism must be a mapping with the entry kind, got {part['mechanism']!r}")
        if not parts:
            return cls(parts=(), stated_relation=fields.get("relation", "add_remove"))
        total = compose(part.get("count", 1) * part["mechanism"] for part in parts)
        if fields.get("relation", total.relation) != total.relation:
            raise ValueError(f"relation must be that of the parts, {total.relation!r}, got {fields['relation']!r}")
        return total

    def _parts(self) -> tuple[tuple[Mechanism, int], ...]:
        return self.parts

    def _releases(self) -> Iterator[tuple[float, float, int]]:
        for part, count in self.parts:
            for noise_multiplier, sampling_rate, each in part._releases():
                yield noise_multiplier, sampling_rate, count * each


def compose(mechanisms: Iterable[Mechanism]) -> Composition:
    """Compose mechanisms; lazy, equal ones merged, evaluated when asked.

    Parameters
    ----------
    mechanisms : iterable of Mechanism
        At least one; all under the same relation.

    Returns
    -------
    Composition

    Raises
    ------
    TypeError
        If an element is not a mechanism.
    ValueError
        If there is none, or if relations differ: numbers under different relations do not add up.

    Examples
    --------
    >>> import hockeystick as hs
    >>> total = hs.compose([hs.Gaussian(noise_multiplier=4.0)] * 3 + [hs.Gaussian(noise_multiplier=2.0)])
    >>> [count for _, count in total.parts]
    [3, 1]
    """
    merged: dict[Mechanism, int] = {}
    relation: str | None = None
    for mechanism in mechanisms:
        if not isinstance(mechanism, Mechanism):
            raise TypeError(f"mechanisms must hold mechanisms, got {mechanism!r}")
        if relation is not None and mechanism.relation != relation:
            raise ValueError(f"mechanisms must share one relation, got {relation!r} and {mechanism.relation!r}")
        relation = mechanism.relation
        for part, count in mechanism._parts():
            merged[part] = merged.get(part, 0) + count
    if relation is None:
        raise ValueError("mechanisms must hold at least one mechanism, got none")
    return Composition(parts=tuple(merged.items()), stated_relation=relation)
