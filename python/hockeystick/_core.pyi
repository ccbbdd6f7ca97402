# SPDX-License-Identifier: Apache-2.0
"""Numerical core of hockeystick: stateless functions on float64 arrays."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

_Pair: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64]]

class AccuracyError(ArithmeticError): ...

__version__: str

def fft_epsilon_bounds(
    noise_multipliers: NDArray[np.float64],
    sampling_rates: NDArray[np.float64],
    counts: NDArray[np.uint64],
    directions: Sequence[int],
    log_delta: float,
    tolerance: float,
) -> tuple[float, float]: ...
def fft_log_delta_bounds(
    noise_multipliers: NDArray[np.float64],
    sampling_rates: NDArray[np.float64],
    counts: NDArray[np.uint64],
    directions: Sequence[int],
    epsilons: NDArray[np.float64],
    tolerance: float,
) -> _Pair: ...
def contour_epsilon_bounds(
    noise_multipliers: NDArray[np.float64],
    sampling_rates: NDArray[np.float64],
    counts: NDArray[np.uint64],
    directions: Sequence[int],
    log_delta: float,
    tolerance: float,
) -> tuple[float, float]: ...
def contour_log_delta_bounds(
    noise_multipliers: NDArray[np.float64],
    sampling_rates: NDArray[np.float64],
    counts: NDArray[np.uint64],
    directions: Sequence[int],
    epsilons: NDArray[np.float64],
    tolerance: float,
) -> _Pair: ...
def pessimistic_pmf(
    noise_multiplier: float, sampling_rate: float, direction: int, step: float, negligible: float
) -> tuple[int, NDArray[np.float64], float]: ...
def pmf_epsilon_upper(
    step: float, first: int, masses: NDArray[np.float64], infinity_mass: float, count: int, log_delta: float
) -> float: ...
def profile_epsilons(
    noise_multipliers: NDArray[np.float64],
    sampling_rates: NDArray[np.float64],
    counts: NDArray[np.uint64],
    direction: int,
    log_delta_floor: float,
    spacing: float,
    most: int,
) -> NDArray[np.float64]: ...
def normal_quantile_of_log(log_p: float) -> float: ...
def gaussian_log_delta_bounds(epsilons: NDArray[np.float64], mu: float) -> _Pair: ...
def gaussian_log_complement_bounds(epsilons: NDArray[np.float64], mu: float) -> _Pair: ...
def gaussian_epsilon_bounds(log_delta: float, mu: float) -> tuple[float, float]: ...
def subsampled_log_delta_bounds(
    epsilons: NDArray[np.float64], noise_multiplier: float, sampling_rate: float, direction: int
) -> _Pair: ...
def subsampled_epsilon_bounds(
    log_delta: float, noise_multiplier: float, sampling_rate: float, direction: int
) -> tuple[float, float]: ...

_Columns: TypeAlias = tuple[NDArray[np.float64], ...]

def tradeoff_lower(profile: _Columns, linear: bool) -> _Columns: ...
def tradeoff_upper(profile: _Columns, linear: bool) -> _Columns: ...
def tradeoff_points(curve: _Columns, side: int, at: NDArray[np.float64]) -> _Pair: ...
def tradeoff_points_at_log(curve: _Columns, side: int, at: NDArray[np.float64]) -> _Pair: ...
def tradeoff_log_gains(curve: _Columns, side: int, at: NDArray[np.float64]) -> NDArray[np.float64]: ...
def tradeoff_log_deltas(curve: _Columns, side: int, at: NDArray[np.float64]) -> NDArray[np.float64]: ...
def tradeoff_epsilons(curve: _Columns, side: int, at: NDArray[np.float64]) -> NDArray[np.float64]: ...
def curve_refinement(
    profile: _Columns, lower: _Columns, upper: _Columns, log_floor: float, tolerance: float
) -> NDArray[np.float64]: ...
def mu_refinement(
    profile: _Columns, lower: _Columns, upper: _Columns, log_floor: float, tolerance: float
) -> NDArray[np.float64]: ...
def mu_given_delta0_refinement(
    profile: _Columns, lower: _Columns, upper: _Columns, log_delta0: float, tolerance: float
) -> NDArray[np.float64]: ...
def profile_of_tests(
    log_fpr: NDArray[np.float64],
    log_tpr: NDArray[np.float64],
    log_fnr: NDArray[np.float64],
    log_tnr: NDArray[np.float64],
    rounding: float,
) -> _Columns: ...
def profile_of_distributions(log_p: NDArray[np.float64], log_q: NDArray[np.float64]) -> _Columns: ...
def vertices_below_samples(fpr: NDArray[np.float64], tpr: NDArray[np.float64]) -> _Pair: ...
def tabulated_profile(
    remove: tuple[NDArray[np.float64], NDArray[np.float64], float],
    add: tuple[NDArray[np.float64], NDArray[np.float64], float],
) -> _Columns: ...
def clopper_pearson(successes: int, trials: int, significance: float) -> tuple[float, float]: ...
def fit_mu(curve: _Columns, log_floor: float, bisection: bool) -> tuple[float, float]: ...
def fit_mu_given_delta0(curve: _Columns, log_delta0: float, bisection: bool) -> tuple[float, float]: ...
def fit_mu_literal(curve: _Columns, bisection: bool) -> tuple[float, float]: ...
def fit_mu_lower(lower: _Columns, upper: _Columns, log_floor: float, mu: float, log_alpha: float) -> float: ...
def fit_mu_given_delta0_lower(
    lower: _Columns, upper: _Columns, log_delta0: float, mu: float, log_alpha: float
) -> float: ...
def residual_upper(curve: _Columns, log_floor: float, mu: float) -> float: ...
def regret_bounds(profile: _Columns, linear: bool, mu: float) -> tuple[float, float, float, float, float, float]: ...
def renyi_bounds(
    noise_multipliers: NDArray[np.float64],
    sampling_rates: NDArray[np.float64],
    orders: NDArray[np.float64],
    direction: int,
) -> _Pair: ...
def renyi_bounds_of_atoms(
    losses: NDArray[np.float64],
    masses: NDArray[np.float64],
    infinity_mass: float,
    reverse_infinity_mass: float,
    orders: NDArray[np.float64],
) -> _Pair: ...
def laplace_renyi_bounds(separation: float, orders: NDArray[np.float64]) -> _Pair: ...
def discrete_gaussian_renyi_bounds(sigma: float, shift: float, orders: NDArray[np.float64]) -> _Pair: ...
def renyi_optimal_epsilon_upper(
    orders: NDArray[np.float64],
    forward: NDArray[np.float64],
    reverse: NDArray[np.float64],
    log_delta: float,
    tolerance: float,
) -> NDArray[np.float64]: ...
def renyi_optimal_log_delta_upper(
    orders: NDArray[np.float64],
    forward: NDArray[np.float64],
    reverse: NDArray[np.float64],
    epsilon: float,
    tolerance: float,
) -> NDArray[np.float64]: ...
