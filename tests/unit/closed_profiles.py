# SPDX-License-Identifier: Apache-2.0
"""Profiles in closed form and slow, plain references for curves, shared by the tests."""

import math

import numpy as np
from scipy import special

from hockeystick import _core
from hockeystick.tradeoff import TradeoffCurve


def gaussian_curve(mu, *, points=1500, log_delta_end=-60.0):
    end = _core.gaussian_epsilon_bounds(log_delta_end, mu)[1]
    epsilon = np.linspace(0.0, end, points)
    lower, upper = _core.gaussian_log_delta_bounds(epsilon, mu)
    return TradeoffCurve.from_profile(epsilon=epsilon, log_delta_upper=upper, log_delta_lower=lower)


def sampled_curve(noise_multiplier, sampling_rate, *, points=1500, log_delta_end=-60.0):
    """One Poisson-subsampled release; the remove direction is the larger for every epsilon >= 0."""
    end = _core.subsampled_epsilon_bounds(log_delta_end, noise_multiplier, sampling_rate, 0)[1]
    epsilon = np.linspace(0.0, end, points)
    lower, upper = _core.subsampled_log_delta_bounds(epsilon, noise_multiplier, sampling_rate, 0)
    return TradeoffCurve.from_profile(epsilon=epsilon, log_delta_upper=upper, log_delta_lower=lower)


def response_curve(pure):
    """Randomized response of two values: delta falls linearly in e^epsilon from tanh(pure / 2) to 0."""
    log_start = math.log(math.tanh(pure / 2.0))
    upper = [min(0.0, log_start + 1e-15 * (1.0 - log_start)), -math.inf]
    lower = [log_start - 1e-15 * (1.0 - log_start), -math.inf]
    return TradeoffCurve.from_profile(
        epsilon=[0.0, pure], log_delta_upper=upper, log_delta_lower=lower, relation="replace"
    )


def gaussian_f(alpha, mu):
    if math.isinf(mu):
        return np.zeros_like(alpha)
    return special.ndtr(-special.ndtri(alpha) - mu)


def gaussian_delta(epsilon, mu):
    """delta of the Gaussian in plain arithmetic: absolute error about 1e-15 for moderate mu."""
    return special.ndtr(mu / 2 - epsilon / mu) - np.exp(epsilon) * special.ndtr(-mu / 2 - epsilon / mu)


def greatest_line(curve, alpha):
    """f by its definition from the profile's upper points: the greatest of all lines and mirror images."""
    rest = -np.expm1(curve.profile.log_delta_upper)
    slope = np.exp(curve.profile.epsilon)
    return max(0.0, float(np.max(rest - slope * alpha)), float(np.max((rest - alpha) / slope)))


def slow_mu(curve, floor):
    """mu by its definition: f_mu <= f at the floor and every corner above it, one corner at a time."""
    log_alpha, log_beta = curve.breakpoints
    tests = [(a, b) for a, b in zip(np.exp(log_alpha), np.exp(log_beta), strict=True) if a > floor]
    diagonal = (1.0 - curve.advantage()) / 2.0
    start = min(floor, diagonal)
    tests.append((start, curve(start)))
    return max(float(special.ndtri(1.0 - b) - special.ndtri(a)) for a, b in tests)
