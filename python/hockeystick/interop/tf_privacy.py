# SPDX-License-Identifier: Apache-2.0
"""The privacy statement of TensorFlow Privacy, with certified numbers."""

from __future__ import annotations

import math
import textwrap

from .. import _validate
from ..dpsgd import DPSGD, dpsgd
from ..mechanisms import Mechanism, MixtureOfGaussians

_WIDTH = 80


def compute_dp_sgd_privacy_statement(
    number_of_examples: int,
    batch_size: int,
    num_epochs: float,
    noise_multiplier: float,
    delta: float,
    used_microbatching: bool = True,
    max_examples_per_user: int | None = None,
    accountant_type: object = None,
) -> str:
    """State in words what DP-SGD guarantees, under two ways to draw batches.

    Parameters
    ----------
    number_of_examples, batch_size : int
        Of the data set, and of a batch whether or not it is split into microbatches.
    num_epochs : float
        May be fractional, above 0.
    noise_multiplier : float
        Standard deviation of the noise over the clipping norm.
    delta : float
        In (0, 1).
    used_microbatching : bool
        Whether clipping was applied to means over several examples: exchanging one example then moves a clipped mean
        by up to twice the norm, which halves the noise.
    max_examples_per_user : int, optional
        Gives the guarantee for all examples of one user as well.
    accountant_type : object
        Taken so that calls fit: whichever accountant is named, the numbers are those of the whole privacy profile.

    Returns
    -------
    str
        Every epsilon in it is an upper bound, rounded up.

    Raises
    ------
    TypeError, ValueError
        For arguments out of their domain.

    Notes
    -----
    Once per epoch: one Gaussian release per epoch, of `max_examples_per_user` times the sensitivity for a user, since
    all of the user's examples may meet in one batch. Poisson sampling: in a step the number of a user's examples is
    binomial, and each moves the sum by at most one norm, which is a mixture of Gaussians (Ganesh 2024).

    Examples
    --------
    >>> from hockeystick.interop.tf_privacy import compute_dp_sgd_privacy_statement
    >>> print(compute_dp_sgd_privacy_statement(10_000, 100, 10, 1.0, 1e-5, used_microbatching=False))
    DP-SGD over 10000 examples with 100 examples per batch, noise multiplier 1.0, 10
    epochs, without microbatching. The guarantee covers the release of all
    checkpoints, and holds for adding or removing one example at delta = 1e-05.
        Epsilon with each example once per epoch:        17.857
        Epsilon with Poisson sampling (*):                1.829
    (*) Holds only if every batch took each example independently with probability
    0.01, empty batches included; shuffled batches are no Poisson sampling.
    """
    records = _validate.positive_count("number_of_examples", number_of_examples)
    delta = _validate.positive("delta", delta)
    scale = 0.5 if used_microbatching else 1.0
    noise = scale * _validate.non_negative("noise_multiplier", noise_multiplier)
    users = (
        None
        if max_examples_per_user is None
        else _validate.positive_count("max_examples_per_user", max_examples_per_user)
    )
    poisson = dpsgd(noise_multiplier=noise, dataset_size=records, batch_size=batch_size, epochs=num_epochs)
    once = dpsgd(noise_multiplier=noise, sampling_rate=1.0, steps=math.ceil(num_epochs))
    lines = [
        textwrap.fill(
            f"DP-SGD over {number_of_examples} examples with {batch_size} examples per batch, noise multiplier "
            f"{noise_multiplier}, {num_epochs} epochs, {'with' if used_microbatching else 'without'} microbatching. The "
            "guarantee covers the release of all checkpoints, and holds for adding or removing one example at "
            f"delta = {delta}.",
            _WIDTH,
        ),
        *_two_epsilons(once.epsilon(delta=delta), poisson.epsilon(delta=delta)),
    ]
    if users is not None:
        grouped = dpsgd(noise_multiplier=noise / users, sampling_rate=1.0, steps=once.steps)
        lines.append(f"For adding or removing all of a user's examples, at most {users}:")
        lines.extend(_two_epsilons(grouped.epsilon(delta=delta), _user(poisson, users).epsilon(delta=delta)))
    lines.append(
        textwrap.fill(
            f"(*) Holds only if every batch took each example independently with probability {poisson.sampling_rate}, "
            "empty batches included; shuffled batches are no Poisson sampling.",
            _WIDTH,
        )
    )
    return "\n".join(lines)


def _two_epsilons(once: float, poisson: float) -> list[str]:
    return [
        f"    Epsilon with each example once per epoch:  {_up(once):>12}",
        f"    Epsilon with Poisson sampling (*):         {_up(poisson):>12}",
    ]


def _up(epsilon: float) -> str:
    """Three decimals, never below the value."""
    return "inf" if math.isinf(epsilon) else f"{math.ceil(epsilon * 1000.0) / 1000.0:.3f}"


def _user(run: DPSGD, size: int) -> Mechanism:
    """All examples of a user: how many are in a batch is binomial, and in the worst case their gradients agree."""
    rate = run.sampling_rate
    numbers = range(size + 1)
    step = MixtureOfGaussians(
        noise_std=run.noise_multiplier,
        sensitivities=tuple(float(number) for number in numbers),
        probabilities=tuple(math.comb(size, n) * rate**n * (1.0 - rate) ** (size - n) for n in numbers),
    )
    return run.steps * step
