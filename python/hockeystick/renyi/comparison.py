# SPDX-License-Identifier: Apache-2.0
"""Composition as textbooks have it, and the central limit: to compare with, never to report.

Basic and advanced composition are bounds, far from tight; the central limit is an estimate that has been seen to lie up
to 60 % below the truth.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from .. import _core, _validate

if TYPE_CHECKING:
    from collections.abc import Iterable


def basic_composition(*, epsilons: Iterable[float], counts: Iterable[int]) -> float:
    """Upper bound: epsilons add up (and so do the deltas). For comparison.

    Parameters
    ----------
    epsilons, counts : iterables of the same length
        Of each kind of release, and how often.

    Returns
    -------
    float

    Raises
    ------
    TypeError, ValueError
        For arguments out of their domain.

    Examples
    --------
    >>> from hockeystick.renyi import basic_composition
    >>> print(f"{basic_composition(epsilons=[0.5], counts=[10]):.6f}")
    5.000000
    """
    return math.fsum(n * e for e, n in _pairs(epsilons, counts)) * (1.0 + 4e-16)


def advanced_composition(*, epsilons: Iterable[float], counts: Iterable[int], delta_slack: float) -> float:
    """Upper bound at the price of `delta_slack` on top of the deltas (Kairouz, Oh, Viswanath 2015, theorem 3.5).

    sum e (e^e - 1)/(e^e + 1) + sqrt(2 log(1/delta_slack) sum e^2), or the basic sum where that is less. For comparison.

    Parameters
    ----------
    epsilons, counts : iterables of the same length
        Of each kind of release, and how often.
    delta_slack : float
        Above 0, at most 1.

    Returns
    -------
    float

    Raises
    ------
    TypeError, ValueError
        For arguments out of their domain.

    Examples
    --------
    >>> from hockeystick.renyi import advanced_composition
    >>> print(f"{advanced_composition(epsilons=[0.1], counts=[1000], delta_slack=1e-6):.3f}")
    21.618
    """
    slack = _validate.probability("delta_slack", delta_slack)
    if slack == 0.0:
        raise ValueError(f"delta_slack must be above 0, got {delta_slack!r}")
    pairs = _pairs(epsilons, counts)
    drift = math.fsum(n * e * math.tanh(e / 2.0) for e, n in pairs)
    spread = math.sqrt(2.0 * -math.log(slack) * math.fsum(n * e * e for e, n in pairs))
    basic = math.fsum(n * e for e, n in pairs)
    return min(drift + spread, basic) * (1.0 + 8e-16)


def clt_mu_estimate(*, noise_multiplier: float, sampling_rate: float, steps: int, sampling: str = "poisson") -> float:
    """ESTIMATE of the Gaussian mu of a DP-SGD run by the central limit (Bu et al. 2020; Dong, Roth, Su 2022).

    q sqrt(T (e^{1/s^2} - 1)) for Poisson batches; without replacement
    q sqrt(2 T (e^{1/s^2} Phi(1.5/s) + 3 Phi(-.5/s) - 2)). Not a bound: it tends to be too small.

    Parameters
    ----------
    noise_multiplier, sampling_rate, steps
        As for :func:`hockeystick.dpsgd`; noise above 0.
    sampling : {"poisson", "without_replacement"}
        How batches are drawn.

    Returns
    -------
    float
        Infinity where it overflows.

    Raises
    ------
    TypeError, ValueError
        For arguments out of their domain.

    Examples
    --------
    >>> from hockeystick.renyi import clt_mu_estimate
    >>> print(f"{clt_mu_estimate(noise_multiplier=1.0, sampling_rate=0.01, steps=1000):.4f}")
    0.4145
    """
    noise = _validate.positive("noise_multiplier", noise_multiplier)
    rate = _validate.probability("sampling_rate", sampling_rate)
    count = _validate.count("steps", steps)
    _validate.choice("sampling", sampling, ("poisson", "without_replacement"))
    exponent = 1.0 / noise**2
    if exponent > 700.0:
        return math.inf if rate and count else 0.0
    if sampling == "poisson":
        return rate * math.sqrt(count * math.expm1(exponent))
    spread = math.exp(exponent) * _normal_cdf(1.5 / noise) + 3.0 * _normal_cdf(-0.5 / noise) - 2.0
    return rate * math.sqrt(2.0 * count * max(spread, 0.0))


def clt_epsilon_estimate(*, mu: float, delta: float) -> float:
    """ESTIMATE of epsilon at `delta` if the run were a Gaussian mechanism of that mu; see :func:`clt_mu_estimate`.

    Parameters
    ----------
    mu : float
        At least 0.
    delta : float
        In [0, 1].

    Returns
    -------
    float

    Raises
    ------
    TypeError, ValueError
        For arguments out of their domain.

    Examples
    --------
    >>> from hockeystick.renyi import clt_epsilon_estimate
    >>> print(f"{clt_epsilon_estimate(mu=0.4145, delta=1e-5):.3f}")
    1.618
    """
    width = _validate.non_negative("mu", mu)
    target = _validate.probability("delta", delta)
    if width == 0.0 or target == 1.0:
        return 0.0
    if target == 0.0:
        return math.inf
    return float(_core.gaussian_epsilon_bounds(math.log(target), width)[1])


def _pairs(epsilons: Iterable[float], counts: Iterable[int]) -> list[tuple[float, int]]:
    pairs = [(_positive_or_infinite(e), _validate.count("counts", n)) for e, n in zip(epsilons, counts, strict=True)]
    return [(e, n) for e, n in pairs if n]


def _positive_or_infinite(value: Any) -> float:
    number = _validate.real("epsilons", value)
    if number < 0.0:
        raise ValueError(f"epsilons must be at least 0, got {value!r}")
    return number


def _normal_cdf(x: float) -> float:
    return 0.5 * math.erfc(-x / math.sqrt(2.0))
