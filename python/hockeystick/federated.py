# SPDX-License-Identifier: Apache-2.0
"""User-level accounting of federated rounds."""

from __future__ import annotations

from . import _validate
from .dpsgd import DPSGD, check_sampling


def federated(
    *,
    noise_multiplier: float,
    clients_per_round: int,
    population: int,
    rounds: int,
    sampling: str = "poisson",
    relation: str = "add_remove",
) -> DPSGD:
    """Describe federated training at the level of users: what is protected is a client with all its data.

    Every client's update of a round is clipped as a whole to norm C, the updates are summed, and noise is added to the
    sum. What a client does with its own data in a round is post-processing and costs nothing.

    Parameters
    ----------
    noise_multiplier : float
        Standard deviation of the noise on the sum of a round over the clipping norm of one client's update.
    clients_per_round : int
        Expected number (Poisson) or number (without replacement) of clients in a round.
    population : int
        Number of clients who could take part. Who is online and eligible is not under the server's control: count those
        who may be drawn in every round.
    rounds : int
        Number of rounds.
    sampling, relation : str
        See :func:`dpsgd`.

    Returns
    -------
    DPSGD
        With ``unit="client"``.

    Raises
    ------
    TypeError, ValueError
        For arguments out of their domain.

    Examples
    --------
    >>> import hockeystick as hs
    >>> run = hs.federated(noise_multiplier=1.0, clients_per_round=100, population=10_000, rounds=1000)
    >>> print(f"{run.epsilon(delta=1e-5):.3f} for every {run.unit}")
    1.828 for every client
    """
    check_sampling(sampling)
    total = _validate.positive_count("population", population)
    clients = _validate.positive_count("clients_per_round", clients_per_round)
    if clients > total:
        raise ValueError(f"clients_per_round must be at most population, got {clients_per_round!r} of {population!r}")
    return DPSGD(
        noise_multiplier=noise_multiplier,
        sampling_rate=clients / total,
        steps=_validate.count("rounds", rounds),
        sampling=sampling,
        relation=relation,
        dataset_size=total,
        batch_size=clients,
        unit="client",
    )
