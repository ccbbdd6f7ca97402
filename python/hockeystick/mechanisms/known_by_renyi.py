# SPDX-License-Identifier: Apache-2.0
"""What is known by a Renyi curve alone, and such a mechanism on a sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import _validate
from .._docs import documented_by
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

    @documented_by(Mechanism.poisson)
    def poisson(self, sampling_rate: float) -> Mechanism:
        """Apply this to a Poisson sample; the curve is amplified by theorem 5 of Zhu and Wang (2019), an upper bound.

        Examples
        --------
        >>> import hockeystick as hs
        >>> print(f"{(100 * hs.ZCDP(rho=0.5).poisson(0.01)).epsilon(delta=1e-5):.3f}")
        1.288
        """
        rate = _validate.probability("sampling_rate", sampling_rate)
        return self if rate == 1.0 else SampledRenyi(base=self, sampling_rate=rate)

    @documented_by(Mechanism.without_replacement)
    def without_replacement(self, *, batch_size: int, dataset_size: int) -> Mechanism:
        """Apply this to a sample of fixed size, under replace; theorem 9 of Wang, Balle and Kasiviswanathan (2019), an upper bound.

        Examples
        --------
        >>> import hockeystick as hs
        >>> step = hs.ZCDP(rho=0.5, relation="replace").without_replacement(batch_size=10, dataset_size=1000)
        >>> print(f"{(100 * step).epsilon(delta=1e-5):.3f}")
        1.459
        """
        batch, whole = _validate.sample_of(batch_size, dataset_size)
        return SampledRenyi(base=self, sampling_rate=batch / whole, sampling="without_replacement")


@describable("sampled_renyi")
@dataclass(frozen=True, kw_only=True)
class SampledRenyi(KnownByRenyi):
    """A mechanism known by its Renyi curve, on a sample. Made by ``.poisson`` and ``.without_replacement``.

    Parameters
    ----------
    base : ZCDP or RenyiCurve
        What is applied to the sample.
    sampling_rate : float
        In [0, 1]: probability of a record, or the batch's part of the data set.
    sampling : {"poisson", "without_replacement"}
        Poisson goes with add_remove and zero_out, a fixed size with replace.

    Examples
    --------
    >>> import hockeystick as hs
    >>> step = hs.ZCDP(rho=0.5, relation="replace").without_replacement(batch_size=10, dataset_size=1000)
    >>> print(f"{(100 * step).epsilon(delta=1e-5):.3f}")
    1.459
    """

    base: Any
    sampling_rate: float
    sampling: str = "poisson"

    def __post_init__(self) -> None:
        if not isinstance(self.base, KnownByRenyi) or isinstance(self.base, SampledRenyi):
            raise TypeError(f"base must be a ZCDP or a RenyiCurve, got {self.base!r}")
        _validate.choice("sampling", self.sampling, ("poisson", "without_replacement"))
        if (self.base.relation == "replace") == (self.sampling == "poisson"):
            allowed = "'add_remove' or 'zero_out'" if self.sampling == "poisson" else "'replace'"
            raise ValueError(f"relation must be {allowed} for {self.sampling} sampling, got {self.base.relation!r}")
        object.__setattr__(self, "sampling_rate", _validate.probability("sampling_rate", self.sampling_rate))

    @property
    def relation(self) -> str:
        """The relation of the base."""
        return str(self.base.relation)

    def _renyi_curve(self) -> RenyiBounds:
        return SampledCurve(self.base._renyi_curve(), self.sampling_rate, self.sampling == "poisson")
