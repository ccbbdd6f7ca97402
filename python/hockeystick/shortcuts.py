# SPDX-License-Identifier: Apache-2.0
"""The three parameters of DP-SGD that people calibrate, each in one call."""

from __future__ import annotations

import math
from dataclasses import replace

from . import _guess, _validate
from .budget import Budget
from .calibrate import calibrate, closest
from .dpsgd import DPSGD, dpsgd

# Where noise is looked for: far beyond what anyone adds.
_NOISE_RANGE = (1e-9, 1e12)


def noise_multiplier(
    *,
    epsilon: float,
    delta: float,
    sampling_rate: float | None = None,
    steps: int | None = None,
    sampling: str = "poisson",
    relation: str = "add_remove",
    dataset_size: int | None = None,
    batch_size: int | None = None,
    epochs: float | None = None,
    truncated_batch_size: int | None = None,
    tolerance: float = 1e-8,
) -> float:
    """Least noise multiplier of DP-SGD that meets (epsilon, delta), on the safe side.

    Parameters
    ----------
    epsilon : float
        The target, above 0.
    delta : float
        In (0, 1).
    sampling_rate, steps, sampling, relation, dataset_size, batch_size, epochs, truncated_batch_size
        See :func:`dpsgd`. Without a rate or sizes everything takes part in every step, and without `steps` or `epochs`
        as well there is one.
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

    Notes
    -----
    One release of everything is the analytic Gaussian mechanism of Balle and Wang (2018, arXiv 1805.06530): exact, for
    epsilon above 1 too. The textbook formula is nowhere used. The result holds by its own evaluation, not by the search.

    Examples
    --------
    >>> import hockeystick as hs
    >>> print(f"{hs.noise_multiplier(epsilon=8, delta=1e-5, sampling_rate=0.01, steps=10_000):.7f}")
    0.8825285
    """
    target = _target(epsilon, delta)
    if sampling_rate is None and dataset_size is None and batch_size is None:
        # Everything takes part: without a rate that is the safe reading. How often is guessed only if nothing was said.
        steps = 1 if steps is None and epochs is None else steps
        sampling_rate = 1.0
    run = dpsgd(
        noise_multiplier=1.0,
        sampling_rate=sampling_rate,
        steps=steps,
        sampling=sampling,
        relation=relation,
        dataset_size=dataset_size,
        batch_size=batch_size,
        epochs=epochs,
        truncated_batch_size=truncated_batch_size,
    )
    if not run.expected_participations:
        return 0.0
    start, slope = _likely(target, run)
    value = closest(
        lambda noise: replace(run, noise_multiplier=noise),
        target,
        increasing=False,
        lower=_NOISE_RANGE[0],
        upper=_NOISE_RANGE[1],
        start=start,
        slope=slope,
        tolerance=tolerance,
    )
    return float(value)


def max_steps(
    *,
    epsilon: float,
    delta: float,
    noise_multiplier: float,
    sampling_rate: float | None = None,
    sampling: str = "poisson",
    relation: str = "add_remove",
    dataset_size: int | None = None,
    batch_size: int | None = None,
    truncated_batch_size: int | None = None,
) -> int:
    """Largest number of updates of DP-SGD that meets (epsilon, delta): one more is not certified to.

    Parameters
    ----------
    epsilon : float
        The target, above 0.
    delta : float
        In (0, 1).
    noise_multiplier, sampling_rate, sampling, relation, dataset_size, batch_size, truncated_batch_size
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
    target = _target(epsilon, delta)
    run = dpsgd(
        noise_multiplier=noise_multiplier,
        sampling_rate=sampling_rate,
        steps=1,
        sampling=sampling,
        relation=relation,
        dataset_size=dataset_size,
        batch_size=batch_size,
        truncated_batch_size=truncated_batch_size,
    )
    found = calibrate(lambda steps: replace(run, steps=steps), target, integer=True, increasing=True, start=1000)
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
    value = closest(
        lambda rate: dpsgd(
            noise_multiplier=noise_multiplier, sampling_rate=rate, steps=steps, sampling=sampling, relation=relation
        ),
        _target(epsilon, delta),
        increasing=True,
        lower=0.0,
        upper=1.0,
        start=0.01,
        tolerance=tolerance,
    )
    return float(value)


def _target(epsilon: float, delta: float) -> Budget:
    epsilon = _validate.positive("epsilon", epsilon)
    delta = _validate.positive("delta", delta)
    if delta >= 1.0:
        raise ValueError(f"delta must be in (0, 1), got {delta!r}")
    return Budget.epsilon(epsilon, delta=delta)


def _likely(target: Budget, run: DPSGD) -> tuple[float, float]:
    """Return estimates of the noise, in clipping norms, where the search begins, and of the slope of log epsilon there."""
    epsilon, log_delta = target.limit, math.log(dict(target.quantity.conditions)["delta"])
    mu = _guess.gaussian_mu(epsilon, log_delta)
    if run.sampling == "fixed_order" or run.sampling_rate == 1.0:
        noise, slope = math.sqrt(run.repetitions) / mu, 1.0
    else:
        noise = _guess.noise_of_sampled_steps(epsilon, log_delta, run.sampling_rate, run.steps, mu)
        slope = _guess.slope_of_sampled_steps(epsilon, log_delta, noise, mu)
    return min(max(noise * run.sensitivity, _NOISE_RANGE[0]), _NOISE_RANGE[1]), slope
