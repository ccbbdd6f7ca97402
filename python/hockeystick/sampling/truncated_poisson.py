# SPDX-License-Identifier: Apache-2.0
"""Poisson batches under a cap on their size, and what the cap costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import _core, _validate
from .._binomial import truncated_sample
from ..description import describable
from ..mechanisms import Gaussian, Mechanism
from ..mechanisms.laws import symmetric
from .attained import Attained

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._core import LossLaw
    from .._terms import Release

    Laws = tuple[LossLaw, LossLaw]


@describable("truncated_poisson")
@dataclass(frozen=True, kw_only=True)
class TruncatedPoisson(Mechanism):
    """A noisy clipped sum over a Poisson sample, of which at most `truncated_batch_size` random records are kept.

    With S ~ Bin(dataset_size - 1, q) other records in the sample: while S is below the cap the record enters as under
    Poisson sampling; with probability Pr[S >= cap] the batch is full, the record enters it with probability
    q' = E[q cap / (S + 1) | S >= cap], and then keeps another one out, which moves the sum by 2 clipping norms.

    Pair: a mixture of both cases, as if the adversary saw which one it is (hence not tight). add_remove and zero_out,
    first case: ((1-q) Q + q P, Q) and its reverse, one clipping norm apart; replace: that of a Poisson sample. Second
    case: the same at rate q' and two clipping norms apart, for add_remove; for replace and zero_out its directions merged
    (:class:`WithoutReplacement`).
    Lower side of brackets: all other records contribute nothing, so that the record is all there is to see, at the
    rate at which it is kept.
    Checked: against the accountant that also has this scheme, whose pair for full batches is a wider one.

    Parameters
    ----------
    noise_multiplier : float
        Noise over the clipping norm, whatever the relation.
    sampling_rate : float
        In [0, 1]: before the cap.
    dataset_size : int
        Number of records, of the larger data set under add_remove.
    truncated_batch_size : int
        The cap.
    relation : {"add_remove", "replace", "zero_out"}
        The neighbouring relation.

    Raises
    ------
    TypeError, ValueError
        For arguments out of their domain.

    Examples
    --------
    >>> import hockeystick as hs
    >>> capped = hs.TruncatedPoisson(
    ...     noise_multiplier=0.901, sampling_rate=1024 / 14732, dataset_size=14732, truncated_batch_size=1100
    ... )
    >>> print(f"cap hit with probability {capped.truncation_probability:.4f}: {(42 * capped).epsilon(delta=2e-5):.2f}")
    cap hit with probability 0.0076: 6.75
    """

    noise_multiplier: float
    sampling_rate: float
    dataset_size: int
    truncated_batch_size: int
    relation: str = "add_remove"

    def __post_init__(self) -> None:
        for name, value in {
            "noise_multiplier": _validate.non_negative("noise_multiplier", self.noise_multiplier),
            "sampling_rate": _validate.probability("sampling_rate", self.sampling_rate),
            "dataset_size": _validate.positive_count("dataset_size", self.dataset_size),
            "truncated_batch_size": _validate.positive_count("truncated_batch_size", self.truncated_batch_size),
        }.items():
            object.__setattr__(self, name, value)
        _validate.choice("relation", self.relation, _validate.RELATIONS)

    @property
    def truncation_probability(self) -> float:
        """Pr[S >= truncated_batch_size]: how often the cap decides about the record."""
        return self._case()[0]

    def _releases(self) -> Iterator[tuple[Mechanism, int]]:
        if self.sampling_rate:
            yield self, 1

    def _case(self) -> tuple[float, float]:
        return truncated_sample(self.dataset_size, self.sampling_rate, self.truncated_batch_size)

    def _laws(self) -> Laws:
        full, kept = self._case()
        free = self._poisson(self.sampling_rate)
        if full == 0.0:
            return free
        crowded = self._crowded(kept)
        if full == 1.0:
            return crowded
        weights = [1.0 - full, full]
        return _core.mixture_law([free[0], crowded[0]], weights), _core.mixture_law([free[1], crowded[1]], weights)

    def _attained_releases(self) -> Iterator[tuple[Release, int]]:
        yield (Attained(of=self) if self._case()[0] else self), 1

    def _attained_laws(self) -> Laws:
        full, kept = self._case()
        return self._poisson((1.0 - full) * self.sampling_rate + full * kept)

    def _attained_gaussian(self) -> tuple[float, float] | None:
        if self.relation == "replace" or not self.noise_multiplier:
            return None
        full, kept = self._case()
        return self.noise_multiplier, (1.0 - full) * self.sampling_rate + full * kept

    def _poisson(self, rate: float) -> Laws:
        sensitivity = 2.0 if self.relation == "replace" else 1.0
        base = Gaussian(noise_multiplier=self.noise_multiplier / sensitivity, relation=self.relation)
        return base.poisson(rate)._laws()

    def _crowded(self, rate: float) -> Laws:
        pair = Gaussian(noise_multiplier=self.noise_multiplier / 2.0).poisson(rate)._laws()
        return pair if self.relation == "add_remove" else symmetric(_core.merged_law(pair[0]))
