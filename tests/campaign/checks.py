# SPDX-License-Identifier: Apache-2.0
"""What must hold of every answer about any mechanism, whichever engine gives it. NaN fails every comparison."""

import itertools
import math

import hockeystick as hs

SLACK = 1e-12  # of the arithmetic of these checks
# Of a single question: narrow where that is cheap, and wide where it is not.
WIDTHS = {"contour": 1e-5, "fft": 0.3, "closed_form": None, "rdp": None}
# The dear ones are asked now and then: Renyi divergences, and the FFT where long compositions take it a second.
RENYI_SHARE = 0.05
LONG, LONG_SHARE = 2000, 0.05


class Violation(AssertionError):
    """An answer that contradicts another or itself."""


def demand(held, what, *numbers):
    if not held:
        raise Violation(f"{what}: {', '.join(map(repr, numbers))}")


def methods_of(mechanism):
    """The engines that take this mechanism."""
    terms = mechanism._terms()
    found = ["fft"]
    if terms.is_gaussian or terms.is_single_release:
        found.append("closed_form")
    if terms.is_subsampled_gaussian:
        found += ["contour", "rdp"]
    return found


def asked(question):
    """The bracket, checked on its own; None where the engine refuses by the error that the interface names."""
    try:
        bracket = question()
    except hs.AccuracyError:
        return None
    demand(bracket.lower <= bracket.upper, "bracket in order", bracket)
    return bracket


def overlap(what, first, second):
    if first is not None and second is not None:
        demand(first.lower <= second.upper and second.lower <= first.upper, what, first, second)


def check_epsilon(mechanism, random, methods):
    log_delta = -random.choice((random.uniform(0.01, 40.0), math.exp(random.uniform(0.0, 6.5))))
    delta, smaller = math.exp(log_delta), math.exp(log_delta - random.uniform(0.0, 20.0))
    bracket = asked(lambda: mechanism.epsilon_bounds(delta=delta))
    demand(bracket is not None, "an answer without a tolerance", delta)
    demand(bracket.lower >= 0.0, "epsilon at least 0", bracket)
    for method in methods:
        other = asked(lambda method=method: mechanism.epsilon_bounds(delta=delta, method=method))
        overlap(f"epsilon at {delta!r} by {method} and by default", bracket, other)
    if smaller:
        further = asked(lambda: mechanism.epsilon_bounds(delta=smaller))
        demand(bracket.lower <= further.upper, "epsilon grows as delta falls", bracket, further)
    if math.isfinite(bracket.upper):
        above = mechanism.log_delta_bounds(epsilon=bracket.upper)
        demand(above.lower <= log_delta + SLACK * abs(log_delta) + SLACK, "delta at epsilon", log_delta, bracket, above)
    if bracket.lower > 0.0:
        below = mechanism.log_delta_bounds(epsilon=bracket.lower * (1.0 - 1e-9))
        demand(below.upper >= log_delta - SLACK * abs(log_delta) - SLACK, "delta below epsilon", log_delta, below)
    return bracket


def check_log_delta(mechanism, random, methods, epsilon):
    reach = epsilon.upper if math.isfinite(epsilon.upper) else epsilon.lower
    points = sorted(
        {0.0, random.random() * reach, reach * (1.0 + random.random()), math.exp(random.uniform(-7.0, 7.0))}
    )
    both = {
        direction: mechanism.log_delta_bounds(epsilon=points, direction=direction) for direction in ("remove", "add")
    }
    default = mechanism.log_delta_bounds(epsilon=points)
    others = [asked_points(mechanism, points, method) for method in methods]
    for i, point in enumerate(points):
        lower, upper = float(default.lower[i]), float(default.upper[i])
        demand(lower <= upper <= 0.0, f"log delta at {point!r} in order", lower, upper)
        for j in range(i):
            demand(lower <= float(default.upper[j]), "delta falls as epsilon grows", points[j], point, lower)
        most = max(float(each.lower[i]) for each in both.values())
        least = max(float(each.upper[i]) for each in both.values())
        demand(most <= upper and lower <= least, f"the larger direction at {point!r}", lower, upper, most, least)
        for method, other in zip(methods, others, strict=True):
            if other is not None:
                low, up = float(other.lower[i]), float(other.upper[i])
                demand(low <= up, f"log delta at {point!r} by {method} in order", low, up)
                demand(low <= upper and lower <= up, f"log delta at {point!r} by {method}", lower, upper, low, up)


def asked_points(mechanism, points, method):
    try:
        return mechanism.log_delta_bounds(epsilon=points, method=method)
    except hs.AccuracyError:
        return None


def check_curve(mechanism, random):
    try:
        curve, fit = mechanism.tradeoff(), mechanism.gdp()
    except hs.AccuracyError:
        return
    alphas = sorted(math.exp(-random.uniform(0.0, 30.0)) for _ in range(5))
    betas = [float(curve(alpha)) for alpha in alphas]
    for alpha, beta in zip(alphas, betas, strict=True):
        demand(0.0 <= beta <= 1.0 - alpha, f"f({alpha!r}) within [0, 1 - alpha]", beta)
        demand(beta <= float(curve.upper(alpha)) <= 1.0, f"f({alpha!r}) in order", beta, float(curve.upper(alpha)))
    demand(all(a >= b for a, b in itertools.pairwise(betas)), "f falls", alphas, betas)
    demand(0.0 <= fit.mu_lower <= fit.mu, "mu in order", fit.mu_lower, fit.mu)
    demand(0.0 <= fit.regret_lower <= fit.regret <= 1.0, "regret in order", fit.regret_lower, fit.regret)
    demand(0.0 <= float(mechanism.advantage()) <= 1.0, "advantage in [0, 1]")


def check_one_question(mechanism, random, methods):
    """One number by every engine, in both directions or one of them: any two brackets overlap."""
    direction = random.choice((None, "remove", "add"))
    log_delta = -random.uniform(0.01, 40.0)
    epsilon = None if random.random() < 0.6 else random.random() * 12.0
    is_long = sum(count for _, count in mechanism._releases()) > LONG
    shares = {"rdp": RENYI_SHARE, "fft": LONG_SHARE if is_long else 1.0}
    found = []
    for method in methods:
        if random.random() > shares.get(method, 1.0):
            continue
        chosen = {"method": method, "tolerance": WIDTHS[method], "direction": direction}
        if epsilon is None:
            bracket = asked(lambda chosen=chosen: mechanism.epsilon_bounds(delta=math.exp(log_delta), **chosen))
        else:
            bracket = asked(lambda chosen=chosen: mechanism.log_delta_bounds(epsilon=epsilon, **chosen))
        for other in found:
            overlap(f"{direction} at {log_delta!r}, {epsilon!r}", bracket, other)
        found.append(bracket)


def check(mechanism, random, *, thorough, curve):
    """Raise :class:`Violation`, or whatever the library should not have raised."""
    methods = methods_of(mechanism)
    if not thorough:
        check_one_question(mechanism, random, methods)
        return
    epsilon = check_epsilon(mechanism, random, methods)
    check_log_delta(mechanism, random, methods, epsilon)
    if curve:
        check_curve(mechanism, random)
