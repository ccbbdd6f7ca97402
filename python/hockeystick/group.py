# SPDX-License-Identifier: Apache-2.0
"""Group privacy: what a mechanism is worth for k records at once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import singledispatch
from typing import TYPE_CHECKING

from . import _core, _validate
from ._binomial import binomial_pmf
from .description import describable
from .group_bound import GroupBound
from .mechanisms import (
    ZCDP,
    ApproximateDP,
    Composition,
    DiscreteGaussian,
    DiscreteLaplace,
    ExponentialMechanism,
    Gaussian,
    GaussianDP,
    Laplace,
    Mechanism,
    MixtureOfGaussians,
    NonPrivate,
    PoissonSampled,
    PureDP,
    compose,
)
from .mechanisms.laws import both_directions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ._core import LossLaw


def group(mechanism: Mechanism, *, size: int) -> Mechanism:
    """Return the mechanism as it is for a group of `size` records that are all added, all removed, or all replaced.

    The guarantee of a single record says little about a group. Exact rules, release by release: a Gaussian, Laplace or
    discrete release has `size` times the sensitivity; mu, epsilon and bounded range grow `size`-fold; of a group on a
    Poisson sample Bin(size, q) records enter, which makes a mixture of Gaussians. Upper bounds: (epsilon, delta)
    becomes (k epsilon, delta (e^(k epsilon) - 1) / (e^epsilon - 1)); another release on a Poisson sample the mixture of
    its own groups; rho-zCDP k^2 rho. Compositions go part by part. Where a part has no rule of its own, its
    trade-off function does: f_k = 1 - (1 - f)^(o k), the k-fold iterate (:class:`GroupBound`).

    Parameters
    ----------
    mechanism : Mechanism
        A mechanism or composition.
    size : int
        Number of records k, at least 1.

    Returns
    -------
    Mechanism
        Under the same relation, which then refers to the group.

    Raises
    ------
    TypeError, ValueError
        For arguments out of their domain.

    Examples
    --------
    >>> import hockeystick as hs
    >>> run = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
    >>> pair = hs.group(run, size=2)
    >>> print(f"{run.epsilon(delta=1e-5):.3f} {pair.epsilon(delta=1e-5):.3f}")
    1.828 3.979
    """
    if not isinstance(mechanism, Mechanism):
        raise TypeError(f"mechanism must be a mechanism, got {mechanism!r}")
    size = _validate.positive_count("size", size)
    return mechanism if size == 1 else group_of(mechanism, size)


@singledispatch
def group_of(mechanism: Mechanism, size: int) -> Mechanism:
    """Apply the rule of the mechanism's class; register one for a new class by ``@group_of.register``."""
    parts = mechanism._parts()
    if len(parts) == 1 and parts[0][0] is mechanism:
        return GroupBound(base=mechanism, size=size)
    if not parts:
        return Composition(parts=(), stated_relation=mechanism.relation)
    return compose(count * group_of(part, size) for part, count in parts)


@group_of.register
def _(mechanism: Gaussian, size: int) -> Mechanism:
    return Gaussian(noise_multiplier=mechanism.noise_multiplier / size, relation=mechanism.relation)


@group_of.register
def _(mechanism: Laplace, size: int) -> Mechanism:
    return Laplace(noise_multiplier=mechanism.noise_multiplier / size, relation=mechanism.relation)


@group_of.register
def _(mechanism: DiscreteGaussian, size: int) -> Mechanism:
    return DiscreteGaussian(
        sigma=mechanism.sigma, sensitivity=size * mechanism.sensitivity, relation=mechanism.relation
    )


@group_of.register
def _(mechanism: DiscreteLaplace, size: int) -> Mechanism:
    return DiscreteLaplace(scale=mechanism.scale, sensitivity=size * mechanism.sensitivity, relation=mechanism.relation)


@group_of.register
def _(mechanism: GaussianDP, size: int) -> Mechanism:
    return GaussianDP(mu=mechanism.mu * size, relation=mechanism.relation)


@group_of.register
def _(mechanism: PureDP, size: int) -> Mechanism:
    return PureDP(epsilon=mechanism.stated_epsilon * size, relation=mechanism.relation)


@group_of.register
def _(mechanism: ExponentialMechanism, size: int) -> Mechanism:
    return ExponentialMechanism(epsilon=mechanism.stated_epsilon * size, relation=mechanism.relation)


@group_of.register
def _(mechanism: ApproximateDP, size: int) -> Mechanism:
    epsilon, delta = mechanism.stated_epsilon, mechanism.stated_delta
    # delta (1 + e^epsilon + .. + e^((k-1) epsilon)); a term too large for a double is more than 1 anyway.
    factor = math.fsum(math.exp(min(i * epsilon, 700.0)) for i in range(size))
    grown = math.nextafter(delta * factor, math.inf) if delta else 0.0
    return ApproximateDP(epsilon=epsilon * size, delta=min(grown, 1.0), relation=mechanism.relation)


@group_of.register
def _(mechanism: ZCDP, size: int) -> Mechanism:
    if mechanism.xi or mechanism.greatest_order < math.inf:
        return GroupBound(base=mechanism, size=size)
    rho = math.nextafter(mechanism.rho * size**2, math.inf) if mechanism.rho else 0.0
    return ZCDP(rho=rho, relation=mechanism.relation)


@group_of.register
def _(mechanism: NonPrivate, size: int) -> Mechanism:
    return mechanism


@group_of.register
def _(mechanism: PoissonSampled, size: int) -> Mechanism:
    if mechanism.relation == "replace":
        return GroupBound(base=mechanism, size=size)
    if isinstance(mechanism.base, Gaussian):
        pmf, _ = binomial_pmf(size, mechanism.sampling_rate)
        return MixtureOfGaussians(
            noise_std=mechanism.base.noise_multiplier,
            sensitivities=tuple(map(float, range(size + 1))),
            probabilities=tuple(pmf),
            relation=mechanism.relation,
        )
    return PoissonGroup(base=mechanism.base, sampling_rate=mechanism.sampling_rate, size=size)


@describable("poisson_group")
@dataclass(frozen=True, kw_only=True)
class PoissonGroup(Mechanism):
    """A group of `size` records on a Poisson sample of any base that has a rule for groups. Made by :func:`group`.

    j ~ Bin(size, q) of them enter. Pair: that of a Poisson sample of rate 1 - (1-q)^size of the mixture of the groups
    of j records, as if the adversary saw j: an upper bound, by joint convexity.

    Parameters
    ----------
    base : Mechanism
        One release, under add_remove or zero_out.
    sampling_rate : float
        In [0, 1].
    size : int
        At least 1.
    """

    base: Mechanism
    sampling_rate: float
    size: int

    def __post_init__(self) -> None:
        self.base.poisson(self.sampling_rate)  # refuses what cannot be sampled
        _validate.positive_count("size", self.size)
        group_of(self.base, self.size)

    @property
    def relation(self) -> str:
        """The relation of the base."""
        return self.base.relation

    def _releases(self) -> Iterator[tuple[Mechanism, int]]:
        if self.sampling_rate:
            yield self, 1

    def _laws(self) -> tuple[LossLaw, LossLaw]:
        (_, *pmf), _ = binomial_pmf(self.size, self.sampling_rate)
        drawn = math.fsum(pmf)
        groups = [group(self.base, size=j)._laws()[0] for j in range(1, self.size + 1)]
        weights = [weight / drawn for weight in pmf]
        return both_directions(_core.poisson_law(_core.mixture_law(groups, weights), min(drawn, 1.0)))
