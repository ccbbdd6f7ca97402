# SPDX-License-Identifier: Apache-2.0
"""Sampling schemes: what a mechanism is worth when only some records enter it. One small file a scheme."""

from .random_allocation import RandomAllocation
from .truncated_poisson import TruncatedPoisson
from .with_replacement import WithReplacement
from .without_replacement import WithoutReplacement

__all__ = ["RandomAllocation", "TruncatedPoisson", "WithReplacement", "WithoutReplacement"]
