# SPDX-License-Identifier: Apache-2.0
"""The same run by other ways of accounting, as ``Mechanism.explain`` tells them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .model import AccountantRow

if TYPE_CHECKING:
    from hockeystick import Mechanism

__all__ = ["compare_accountants"]


def compare_accountants(mechanism: Mechanism, delta: float) -> tuple[AccountantRow, ...]:
    """Tell what each accountant says at `delta`, and whether that is a bound."""
    return ()
