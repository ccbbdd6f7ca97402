# SPDX-License-Identifier: Apache-2.0
"""Renyi differential privacy: curves, an accountant over orders, every conversion, and filters.

Conversions, sums and comparisons are functions here; :class:`RDPAccountant`, :class:`RenyiFilter` and
:class:`GDPFilter` are exported by :mod:`hockeystick` too.
"""

from .comparison import advanced_composition, basic_composition, clt_epsilon_estimate, clt_mu_estimate
from .concentrated import zcdp_delta, zcdp_epsilon, zcdp_epsilon_closed
from .conversions import (
    CONVERSIONS,
    RenyiAnswer,
    delta_from_renyi,
    epsilon_from_renyi,
    total_variation_upper,
)
from .explain import Explanation, ExplanationRow
from .orders import CLASSIC_GRIDS, default_orders

__all__ = [
    "CLASSIC_GRIDS",
    "CONVERSIONS",
    "Explanation",
    "ExplanationRow",
    "RenyiAnswer",
    "advanced_composition",
    "basic_composition",
    "clt_epsilon_estimate",
    "clt_mu_estimate",
    "default_orders",
    "delta_from_renyi",
    "epsilon_from_renyi",
    "total_variation_upper",
    "zcdp_delta",
    "zcdp_epsilon",
    "zcdp_epsilon_closed",
]
