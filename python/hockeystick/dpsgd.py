# SPDX-License-Identifier: Apache-2.0
"""From the description of a DP-SGD run to its mechanism."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import _validate
from .description import describable
from .mechanisms import Gaussian, Mechanism

if TYPE_CHECKING:
    from collections.abc import Iterator


@describable("dpsgd")
@dataclass(frozen=True, kw_only=True)
class DPSGD(Mechanism):
    """A DP-SGD run: `steps` noisy sums of gradients clipped to norm C. Made by :func:`dpsgd`.

    Parameters
    ----------
    noise_multiplier : float
        Standard deviation of the noise over the clipping norm C.
    sampling_rate : float
        Probability that a record enters a batch.
    steps : int
        Number of updates.
    sampling : {"poisson"}
        How batches are drawn.
    relation : {"add_remove", "replace", "zero_out"}
        The neighbouring relation.
    """

    noise_multiplier: float
    sampling_rate: float
    steps: int
    sampling: str = "poisson"
    relation: str = "add_remove"

    def __post_init__(self) -> None:
        object.__setattr__(self, "noise_multiplier", _validate.non_negative("noise_multiplier", self.noise_multiplier))
        object.__setattr__(self, "sampling_rate", _validate.probability("sampling_rate", self.sampling_rate))
        object.__setattr__(self, "steps", _validate.count("steps", self.steps))
        _validate.choice("relation", self.relation, _validate.RELATIONS)
        _check_sampling(self.sampling)
        self.step  # noqa: B018 - refuses a sampling and relation that have no pair here

    @property
    def step(self) -> Mechanism:
        """One update. Replacing a record moves a clipped sum by up to 2C, adding or removing one by C."""
        sensitivity = 2.0 if self.relation == "replace" else 1.0
        base = Gaussian(noise_multiplier=self.noise_multiplier / sensitivity, relation=self.relation)
        return base.poisson(self.sampling_rate)

    @property
    def expected_participations(self) -> float:
        """How often a record is expected to be seen: steps * sampling_rate."""
        return self.steps * self.sampling_rate

    def __len__(self) -> int:
        return self.steps

    def _parts(self) -> tuple[tuple[Mechanism, int], ...]:
        return ((self.step, self.steps),) if self.steps else ()

    def _releases(self) -> Iterator[tuple[float, float, int]]:
        for noise_multiplier, sampling_rate, count in self.step._releases():
            yield noise_multiplier, sampling_rate, count * self.steps


def dpsgd(
    *,
    noise_multiplier: float,
    sampling_rate: float,
    steps: int,
    sampling: str = "poisson",
    relation: str = "add_remove",
) -> DPSGD:
    """Describe a DP-SGD run; what comes back answers every question.

    Parameters
    ----------
    noise_multiplier : float
        Standard deviation of the noise over the clipping norm C; at least 0 (0: no privacy).
    sampling_rate : float
        In [0, 1]: probability that a record enters a batch, expected batch size over data set size.
    steps : int
        Number of updates, empty batches included.
    sampling : {"poisson"}
        Every record enters every batch on its own. Shuffled batches are refused: no tight bound is known for them, and
        the numbers of Poisson sampling are not one.
    relation : {"add_remove", "zero_out", "replace"}
        Neighbouring data sets; replace (full batches only) doubles the sensitivity of clipped sums.

    Returns
    -------
    DPSGD

    Raises
    ------
    TypeError, ValueError
        For arguments out of their domain, or a sampling and relation without a sound pair.

    Examples
    --------
    >>> import hockeystick as hs
    >>> run = hs.dpsgd(noise_multiplier=1.1, sampling_rate=256 / 60000, steps=14063)
    >>> print(f"{run.epsilon(delta=1e-5):.3f} after {run.expected_participations:.1f} looks at a record")
    2.382 after 60.0 looks at a record
    """
    return DPSGD(
        noise_multiplier=noise_multiplier,
        sampling_rate=sampling_rate,
        steps=steps,
        sampling=sampling,
        relation=relation,
    )


def _check_sampling(sampling: str) -> None:
    if sampling in ("shuffle", "shuffled"):
        raise ValueError(
            "sampling must be 'poisson', got 'shuffle': no tight bound is known for shuffled batches, and the numbers "
            "of Poisson sampling are not one; sampling_rate=1 with steps=epochs is safe, without amplification"
        )
    _validate.choice("sampling", sampling, ("poisson",))
