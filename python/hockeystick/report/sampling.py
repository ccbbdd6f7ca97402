# SPDX-License-Identifier: Apache-2.0
"""How batches are drawn: what the numbers assume, in words, and what it takes for that to hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import hockeystick as hs

from .parts import SamplingSummary

if TYPE_CHECKING:
    from hockeystick import Mechanism

__all__ = ["IN_A_SENTENCE", "REQUIREMENTS", "SCHEMES", "summarize_sampling"]

SCHEMES = {
    "full": "no sampling: every record takes part in every release",
    "poisson": "Poisson: every record joins every batch on its own with the same probability",
    "without_replacement": "fixed size: every batch is a fresh random set of the same number of records",
    "with_replacement": "with replacement: every place in a batch is filled by a random record",
    "truncated_poisson": "truncated Poisson: Poisson batches, cut to a largest size",
    "random_allocation": "random allocation: every record takes part in steps drawn at random for it alone",
    "fixed_order": "fixed order: every record takes part once in every epoch, in a batch that the attacker knows",
    "mixed": "several kinds, part by part",
    "shuffle": "shuffled: one random order, cut into batches, over and over",
}

IN_A_SENTENCE = {
    "full": "",
    "poisson": ", with Poisson sampling",
    "without_replacement": ", with batches of a fixed size drawn without replacement",
    "with_replacement": ", with batches drawn with replacement",
    "truncated_poisson": ", with truncated Poisson sampling",
    "random_allocation": ", with random allocation of records to steps",
    "fixed_order": ", with batches in a fixed order",
    "mixed": "",
}

_CLASSES = {
    "WithoutReplacement": "without_replacement",
    "WithReplacement": "with_replacement",
    "TruncatedPoisson": "truncated_poisson",
    "RandomAllocation": "random_allocation",
}

# What has to be true of the data loader, said so that an engineer can check it.
REQUIREMENTS = {
    "full": "Every release is computed on all records.",
    "poisson": (
        "The loader draws each batch anew and each record on its own, so batches differ in size; empty batches count "
        "as steps, and no batch is capped, padded with repeats or dropped. Shuffled epochs are not Poisson sampling, "
        "and these numbers are no guarantee for them."
    ),
    "without_replacement": (
        "The loader draws every batch afresh from all records, uniformly among the sets of that size. Cutting one "
        "shuffled order into batches is something else."
    ),
    "with_replacement": "The loader fills every place of every batch independently and uniformly from all records.",
    "truncated_poisson": "The loader draws Poisson batches and cuts those above the stated size, which has its price.",
    "random_allocation": "The loader draws for every record, on its own and uniformly, the steps that it takes part in.",
    "fixed_order": "Every record is in one batch of each epoch and in no other; shuffling the order is allowed.",
    "mixed": "Each part draws its batches as it says in the table of releases.",
}


def summarize_sampling(
    mechanism: Mechanism, dataset_size: int | None, sampling_in_practice: str | None
) -> SamplingSummary:
    """Read the sampling off a mechanism; ValueError where the caller's own words make no sense."""
    if dataset_size is not None:
        if isinstance(dataset_size, bool) or not isinstance(dataset_size, int):
            raise TypeError(f"dataset_size must be a whole number, got {dataset_size!r}")
        if dataset_size < 1:
            raise ValueError(f"dataset_size must be at least 1, got {dataset_size!r}")
    if sampling_in_practice is not None and sampling_in_practice not in SCHEMES:
        raise ValueError(f"sampling_in_practice must be one of {', '.join(SCHEMES)}, got {sampling_in_practice!r}")
    if isinstance(mechanism, hs.DPSGD):
        rate: float | None = mechanism.sampling_rate
        expected: float | None = mechanism.expected_participations
        assumed, steps = mechanism.sampling, mechanism.steps
    else:
        parts = mechanism._parts()
        # A release on all records is one of any scheme, at its end where nobody is left out.
        rates, schemes = {_rate(part) for part, _ in parts}, {_scheme(part) for part, _ in parts} - {"full"}
        rate = rates.pop() if len(rates) == 1 else None
        assumed = schemes.pop() if len(schemes) == 1 else "mixed" if schemes else "full"
        steps, expected = sum(count for _, count in parts), _expected(parts)
    return SamplingSummary(
        assumed=assumed,
        in_practice=sampling_in_practice,
        sampling_rate=rate,
        steps=steps,
        exact_steps=mechanism.schedule.exact_steps if isinstance(mechanism, hs.DPSGD) else float(steps),
        expected_participations=expected,
        dataset_size=dataset_size,
        expected_batch_size=rate * dataset_size if rate is not None and dataset_size is not None else None,
    )


def _rate(part: Mechanism) -> float | None:
    """The probability that a record takes part; None where the kind of sampling has no one such number."""
    if _scheme(part) == "full":
        return 1.0
    rate = getattr(part, "sampling_rate", None)
    return float(rate) if isinstance(rate, (int, float)) else None


def _scheme(part: Mechanism) -> str:
    """How one release draws its records, by its class; a rate without another word is Poisson's."""
    name = type(part).__name__
    for start, scheme in _CLASSES.items():
        if name.startswith(start):
            return scheme
    return "poisson" if hasattr(part, "sampling_rate") else "full"


def _expected(parts: tuple[tuple[Mechanism, int], ...]) -> float | None:
    rates = [(_rate(part), count) for part, count in parts]
    if any(rate is None for rate, _ in rates):
        return None
    return float(sum(rate * count for rate, count in rates if rate is not None))
