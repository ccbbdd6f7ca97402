# SPDX-License-Identifier: Apache-2.0
"""Every stored composition value lies inside the bracket that each engine returns, and the brackets are narrow."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

import hockeystick as hs

ENTRIES = json.loads((Path(__file__).parent / "data" / "dpsgd.json").read_text())
REFERENCE_ERROR = 1e-11  # relative, of the stored values (data/README.md)
# Relative widths on epsilon that each engine promises where steps <= 1e6 and delta >= 1e-20.
WIDTHS = {"fft": 1e-4, "contour": 1e-9, "auto": 1e-9}
MOST_STEPS = {"fft": 10**6}  # beyond, a lattice is too long; the contour engine answers
# Rates of 1e-4 over ten million steps: from here on delta is made by single jumps, which neither engine serves yet.
LEAST_LOG_DELTA_OF_RARE_JUMPS = -47.0


def name_of(entry: dict) -> str:
    return "+".join(f"{s['noise_multiplier']}x{s['sampling_rate'][:6]}x{s['steps']}" for s in entry["steps"])


def mechanism_of(entry: dict) -> hs.Mechanism:
    return hs.compose(
        s["steps"] * hs.Gaussian(noise_multiplier=float(s["noise_multiplier"])).poisson(float(s["sampling_rate"]))
        for s in entry["steps"]
    )


def served(entry, log_delta):
    """Which of the questions both engines together can answer today."""
    return (log_delta >= LEAST_LOG_DELTA_OF_RARE_JUMPS) | (total_steps(entry) <= 10**6)


def total_steps(entry: dict) -> int:
    return sum(s["steps"] for s in entry["steps"])


def assert_inside(lower, upper, truth, slack):
    """`slack`: what the truth itself may be off by."""
    lower, upper, truth, slack = np.broadcast_arrays(*map(np.asarray, (lower, upper, truth, slack)))
    outside = (lower > truth + slack) | (truth - slack > upper)
    assert not outside.any(), f"{truth[outside]} outside [{lower[outside]}, {upper[outside]}]"


@pytest.fixture(scope="module", params=ENTRIES, ids=name_of)
def entry(request):
    return request.param


@pytest.fixture(params=["remove", "add"])
def direction(request):
    return request.param


@pytest.fixture(params=WIDTHS)
def method(request, entry):
    if total_steps(entry) > MOST_STEPS.get(request.param, math.inf):
        pytest.skip("not served by this engine")
    return request.param


def test_epsilon(entry, direction, method):
    points = entry[direction]["epsilon_at_delta"]
    deltas = np.array([float(p["delta"]) for p in points])
    truth = np.array([float(p["epsilon"]) for p in points])
    answered = served(entry, np.log(deltas))
    deltas, truth = deltas[answered], truth[answered]
    bounds = mechanism_of(entry).epsilon_bounds(delta=deltas, direction=direction, method=method)
    assert_inside(bounds.lower, bounds.upper, truth, REFERENCE_ERROR * truth)
    if total_steps(entry) <= 10**6:
        promised = deltas >= 1e-20
        width = (bounds.upper - bounds.lower) / truth
        assert (width[promised] <= WIDTHS[method]).all(), width


def test_log_delta(entry, direction, method):
    points = entry[direction]["log_delta_at_epsilon"]
    epsilons = np.array([float(p["epsilon"]) for p in points])
    truth = np.array([float(p["log_delta"]) for p in points])
    answered = served(entry, truth)
    epsilons, truth = epsilons[answered], truth[answered]
    bounds = mechanism_of(entry).log_delta_bounds(epsilon=epsilons, direction=direction, method=method)
    # The stored epsilon curve is good to 1e-11 relative; its logarithmic slope turns that into an error of log delta.
    slope = np.maximum(np.abs(truth), 10.0) * np.maximum(epsilons, 1.0)
    assert_inside(bounds.lower, bounds.upper, truth, REFERENCE_ERROR * slope)


def test_delta(entry, direction, method):
    points = entry[direction]["log_delta_at_epsilon"]
    epsilons = np.array([float(p["epsilon"]) for p in points])
    truth = np.exp([float(p["log_delta"]) for p in points])
    answered = served(entry, np.log(truth))
    epsilons, truth = epsilons[answered], truth[answered]
    bounds = mechanism_of(entry).delta_bounds(epsilon=epsilons, direction=direction, method=method)
    assert_inside(bounds.lower, bounds.upper, truth, 1e-9 * truth)
    assert (bounds.upper <= 1).all()


def test_the_relation_takes_the_larger_direction(entry):
    larger = max(float(entry[d]["epsilon_at_delta"][1]["epsilon"]) for d in ("remove", "add"))
    bounds = mechanism_of(entry).epsilon_bounds(delta=1e-5)
    assert_inside(bounds.lower, bounds.upper, larger, REFERENCE_ERROR * larger)
    assert math.isclose(bounds.upper, larger, rel_tol=1e-4)
