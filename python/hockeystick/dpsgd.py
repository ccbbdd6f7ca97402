# SPDX-License-Identifier: Apache-2.0
"""From the description of a DP-SGD run to its mechanism."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from . import _validate
from .description import describable
from .mechanisms import Gaussian, Mechanism
from .sampling import RandomAllocation, TruncatedPoisson, WithoutReplacement
from .schedule import Schedule, resolve_schedule

if TYPE_CHECKING:
    from collections.abc import Iterator

SAMPLINGS = ("poisson", "without_replacement", "random_allocation", "fixed_order", "truncated_poisson")

# How a batch is drawn, in words for a reader of a report.
_ASSUMPTIONS = {
    "poisson": "every {unit} enters every batch on its own with probability {rate:.6g}",
    "without_replacement": "every batch is a fresh uniform subset of {batch} of {total} {unit}s",
    "random_allocation": "every {unit} enters one of {turn} batches of each epoch, drawn on its own, kept secret",
    "fixed_order": "every {unit} enters one batch of each epoch, known to the adversary: no amplification",
    "truncated_poisson": "as Poisson sampling with probability {rate:.6g}, batches cut at random to {cap}",
}


@describable("dpsgd")
@dataclass(frozen=True, kw_only=True)
class DPSGD(Mechanism):
    """A DP-SGD run: noisy sums of gradients clipped to norm C. Made by :func:`dpsgd` and :func:`federated`.

    Parameters
    ----------
    noise_multiplier : float
        Standard deviation of the noise on the sum of a batch, over the clipping norm C.
    sampling_rate : float
        Expected batch size over data set size.
    steps : int
        Number of updates.
    sampling : str
        How batches are drawn; see :func:`dpsgd`.
    relation : {"add_remove", "replace", "zero_out"}
        The neighbouring relation.
    dataset_size, batch_size : int, optional
        Sizes, where the scheme or the report needs them.
    epochs : float, optional
        What `steps` was worked out from.
    truncated_batch_size : int, optional
        The cap of truncated Poisson batches.
    unit : str
        What the relation adds, removes or replaces, for the text: "record" or "client".
    """

    noise_multiplier: float
    sampling_rate: float
    steps: int
    sampling: str = "poisson"
    relation: str = "add_remove"
    dataset_size: int | None = None
    batch_size: int | None = None
    epochs: float | None = None
    truncated_batch_size: int | None = None
    unit: str = "record"

    def __post_init__(self) -> None:
        check_sampling(self.sampling)
        _validate.choice("relation", self.relation, _validate.RELATIONS)
        _validate.choice("unit", self.unit, ("record", "client"))
        rate = _validate.probability("sampling_rate", self.sampling_rate)
        for name, value in {
            "noise_multiplier": _validate.non_negative("noise_multiplier", self.noise_multiplier),
            "sampling_rate": rate,
            "steps": _validate.count("steps", self.steps),
            "epochs": None if self.epochs is None else _validate.non_negative("epochs", self.epochs),
        }.items():
            object.__setattr__(self, name, value)
        self._check_sizes()
        self.step  # noqa: B018 - refuses a sampling and relation that have no pair

    def __repr__(self) -> str:
        """Show what was said, and nothing that was left at "not given"."""
        said = ", ".join(
            f"{field.name}={value!r}"
            for field in fields(self)
            if (value := getattr(self, field.name)) is not None and (field.name, value) != ("unit", "record")
        )
        return f"{type(self).__name__}({said})"

    @property
    def schedule(self) -> Schedule:
        """Rate, updates and what they came from."""
        return Schedule(
            sampling_rate=self.sampling_rate,
            steps=self.steps,
            dataset_size=self.dataset_size,
            batch_size=self.batch_size,
            epochs=self.epochs,
        )

    @property
    def sensitivity(self) -> float:
        """How far one record moves a clipped sum, in clipping norms: 2 under replace, else 1."""
        return 2.0 if self.relation == "replace" else 1.0

    @property
    def step(self) -> Mechanism:
        """What is repeated: one update, or one epoch where the record takes part once an epoch."""
        gaussian = Gaussian(noise_multiplier=self.noise_multiplier / self.sensitivity, relation=self.relation)
        if self.sampling == "fixed_order":
            return gaussian
        if self.sampling == "random_allocation":
            return RandomAllocation(base=gaussian, steps=self._turn)
        if self.sampling == "without_replacement":
            replaced = Gaussian(noise_multiplier=self.noise_multiplier / 2.0, relation="replace")
            batch_size, dataset_size = _validate.sample_of(self.batch_size, self.dataset_size)
            return WithoutReplacement(
                base=replaced, batch_size=batch_size, dataset_size=dataset_size, relation=self.relation
            )
        if self.sampling == "truncated_poisson":
            return TruncatedPoisson(
                noise_multiplier=self.noise_multiplier,
                sampling_rate=self.sampling_rate,
                dataset_size=_validate.positive_count("dataset_size", self.dataset_size),
                truncated_batch_size=_validate.positive_count("truncated_batch_size", self.truncated_batch_size),
                relation=self.relation,
            )
        return gaussian.poisson(self.sampling_rate)

    @property
    def renyi_only(self) -> tuple[Mechanism, ...]:
        """Nothing: the step of every sampling has a pair of distributions."""
        return ()

    @property
    def repetitions(self) -> int:
        """How often :attr:`step` is repeated: updates, or epochs (an incomplete one counts as a whole one)."""
        if self.sampling not in ("fixed_order", "random_allocation") or not self.steps or not self.sampling_rate:
            return self.steps
        return self.schedule.whole_epochs

    @property
    def expected_participations(self) -> float:
        """How often a record is expected to be seen: steps * sampling_rate, or once an epoch."""
        if self.sampling in ("fixed_order", "random_allocation"):
            return float(self.repetitions)
        return self.steps * self.sampling_rate

    def summary(self) -> str:
        """Say in words what is accounted for: units, sampling, relation, and the ratio of noise to sensitivity.

        Returns
        -------
        str

        Examples
        --------
        >>> import hockeystick as hs
        >>> print(hs.dpsgd(noise_multiplier=1.1, dataset_size=60_000, batch_size=256, epochs=60).summary())
        T = 14063 updates (rounded up from 14062.5)
        q = 0.00426667, q N = 256: every record is expected in 60.0 batches
        poisson: every record enters every batch on its own with probability 0.00426667
        add_remove: the noise is 1.1 times the clipping norm and 1.1 times the sensitivity (1 clipping norm)
        """
        return f"{self._units()}\n{self._looks()}\n{self._assumption()}\n{self._ratio()}"

    def __len__(self) -> int:
        return self.steps

    def _parts(self) -> tuple[tuple[Mechanism, int], ...]:
        return ((self.step, self.repetitions),) if self.repetitions else ()

    def _releases(self) -> Iterator[tuple[Mechanism, int]]:
        for release, each in self.step._releases():
            yield release, each * self.repetitions

    @property
    def _turn(self) -> int:
        return self.schedule.steps_per_epoch

    def _check_sizes(self) -> None:
        """Check what the scheme needs beside the rate, and that sizes and rate agree."""
        if self.batch_size is not None or self.dataset_size is not None:
            if self.batch_size is None:
                _validate.positive_count("dataset_size", self.dataset_size)
            else:
                batch, total = _validate.sample_of(self.batch_size, self.dataset_size)
                if self.sampling_rate != batch / total:
                    raise ValueError(
                        f"sampling_rate must be batch_size / dataset_size, got {self.sampling_rate!r} for {batch} of {total}"
                    )
        if self.sampling == "without_replacement" and self.batch_size is None:
            raise ValueError("batch_size and dataset_size must be given for sampling without replacement, got none")
        if self.sampling == "truncated_poisson" and (self.dataset_size is None or self.truncated_batch_size is None):
            raise ValueError(
                "dataset_size and truncated_batch_size must be given for truncated Poisson sampling, got "
                f"{self.dataset_size!r} and {self.truncated_batch_size!r}"
            )
        if self.sampling != "truncated_poisson" and self.truncated_batch_size is not None:
            raise ValueError(
                f"truncated_batch_size must be left out for sampling {self.sampling!r}, got {self.truncated_batch_size!r}"
            )
        if self.sampling in ("random_allocation", "fixed_order") and self.sampling_rate == 0.0:
            raise ValueError(f"sampling_rate must be above 0 for sampling {self.sampling!r}, got 0.0")

    def _units(self) -> str:
        exact = self.schedule.exact_steps
        rounded = "" if exact == self.steps else f" (rounded up from {exact:.6g})"
        return f"T = {self.steps} updates{rounded}"

    def _looks(self) -> str:
        size = f", q N = {self.batch_size}" if self.batch_size is not None else ""
        times = f"every {self.unit} is expected in {self.expected_participations:.1f} batches"
        return f"q = {self.sampling_rate:.6g}{size}: {times}"

    def _assumption(self) -> str:
        turn = self._turn if self.sampling_rate else 0
        said = _ASSUMPTIONS[self.sampling].format(
            unit=self.unit,
            rate=self.sampling_rate,
            batch=self.batch_size,
            total=self.dataset_size,
            turn=turn,
            cap=self.truncated_batch_size,
        )
        return f"{self.sampling}: {said}"

    def _ratio(self) -> str:
        norms = "2 clipping norms" if self.sensitivity == 2.0 else "1 clipping norm"
        return (
            f"{self.relation}: the noise is {self.noise_multiplier:.6g} times the clipping norm and "
            f"{self.noise_multiplier / self.sensitivity:.6g} times the sensitivity ({norms})"
        )


def dpsgd(
    *,
    noise_multiplier: float | None = None,
    sampling_rate: float | None = None,
    steps: int | None = None,
    sampling: str = "poisson",
    relation: str = "add_remove",
    dataset_size: int | None = None,
    batch_size: int | None = None,
    epochs: float | None = None,
    truncated_batch_size: int | None = None,
    noise_std: float | None = None,
    clipping_norm: float | None = None,
) -> DPSGD:
    """Describe a DP-SGD run; what comes back answers every question.

    Parameters
    ----------
    noise_multiplier : float
        Standard deviation of the noise on the *sum* of a batch over the clipping norm C; at least 0 (0: no privacy).
    noise_std, clipping_norm : float
        Instead of `noise_multiplier`: the two it is the ratio of. Noise that is added to a mean over B records counts B
        times.
    sampling_rate : float
        In [0, 1]: expected batch size over data set size.
    steps : int
        Number of updates, empty batches included.
    sampling : str
        "poisson": every record enters every batch on its own.
        "without_replacement": a fresh uniform subset of fixed size each time; needs both sizes.
        "random_allocation": every record enters one batch of each epoch, drawn on its own.
        "fixed_order": one batch of each epoch, known to the adversary (also the safe bound for shuffled batches).
        "truncated_poisson": Poisson batches, cut at random to `truncated_batch_size`; needs `dataset_size`.
    relation : {"add_remove", "zero_out", "replace"}
        Neighbouring data sets; replace doubles the sensitivity of clipped sums.
    dataset_size, batch_size : int
        Instead of `sampling_rate`: the two it is the ratio of; the size of a logical batch, not of the micro-batches
        that it is computed in.
    epochs : float
        Instead of `steps`: epochs / sampling_rate updates, rounded up.
    truncated_batch_size : int
        The most records that a batch of truncated Poisson sampling keeps.

    Returns
    -------
    DPSGD

    Raises
    ------
    TypeError, ValueError
        For arguments out of their domain, units missing or given twice, or a sampling and relation without a sound
        pair. Shuffled batches are refused: no tight bound is known, and the numbers of Poisson sampling are not one.

    Examples
    --------
    >>> import hockeystick as hs
    >>> run = hs.dpsgd(noise_multiplier=1.1, dataset_size=60_000, batch_size=256, epochs=60)
    >>> print(f"{run.epsilon(delta=1e-5):.3f} after {run.steps} updates")
    2.382 after 14063 updates
    """
    check_sampling(sampling)
    sizes = {} if sampling == "truncated_poisson" and sampling_rate is not None else {"dataset_size": dataset_size}
    schedule = resolve_schedule(sampling_rate=sampling_rate, steps=steps, batch_size=batch_size, epochs=epochs, **sizes)
    return DPSGD(
        noise_multiplier=_ratio_of(noise_multiplier, noise_std, clipping_norm),
        sampling_rate=schedule.sampling_rate,
        steps=schedule.steps,
        sampling=sampling,
        relation=relation,
        dataset_size=schedule.dataset_size if sizes else dataset_size,
        batch_size=schedule.batch_size,
        epochs=schedule.epochs,
        truncated_batch_size=truncated_batch_size,
    )


def check_sampling(sampling: Any) -> None:
    """Raise for a scheme that is unknown, and explain for shuffled batches why they are refused."""
    if isinstance(sampling, str) and sampling in ("shuffle", "shuffled", "shuffling"):
        raise ValueError(
            f"sampling must be a scheme with a sound pair, got {sampling!r}: no tight bound is known for shuffled "
            "batches, and the numbers of Poisson sampling are not one; sampling='fixed_order' is safe for them "
            "(one release per epoch, no amplification), sampling='random_allocation' if records are allocated on their own"
        )
    _validate.choice("sampling", sampling, SAMPLINGS)


def _ratio_of(noise_multiplier: Any, noise_std: Any, clipping_norm: Any) -> float:
    if noise_multiplier is not None:
        if noise_std is not None or clipping_norm is not None:
            raise TypeError("noise_multiplier must be given, or noise_std and clipping_norm, not both")
        return _validate.non_negative("noise_multiplier", noise_multiplier)
    if noise_std is None or clipping_norm is None:
        raise TypeError("noise_multiplier must be given, or noise_std and clipping_norm, got neither")
    return _validate.non_negative("noise_std", noise_std) / _validate.positive("clipping_norm", clipping_norm)
