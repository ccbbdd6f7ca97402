# SPDX-License-Identifier: Apache-2.0
"""Mechanisms: frozen, hashable values, one file each. A composition is a mechanism too."""

from .approximate_dp import ApproximateDP
from .base import Mechanism
from .composition import Composition, compose
from .discrete_gaussian import DiscreteGaussian
from .discrete_laplace import DiscreteLaplace
from .exponential_mechanism import ExponentialMechanism
from .gaussian import Gaussian
from .gaussian_dp import GaussianDP
from .laplace import Laplace
from .mixture_of_gaussians import MixtureOfGaussians
from .non_private import NonPrivate
from .poisson_sampled import PoissonSampled
from .pure_dp import PureDP
from .randomized_response import RandomizedResponse
from .renyi_curve import RenyiCurve
from .tabulated_pair import TabulatedPair
from .zcdp import ZCDP

__all__ = [
    "ZCDP",
    "ApproximateDP",
    "Composition",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "ExponentialMechanism",
    "Gaussian",
    "GaussianDP",
    "Laplace",
    "Mechanism",
    "MixtureOfGaussians",
    "NonPrivate",
    "PoissonSampled",
    "PureDP",
    "RandomizedResponse",
    "RenyiCurve",
    "TabulatedPair",
    "compose",
]
