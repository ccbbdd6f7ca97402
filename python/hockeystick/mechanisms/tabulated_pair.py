# SPDX-License-Identifier: Apache-2.0
"""The caller's own pair of distributions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from .. import _validate
from .._docs import documented_by
from ..description import describable
from .base import Mechanism
from .laws import atoms, both_directions

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from .._core import LossLaw

# Q mass that losses and masses leave open up to this is taken for rounding.
_OPEN = 1e-12


@describable("tabulated_pair")
@dataclass(frozen=True, kw_only=True)
class TabulatedPair(Mechanism):
    """A release whose dominating pair (P, Q) the caller knows as a table of privacy losses under P.

    Pair, remove: P has mass `masses[i]` at loss `losses[i]` and `infinity_mass` where Q vanishes; Q has
    e^-losses[i] masses[i], and what is left of 1 where P vanishes. Add is the reverse. That the pair dominates the release
    under `relation`, in the direction remove and reversed in the direction add, is the caller's word.
    :meth:`from_probabilities` takes two vectors instead, :meth:`from_density` samples of two densities.
    Checked: against enumeration, and against the named mechanisms whose tables it is given.

    Parameters
    ----------
    losses : sequence of float
        Finite.
    masses : sequence of float
        As many, at least 0; with `infinity_mass` they sum to 1.
    infinity_mass : float
        In [0, 1].
    relation : {"add_remove", "replace", "zero_out"}
        The neighbouring relation that the pair refers to.
    relative_error : float
        Every mass is right up to this part of itself; inside every bracket.
    loss_error : float
        Every loss is right up to this; inside every bracket.

    Raises
    ------
    TypeError, ValueError
        For arguments out of their domain, or masses of P or Q above 1.

    Examples
    --------
    >>> import hockeystick as hs
    >>> pair = hs.TabulatedPair.from_probabilities([0.75, 0.25], [0.25, 0.75])
    >>> print(f"{(5 * pair).epsilon(delta=0.01):.3f}")
    5.450
    """

    losses: tuple[float, ...]
    masses: tuple[float, ...]
    infinity_mass: float = 0.0
    relation: str = "add_remove"
    relative_error: float = 0.0
    loss_error: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "losses", _validate.numbers("losses", self.losses))
        object.__setattr__(self, "masses", _validate.numbers("masses", self.masses, lower=0.0))
        object.__setattr__(self, "infinity_mass", _validate.probability("infinity_mass", self.infinity_mass))
        for name in ("relative_error", "loss_error"):
            object.__setattr__(self, name, _validate.non_negative(name, getattr(self, name)))
        _validate.choice("relation", self.relation, _validate.RELATIONS)
        if len(self.losses) != len(self.masses):
            raise ValueError(f"masses must be as many as losses, got {len(self.masses)} for {len(self.losses)}")
        _validate.sum_to_one("masses with infinity_mass", [*self.masses, self.infinity_mass])
        if self._vanishing_mass() < -1e-9 - self.loss_error:
            raise ValueError(f"losses must leave Q a mass of at most 1, got {1.0 - self._vanishing_mass()!r}")

    @classmethod
    def from_probabilities(cls, p: ArrayLike, q: ArrayLike, *, relation: str = "add_remove") -> Self:
        """From the probabilities of all outcomes with the record (`p`) and without it (`q`).

        Parameters
        ----------
        p, q : array_like
            Equally long, at least 0, each summing to 1.
        relation : str
            As for the class.

        Returns
        -------
        TabulatedPair

        Raises
        ------
        TypeError, ValueError
            For arguments out of their domain.

        Examples
        --------
        >>> import hockeystick as hs
        >>> print(f"{hs.TabulatedPair.from_probabilities([0.75, 0.25], [0.25, 0.75]).epsilon(delta=0.0):.4f}")
        1.0986
        """
        with_record = np.array(_validate.numbers("p", p, lower=0.0))
        without = np.array(_validate.numbers("q", q, lower=0.0))
        if with_record.shape != without.shape:
            raise ValueError(f"q must be as long as p, got {len(without)} for {len(with_record)}")
        _validate.sum_to_one("p", with_record.tolist())
        _validate.sum_to_one("q", without.tolist())
        common = (with_record > 0.0) & (without > 0.0)
        losses = np.log(with_record[common]) - np.log(without[common])
        size = float(np.max(np.abs(np.log(with_record[common])) + np.abs(np.log(without[common])), initial=0.0))
        return cls(
            losses=tuple(losses.tolist()) or (0.0,),
            masses=tuple(with_record[common].tolist()) or (0.0,),
            infinity_mass=min(math.fsum(with_record[without == 0.0]), 1.0),
            relation=relation,
            loss_error=4.0 * 2.0**-53 * size,
        )

    @classmethod
    @documented_by(from_probabilities)
    def from_density(
        cls, p: ArrayLike, q: ArrayLike, *, width: float, error: float, relation: str = "add_remove"
    ) -> Self:
        """From samples of two densities at the centres of equally wide cells that hold all of both.

        Parameters
        ----------
        p, q : array_like
            Densities, above 0; times `width` each sums to 1 up to `error`.
        width : float
            Of a cell, above 0.
        error : float
            In [0, 0.1]: within every cell, each density is its sample up to a factor within 1 - error and 1 + error.
            It goes into the bracket: every loss is then right up to -2 log(1 - error).

        Examples
        --------
        >>> import numpy as np
        >>> import hockeystick as hs
        >>> x = np.arange(-12.0, 13.0, 1e-3)
        >>> density = np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)
        >>> pair = hs.TabulatedPair.from_density(density, np.exp(x - 0.5) * density, width=1e-3, error=0.01)
        >>> print(f"{pair.epsilon(delta=1e-2):.2f} {hs.Gaussian(noise_multiplier=1.0).epsilon(delta=1e-2):.2f}")
        2.45 2.32
        """
        error = _validate.probability("error", error)
        if error > 0.1:
            raise ValueError(f"error must be in [0, 0.1], got {error!r}")
        width = _validate.positive("width", width)
        masses = [np.array(_validate.numbers(name, each, lower=0.0)) * width for name, each in (("p", p), ("q", q))]
        for name, each in zip("pq", masses, strict=True):
            if not each.all() or abs(each.sum() - 1.0) > error + 1e-9:
                raise ValueError(f"{name} must be above 0 and sum to 1 / width up to error, got {float(each.sum())!r}")
        pair = cls.from_probabilities(*(each / each.sum() for each in masses), relation=relation)
        spread = -2.0 * math.log1p(-error) * 2.0 + pair.loss_error
        return cls(
            losses=pair.losses, masses=pair.masses, relation=relation, relative_error=4.0 * error, loss_error=spread
        )

    def _vanishing_mass(self) -> float:
        logs = [math.log(mass) - loss for mass, loss in zip(self.masses, self.losses, strict=True) if mass]
        return 1.0 - math.fsum(math.exp(min(each, 700.0)) for each in logs)

    def _laws(self) -> tuple[LossLaw, LossLaw]:
        present = [(loss, math.log(mass)) for loss, mass in zip(self.losses, self.masses, strict=True) if mass]
        vanishing = self._vanishing_mass()
        vanishing = 0.0 if vanishing < _OPEN + self.loss_error else vanishing
        law = atoms(
            [loss for loss, _ in present],
            [log_mass for _, log_mass in present],
            infinity_mass=(self.infinity_mass, self.infinity_mass),
            vanishing_mass=(vanishing, vanishing),
            relative_error=2.0**-49 + self.relative_error,
            loss_error=self.loss_error,
        )
        return both_directions(law)
