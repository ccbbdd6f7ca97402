# SPDX-License-Identifier: Apache-2.0
"""Two releases, which hardly ever jump: 25 digits by one integral over the first, with the second in closed form.

    delta(eps) = E_P1[delta_2(eps - L_1)],  delta_2(e) = P2(x > x_e) - e^e Q2(x > x_e)

No transform, no window and no tilt takes part; only the definition of the mechanism is shared with the package.
"""

import mpmath as mp
import numpy as np
import pytest

from hockeystick import _core

FIRST_AND_SECOND = [
    # (noise multiplier, sampling rate) of either, epsilons
    ((1.0, 0.01), (1.0, 0.01), (0.5, 4.0)),
    ((0.6, 0.001), (0.6, 0.001), (0.3, 9.0)),
    ((2.0, 1e-4), (2.0, 1e-4), (1e-3, 0.5)),
    ((3.0, 1e-4), (3.0, 1e-4), (0.002, 0.01)),
    ((0.8, 1e-5), (1.1, 0.002), (0.1, 1.0)),
]


def one_release(noise, rate, epsilon):
    sigma, q = mp.mpf(noise), mp.mpf(rate)
    if epsilon <= mp.log1p(-q):
        return -mp.expm1(epsilon)
    x = mp.mpf("0.5") + sigma**2 * mp.log((mp.expm1(epsilon) + q) / q)
    plain, shifted = (mp.erfc((x - mean) / (sigma * mp.sqrt(2))) / 2 for mean in (0, 1))
    return q * (shifted - plain) - mp.expm1(epsilon) * plain


def two_releases(first, second, epsilon):
    sigma, q = mp.mpf(first[0]), mp.mpf(first[1])
    epsilon = mp.mpf(epsilon)

    def integrand(x):
        ratio = 1 - q + q * mp.exp((2 * x - 1) / (2 * sigma**2))
        density = mp.exp(-(x**2) / (2 * sigma**2)) / (sigma * mp.sqrt(2 * mp.pi))
        return density * ratio * one_release(*second, epsilon - mp.log(ratio))

    # Where the second one's closed form changes, and with it all within some rate of there.
    kink = mp.mpf("0.5") + sigma**2 * mp.log((mp.exp(epsilon - mp.log1p(-mp.mpf(second[1]))) - 1 + q) / q)
    near = [kink + sign * sigma * mp.mpf(4) ** -k for k in range(12) for sign in (-1, 1)]
    ends = sorted({*mp.linspace(-12 * sigma, 1 + 20 * sigma, 17), kink, *near})
    return mp.log(mp.quad(integrand, ends))


@pytest.mark.parametrize(("first", "second", "epsilons"), FIRST_AND_SECOND)
def test_the_integral_lies_inside(first, second, epsilons):
    with mp.workdps(34):
        truths = [two_releases(first, second, each) for each in epsilons]
    noises, rates = (np.array(column) for column in zip(first, second, strict=True))
    columns = (noises, rates, np.ones(2, dtype=np.uint64))
    lowers, uppers = _core.contour_log_delta_bounds(*columns, [0], np.array(epsilons), 1e-6)
    for lower, upper, truth, epsilon in zip(lowers, uppers, truths, epsilons, strict=True):
        assert lower <= truth <= upper
        assert upper - lower <= 1.1e-6 * max(1, -truth)
        low, high = _core.contour_epsilon_bounds(*columns, [0], float(truth), 1e-6)
        assert low * (1 - 1e-13) <= epsilon <= high * (1 + 1e-13)
