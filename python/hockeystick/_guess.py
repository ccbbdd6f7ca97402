# SPDX-License-Identifier: Apache-2.0
"""Where the noise of a target is likely to be: estimates that place the first trials of a search, and nothing else."""

from __future__ import annotations

import math

from . import _core
from ._search import Axis, Trial, search


def gaussian_mu(epsilon: float, log_delta: float) -> float:
    """Return the mu of one Gaussian with this profile point, to 1e-8."""

    def question(mu: float) -> Trial:
        upper = _core.gaussian_epsilon_bounds(log_delta, mu)[1]
        return Trial(mu, math.log(upper / epsilon) if upper > 0.0 else -math.inf, 0.0, None)

    # The tail of the loss meets delta: epsilon = mu reach - mu^2 / 2, from which the true one is not far.
    reach = math.sqrt(-2.0 * log_delta)
    start = 2.0 * epsilon / (reach + math.sqrt(reach * reach + 2.0 * epsilon))
    root = search(question, Axis(1e-300, 1e300, 1, False), start=start, window=1e-8, safe_side_only=True)
    return float(root.safe.value) if root.safe else start


def noise_of_sampled_steps(epsilon: float, log_delta: float, sampling_rate: float, steps: int, mu: float) -> float:
    """Return the noise of Poisson-sampled steps: the largest of what three pictures of the loss ask for.

    `mu` is that of one Gaussian for the same point of the profile.
    """
    mean = steps * sampling_rate
    return max(
        _of_the_limit(mu, sampling_rate, steps),
        _of_many_jumps(epsilon, log_delta, sampling_rate, steps),
        _of_one_jump(epsilon, log_delta - math.log(mean), sampling_rate) if log_delta < math.log(mean) else 0.0,
    )


def slope_of_sampled_steps(epsilon: float, log_delta: float, noise: float, mu: float) -> float:
    """Return how fast log epsilon falls with log noise, by the central limit: d log mu / d log s times that of mu.

    Where single participations decide, epsilon goes as 1/s^2 and some, so that the limit's slope is capped.
    """
    inverse_square = noise**-2
    of_the_limit = inverse_square / -math.expm1(-inverse_square)
    further = _core.gaussian_epsilon_bounds(log_delta, 1.01 * mu)[1]
    return min(max(of_the_limit * math.log(further / epsilon) / math.log(1.01), 0.5), 3.0)


def _of_the_limit(mu: float, sampling_rate: float, steps: int) -> float:
    """Central limit: a Gaussian of mu = q sqrt(T (e^(1/s^2) - 1))."""
    return 1.0 / math.sqrt(math.log1p((mu / sampling_rate) ** 2 / steps))


def _of_many_jumps(epsilon: float, log_delta: float, sampling_rate: float, steps: int) -> float:
    """Little noise: every participation of the record costs 1/(2 s^2) + log q.

    The limit theorem is far off there, and a trial with too little noise is the most expensive one.
    """
    mean = steps * sampling_rate
    # Cornish and Fisher's quantile of a Poisson count, at least one participation.
    quantile = _normal_quantile(log_delta)
    participations = max(mean + quantile * math.sqrt(mean) + (quantile * quantile - 1.0) / 6.0, 1.0)
    return 1.0 / math.sqrt(2.0 * (epsilon / min(participations, steps) - math.log(sampling_rate)))


def _of_one_jump(epsilon: float, log_tail: float, sampling_rate: float) -> float:
    """Rare participations: one, with the tail of its Gaussian: epsilon = log q + z/s + 1/(2 s^2)."""
    if log_tail >= -1.0:
        return 0.0
    quantile = _normal_quantile(log_tail)
    cost = epsilon - math.log(sampling_rate)
    return (quantile + math.sqrt(quantile * quantile + 2.0 * cost)) / (2.0 * cost)


def _normal_quantile(log_tail: float) -> float:
    """Return z with an upper tail of about e^log_tail, at least 0."""
    # z^2/2 + log(z sqrt(2 pi)) = -log tail, iterated twice; within a percent from tails of 0.1 on.
    quantile = math.sqrt(max(-2.0 * log_tail - 1.0, 0.0))
    for _ in range(3):
        quantile = math.sqrt(max(-2.0 * log_tail - math.log(2.0 * math.pi * (quantile * quantile + 1.4)), 0.0))
    return quantile
