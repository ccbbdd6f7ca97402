# SPDX-License-Identifier: Apache-2.0
"""Mechanisms that are known by a Renyi curve alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _validate
from ..description import describable
from ..mechanisms import Mechanism
from .curves import ConcentratedCurve, RenyiBounds, SampledCurve, TabulatedCurve

if TYPE_CHECKING:
    from collections.abc import Iterator


class KnownByRenyi(Mechanism):
    """Base of mechanisms without a pair of distributions: their numbers come from the Renyi ledger, as upper bounds.

    Composed with mechanisms known exactly, the divergences of all of them are added and converted once, which is sound;
    the answer's lower side is then that of the exact parts alone.
    """

    __slots__ = ()

    def _known_exactly(self) -> bool:
        return False

    def _renyi_curve(self) -> RenyiBounds:
        raise NotImplementedError

    def _renyi_entries(self) -> Iterator[tuple[RenyiBounds, int]]:
        yield self._renyi_curve(), 1

    def poisson(self, sampling_rate: float) -> Mechanism:
        """Apply this to a Poisson sample; the curve is amplified by theorem 5 of Zhu and Wang (2019)."""
        rate = _validate.probability("sampling_rate", sampling_rate)
        return self if rate == 1.0 else SampledRenyi(base=self, sampling_rate=rate)


@describable("zcdp")
@dataclass(frozen=True, kw_only=True)
class ZCDP(KnownByRenyi):
    """Any mechanism with zero-concentrated privacy: D_a <= xi + rho a for all orders a above 1.

    No pair of distributions is rho-zCDP and dominates all mechanisms that are, so that the Renyi ledger answers: rho
    adds up, and is converted once. With a finite `greatest_order` this is truncated concentrated privacy.
    Source: Bun and Steinke 2016; Bun, Dwork, Rothblum and Steinke 2018 for the truncated form.

    Parameters
    ----------
    rho : float
        At least 0.
    xi : float
        At least 0.
    greatest_order : float
        The promise holds for orders below it; above 1.
    relation : {"add_remove", "replace", "zero_out"}
        The neighbouring relation that the guarantee refers to.

    Raises
    ------
    TypeError, ValueError
        For arguments out of their domain.

    Examples
    --------
    >>> import hockeystick as hs
    >>> print(f"{(100 * hs.ZCDP(rho=0.01)).epsilon(delta=1e-6):.3f}")
    7.766
    """

    rho: float
    xi: float = 0.0
    greatest_order: float = math.inf
    relation: str = "add_remove"

    def __post_init__(self) -> None:
        object.__setattr__(self, "rho", _validate.non_negative("rho", self.rho))
        object.__setattr__(self, "xi", _validate.non_negative("xi", self.xi))
        most = _validate.real("greatest_order", self.greatest_order)
        if not most > 1.0:
            raise ValueError(f"greatest_order must be above 1, got {self.greatest_order!r}")
        object.__setattr__(self, "greatest_order", most)
        _validate.choice("relation", self.relation, _validate.RELATIONS)

    def _renyi_curve(self) -> RenyiBounds:
        return ConcentratedCurve(self.rho, self.xi, self.greatest_order)


@describable("renyi_curve")
@dataclass(frozen=True, kw_only=True)
class RenyiCurve(KnownByRenyi):
    """Any mechanism whose Renyi divergences are bounded at some orders, both directions.

    Between the given orders (a - 1) D_a is convex, so chords bound it; below the first order its value does; beyond the
    last one nothing is known.

    Parameters
    ----------
    orders : sequence of float
        At least 1, increasing; infinity is the pure epsilon.
    values : sequence of float
        At least 0; infinity where nothing is known.
    relation : {"add_remove", "replace", "zero_out"}
        The neighbouring relation that the guarantee refers to.

    Raises
    ------
    TypeError, ValueError
        For arguments out of their domain.

    Examples
    --------
    >>> import hockeystick as hs
    >>> curve = hs.RenyiCurve(orders=[2, 4, 8, 16], values=[0.02, 0.04, 0.08, 0.16])
    >>> print(f"{(10 * curve + hs.Gaussian(noise_multiplier=2.0)).epsilon(delta=1e-5):.3f}")
    3.014
    """

    orders: tuple[float, ...]
    values: tuple[float, ...]
    relation: str = "add_remove"

    def __post_init__(self) -> None:
        at = np.atleast_1d(_validate.array_within("orders", self.orders, 1.0, np.inf))
        values = np.atleast_1d(_validate.array_within("values", self.values, 0.0, np.inf))
        if at.ndim != 1 or at.shape != values.shape:
            raise ValueError(f"orders and values must be equally long, got shapes {at.shape} and {values.shape}")
        if (np.diff(at) <= 0.0).any():
            raise ValueError(f"orders must be increasing, got {self.orders!r}")
        object.__setattr__(self, "orders", tuple(at.tolist()))
        object.__setattr__(self, "values", tuple(values.tolist()))
        _validate.choice("relation", self.relation, _validate.RELATIONS)

    def _renyi_curve(self) -> RenyiBounds:
        return TabulatedCurve(self.orders, self.values)


@describable("sampled_renyi")
@dataclass(frozen=True, kw_only=True)
class SampledRenyi(KnownByRenyi):
    """A mechanism known by its Renyi curve, on a Poisson sample. Made by ``.poisson``.

    Parameters
    ----------
    base : ZCDP or RenyiCurve
        What is applied to the sample.
    sampling_rate : float
        In [0, 1].
    """

    base: Any
    sampling_rate: float

    def __post_init__(self) -> None:
        if not isinstance(self.base, KnownByRenyi) or isinstance(self.base, SampledRenyi):
            raise TypeError(f"base must be a ZCDP or a RenyiCurve, got {self.base!r}")
        if self.base.relation == "replace":
            raise ValueError("relation must be 'add_remove' or 'zero_out' for Poisson sampling, got 'replace'")
        object.__setattr__(self, "sampling_rate", _validate.probability("sampling_rate", self.sampling_rate))

    @property
    def relation(self) -> str:
        """The relation of the base."""
        return str(self.base.relation)

    def _renyi_curve(self) -> RenyiBounds:
        return SampledCurve(self.base._renyi_curve(), self.sampling_rate)
