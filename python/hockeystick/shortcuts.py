# SPDX-License-Identifier: Apache-2.0
"""The three parameters of DP-SGD that people calibrate, each in one call."""

from __future__ import annotations

import math

from . import _validate
from .budget import Budget
from .calibrate import calibrate
from .dpsgd import dpsgd
from .mechanisms import Gaussian

# Searches from a guess that is only nearly right end inside this range, or the answer is infinite for all purposes.
_NOISE_RANGE = (1e-9, 1e12)


def noise_multiplier(
    *,
    epsilon: float,
    delta: float,
    sampling_rate: float = 1.0,
    steps: int = 1,
    sampling: str = "poisson",
    relation: str = "add_remove",
    tolerance: float = 1e-8,
) -> float:
    """Least noise multiplier of DP-SGD that meets (epsilon, delta), on the safe side.

    Parameters
    ----------
    epsilon : float
        The target, above 0.
    delta : float
        In (0, 1).
    sampling_rate, steps, sampling, relation
        See :func:`dpsgd`; by default one Gaussian release.
    tolerance : float
        How far the epsilon of the result may lie below the target, relatively; it never lies above.

    Returns
    -------
    float
        Standard deviation of the noise over the clipping norm. 0 where nothing is released; at least 1e-9 else.

    Raises
    ------
    TypeError, ValueError
        For arguments out of their domain.

    Examples
    --------
    >>> import hockeystick as hs
    >>> print(f"{hs.noise_multiplier(epsilon=8, delta=1e-5, sampling_rate=0.01, steps=10_000):.7f}")
    0.8825285
    """
    target = _target(epsilon, delta)
    run = {"sampling_rate": sampling_rate, "steps": steps, "sampling": sampling, "relation": relation}
    if target.allows(dpsgd(noise_multiplier=0.0, **run)):  # type: ignore[arg-type]
        return 0.0
    found = calibrate(
        lambda noise: dpsgd(noise_multiplier=noise, **run),  # type: ignore[arg-type]
        target,
        increasing=False,
        lower=_NOISE_RANGE[0],
        upper=_NOISE_RANGE[1],
        start=_likely_noise(target, sampling_rate, steps, relation),
        tolerance=tolerance,
    )
    return float(found.value)


def max_steps(
    *,
    epsilon: float,
    delta: float,
    noise_multiplier: float,
    sampling_rate: float,
    sampling: str = "poisson",
    relation: str = "add_remove",
) -> int:
    """Largest number of updates of DP-SGD that meets (epsilon, delta): one more is not certified to.

    Parameters
    ----------
    epsilon : float
        The target, above 0.
    delta : float
        In (0, 1).
    noise_multiplier, sampling_rate, sampling, relation
        See :func:`dpsgd`.

    Returns
    -------
    int
        0 if not even one update does; 2^53, the largest count there is, where updates cost nothing.

    Raises
    ------
    TypeError, ValueError
        For arguments out of their domain.

    Examples
    --------
    >>> import hockeystick as hs
    >>> hs.max_steps(epsilon=2, delta=1e-5, noise_multiplier=1.0, sampling_rate=0.01)
    1202
    """
    run = {"noise_multiplier": noise_multiplier, "sampling_rate": sampling_rate}
    run |= {"sampling": sampling, "relation": relation}  # type: ignore[dict-item]
    found = calibrate(
        lambda steps: dpsgd(steps=steps, **run),  # type: ignore[arg-type]
        _target(epsilon, delta),
        integer=True,
        increasing=True,
        start=1000,
    )
    return int(found.value)


def max_sampling_rate(
    *,
    epsilon: float,
    delta: float,
    noise_multiplier: float,
    steps: int,
    sampling: str = "poisson",
    relation: str = "add_remove",
    tolerance: float = 1e-8,
) -> float:
    """Largest sampling rate of DP-SGD that meets (epsilon, delta), on the safe side.

    Parameters
    ----------
    epsilon : float
        The target, above 0.
    delta : float
        In (0, 1).
    noise_multiplier, steps, sampling, relation
        See :func:`dpsgd`.
    tolerance : float
        How far the epsilon of the result may lie below the target, relatively; it never lies above.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    TypeError, ValueError
        For arguments out of their domain.

    Examples
    --------
    >>> import hockeystick as hs
    >>> print(f"{hs.max_sampling_rate(epsilon=2, delta=1e-5, noise_multiplier=1.0, steps=1000):.6f}")
    0.010863
    """
    run = {"noise_multiplier": noise_multiplier, "steps": steps, "sampling": sampling, "relation": relation}
    found = calibrate(
        lambda rate: dpsgd(sampling_rate=rate, **run),  # type: ignore[arg-type]
        _target(epsilon, delta),
        increasing=True,
        lower=0.0,
        upper=1.0,
        start=0.01,
        tolerance=tolerance,
    )
    return float(found.value)


def _target(epsilon: float, delta: float) -> Budget:
    epsilon = _validate.positive("epsilon", epsilon)
    delta = _validate.positive("delta", delta)
    if delta >= 1.0:
        raise ValueError(f"delta must be in (0, 1), got {delta!r}")
    return Budget.epsilon(epsilon, delta=delta)


def _likely_noise(target: Budget, sampling_rate: float, steps: int, relation: str) -> float:
    """Where the noise multiplier should be by the central limit: an estimate, where the search begins.

    The limit is the Gaussian of mu = q sqrt(T (e^(1/s^2) - 1)); for rate 1, the exact mu = sqrt(T)/s. Where there is
    nothing to hide (no step, rate 0) the caller has answered already.
    """
    one = calibrate(
        lambda noise: Gaussian(noise_multiplier=noise), target, increasing=False, start=_single_release(target)
    )
    mu = 1.0 / float(one.value)
    if sampling_rate == 1.0:
        likely = math.sqrt(steps) / mu
    else:
        of_the_limit = 1.0 / math.sqrt(math.log1p((mu / sampling_rate) ** 2 / steps))
        likely = max(of_the_limit, _noise_of_jumps(target, sampling_rate, steps))
    return min(max(likely * (2.0 if relation == "replace" else 1.0), _NOISE_RANGE[0]), _NOISE_RANGE[1])


def _noise_of_jumps(target: Budget, sampling_rate: float, steps: int) -> float:
    """Where the noise should be if it is small: a record's every participation costs 1/(2 s^2) + log q.

    The limit theorem is far off there, and a trial with too little noise is the most expensive one.
    """
    from statistics import NormalDist  # here, as it takes a tenth of the time of the whole package to import

    mean = steps * sampling_rate
    quantile = -NormalDist().inv_cdf(dict(target.quantity.conditions)["delta"])
    # Cornish and Fisher's quantile of a Poisson count, at least one participation.
    participations = max(mean + quantile * math.sqrt(mean) + (quantile * quantile - 1.0) / 6.0, 1.0)
    return 1.0 / math.sqrt(2.0 * (target.limit / min(participations, steps) - math.log(sampling_rate)))


def _single_release(target: Budget) -> float:
    """Noise of one Gaussian for (epsilon, delta), roughly: where the tail of the loss meets delta."""
    epsilon, delta = target.limit, dict(target.quantity.conditions)["delta"]
    reach = math.sqrt(2.0 * math.log(1.0 / delta))
    return (reach + math.sqrt(reach * reach + 2.0 * epsilon)) / (2.0 * epsilon)
