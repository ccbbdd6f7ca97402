# SPDX-License-Identifier: Apache-2.0
"""What is known by a Renyi curve alone, and such a mechanism on a Poisson sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import _validate
from ..description import describable
from ..renyi.curves import RenyiBounds, SampledCurve
from .base import Mechanism

if TYPE_CHECKING:
    from .._core import LossLaw


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

    def _laws(self) -> tuple[LossLaw, LossLaw]:
        raise ValueError(f"{self!r} has no loss law: it is known by its Renyi curve alone, and method 'rdp' serves it")

    def poisson(self, sampling_rate: float) -> Mechanism:
        """Apply this to a Poisson sample; the curve is amplified by theorem 5 of Zhu and Wang (2019)."""
        rate = _validate.probability("sampling_rate", sampling_rate)
        return self if rate == 1.0 else SampledRenyi(base=self, sampling_rate=rate)


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
