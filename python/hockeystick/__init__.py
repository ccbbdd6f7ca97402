# SPDX-License-Identifier: Apache-2.0
"""hockeystick: differential privacy accounting whose numbers are proofs."""

from . import renyi
from ._core import AccuracyError
from ._core import __version__ as __version__
from .accountant import Accountant
from .audit import audit, audit_counts
from .audit_result import AuditPoint, AuditResult
from .bounds import Bounds
from .budget import Budget
from .calibrate import Calibration, calibrate
from .compare import compare
from .comparison import Comparison, ComparisonRow, Ordering
from .description import from_dict, to_dict
from .dpsgd import DPSGD, dpsgd
from .federated import federated
from .gdp import GDPFit, GDPTable, fit_gdp
from .group import PoissonGroup, group
from .group_bound import GroupBound
from .mechanisms import (
    ZCDP,
    ApproximateDP,
    Composition,
    DiscreteGaussian,
    DiscreteLaplace,
    ExponentialMechanism,
    Gaussian,
    GaussianDP,
    Laplace,
    Mechanism,
    MixtureOfGaussians,
    NonPrivate,
    PoissonSampled,
    PureDP,
    RandomizedResponse,
    RenyiCurve,
    TabulatedPair,
    compose,
)
from .parallel import Parallel, parallel
from .pld import PLD, LossMasses
from .quantity import Quantity
from .renyi.accountant import RDPAccountant
from .renyi.filters import GDPFilter, PLDFilter, RenyiFilter
from .sampling import RandomAllocation, TruncatedPoisson, WithoutReplacement, WithReplacement
from .shortcuts import max_sampling_rate, max_steps, noise_multiplier
from .sweep import Sweep, sweep
from .tradeoff import TradeoffCurve

__all__ = [
    "DPSGD",
    "PLD",
    "ZCDP",
    "Accountant",
    "AccuracyError",
    "ApproximateDP",
    "AuditPoint",
    "AuditResult",
    "Bounds",
    "Budget",
    "Calibration",
    "Comparison",
    "ComparisonRow",
    "Composition",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "ExponentialMechanism",
    "GDPFilter",
    "GDPFit",
    "GDPTable",
    "Gaussian",
    "GaussianDP",
    "GroupBound",
    "Laplace",
    "LossMasses",
    "Mechanism",
    "MixtureOfGaussians",
    "NonPrivate",
    "Ordering",
    "PLDFilter",
    "Parallel",
    "PoissonGroup",
    "PoissonSampled",
    "PureDP",
    "Quantity",
    "RDPAccountant",
    "RandomAllocation",
    "RandomizedResponse",
    "RenyiCurve",
    "RenyiFilter",
    "Sweep",
    "TabulatedPair",
    "TradeoffCurve",
    "TruncatedPoisson",
    "WithReplacement",
    "WithoutReplacement",
    "audit",
    "audit_counts",
    "calibrate",
    "compare",
    "compose",
    "dpsgd",
    "federated",
    "fit_gdp",
    "from_dict",
    "group",
    "max_sampling_rate",
    "max_steps",
    "noise_multiplier",
    "parallel",
    "renyi",
    "sweep",
    "to_dict",
]
