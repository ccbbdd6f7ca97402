# SPDX-License-Identifier: Apache-2.0
"""Composition of any number of steps by an integral along a vertical line, Gauss-Legendre in both variables.

For the many-step entries, where sampling the law of one step finely enough would need too many points.  With
G(z) = E[(1 - q + q e^{(2x - 1)/(2 s^2)})^z], x ~ N(0, s^2), the moment functions are  remove: G(1 + z),  add: G(-z),  and

    delta(eps) = (1/pi) Re int_0^inf exp(sum_i T_i log M_i(theta + i t) - (theta + i t) eps) / (z (z + 1)) dt.

The package's own engine uses trapezoid rules for both integrals and a line through the saddle point of each epsilon;
here the rules are Gauss-Legendre's, the line is one rounded order per group of questions, and the numbers have 25 digits.
"""

from dataclasses import dataclass

import mpmath as mp

PANEL_ORDER = 20
TRUNCATION = mp.mpf("1e-20")  # of the integrand, relative to its value on the real axis


def gauss_legendre_rule(order=PANEL_ORDER):
    """Nodes and weights on (-1, 1) at the current precision, by Newton's method on the Legendre recurrence."""
    nodes, weights = [], []
    for k in range(order):
        x = mp.cos(mp.pi * (k + mp.mpf(3) / 4) / (order + mp.mpf(1) / 2))
        for _ in range(12):
            value, slope = legendre(order, x)
            step = value / slope
            x -= step
            if abs(step) < mp.eps * 4:
                break
        slope = legendre(order, x)[1]
        nodes.append(x)
        weights.append(2 / ((1 - x * x) * slope * slope))
    return nodes, weights


def legendre(order, x):
    previous, current = mp.mpf(1), x
    for k in range(2, order + 1):
        previous, current = current, ((2 * k - 1) * x * current - (k - 1) * previous) / k
    return current, order * (x * current - previous) / (x * x - 1)


@dataclass(frozen=True)
class Step:
    """`count` steps of one noise multiplier and sampling rate."""

    noise_multiplier: mp.mpf
    sampling_rate: mp.mpf
    count: int


def loss_nodes(step: Step, direction: str, theta, rule):
    """Weights and losses of E_P[e^{z L}] near Re z = theta: panels over x wide enough for the tilted mass."""
    s, q = step.noise_multiplier, step.sampling_rate
    power = theta + 1 if direction == "remove" else -theta  # the exponent of dP/dQ under N(0, s^2)
    reach = mp.sqrt(-2 * mp.log(mp.eps)) * s
    low, high = min(0, power) - reach, max(0, power) + reach
    panels = int(mp.ceil((high - low) / (s / 2)))
    width = (high - low) / panels
    weights, losses = [], []
    for panel in range(panels):
        centre = low + (panel + mp.mpf(1) / 2) * width
        for node, weight in zip(*rule, strict=True):
            x = centre + node * width / 2
            ratio = mp.log1p(q * mp.expm1((2 * x - 1) / (2 * s * s)))
            density = mp.npdf(x, 0, s) * weight * width / 2 * mp.exp(power * ratio)
            weights.append(density)
            losses.append(ratio if direction == "remove" else -ratio)
    return weights, losses


class Line:
    """Samples of the composed moment function on Re z = theta, shared by every question asked of it."""

    def __init__(self, steps, direction: str, theta):
        self.theta = mp.mpf(theta)
        self.points = []  # (t, weight, exponent)
        rule = gauss_legendre_rule()
        laws = [(step, *loss_nodes(step, direction, self.theta, rule)) for step in steps]
        spread = mp.sqrt(sum(step.count * variance(weights, losses) for step, weights, losses in laws))
        width, start, floor = 2 / spread, mp.mpf(0), None
        while True:
            panel = []
            for node, weight in zip(*rule, strict=True):
                t = start + (node + 1) * width / 2
                panel.append((t, weight * width / 2, sum(exponent(law, t) for law in laws)))
            self.points += panel
            start += width
            highest = max(mp.re(value) for _, _, value in panel)
            floor = highest if floor is None else floor
            if highest < floor + mp.log(TRUNCATION):
                break

    def integral(self, epsilon, kernel) -> mp.mpf:
        """(1/pi) Re int kernel(z) e^{Lambda(z) - z eps} dt."""
        epsilon = mp.mpf(epsilon)
        total = mp.mpf(0)
        for t, weight, value in self.points:
            z = mp.mpc(self.theta, t)
            total += weight * mp.re(mp.exp(value - z * epsilon) * kernel(z))
        return total / mp.pi

    def delta(self, epsilon) -> mp.mpf:
        return self.integral(epsilon, lambda z: 1 / (z * (z + 1)))

    def tails(self, loss) -> tuple[mp.mpf, mp.mpf]:
        """(Q[L > loss], P[L > loss])."""
        above_q = mp.exp(-mp.mpf(loss)) * self.integral(loss, lambda z: 1 / (z + 1))
        return above_q, self.integral(loss, lambda z: 1 / z)


def variance(weights, losses) -> mp.mpf:
    """The tilted variance of one step's loss."""
    total = mp.fsum(weights)
    mean = mp.fdot(weights, losses) / total
    return mp.fsum(w * (l - mean) ** 2 for w, l in zip(weights, losses, strict=True)) / total


def exponent(law, t) -> mp.mpc:
    """count * log M(theta + i t)."""
    step, weights, losses = law
    real = mp.fsum(w * mp.cos(t * l) for w, l in zip(weights, losses, strict=True))
    imaginary = mp.fsum(w * mp.sin(t * l) for w, l in zip(weights, losses, strict=True))
    return step.count * mp.log(mp.mpc(real, imaginary))


def saddle(steps, direction: str, epsilon) -> mp.mpf:
    """A positive theta near the minimum of Lambda(theta) - theta eps - log theta, to two digits: any would do."""
    with mp.workdps(15):
        rule = gauss_legendre_rule(8)

        def slope(theta):
            total = mp.mpf(0)
            for step in steps:
                weights, losses = loss_nodes(step, direction, theta, rule)
                total += step.count * mp.fdot(weights, losses) / mp.fsum(weights)
            return total - epsilon - 1 / theta - 1 / (1 + theta)

        low, high = mp.mpf("0.01"), mp.mpf(1)
        while slope(high) < 0 and high < 1e5:
            low, high = high, 2 * high
        while high / low > 1.1:
            middle = mp.sqrt(low * high)
            low, high = (middle, high) if slope(middle) < 0 else (low, middle)
        return mp.mpf(mp.nstr(high, 2))
