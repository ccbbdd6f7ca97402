# SPDX-License-Identifier: Apache-2.0
"""Warnings, remarks and assumptions: what a reader must know that no number says."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .numbers import at_most, exactly
from .parts import Note
from .sampling import REQUIREMENTS, SCHEMES

if TYPE_CHECKING:
    from .parts import EpsilonRow, MechanismSummary, Risks, SamplingSummary

__all__ = ["write_notes"]

_WEAK_AT_FPR, _WEAK_TPR = 0.01, 0.5


def write_notes(
    *,
    mechanism: MechanismSummary,
    sampling: SamplingSummary,
    epsilon: tuple[EpsilonRow, ...],
    risks: Risks,
    relation: str,
    unit: str,
    tuning_included: bool,
    revealing: tuple[str, ...],
) -> tuple[Note, ...]:
    """Return warnings first, then remarks, then assumptions; `revealing` names the releases that may tell all."""
    notes = [
        *_about_epsilon(epsilon[0], risks, revealing),
        *_about_delta(epsilon[0].delta, sampling.dataset_size, unit),
        *_about_sampling(sampling),
        *_about_training(mechanism, relation),
        *_about_everything(tuning_included),
    ]
    order = ("warning", "remark", "assumption")
    return tuple(sorted(notes, key=lambda note: order.index(note.level)))


def _about_epsilon(row: EpsilonRow, risks: Risks, revealing: tuple[str, ...]) -> list[Note]:
    if math.isinf(row.upper):
        text = f"No finite epsilon holds at delta = {exactly(row.delta)}: {_reason(row.delta, revealing)}. Nothing is guaranteed."
        return [Note(code="epsilon_infinite", level="warning", text=text)]
    notes = []
    if row.upper == 0.0 and risks.advantage_upper == 0.0:
        text = "epsilon is exactly 0, because nothing that depends on any record is released."
        notes.append(Note(code="nothing_released", level="remark", text=text))
    elif row.upper == 0.0:
        text = (
            f"epsilon is exactly 0, because delta = {exactly(row.delta)} is at least the total variation distance "
            f"({at_most(risks.advantage_upper)}) of the two outputs: delta alone covers all that an attacker can learn. "
            "State a smaller delta too."
        )
        notes.append(Note(code="epsilon_zero", level="remark", text=text))
    weak = [each for each in risks.tpr if each.fpr == _WEAK_AT_FPR and each.tpr_upper > _WEAK_TPR]
    if weak:
        text = (
            "The guarantee is weak: it does not rule out an attack that finds more than half of the members at one "
            "false alarm in a hundred."
        )
        notes.append(Note(code="guarantee_weak", level="warning", text=text))
    return notes


def _reason(delta: float, revealing: tuple[str, ...]) -> str:
    if revealing:
        return f"with more than that probability a release tells the record outright ({'; '.join(revealing)})"
    if delta == 0.0:
        return "the loss of this mechanism has no bound, so that every epsilon fails with some probability above 0"
    return "none could be certified"


def _about_delta(delta: float, dataset_size: int | None, unit: str) -> list[Note]:
    if dataset_size is None:
        text = (
            f"delta = {exactly(delta)} is well below one over the number of {unit}s; that number was not given, so it "
            "was not checked."
        )
        return [Note(code="delta_unchecked", level="assumption", text=text)]
    if delta * dataset_size < 1.0:
        return []
    text = (
        f"delta = {exactly(delta)} is at least one over the number of {unit}s, 1/{exactly(dataset_size)}: to "
        f"publish one {unit}, drawn at random, in full would satisfy such a delta. Read the smaller deltas."
    )
    return [Note(code="delta_not_below_one_over_n", level="warning", text=text)]


def _about_sampling(sampling: SamplingSummary) -> list[Note]:
    if sampling.in_practice == sampling.assumed:
        return []
    # A known order, epoch after epoch, is the worst case of every shuffle.
    if sampling.assumed == "full" or (sampling.assumed, sampling.in_practice) == ("fixed_order", "shuffle"):
        return []
    if sampling.in_practice is not None:
        remedy = (
            "Account for it as fixed order, which is safe for shuffled batches and has no amplification."
            if sampling.in_practice == "shuffle"
            else "Account for the run as it is drawn."
        )
        text = (
            f"The batches are said to be drawn otherwise ({SCHEMES[sampling.in_practice]}) than the numbers assume "
            f"({SCHEMES.get(sampling.assumed, sampling.assumed)}). The numbers are no guarantee for such a run. "
            f"{remedy}"
        )
        return [Note(code="sampling_mismatch", level="warning", text=text)]
    requirement = REQUIREMENTS.get(sampling.assumed, "Batches are drawn as the mechanism says.")
    return [Note(code="sampling_assumed", level="assumption", text=requirement)]


def _about_training(mechanism: MechanismSummary, relation: str) -> list[Note]:
    if mechanism.name != "DP-SGD":
        return []
    noise = (
        "The noise multiplier is the standard deviation of the noise on the sum of a batch over the norm to which "
        "one contribution is clipped"
    )
    if relation == "replace":
        noise += "; replacing a record moves that sum by up to twice the norm, which is counted"
    normaliser = (
        "The noisy sum is divided by a fixed public number, such as the expected batch size; the size of the batch "
        "that was drawn is not revealed. A layer that mixes the records of a batch, such as batch normalisation, "
        "breaks the clipping of single gradients."
    )
    return [
        Note(code="noise_multiplier", level="assumption", text=noise + "."),
        Note(code="normaliser_public", level="assumption", text=normaliser),
    ]


def _about_everything(tuning_included: bool) -> list[Note]:
    fixed = (
        "Noise, rates and the number of steps were fixed before the run. Where they depend on earlier outputs, or the "
        "run stops when it looks good, the numbers of a fixed composition are no guarantee; a privacy filter is needed."
    )
    noise = "The noise is drawn as described, by a generator whose state stays secret."
    notes = [
        Note(code="parameters_fixed", level="assumption", text=fixed),
        Note(code="noise_secret", level="assumption", text=noise),
    ]
    if not tuning_included:
        text = (
            "Nothing else touched the data: runs for tuning, preprocessing and selection on the same data are not "
            "included, and each would add to the loss."
        )
        notes.insert(0, Note(code="tuning_not_included", level="assumption", text=text))
    return notes
