# SPDX-License-Identifier: Apache-2.0
"""The calls of riskcal for DP-SGD, answered by certified numbers and calibrated to the safe side."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .. import _validate
from ..budget import Budget
from ..calibrate import calibrate
from ..dpsgd import dpsgd
from ._unneeded import check_unneeded

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

# The curve is asked for this far below the least false-positive rate in question.
_FLOOR_MARGIN = 1e-3
_LEAST_FLOOR = 1e-300


def get_beta_for_dpsgd(
    noise_multiplier: float, sample_rate: float, num_steps: int, alpha: ArrayLike, grid_step: float | None = None
) -> Any:
    """Lower bound on the false-negative rate of an attack on DP-SGD at false-positive rate `alpha`.

    Parameters
    ----------
    noise_multiplier, sample_rate, num_steps
        As for ``hs.dpsgd``.
    alpha : float or array_like
        In [0, 1].
    grid_step : float, optional
        Taken so that calls fit, and not needed: there is no grid here.

    Returns
    -------
    float or numpy.ndarray
        ``hs.dpsgd(...).tradeoff()`` has the other side too.

    Examples
    --------
    >>> from hockeystick.interop.riskcal import get_beta_for_dpsgd
    >>> print(f"{get_beta_for_dpsgd(noise_multiplier=1.0, sample_rate=0.01, num_steps=1000, alpha=0.05):.3f}")
    0.889
    """
    check_unneeded(grid_step=grid_step)
    alphas = _validate.array_within("alpha", alpha, 0.0, 1.0)
    positive = alphas[(alphas > 0.0) & (alphas < 1.0)]
    floor = max(_LEAST_FLOOR, _FLOOR_MARGIN * float(positive.min())) if positive.size else 1e-15
    run = dpsgd(noise_multiplier=noise_multiplier, sampling_rate=sample_rate, steps=num_steps)
    return run.tradeoff(fpr_floor=min(floor, 1e-15))(alpha)


def get_advantage_for_dpsgd(
    noise_multiplier: float, sample_rate: float, num_steps: int, grid_step: float | None = None
) -> float:
    """Upper bound on the largest TPR - FPR of an attack on DP-SGD; `grid_step` is taken and not needed.

    Examples
    --------
    >>> from hockeystick.interop.riskcal import get_advantage_for_dpsgd
    >>> print(f"{get_advantage_for_dpsgd(noise_multiplier=1.0, sample_rate=0.01, num_steps=1000):.4f}")
    0.1610
    """
    check_unneeded(grid_step=grid_step)
    return dpsgd(noise_multiplier=noise_multiplier, sampling_rate=sample_rate, steps=num_steps).advantage()


def find_noise_multiplier_for_advantage(
    advantage: float,
    sample_rate: float,
    num_steps: int,
    grid_step: float | None = None,
    advantage_tol: float | None = None,
    noise_min: float | None = None,
    noise_max: float | None = None,
) -> float:
    """Least noise multiplier of DP-SGD with an advantage of at most `advantage`, on the safe side.

    Parameters
    ----------
    advantage : float
        Largest TPR - FPR allowed, in (0, 1).
    sample_rate, num_steps
        As for ``hs.dpsgd``.
    grid_step, advantage_tol, noise_min, noise_max : float, optional
        Taken so that calls fit, and not needed: no grid, no tolerance, no interval to search.

    Returns
    -------
    float

    Raises
    ------
    TypeError, ValueError
        For arguments out of their domain.

    Examples
    --------
    >>> from hockeystick.interop.riskcal import find_noise_multiplier_for_advantage
    >>> print(f"{find_noise_multiplier_for_advantage(advantage=0.1, sample_rate=0.01, num_steps=1000):.4f}")
    1.4224
    """
    _open_unit("advantage", advantage)
    check_unneeded(grid_step=grid_step, advantage_tol=advantage_tol, noise_min=noise_min, noise_max=noise_max)
    return _calibrated(Budget.advantage(advantage), sample_rate, num_steps)


def find_noise_multiplier_for_err_rates(
    alpha: float,
    beta: float,
    sample_rate: float,
    num_steps: int,
    grid_step: float | None = None,
    beta_tol: float | None = None,
    noise_min: float | None = None,
    noise_max: float | None = None,
) -> float:
    """Least noise multiplier of DP-SGD with a false-negative rate of at least `beta` at `alpha`, on the safe side.

    Parameters
    ----------
    alpha, beta : float
        Rates of the attack, in (0, 1), their sum below 1.
    sample_rate, num_steps
        As for ``hs.dpsgd``.
    grid_step, beta_tol, noise_min, noise_max : float, optional
        Taken so that calls fit, and not needed: no grid, no tolerance, no interval to search.

    Returns
    -------
    float

    Raises
    ------
    TypeError, ValueError
        For arguments out of their domain.

    Examples
    --------
    >>> from hockeystick.interop.riskcal import find_noise_multiplier_for_err_rates
    >>> noise = find_noise_multiplier_for_err_rates(alpha=0.01, beta=0.95, sample_rate=0.01, num_steps=1000)
    >>> print(f"{noise:.3f}")
    0.778
    """
    if not _open_unit("alpha", alpha) + _open_unit("beta", beta) < 1.0:
        raise ValueError(f"alpha + beta must be below 1, got {alpha!r} + {beta!r}")
    check_unneeded(grid_step=grid_step, beta_tol=beta_tol, noise_min=noise_min, noise_max=noise_max)
    return _calibrated(Budget.fnr(beta, fpr=alpha), sample_rate, num_steps)


def _calibrated(target: Budget, sample_rate: float, num_steps: int) -> float:
    run = dpsgd(noise_multiplier=1.0, sampling_rate=sample_rate, steps=num_steps)
    found = calibrate(lambda noise: replace(run, noise_multiplier=noise), target, increasing=False)
    return float(found.value)


def _open_unit(name: str, value: Any) -> float:
    number = _validate.real(name, value)
    if not 0.0 < number < 1.0:
        raise ValueError(f"{name} must be in (0, 1), got {value!r}")
    return number
