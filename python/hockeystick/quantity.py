# SPDX-License-Identifier: Apache-2.0
"""What a budget limits, a calibration aims at and a sweep asks for: a quantity with its conditions, as a value."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _validate
from ._docs import documented_by
from .bounds import Bounds
from .description import check_entries

if TYPE_CHECKING:
    from ._questions import Questions


# Quantities that are probabilities.
RATES = ("delta", "advantage", "tpr", "fnr")


@dataclass(frozen=True, kw_only=True, repr=False)
class Quantity:
    """A question about privacy with its conditions, such as "epsilon at delta 1e-5". Made by its class methods.

    Every quantity but :meth:`fnr` is larger where privacy is less, and its upper bound is the guarantee; of the
    false-negative rate the lower bound is.

    Attributes
    ----------
    name : str
        One of ``epsilon``, ``delta``, ``mu``, ``advantage``, ``tpr``, ``fnr``, ``renyi``.
    conditions : tuple of (str, float)
        Where it is asked, by name.

    Examples
    --------
    >>> import hockeystick as hs
    >>> quantity = hs.Quantity.epsilon(delta=1e-5)
    >>> print(quantity, f"{quantity.bounds(hs.Gaussian(noise_multiplier=1.0)).upper:.5f}")
    epsilon(delta=1e-05) 4.37718
    """

    name: str
    conditions: tuple[tuple[str, float], ...] = ()

    def __post_init__(self) -> None:
        kind = _KINDS[_validate.choice("name", self.name, tuple(_KINDS))]
        given = dict(self.conditions)
        if tuple(given) not in kind.conditions:
            rule = " or ".join(", ".join(names) or "none" for names in kind.conditions)
            raise ValueError(f"conditions must be {rule} for {self.name}, got {', '.join(given) or 'none'}")
        checked = tuple((name, _CONDITIONS[name](name, value)) for name, value in given.items())
        object.__setattr__(self, "conditions", checked)

    @classmethod
    def epsilon(cls, *, delta: float) -> Quantity:
        """Return epsilon at `delta`.

        Parameters
        ----------
        delta : float
            In [0, 1].

        Returns
        -------
        Quantity

        Raises
        ------
        TypeError, ValueError
            For a condition out of its domain.
        """
        return cls(name="epsilon", conditions=(("delta", delta),))

    @classmethod
    @documented_by(epsilon)
    def delta(cls, *, epsilon: float) -> Quantity:
        """Return delta at `epsilon`.

        Parameters
        ----------
        epsilon : float
            At least 0.
        """
        return cls(name="delta", conditions=(("epsilon", epsilon),))

    @classmethod
    @documented_by(epsilon)
    def mu(cls, *, fpr_floor: float | None = None, delta0: float | None = None) -> Quantity:
        """Return the Gaussian mu above `fpr_floor`, or the floor-free one beside `delta0`.

        With `delta0`, delta(epsilon) <= delta0 + (1 - delta0) Gd(epsilon; mu) for every epsilon.

        Parameters
        ----------
        fpr_floor : float, optional
            In (0, 1); by default 1e-10.
        delta0 : float, optional
            In (0, 1), instead of a floor.
        """
        if delta0 is None:
            return cls(name="mu", conditions=(("fpr_floor", 1e-10 if fpr_floor is None else fpr_floor),))
        if fpr_floor is not None:
            raise ValueError(f"fpr_floor must be left out where delta0 is given, got {fpr_floor!r}")
        return cls(name="mu", conditions=(("delta0", delta0),))

    @classmethod
    def advantage(cls) -> Quantity:
        """Return the largest TPR - FPR of any attack, which is delta(0).

        Returns
        -------
        Quantity
        """
        return cls(name="advantage")

    @classmethod
    @documented_by(epsilon)
    def tpr(cls, *, fpr: float) -> Quantity:
        """Return the largest true-positive rate of an attack with false-positive rate `fpr`.

        Parameters
        ----------
        fpr : float
            In [0, 1].
        """
        return cls(name="tpr", conditions=(("fpr", fpr),))

    @classmethod
    @documented_by(tpr)
    def fnr(cls, *, fpr: float) -> Quantity:
        """Return the point f(fpr) of the trade-off curve: the least false-negative rate. Larger is more private."""
        return cls(name="fnr", conditions=(("fpr", fpr),))

    @classmethod
    @documented_by(epsilon)
    def renyi(cls, *, order: float) -> Quantity:
        """Return the Renyi divergence of an order, the larger direction.

        Parameters
        ----------
        order : float
            Above 1.
        """
        return cls(name="renyi", conditions=(("order", order),))

    @property
    def larger_is_safer(self) -> bool:
        """Whether a larger value means more privacy."""
        return self.name == "fnr"

    @property
    def trivial(self) -> Bounds:
        """What is known of it without any computation: from 0 to 1 for a rate, else from 0 to infinity."""
        return Bounds(0.0, 1.0 if self.name in RATES else math.inf, "trivial")

    def bounds(self, mechanism: Questions) -> Bounds:
        """Certified bracket of the quantity for a mechanism.

        Parameters
        ----------
        mechanism : Mechanism
            Or anything else that answers the questions of one.

        Returns
        -------
        Bounds

        Raises
        ------
        AccuracyError
            If no engine can certify a bracket.
        """
        return _KINDS[self.name].bounds(mechanism, **dict(self.conditions))

    def guarantee(self, bounds: Bounds) -> float:
        """Return the side of a bracket that may be promised.

        Parameters
        ----------
        bounds : Bounds
            Of this quantity.

        Returns
        -------
        float
            The upper side; the lower one of the false-negative rate.
        """
        return float(bounds.lower if self.larger_is_safer else bounds.upper)

    def to_dict(self) -> dict[str, Any]:
        """Describe by plain values, for JSON.

        Returns
        -------
        dict
            What :meth:`from_dict` takes.
        """
        return {"quantity": self.name, **dict(self.conditions)}

    @classmethod
    def from_dict(cls, description: Mapping[str, Any]) -> Quantity:
        """Make the quantity that :meth:`to_dict` described.

        Parameters
        ----------
        description : mapping
            Such as ``{"quantity": "epsilon", "delta": 1e-5}``.

        Returns
        -------
        Quantity

        Raises
        ------
        TypeError, ValueError
            If it is none.
        """
        if not isinstance(description, Mapping):
            raise TypeError(f"quantity must be a mapping, got {description!r}")
        check_entries("quantity", description, needed={"quantity"}, allowed={"quantity", *_CONDITIONS})
        conditions = tuple((name, value) for name, value in description.items() if name != "quantity")
        return cls(name=description["quantity"], conditions=conditions)

    def coordinate(self, value: float) -> float:
        """Return an increasing function of the loss of privacy, nearly linear in the log of a parameter.

        For searches alone: an estimate, in which a root is found in few trials.

        Parameters
        ----------
        value : float
            Of this quantity.

        Returns
        -------
        float
            From -inf to inf.
        """
        if self.name == "delta":
            return -_log(-_log(value))
        return _log(1.0 - value) if self.larger_is_safer else _log(value)

    def __str__(self) -> str:
        return f"{self.name}({', '.join(f'{name}={value:g}' for name, value in self.conditions)})"

    def __repr__(self) -> str:
        return f"Quantity.{self.name}({', '.join(f'{name}={value!r}' for name, value in self.conditions)})"


@dataclass(frozen=True)
class _Kind:
    """How a quantity is measured, and the sets of conditions that it may have."""

    bounds: Callable[..., Bounds]
    conditions: tuple[tuple[str, ...], ...]


def _epsilon(mechanism: Questions, *, delta: float) -> Bounds:
    return mechanism.epsilon_bounds(delta=delta)


def _delta(mechanism: Questions, *, epsilon: float) -> Bounds:
    return mechanism.delta_bounds(epsilon=epsilon)


def _mu(mechanism: Questions, *, fpr_floor: float | None = None, delta0: float | None = None) -> Bounds:
    if fpr_floor is not None:
        fit = mechanism.gdp(fpr_floor=fpr_floor)
        return Bounds(fit.mu_lower, fit.mu, "curve")
    fit = mechanism.gdp(delta0=delta0)
    return Bounds(fit.mu_delta0_lower or 0.0, math.inf if fit.mu_delta0 is None else fit.mu_delta0, "curve")


def _advantage(mechanism: Questions) -> Bounds:
    return mechanism.delta_bounds(epsilon=0.0)


def _tpr(mechanism: Questions, *, fpr: float) -> Bounds:
    curve = mechanism.tradeoff(fpr_floor=_curve_floor(fpr))
    upper = float(curve.tpr(fpr))
    return Bounds(min(max(0.0, math.nextafter(1.0 - float(curve.upper(fpr)), -1.0)), upper), upper, "curve")


def _fnr(mechanism: Questions, *, fpr: float) -> Bounds:
    curve = mechanism.tradeoff(fpr_floor=_curve_floor(fpr))
    return Bounds(float(curve(fpr)), float(curve.upper(fpr)), "curve")


def _curve_floor(fpr: float) -> float:
    """How far down the axis a curve must be tight for one of its points: a little below that point."""
    return min(max(fpr / 10.0, 1e-300), 1e-6)


def _renyi(mechanism: Any, *, order: float) -> Bounds:
    upper = float(mechanism.rdp(orders=[order])[0])
    return Bounds(0.0, upper, "rdp")


def _order(name: str, value: Any) -> float:
    number = _validate.positive(name, value)
    if number <= 1.0:
        raise ValueError(f"{name} must be above 1, got {value!r}")
    return number


def _open_rate(name: str, value: Any) -> float:
    number = _validate.real(name, value)
    if not 0.0 < number < 1.0:
        raise ValueError(f"{name} must be in (0, 1), got {value!r}")
    return number


def _log(value: float) -> float:
    return math.log(value) if value > 0.0 else -math.inf


_KINDS = {
    "epsilon": _Kind(_epsilon, (("delta",),)),
    "delta": _Kind(_delta, (("epsilon",),)),
    "mu": _Kind(_mu, (("fpr_floor",), ("delta0",))),
    "advantage": _Kind(_advantage, ((),)),
    "tpr": _Kind(_tpr, (("fpr",),)),
    "fnr": _Kind(_fnr, (("fpr",),)),
    "renyi": _Kind(_renyi, (("order",),)),
}

_CONDITIONS: dict[str, Callable[[str, Any], float]] = {
    "delta": _validate.probability,
    "epsilon": _validate.non_negative,
    "fpr_floor": _open_rate,
    "delta0": _open_rate,
    "fpr": _validate.probability,
    "order": _order,
}
