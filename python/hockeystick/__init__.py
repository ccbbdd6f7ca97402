# SPDX-License-Identifier: Apache-2.0
"""hockeystick: differential privacy accounting whose numbers are proofs."""

from importlib.metadata import version as _version

from ._core import AccuracyError
from .bounds import Bounds
from .description import from_dict, to_dict
from .dpsgd import DPSGD, dpsgd
from .gdp import GDPFit, fit_gdp
from .mechanisms import Composition, Gaussian, Mechanism, PoissonSampled, compose
from .pld import PLD, LossMasses
from .tradeoff import TradeoffCurve

__version__ = _version("hockeystick")

__all__ = [
    "DPSGD",
    "PLD",
    "AccuracyError",
    "Bounds",
    "Composition",
    "GDPFit",
    "Gaussian",
    "LossMasses",
    "Mechanism",
    "PoissonSampled",
    "TradeoffCurve",
    "compose",
    "dpsgd",
    "fit_gdp",
    "from_dict",
    "to_dict",
]
