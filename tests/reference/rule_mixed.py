# SPDX-License-Identifier: Apache-2.0
"""Compositions of several kinds of releases: Gauss-Legendre along a vertical line, every M(z) by its own definition.

Laplace noise has M(z) in closed form, its Poisson samples one integral over (-S, S) by Gauss-Legendre panels, outcomes
are summed, and subsampled Gaussians are those of `rule_line`.  Mass at infinity is added in the end.  Direction remove.

    python tests/reference/rule_mixed.py > tests/reference/data/mixed.json      # minutes: makes the stored values
"""

import functools
import json
import sys

import mpmath as mp
import rule_line

SETTINGS = [
    {
        "parts": [
            {"kind": "gaussian", "noise_multiplier": 1.0, "sampling_rate": 0.01, "count": 1000},
            {"kind": "laplace", "scale": 5.0, "count": 1},
        ],
        "theta": "7",
        "epsilons": [0.5, 2.0, 4.0],
    },
    {"parts": [{"kind": "laplace", "scale": 10.0, "count": 1000}], "theta": "1.4", "epsilons": [14.0, 17.5, 25.0]},
    {
        "parts": [{"kind": "laplace", "scale": 1.0, "sampling_rate": 0.1, "count": 500}],
        "theta": "1.4",
        "epsilons": [5.0, 10.0, 16.0],
    },
    {
        "parts": [
            {"kind": "gaussian", "noise_multiplier": 0.8, "sampling_rate": 0.05, "count": 200},
            {"kind": "approximate_dp", "epsilon": 0.3, "delta": 1e-9, "count": 2},
        ],
        "theta": "1",
        "epsilons": [1.0, 4.0],
    },
]


def gaussian_moment(part, theta):
    step = rule_line.Step(mp.mpf(part["noise_multiplier"]), mp.mpf(part["sampling_rate"]), part["count"])
    weights, losses = rule_line.loss_nodes(step, "remove", theta, rule_line.gauss_legendre_rule())

    def moment(t):
        real = mp.fsum(w * mp.cos(t * l) for w, l in zip(weights, losses, strict=True))
        return mp.mpc(real, mp.fsum(w * mp.sin(t * l) for w, l in zip(weights, losses, strict=True)))

    return moment


def laplace_moment(part, theta):
    """Unsampled in closed form; else E_Q0[(1 - q + q e^{l0})^{1 + z}]."""
    top, q = 1 / mp.mpf(part["scale"]), mp.mpf(part.get("sampling_rate", 1))
    if q == 1:

        def closed(t):
            w = mp.mpc(theta + mp.mpf(1) / 2, t)
            up, down = mp.exp(w * top), mp.exp(-w * top)
            return mp.exp(-top / 2) / 2 * (up + down + (up - down) / (2 * w))

        return closed
    panels, losses, weights = 8, [], []
    for panel in range(panels):
        for node, weight in zip(*rule_line.gauss_legendre_rule(), strict=True):
            base = top * ((2 * panel + 1 + node) / panels - 1)
            losses.append(mp.log1p(q * mp.expm1(base)))
            weights.append(weight * top / panels * mp.exp(-(base + top) / 2) / 4)
    for base, mass in ((-top, mp.mpf(1) / 2), (top, mp.exp(-top) / 2)):
        losses.append(mp.log1p(q * mp.expm1(base)))
        weights.append(mass)
    return lambda t: mp.fsum(w * mp.exp(mp.mpc(1 + theta, t) * l) for w, l in zip(weights, losses, strict=True))


def two_point_moment(part, theta):
    loss, rest = mp.mpf(part["epsilon"]), 1 - mp.mpf(part["delta"])
    up = rest / (1 + mp.exp(-loss))
    return lambda t: up * mp.exp(mp.mpc(theta, t) * loss) + (rest - up) * mp.exp(-mp.mpc(theta, t) * loss)


MOMENTS = {"gaussian": gaussian_moment, "laplace": laplace_moment, "approximate_dp": two_point_moment}


@functools.cache
def points_of(number: int):
    """(t, weight, Lambda(theta + it)) along the line of one setting, until the integrand is lost."""
    setting = SETTINGS[number]
    theta = mp.mpf(setting["theta"])
    moments = [(part["count"], MOMENTS[part["kind"]](part, theta)) for part in setting["parts"]]
    rule = rule_line.gauss_legendre_rule()
    width, start, points, lost = mp.mpf("0.25"), mp.mpf(0), [], 0
    # Two modes of a tilted law may cancel at some t: the end is where several panels in a row are below. The integrand of
    # many Laplace releases returns at t = pi / S, in the second setting to e^-25 of its start, where the kernel leaves
    # 1e-13 of the value: the stored values are good to 1e-12.
    while lost < 4:
        highest = -mp.inf
        for node, weight in zip(*rule, strict=True):
            t = start + (node + 1) * width / 2
            value = sum(count * mp.log(moment(t)) for count, moment in moments)
            points.append((t, weight * width / 2, value))
            highest = max(highest, mp.re(value))
        start += width
        lost = lost + 1 if highest < mp.re(points[0][2]) - 52 else 0
    return points


def delta(number: int, epsilon) -> mp.mpf:
    setting = SETTINGS[number]
    theta, epsilon = mp.mpf(setting["theta"]), mp.mpf(epsilon)
    total = mp.mpf(0)
    for t, weight, value in points_of(number):
        z = mp.mpc(theta, t)
        total += weight * mp.re(mp.exp(value - z * epsilon) / (z * (z + 1)))
    rest = mp.mpf(1)
    for part in setting["parts"]:
        rest *= (1 - mp.mpf(part.get("delta", 0))) ** part["count"]
    return total / mp.pi + 1 - rest


def main() -> None:
    with mp.workdps(25):
        entries = []
        for number, setting in enumerate(SETTINGS):
            profile = [{"epsilon": e, "delta": mp.nstr(delta(number, e), 18)} for e in setting["epsilons"]]
            entries.append({"parts": setting["parts"], "profile": profile})
            print(number, profile, file=sys.stderr)
        print(json.dumps(entries, indent=1))


if __name__ == "__main__":
    main()
