# SPDX-License-Identifier: Apache-2.0
"""``hockeystick calibrate``: the one parameter of a DP-SGD run that just meets a target."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import typer

import hockeystick as hs
from hockeystick.report.numbers import at_least, at_most, exactly

from . import options
from .app import app
from .output import bracket, print_json, print_table, say

__all__ = ["calibrate"]

# By the parameter that is missing: the words, whether it is whole, whether more of it is less private, and its range.
_PARAMETERS: dict[str, dict[str, Any]] = {
    "noise_multiplier": {"increasing": False, "lower": 1e-9, "upper": 1e12},
    "sampling_rate": {"increasing": True, "lower": 0.0, "upper": 1.0, "start": 0.01},
    "steps": {"increasing": True, "integer": True, "start": 1000.0},
}

_Missing = typer.Option(help="Leave out the one of the three that is to be found.", show_default=False)


@app.command()
def calibrate(
    noise_multiplier: Annotated[float | None, _Missing] = None,
    sampling_rate: Annotated[float | None, _Missing] = None,
    steps: Annotated[int | None, _Missing] = None,
    epsilon: Annotated[float | None, typer.Option(help="Target: epsilon at --delta.", show_default=False)] = None,
    delta: Annotated[float | None, typer.Option(help="The delta of the target epsilon.", show_default=False)] = None,
    mu: Annotated[float | None, typer.Option(help="Target: mu from --fpr-floor on.", show_default=False)] = None,
    fpr_floor: options.FprFloor = 1e-10,
    advantage: Annotated[float | None, typer.Option(help="Target: largest TPR - FPR.", show_default=False)] = None,
    tpr: Annotated[
        float | None, typer.Option(help="Target: largest true-positive rate at --fpr.", show_default=False)
    ] = None,
    fpr: Annotated[
        float | None, typer.Option(help="The false-positive rate of the target --tpr.", show_default=False)
    ] = None,
    sampling: options.Sampling = "poisson",
    batch_size: options.BatchSize = None,
    dataset_size: options.DatasetSize = None,
    truncated_batch_size: options.TruncatedBatchSize = None,
    relation: options.Relation = "add_remove",
    as_json: options.AsJson = False,
) -> None:
    """Find the noise, the sampling rate or the number of steps of DP-SGD that just meets a target.

    Example: hockeystick calibrate --epsilon 8 --delta 1e-5 --sampling-rate 0.01 --steps 10000

    The value is on the safe side: it is certified to meet the target.
    """
    given: dict[str, Any] = {"noise_multiplier": noise_multiplier, "sampling_rate": sampling_rate, "steps": steps}
    sizes: dict[str, Any] = {
        "batch_size": batch_size,
        "dataset_size": dataset_size,
        "truncated_batch_size": truncated_batch_size,
    }
    if batch_size is not None and sampling_rate is None:
        del given["sampling_rate"]  # the sizes say it
    missing = [name for name, value in given.items() if value is None]
    if len(missing) != 1:
        raise ValueError(
            "of --noise-multiplier, --sampling-rate and --steps exactly one must be left out, "
            f"got {len(missing)} left out"
        )
    [name] = missing
    target = _target(epsilon, delta, mu, fpr_floor, advantage, tpr, fpr)
    make = partial(hs.dpsgd, **given, **sizes, sampling=sampling, relation=relation)
    found = hs.calibrate(lambda value: make(**{name: value}), target, **_PARAMETERS[name])
    if as_json:
        print_json(
            {
                "format": "hockeystick.calibrate/1",
                "target": {"quantity": str(target.quantity), "limit": target.limit},
                "parameter": name,
                "value": found.value,
                "achieved": {"lower": found.achieved.lower, "upper": found.achieved.upper},
                "unsafe_value": found.unsafe_value,
                "trials": found.trials,
                "mechanism": hs.to_dict(found.mechanism)["mechanism"],
            }
        )
        return
    safe = at_most if name == "noise_multiplier" else at_least
    shown = str(exactly(found.value)) if name == "steps" else str(safe(found.value, 8))
    say(f"{name.replace('_', ' ')} {shown} is certified to meet {target.quantity} of at most {exactly(target.limit)}")
    print_table(
        ("", "value", str(target.quantity)),
        [
            ("safe side", repr(found.value), bracket(found.achieved)),
            *(
                [("other side", repr(found.unsafe_value), "not certified to meet the target")]
                if found.unsafe_value is not None
                else []
            ),
        ],
    )


def _target(
    epsilon: float | None,
    delta: float | None,
    mu: float | None,
    fpr_floor: float,
    advantage: float | None,
    tpr: float | None,
    fpr: float | None,
) -> hs.Budget:
    asked = {"--epsilon": epsilon, "--mu": mu, "--advantage": advantage, "--tpr": tpr}
    named = [name for name, value in asked.items() if value is not None]
    if len(named) != 1:
        raise ValueError(f"exactly one target must be given, of {', '.join(asked)}, got {', '.join(named) or 'none'}")
    if epsilon is not None:
        if delta is None:
            raise ValueError("--delta must be given with --epsilon")
        return hs.Budget.epsilon(epsilon, delta=delta)
    if mu is not None:
        return hs.Budget.mu(mu, fpr_floor=fpr_floor)
    if advantage is not None:
        return hs.Budget.advantage(advantage)
    if fpr is None:
        raise ValueError("--fpr must be given with --tpr")
    assert tpr is not None
    return hs.Budget.tpr(tpr, fpr=fpr)
