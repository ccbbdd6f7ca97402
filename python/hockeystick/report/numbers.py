# SPDX-License-Identifier: Apache-2.0
"""Numbers as people read them: rounded to the safe side, with the exact value kept beside the text."""

from __future__ import annotations

import decimal
import math
from dataclasses import dataclass

__all__ = [
    "Quantity",
    "at_least",
    "at_most",
    "exactly",
    "grouped",
    "in_words",
    "percent_at_most",
    "round_down",
    "round_up",
]

# A plain-word count may overstate a rate by this factor before it takes a finer denominator.
_OVERSTATEMENT = 1.25
_MOST_PEOPLE = 10**12


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in a text: what is printed, and the exact value behind it."""

    text: str
    value: float

    def __str__(self) -> str:
        return self.text


def round_up(value: float, digits: int = 4) -> str:
    """Write a number with so many digits, never below it.

    >>> round_up(2.38167)
    '2.382'
    """
    return _rounded(value, digits, decimal.ROUND_CEILING)


def round_down(value: float, digits: int = 4) -> str:
    """Write a number with so many digits, never above it.

    >>> round_down(2.38167), round_down(1.23456e-7)
    ('2.381', '1.234e-7')
    """
    return _rounded(value, digits, decimal.ROUND_FLOOR)


def at_most(value: float, digits: int = 4) -> Quantity:
    """Return an upper bound, rounded up."""
    return Quantity(_infinity(value) or round_up(value, digits), value)


def at_least(value: float, digits: int = 4) -> Quantity:
    """Return a lower bound, rounded down."""
    return Quantity(_infinity(value) or round_down(value, digits), value)


def exactly(value: float) -> Quantity:
    r"""Return a setting, with as many digits as tell it from its neighbours (whole numbers in groups of three).

    >>> str(exactly(1e-5)), str(exactly(0.0042666667)), str(exactly(14063))
    ('1e-5', '0.0042666667', '14\u202f063')
    """
    if isinstance(value, int) or (value.is_integer() and abs(value) < 1e15):
        return Quantity(grouped(int(value)), value)
    return Quantity(_infinity(value) or _written(decimal.Decimal(repr(value))), value)


def percent_at_most(rate: float, digits: int = 3) -> Quantity:
    r"""Return an upper bound on a rate, in percent, rounded up.

    >>> str(percent_at_most(0.0435211))
    '4.36\xa0%'
    """
    # The product is rounded in decimal arithmetic, so that nothing is lost on the way.
    exact = decimal.Context(prec=digits, rounding=decimal.ROUND_CEILING).multiply(decimal.Decimal(rate), 100)
    return Quantity(f"{_written(min(exact, decimal.Decimal(100)))}\N{NO-BREAK SPACE}%", rate)


def in_words(rate: float, baseline: float) -> tuple[int, Quantity, int]:
    """Return a round baseline rate and an upper bound on another as counts out of one power of ten.

    Returns
    -------
    tuple
        The baseline's count, the rate's count rounded up, and out of how many.

    Examples
    --------
    >>> guessed, found, people = in_words(0.0435211, 0.01)
    >>> guessed, str(found), people
    (1, '5', 100)
    >>> guessed, found, people = in_words(0.0111, 0.01)
    >>> guessed, str(found), people
    (10, '12', 1000)
    """
    people = _whole_denominator(baseline)
    exact = decimal.Decimal(rate)
    while True:
        found = int((exact * people).to_integral_value(decimal.ROUND_CEILING))
        if found <= _OVERSTATEMENT * rate * people or people >= _MOST_PEOPLE:
            return round(baseline * people), Quantity(grouped(found), rate), people
        people *= 10


def grouped(count: int) -> str:
    """Write a whole number, from 10 000 on in groups of three."""
    return f"{count:,}".replace(",", "\N{NARROW NO-BREAK SPACE}") if abs(count) >= 10_000 else str(count)


def _whole_denominator(rate: float) -> int:
    """The smallest power of ten from 100 on of which a round rate is a whole count."""
    people = 100
    while abs(rate * people - round(rate * people)) > 1e-6 and people < _MOST_PEOPLE:
        people *= 10
    return people


def _rounded(value: float, digits: int, rounding: str) -> str:
    if not math.isfinite(value):
        return str(value)
    # Unary plus rounds to the context's precision.
    return _written(decimal.Context(prec=digits, rounding=rounding).plus(decimal.Decimal(value)))


def _written(number: decimal.Decimal) -> str:
    """Write a decimal number without trailing zeros, with an exponent where that is shorter to read."""
    if not number:
        return "0"
    form = "f" if -5 < number.adjusted() < 9 else "e"
    return format(number.normalize(), form).replace("e+", "e")


def _infinity(value: float) -> str | None:
    return "infinite" if math.isinf(value) else None
