# SPDX-License-Identifier: Apache-2.0
"""The calls of gdpnum, answered by certified numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..dpsgd import dpsgd
from ..gdp import GDPFit, fit_gdp
from ._unneeded import check_unneeded
from .dp_pld import curve_from_pld, pld_from_dp_accounting

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

# The false-positive rates at which gdpnum reports by default, before the one where both rates are equal.
_FALSE_POSITIVE_RATES = (1e-10, 1e-8, 1e-6, 1e-4, 1e-3, 1e-2, 1e-1)


def get_mu_and_regret_for_dpsgd(
    noise_multiplier: float, sample_rate: float, num_steps: int, grid_step: float | None = None, err: float = 1e-10
) -> tuple[float, float]:
    """Gaussian-DP mu of DP-SGD, and what it gives away.

    Parameters
    ----------
    noise_multiplier, sample_rate, num_steps
        As for ``hs.dpsgd``.
    grid_step : float, optional
        Taken so that calls fit, and not needed: there is no grid here.
    err : float
        The floor: mu holds where both error rates are at least this.

    Returns
    -------
    mu : float
        Upper bound, rounded up.
    regret : float
        Upper bound on the delta-divergence between the Gaussian and the run: gdpnum's measure.

    Notes
    -----
    ``hs.dpsgd(...).gdp()`` has both sides of both numbers.

    Examples
    --------
    >>> from hockeystick.interop.gdpnum import get_mu_and_regret_for_dpsgd
    >>> mu, regret = get_mu_and_regret_for_dpsgd(noise_multiplier=1.0, sample_rate=0.01, num_steps=1000)
    >>> print(f"{mu:.3f}")
    0.522
    """
    check_unneeded(grid_step=grid_step)
    run = dpsgd(noise_multiplier=noise_multiplier, sampling_rate=sample_rate, steps=num_steps)
    return _mu_and_regret(run.gdp(fpr_floor=err))


class PLDConverter:
    """Trade-off curve, mu and regret of a privacy loss distribution of dp-accounting.

    Parameters
    ----------
    pld : dp_accounting.pld.privacy_loss_distribution.PrivacyLossDistribution
        A pessimistic one; its masses are taken as exact. See ``dp_pld.pld_from_dp_accounting`` for what that leaves
        out.
    """

    def __init__(self, pld: Any) -> None:
        self.pld = pld
        self.curve = curve_from_pld(pld_from_dp_accounting(pld))

    def get_beta(self, input_alphas: ArrayLike | None = None) -> Any:
        """Lower bound on the false-negative rate at false-positive rates.

        Parameters
        ----------
        input_alphas : float or array_like, optional
            In [0, 1]. By default 1e-10 to 1e-1 and the rate at which both are equal.

        Returns
        -------
        float or numpy.ndarray
        """
        if input_alphas is None:
            input_alphas = np.array([*_FALSE_POSITIVE_RATES, 0.5 * (1.0 - self.get_advantage())])
        return self.curve(input_alphas)

    def get_advantage(self) -> float:
        """Upper bound on the largest TPR - FPR."""
        return self.curve.advantage()

    def get_mu(self, err: float = 1e-10) -> float:
        """Upper bound on mu where both error rates are at least `err`."""
        return self.get_mu_and_regret(err)[0]

    def get_mu_and_regret(self, err: float = 1e-10) -> tuple[float, float]:
        """Upper bounds on mu and on the delta-divergence; see :func:`get_mu_and_regret_for_dpsgd`."""
        return _mu_and_regret(fit_gdp(self.curve, fpr_floor=err))


def _mu_and_regret(fit: GDPFit) -> tuple[float, float]:
    return fit.mu, fit.delta_divergence
