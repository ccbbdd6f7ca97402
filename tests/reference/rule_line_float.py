# SPDX-License-Identifier: Apache-2.0
"""The line integral of rule_line.py in double precision: a fast witness (about 1e-10 relative), not a bound.

A different route from the package's contour engine where it could be one: Gauss-Legendre panels in both variables,
no error bounds, the moment function recomputed at every point.  For settings that no stored value covers.
"""

import math
from dataclasses import dataclass

import numpy as np

NODES, WEIGHTS = np.polynomial.legendre.leggauss(24)


@dataclass(frozen=True)
class Step:
    noise_multiplier: float
    sampling_rate: float
    count: int


def panels(edges):
    """Nodes and weights of the composite rule between the edges."""
    edges = np.asarray(edges)
    half = np.diff(edges)[:, None] / 2
    return ((edges[:-1, None] + half) + half * NODES).ravel(), (half * WEIGHTS).ravel()


class Law:
    """Log-weights and losses of one step's E_P[e^{z L}] for Re z near theta."""

    def __init__(self, step: Step, direction: str, theta: float):
        s, q = step.noise_multiplier, step.sampling_rate
        power = theta + 1 if direction == "remove" else -theta
        # Beyond 17 standard deviations there is a mass of 1e-64: without it, theta may exceed what rare jumps allow.
        low, high = max(min(0, power) - 9.5 * s, -17 * s), min(max(0, power) + 9.5 * s, 1 + 17 * s)
        x, weights = panels(np.linspace(low, high, 2 + math.ceil((high - low) / (s / 3))))
        exponent = (2 * x - 1) / (2 * s * s)
        with np.errstate(over="ignore"):
            # log(1 - q + q e^u), for small and for large u
            ratio = np.where(
                exponent < 30,
                np.log1p(q * np.expm1(np.minimum(exponent, 30))),
                exponent + math.log(q) + np.log1p((1 - q) / q * np.exp(-np.maximum(exponent, 30))),
            )
        logs = np.log(weights) - x * x / (2 * s * s) - math.log(s * math.sqrt(2 * math.pi)) + power * ratio
        self.count = step.count
        self.losses = ratio if direction == "remove" else -ratio
        peak = logs.max()
        tilted = np.exp(logs - peak)
        total = math.fsum(tilted)
        self.probabilities = tilted / total
        self.log_moment = peak + math.log(total)
        self.mean = float(self.probabilities @ self.losses)
        self.variance = float(self.probabilities @ (self.losses - self.mean) ** 2)

    def exponent(self, t):
        """log(M(theta + i t) / M(theta)), accurate relative to its size: through expm1 and log1p."""
        phase = t[:, None] * self.losses
        excess = (-2 * np.sin(phase / 2) ** 2) @ self.probabilities + 1j * (np.sin(phase) @ self.probabilities)
        return np.log1p(excess)


class Line:
    def __init__(self, steps, direction: str, theta: float, floor: float = 1e-17):
        self.theta = theta
        laws = [Law(step, direction, theta) for step in steps]
        self.log_moment = math.fsum(law.count * law.log_moment for law in laws)
        width = 1 / math.sqrt(sum(law.count * law.variance for law in laws))
        points, weights, exponents = [], [], []
        start = 0.0
        while True:
            t, w = panels([start, start + width])
            value = sum(law.count * law.exponent(t) for law in laws)
            points.append(t)
            weights.append(w)
            exponents.append(value)
            start += width
            if value.real.max() < math.log(floor):
                break
            if len(points) == 1000:
                raise ArithmeticError("the moment function decays too slowly: too few steps for this rule")
        self.t, self.weights, self.exponents = map(np.concatenate, (points, weights, exponents))

    def log_integral(self, epsilon: float, kernel) -> float:
        z = self.theta + 1j * self.t
        terms = self.weights * (np.exp(self.exponents - 1j * self.t * epsilon) * kernel(z)).real
        return self.log_moment - self.theta * epsilon + math.log(math.fsum(terms) / math.pi)

    def log_delta(self, epsilon: float) -> float:
        return self.log_integral(epsilon, lambda z: 1 / (z * (z + 1)))

    def log_tails(self, loss: float) -> tuple[float, float]:
        """(log Q[L > loss], log P[L > loss])."""
        return (
            self.log_integral(loss, lambda z: 1 / (z + 1)) - loss,
            self.log_integral(loss, lambda z: 1 / z),
        )


def saddle(steps, direction: str, epsilon: float) -> float:
    """theta > 0 where Lambda' = eps + 1/theta + 1/(1 + theta), by bisection; any value near it would do."""

    def slope(theta):
        return (
            sum(law.count * law.mean for law in (Law(step, direction, theta) for step in steps))
            - epsilon
            - 1 / theta
            - 1 / (1 + theta)
        )

    low, high = 1e-3, 1.0
    while slope(high) < 0 and high < 1e6:
        low, high = high, 2 * high
    while high / low > 1.02:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if slope(middle) < 0 else (low, middle)
    return high


def log_delta(steps, direction: str, epsilon: float) -> float:
    """Natural logarithm of the composed delta at one epsilon >= 0."""
    return Line(steps, direction, saddle(steps, direction, epsilon)).log_delta(epsilon)


def epsilon(steps, direction: str, delta: float) -> float:
    """The epsilon of one direction, by bisection; 0 where delta is at least the total variation."""
    target = math.log(delta)
    if log_delta(steps, direction, 0.0) <= target:
        return 0.0
    low, high = 0.0, 1.0
    while log_delta(steps, direction, high) > target:
        low, high = high, 2 * high
    while high - low > 0.01 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if log_delta(steps, direction, middle) > target else (low, middle)
    line = Line(steps, direction, saddle(steps, direction, high))  # near enough to the saddle for the whole bracket
    low, high = 0.99 * low, 1.01 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if line.log_delta(middle) > target else (low, middle)
    return (low + high) / 2
