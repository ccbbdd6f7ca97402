# SPDX-License-Identifier: Apache-2.0
"""What all mechanisms share: composition, sampling, and the laws that the engines ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _validate
from .._questions import Questions
from .._terms import Terms, bracket_terms
from .._wraps import Wraps
from ..pld import PLD, composed_distribution, loss_distribution

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._core import LossLaw
    from .._terms import Release
    from ..report import Report


class Mechanism(Questions, Wraps):
    """Base of all mechanisms: composition by ``+`` and ``count *``, and the questions."""

    __slots__ = ()

    def _releases(self) -> Iterator[tuple[Mechanism, int]]:
        """Yield the single releases that this mechanism consists of, with their counts."""
        yield self, 1

    def _attained_releases(self) -> Iterator[tuple[Release, int]]:
        """Yield releases that this mechanism is known to be no better than: the lower side of brackets.

        They are the releases themselves wherever their laws are attained as a whole.
        """
        parts = self._parts()
        if len(parts) == 1 and parts[0][0] is self:
            yield from self._releases()
            return
        for part, count in parts:
            for release, each in part._attained_releases():
                yield release, count * each

    def _laws(self) -> tuple[LossLaw, LossLaw]:
        """Return the loss laws of one release in the directions remove and add; one object twice if symmetric."""
        raise NotImplementedError

    def _gaussian(self) -> tuple[float, float] | None:
        """Return (noise_multiplier, sampling_rate) if one release is a Poisson-subsampled Gaussian."""
        return None

    def _parts(self) -> tuple[tuple[Mechanism, int], ...]:
        """Return the mechanisms this one is composed of, with their counts."""
        return ((self, 1),)

    def _is_single(self) -> bool:
        """Whether this is one release, which can be sampled as a whole."""
        return all(release is self and count == 1 for release, count in self._releases())

    def _terms(self) -> Terms:
        parts = self._parts()  # once: some mechanisms make them when asked
        if len(parts) == 1 and parts[0][0] is self:
            return bracket_terms(self._releases(), self._attained_releases())
        return bracket_terms(
            ((release, count * each) for part, count in parts for release, each in part._releases()),
            ((release, count * each) for part, count in parts for release, each in part._attained_releases()),
        )

    def pld(self, *, step: float = 1e-4, composed: bool = False) -> PLD:
        """Privacy loss distribution on a uniform grid: a dominating law, as other libraries keep one.

        For an epsilon, :meth:`epsilon` is tighter and faster; this is for exchange and for comparison at a given grid.

        Parameters
        ----------
        step : float
            Distance of the grid points, above 0.
        composed : bool
            Compose first, by the contour engine, and connect the dots of the composed profile: the error of the grid is
            then paid once and not once a step, and different releases may be composed. For Gaussian releases, subsampled
            or not.

        Returns
        -------
        PLD
            One release's law, and the number of its copies; or the composed law, once.

        Raises
        ------
        ValueError
            If the mechanism is composed of different releases, or, composed, holds others than Gaussians.
        AccuracyError
            If the grid would be too long, or the composed profile cannot be certified on it.

        Examples
        --------
        >>> import hockeystick as hs
        >>> pld = hs.Gaussian(noise_multiplier=2.0).pld(step=1e-3)
        >>> print(f"{pld.remove.masses.sum() + pld.remove.infinity_mass:.9f}")
        1.000000000
        >>> run = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
        >>> print(f"{run.pld(step=1e-3, composed=True).epsilon(delta=1e-5):.6f}")
        1.828237
        """
        step = _validate.positive("step", step)
        if composed:
            terms = self._terms()
            if terms.others or terms.is_empty or not terms.noise_multipliers.all():
                raise ValueError(f"a composed PLD needs Gaussian releases with noise, got {self!r}")
            return composed_distribution(terms, step)
        laws, counts = self._terms().laws([0, 1])
        if len(counts) != 1:
            raise ValueError(f"a PLD needs one kind of release, got {len(counts)} kinds in {self!r}")
        return loss_distribution(laws[0][0], laws[1][0], int(counts[0]), step)

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
            See :meth:`~hockeystick.Mechanism.epsilon_bounds`.

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
        from ..report import build_report

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

    def poisson(self, sampling_rate: float) -> Mechanism:
        """Apply this to a Poisson sample: every record enters on its own with probability `sampling_rate`.

        Parameters
        ----------
        sampling_rate : float
            In [0, 1].

        Returns
        -------
        Mechanism

        Raises
        ------
        ValueError
            For a composition (sample each of its releases, or sample once outside), and under the replace relation for
            all but the Gaussian, whose pair is known.

        Examples
        --------
        >>> import hockeystick as hs
        >>> run = 2 * hs.Laplace(noise_multiplier=1.0).poisson(0.7)
        >>> print(f"{run.delta(epsilon=0.21, direction='add'):.4f} {run.delta(epsilon=0.21, direction='remove'):.4f}")
        0.2797 0.2506
        """
        from .poisson_sampled import PoissonSampled

        rate = _validate.probability("sampling_rate", sampling_rate)
        return self if rate == 1.0 else PoissonSampled(base=self, sampling_rate=rate)

    def __add__(self, other: object) -> Mechanism:
        if not isinstance(other, Mechanism):
            return NotImplemented
        from .composition import compose

        return compose([self, other])

    def __mul__(self, count: object) -> Mechanism:
        if isinstance(count, Mechanism):
            return NotImplemented
        from .composition import Composition

        number = _validate.count("count", count)
        parts = tuple((part, number * each) for part, each in self._parts() if number)
        return Composition(parts=parts, stated_relation=self.relation)

    __rmul__ = __mul__
