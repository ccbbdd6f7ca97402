# SPDX-License-Identifier: Apache-2.0
"""The same run by other ways of accounting, as ``Mechanism.explain`` tells them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .parts import AccountantRow

if TYPE_CHECKING:
    from hockeystick import Mechanism

__all__ = ["compare_accountants", "has_renyi_curve"]


# An estimate is on neither side; a reader must not take it for a bound.
_KINDS = {"upper bound": "upper bound", "lower bound": "lower bound", "estimate, no bound": "approximation"}


def has_renyi_curve(mechanism: Mechanism) -> bool:
    """Whether the Renyi divergences of every part are known."""
    try:
        mechanism.rdp(orders=[2.0])
    except ValueError:
        return False
    return True


def compare_accountants(mechanism: Mechanism, delta: float) -> tuple[AccountantRow, ...]:
    """Tell what each way of accounting says at `delta`, and whether that is a bound.

    Empty for a delta of 0 or 1, and for a mechanism whose Renyi curve is not known.
    """
    if not 0.0 < delta < 1.0 or not has_renyi_curve(mechanism):
        return ()
    return tuple(
        AccountantRow(
            key=row.key,
            name=row.method,
            kind=_KINDS[row.kind],
            epsilon=float(row.epsilon),
            order=None if row.order is None else float(row.order),
            note=row.note,
        )
        for row in mechanism.explain(delta=delta)
    )
