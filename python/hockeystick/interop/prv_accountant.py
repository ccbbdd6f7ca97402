# SPDX-License-Identifier: Apache-2.0
"""The calls of prv-accountant for DP-SGD, answered by certified brackets: (lower bound, estimate, upper bound)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _validate
from ..dpsgd import dpsgd
from ..shortcuts import noise_multiplier
from ._unneeded import check_unneeded

if TYPE_CHECKING:
    from ..bounds import Bounds
    from ..dpsgd import DPSGD


class DPSGDAccountant:
    """Accountant of DP-SGD runs that differ in their steps alone.

    Parameters
    ----------
    noise_multiplier : float
        Standard deviation of the noise over the clipping norm.
    sampling_probability : float
        Of a record, in [0, 1].
    max_steps : int
        The most steps that will be asked for; costs nothing here.
    eps_error, delta_error : float, optional
        Taken so that calls fit, and not needed: there is no grid here, and the bracket is as narrow as it is.

    Examples
    --------
    >>> from hockeystick.interop.prv_accountant import DPSGDAccountant
    >>> accountant = DPSGDAccountant(noise_multiplier=1.0, sampling_probability=0.01, max_steps=1000)
    >>> lower, estimate, upper = accountant.compute_epsilon(delta=1e-5, num_steps=1000)
    >>> lower <= estimate <= upper
    True
    """

    def __init__(
        self,
        noise_multiplier: float,
        sampling_probability: float,
        max_steps: int,
        eps_error: float | None = None,
        delta_error: float | None = None,
    ) -> None:
        check_unneeded(eps_error=eps_error, delta_error=delta_error)
        self.longest = dpsgd(noise_multiplier=noise_multiplier, sampling_rate=sampling_probability, steps=max_steps)

    def compute_epsilon(self, delta: float, num_steps: int) -> tuple[float, float, float]:
        """Lower bound, estimate and upper bound of epsilon at `delta` after `num_steps` steps.

        Raises
        ------
        TypeError, ValueError
            For arguments out of their domain, or more steps than ``max_steps``.
        """
        return _triple(self._after(num_steps).epsilon_bounds(delta=delta))

    def compute_delta(self, epsilon: float, num_steps: int) -> tuple[float, float, float]:
        """Lower bound, estimate and upper bound of delta at `epsilon` after `num_steps` steps.

        Raises
        ------
        TypeError, ValueError
            For arguments out of their domain, or more steps than ``max_steps``.
        """
        return _triple(self._after(num_steps).delta_bounds(epsilon=epsilon))

    def _after(self, num_steps: int) -> DPSGD:
        steps = _validate.count("num_steps", num_steps)
        if steps > self.longest.steps:
            raise ValueError(f"num_steps must be at most max_steps, {self.longest.steps}, got {num_steps!r}")
        return dpsgd(
            noise_multiplier=self.longest.noise_multiplier, sampling_rate=self.longest.sampling_rate, steps=steps
        )


def find_noise_multiplier(
    sampling_probability: float,
    num_steps: int,
    target_epsilon: float,
    target_delta: float,
    eps_error: float | None = None,
    mu_max: float | None = None,
) -> float:
    """Least noise multiplier that meets (epsilon, delta), on the safe side: ``hs.noise_multiplier``.

    `eps_error` and `mu_max` are taken so that calls fit, and not needed: no grid, no interval to search.

    Examples
    --------
    >>> from hockeystick.interop.prv_accountant import find_noise_multiplier
    >>> print(f"{find_noise_multiplier(0.01, 10_000, target_epsilon=8.0, target_delta=1e-5):.7f}")
    0.8825285
    """
    check_unneeded(eps_error=eps_error, mu_max=mu_max)
    return noise_multiplier(
        epsilon=target_epsilon, delta=target_delta, sampling_rate=sampling_probability, steps=num_steps
    )


def _triple(bounds: Bounds) -> tuple[float, float, float]:
    """The estimate is the middle of the bracket."""
    lower, upper = float(bounds.lower), float(bounds.upper)
    return lower, lower if lower == upper else 0.5 * (lower + upper), upper
