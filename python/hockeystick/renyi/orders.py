# SPDX-License-Identifier: Apache-2.0
"""Grids of Renyi orders: this library's own, and those that others use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _validate

if TYPE_CHECKING:
    from numpy.typing import NDArray

# What a search may extend a grid to: order - 1 within these.
LEAST_EXCESS, GREATEST_EXCESS = 1e-9, 1e15


def default_orders() -> NDArray[np.float64]:
    """Orders 1 + t with t log-spaced from 1e-3 to 1e5, four an octave: dense near 1, few where curves are smooth.

    Returns
    -------
    numpy.ndarray, shape (108,)

    Examples
    --------
    >>> from hockeystick.renyi import default_orders
    >>> orders = default_orders()
    >>> print(f"{orders[0]:g} {orders[-1]:g} {len(orders)}")
    1.001 100001 108
    """
    return 1.0 + np.geomspace(1e-3, 1e5, 108)


_TENTHS = [1.0 + k / 10.0 for k in range(1, 100)]

CLASSIC_GRIDS = {
    "tf_privacy": np.array([1.25, 1.5, 1.75, 2.0, 2.25, 2.5, 3.0, 3.5, 4.0, 4.5, *range(5, 64), 128, 256, 512]),
    "opacus": np.array([*_TENTHS, *range(12, 64)]),
    "dp_accounting": np.array([*_TENTHS, *range(11, 64), 128, 256, 512, 1024]),
}
"""The orders that these libraries take when none are given, for reproducing their numbers."""


def resolve_orders(orders: Any) -> NDArray[np.float64]:
    """Turn None, the name of a classic grid, or any orders into increasing orders, each at least 1.

    Raises
    ------
    TypeError, ValueError
        For a name that is not known, for orders below 1, NaN, or none at all.
    """
    if orders is None:
        return default_orders()
    if isinstance(orders, str):
        return CLASSIC_GRIDS[_validate.choice("orders", orders, tuple(CLASSIC_GRIDS))].copy()
    return np.unique(_validate.array_within("orders", orders, 1.0, np.inf))
