# SPDX-License-Identifier: Apache-2.0
"""Binomial probabilities in decimal arithmetic of 60 digits: right to the last bit of the doubles they end up in."""

from __future__ import annotations

import decimal
from decimal import Decimal

# Digits carried; sums of up to 1e12 terms still leave 40 of them.
_DIGITS = 60
# Terms below this part of a sum are beyond any double; what follows them falls at least geometrically.
_NEGLIGIBLE = Decimal(10) ** -45


def binomial_pmf(trials: int, rate: float | Decimal, *, tail: float = 0.0) -> tuple[list[float], float]:
    """Pr[Bin(trials, rate) = k] for k = 0, 1, .. until what is left is at most `tail`, and what is left."""
    with decimal.localcontext() as context:
        context.prec = _DIGITS
        q = Decimal(rate)
        if q == 1:
            return [0.0] * trials + [1.0], 0.0
        odds = q / (1 - q)
        term = (1 - q) ** trials
        pmf, rest = [float(term)], 1 - term
        for k in range(trials):
            if rest <= tail:
                break
            term *= odds * (trials - k) / (k + 1)
            rest -= term
            pmf.append(float(term))
        return pmf, max(float(rest), 0.0)


def truncated_sample(dataset_size: int, rate: float, cap: int) -> tuple[float, float]:
    """How a cap of `cap` on a Poisson batch meets one of `dataset_size` records.

    Returns
    -------
    probability : float
        Pr[S >= cap] for the number S ~ Bin(dataset_size - 1, rate) of other records drawn.
    conditional_rate : float
        The probability that the record is drawn and kept, given that: E[rate cap / (S + 1) | S >= cap].
    """
    others = dataset_size - 1
    if cap > others or rate == 0.0:
        return 0.0, 0.0
    if rate == 1.0:
        return 1.0, cap / dataset_size
    with decimal.localcontext() as context:
        context.prec = _DIGITS
        q = Decimal(rate)
        odds = q / (1 - q)
        term = _pmf_at(others, q, cap)
        probability, kept = Decimal(0), Decimal(0)
        for drawn in range(cap, others + 1):
            probability += term
            kept += term * q * cap / (drawn + 1)
            term *= odds * (others - drawn) / (drawn + 1)
            if drawn > rate * others and term < _NEGLIGIBLE * probability:
                break
        return float(probability), float(kept / probability)


def _pmf_at(trials: int, rate: Decimal, k: int) -> Decimal:
    """Pr[Bin(trials, rate) = k], the binomial coefficient as a product over the smaller side."""
    coefficient = Decimal(1)
    for i in range(min(k, trials - k)):
        coefficient = coefficient * (trials - i) / (i + 1)
    return coefficient * rate**k * (1 - rate) ** (trials - k)
