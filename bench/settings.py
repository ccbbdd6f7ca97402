# SPDX-License-Identifier: Apache-2.0
"""The settings that the benchmarks share, with their true values (tests/reference, tests/peers)."""

from dataclasses import dataclass

import hockeystick as hs


@dataclass(frozen=True)
class Setting:
    """One or more kinds of DP-SGD steps, and epsilon at one delta."""

    name: str
    steps: tuple[tuple[float, float, int], ...]  # noise multiplier, sampling rate, count
    delta: float
    epsilon: float

    def build(self) -> hs.Mechanism:
        return hs.compose(n * hs.Gaussian(noise_multiplier=s).poisson(q) for s, q, n in self.steps)


THOUSAND = Setting("q=.01 sigma=1 T=1000", ((1.0, 0.01, 1000),), 1e-5, 1.82823666651657573)
EPOCHS = Setting("q=256/60000 sigma=1.1 T=14063", ((1.1, 0.004266666666666667, 14063),), 1e-5, 2.38168972613)
MILLION = Setting("q=.001 sigma=.8 T=1e6", ((0.8, 0.001, 10**6),), 1e-5, 9.69270718480182021)
TWENTY = Setting("20 sigmas x 20 steps", tuple((1 + 0.05 * i, 0.01, 20) for i in range(20)), 1e-5, 0.729378371308)
ALL = (THOUSAND, EPOCHS, MILLION, TWENTY)

MU_AT_1E_10 = 0.5222014699  # of THOUSAND
NOISE_FOR_8 = 0.88252849028  # epsilon 8, delta 1e-5, q=.01, T=10000; certified from both sides to these digits
