# SPDX-License-Identifier: Apache-2.0
"""Bounds in print: rounded to the side on which they stay bounds."""

from __future__ import annotations

import math


def up(value: float | None) -> str:
    """Four decimals, rounded up; "inf" for no finite number."""
    return "inf" if value is None or not math.isfinite(value) else f"{math.ceil(value * 1e4) / 1e4:.4f}"


def down(value: float) -> str:
    """Four decimals, rounded down."""
    return f"{math.floor(value * 1e4) / 1e4:.4f}" if math.isfinite(value) else "inf"


def up_to_three_digits(value: float) -> str:
    """Three significant digits of a rate, rounded up."""
    if value <= 0.0 or value >= 1.0:
        return f"{value:.3g}"
    unit = 10.0 ** (math.floor(math.log10(value)) - 2)
    return f"{math.ceil(value / unit) * unit:.3g}"
