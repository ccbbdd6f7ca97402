# SPDX-License-Identifier: Apache-2.0
"""Numerical core of hockeystick: stateless functions on float64 arrays."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_Pair = tuple[NDArray[np.float64], NDArray[np.float64]]

class AccuracyError(ArithmeticError): ...

def fft_epsilon_bounds(
    noise_multipliers: NDArray[np.float64],
    sampling_rates: NDArray[np.float64],
    counts: NDArray[np.uint64],
    directions: Sequence[int],
    log_delta: float,
    tolerance: float,
) -> _Pair: ...
def fft_log_delta_bounds(
    noise_multipliers: NDArray[np.float64],
    sampling_rates: NDArray[np.float64],
    counts: NDArray[np.uint64],
    direction: int,
    epsilons: NDArray[np.float64],
    tolerance: float,
) -> _Pair: ...
def profile_epsilons(
    noise_multipliers: NDArray[np.float64],
    sampling_rates: NDArray[np.float64],
    counts: NDArray[np.uint64],
    direction: int,
    log_delta_floor: float,
    spacing: float,
    most: int,
) -> NDArray[np.float64]: ...
