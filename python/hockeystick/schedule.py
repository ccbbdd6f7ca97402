# SPDX-License-Identifier: Apache-2.0
"""From what a trainer knows (records, batch size, epochs) to what an accountant needs (rate and number of updates)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from . import _validate


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """How often a run looks at its data: resolved, consistent units. Made by :func:`resolve_schedule`.

    Attributes
    ----------
    sampling_rate : float
        Batch size over data set size.
    steps : int
        Number of updates.
    dataset_size, batch_size : int or None
        What the rate came from, where it was given that way.
    epochs : float or None
        What the number of updates came from, where it was given that way.
    """

    sampling_rate: float
    steps: int
    dataset_size: int | None = None
    batch_size: int | None = None
    epochs: float | None = None

    @property
    def exact_steps(self) -> float:
        """The number of updates before it is rounded up to a whole one."""
        return float(self.steps) if self.epochs is None else self.epochs / self.sampling_rate

    @property
    def steps_per_epoch(self) -> int:
        """Updates in one pass over the data, a last, smaller batch counted: 1 / sampling_rate, rounded up."""
        if self.dataset_size is not None and self.batch_size is not None:
            return -(-self.dataset_size // self.batch_size)
        return _whole(1.0 / self.sampling_rate)

    @property
    def whole_epochs(self) -> int:
        """Passes that the updates need, an incomplete one counted as a whole."""
        return -(-self.steps // self.steps_per_epoch)


def resolve_schedule(
    *,
    sampling_rate: Any = None,
    steps: Any = None,
    dataset_size: Any = None,
    batch_size: Any = None,
    epochs: Any = None,
) -> Schedule:
    """Work out rate and updates from either kind of units.

    Parameters
    ----------
    sampling_rate : float, optional
        In [0, 1]; or give `dataset_size` and `batch_size`.
    dataset_size, batch_size : int, optional
        Whole numbers, the batch at most the data set. Of logical batches, not of the micro-batches they are made of.
    steps : int, optional
        Number of updates; or give `epochs`.
    epochs : float, optional
        Passes over the data, not necessarily whole: epochs / sampling_rate updates, rounded up.

    Returns
    -------
    Schedule

    Raises
    ------
    TypeError
        For wrong kinds, and where a unit is missing or given twice.
    ValueError
        For arguments out of their domain.

    Examples
    --------
    >>> from hockeystick.schedule import resolve_schedule
    >>> schedule = resolve_schedule(dataset_size=60_000, batch_size=256, epochs=60)
    >>> schedule.steps, schedule.exact_steps
    (14063, 14062.5)
    """
    sizes = _sizes(sampling_rate, dataset_size, batch_size)
    rate = _validate.probability("sampling_rate", sampling_rate) if sizes is None else sizes[0] / sizes[1]
    batch, dataset = (None, None) if sizes is None else sizes
    if (steps is None) == (epochs is None):
        raise TypeError(f"steps or epochs must be given, one of them, got steps={steps!r} and epochs={epochs!r}")
    if epochs is None:
        return Schedule(
            sampling_rate=rate, steps=_validate.count("steps", steps), dataset_size=dataset, batch_size=batch
        )
    passes = _validate.non_negative("epochs", epochs)
    if rate == 0.0:
        raise ValueError(f"sampling_rate must be above 0 when epochs are given, got {sampling_rate!r}")
    updates = _validate.count("steps", _whole(passes / rate))
    return Schedule(sampling_rate=rate, steps=updates, dataset_size=dataset, batch_size=batch, epochs=passes)


def _sizes(sampling_rate: Any, dataset_size: Any, batch_size: Any) -> tuple[int, int] | None:
    if sampling_rate is not None:
        if dataset_size is not None or batch_size is not None:
            raise TypeError(
                "sampling_rate must be given, or dataset_size and batch_size, not both, got "
                f"sampling_rate={sampling_rate!r}, dataset_size={dataset_size!r} and batch_size={batch_size!r}"
            )
        return None
    if dataset_size is None or batch_size is None:
        raise TypeError(
            "sampling_rate must be given, or dataset_size and batch_size, got "
            f"dataset_size={dataset_size!r} and batch_size={batch_size!r}"
        )
    return _validate.sample_of(batch_size, dataset_size)


def _whole(value: float) -> int:
    """Round up, but not what is a whole number up to rounding."""
    nearest = round(value)
    return nearest if abs(value - nearest) <= 1e-9 * max(1.0, value) else math.ceil(value)
