# SPDX-License-Identifier: Apache-2.0
"""An accountant for Opacus. Importing this module imports Opacus, and with it PyTorch."""

from __future__ import annotations

from typing import Any

from opacus.accountants import IAccountant, register_accountant

from ..dpsgd import DPSGD, dpsgd
from ..mechanisms import Gaussian, Mechanism, compose

NAME = "hockeystick"
# A sampling rate times a number of accumulated batches may exceed 1 by rounding.
_ROUNDING = 1e-12


class Accountant(IAccountant):
    """An Opacus accountant that answers by this package: certified upper bounds of epsilon, Poisson sampling.

    After :func:`register`, Opacus makes it by its name: ``PrivacyEngine(accountant="hockeystick")``.

    Attributes
    ----------
    history : list of (float, float, int)
        (noise_multiplier, sample_rate, num_steps), as in Opacus; may be assigned.

    Examples
    --------
    >>> from hockeystick.interop.opacus import Accountant
    >>> accountant = Accountant()
    >>> for _ in range(100):
    ...     accountant.step(noise_multiplier=1.0, sample_rate=0.01)
    >>> len(accountant), accountant.history
    (100, [(1.0, 0.01, 100)])
    >>> print(f"{accountant.get_epsilon(delta=1e-5):.3f}")
    0.718
    """

    def __init__(self) -> None:
        super().__init__()

    def step(self, *, noise_multiplier: float, sample_rate: float) -> None:
        """Record one optimizer step.

        Raises
        ------
        TypeError, ValueError
            For arguments out of their domain; nothing is recorded then.
        """
        _run(noise_multiplier, sample_rate, 1)
        if self.history and tuple(self.history[-1][:2]) == (noise_multiplier, sample_rate):
            self.history[-1] = (noise_multiplier, sample_rate, self.history[-1][2] + 1)
        else:
            self.history.append((noise_multiplier, sample_rate, 1))

    def composition(self) -> Mechanism:
        """All that was recorded, as one mechanism: it answers every other question (``gdp()``, ``tradeoff()``, ...)."""
        return compose([0 * Gaussian(noise_multiplier=1.0), *(_run(*entry) for entry in self.history)])

    def get_epsilon(self, delta: float, *, method: str = "auto", tolerance: float | None = None) -> float:
        """Upper bound on the epsilon spent so far at `delta`; other arguments as for ``hs.Mechanism.epsilon``."""
        return float(self.composition().epsilon(delta=delta, method=method, tolerance=tolerance))

    def __len__(self) -> int:
        return sum(steps for _, _, steps in self.history)

    @classmethod
    def mechanism(cls) -> str:
        """The name under which :func:`register` makes it known."""
        return NAME


def register() -> None:
    """Make :class:`Accountant` known to Opacus as "hockeystick"; doing it again changes nothing.

    Examples
    --------
    >>> from opacus.accountants import create_accountant
    >>> from hockeystick.interop import opacus
    >>> opacus.register()
    >>> create_accountant("hockeystick").mechanism()
    'hockeystick'
    """
    register_accountant(NAME, Accountant, force=True)


def _run(noise_multiplier: Any, sample_rate: Any, steps: Any) -> DPSGD:
    if 1.0 < sample_rate <= 1.0 + _ROUNDING:
        sample_rate = 1.0
    return dpsgd(noise_multiplier=noise_multiplier, sampling_rate=sample_rate, steps=steps)
