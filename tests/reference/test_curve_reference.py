# SPDX-License-Identifier: Apache-2.0
"""Trade-off curves and mu against stored tails and independently derived values."""

import json
from pathlib import Path

import numpy as np
import pytest

import hockeystick as hs

DATA = Path(__file__).parent / "data"
ENTRIES = [e for e in json.loads((DATA / "dpsgd.json").read_text()) if sum(s["steps"] for s in e["steps"]) <= 20000]
ENTRIES = [e for e in ENTRIES if e["steps"][0]["noise_multiplier"] != "1.3"]  # its far tail takes too long yet
GAUSSIANS = [e for e in json.loads((DATA / "profiles.json").read_text()) if e["mechanism"] == "gaussian"]

# (steps, false-positive floor, mu) of rate 0.01 and noise multiplier 1.  From the tails of the composed loss by the
# line integral of rule_line_float.py: m(l) = quantile of P[L > l] less quantile of Q[L > l] grows with l in the remove
# direction and is smaller in the add direction, so mu is its value where Q[L > l] is the floor.
MU = [
    (1000, 1e-3, 0.4438963389),
    (1000, 1e-6, 0.4739677265),
    (1000, 1e-8, 0.4959046971),
    (1000, 1e-10, 0.5222014699),
    (100, 1e-3, 0.1748344082),
    (100, 1e-6, 0.2460055583),
    (100, 1e-8, 0.3041040846),
    (100, 1e-10, 0.3582322111),
]


def name_of(entry):
    return "+".join(f"{s['noise_multiplier']}x{s['sampling_rate'][:6]}x{s['steps']}" for s in entry["steps"])


@pytest.mark.parametrize("entry", ENTRIES, ids=name_of)
def test_tails_lie_on_or_above_the_lower_curve_and_below_the_upper(entry):
    """At losses >= 0 the remove tails are points of f itself; the add tails are points of tests that f bounds."""
    run = hs.compose(
        s["steps"] * hs.Gaussian(noise_multiplier=float(s["noise_multiplier"])).poisson(float(s["sampling_rate"]))
        for s in entry["steps"]
    )
    curve = run.tradeoff()
    for direction in ("remove", "add"):
        tails = entry[direction]["tails"]
        alpha = np.array([float(t["q_above"]) for t in tails])
        beta = np.array([float(t["p_below"]) if "p_below" in t else 1 - float(t["p_above"]) for t in tails])
        lower = np.asarray(curve(alpha))
        assert (lower <= beta * (1 + 1e-11)).all(), (direction, lower, beta)
        if direction == "remove":
            assert (np.asarray(curve.upper(alpha)) >= beta * (1 - 1e-11)).all()
            np.testing.assert_allclose(lower, beta, atol=1e-4)


@pytest.mark.parametrize(("steps", "floor", "truth"), MU)
def test_mu_is_certified_from_above(steps, floor, truth):
    fit = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=steps).gdp(fpr_floor=floor)
    digits = 1e-10  # of the truth
    assert truth - digits <= fit.mu <= truth * (1 + 1e-6)
    assert truth * (1 - 2e-5) <= fit.mu_lower <= truth + digits
    assert fit.fpr_floor == floor


@pytest.mark.parametrize("steps", [100, 1000])
def test_literal_mu_has_no_amplification(steps):
    fit = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=steps).gdp()
    assert fit.literal == pytest.approx(steps**0.5, rel=1e-12)


@pytest.mark.parametrize("entry", GAUSSIANS, ids=lambda e: e["mu"])
def test_gaussian_profiles(entry):
    gaussian = hs.Gaussian(noise_multiplier=1 / float(entry["mu"]))
    epsilons = np.array([p["epsilon"] for p in entry["profile"]])
    truth = np.array([float(p["delta"]) for p in entry["profile"]])
    # 1 / (1 / mu) may be the next double; the profile moves by no more than some hundred roundings.
    bounds = gaussian.delta_bounds(epsilon=epsilons)
    assert (bounds.lower <= truth * (1 + 1e-13)).all()
    assert (truth * (1 - 1e-13) <= bounds.upper).all()
    np.testing.assert_allclose(bounds.upper, bounds.lower, rtol=1e-10, atol=5e-324)  # 0 is bounded by the least double
