# SPDX-License-Identifier: Apache-2.0
"""Compositions of several kinds of releases: stored values inside narrow brackets of the contour engine."""

import json
import math
import sys
from pathlib import Path

import pytest

import hockeystick as hs

ENTRIES = json.loads((Path(__file__).parent / "data" / "mixed.json").read_text())
REFERENCE_ERROR = 1e-12

MAKERS = {
    "gaussian": lambda p: hs.Gaussian(noise_multiplier=p["noise_multiplier"]),
    "laplace": lambda p: hs.Laplace(noise_multiplier=p["scale"]),
    "approximate_dp": lambda p: hs.ApproximateDP(epsilon=p["epsilon"], delta=p["delta"]),
}


def composition(entry):
    parts = []
    for part in entry["parts"]:
        release = MAKERS[part["kind"]](part)
        parts.append(part["count"] * (release.poisson(part["sampling_rate"]) if "sampling_rate" in part else release))
    return hs.compose(parts)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: "+".join(p["kind"] for p in e["parts"]))
def test_stored_values_lie_inside_narrow_brackets(entry):
    run = composition(entry)
    for point in entry["profile"]:
        log_delta = math.log(float(point["delta"]))
        found = run.log_delta_bounds(epsilon=point["epsilon"], direction="remove")
        assert found.method == "contour"
        assert found.lower <= log_delta + REFERENCE_ERROR
        assert found.upper >= log_delta - REFERENCE_ERROR
        assert found.upper - found.lower <= 1e-9 * max(1.0, abs(log_delta))
        epsilon = run.epsilon_bounds(delta=float(point["delta"]), direction="remove")
        assert epsilon.method == "contour"
        assert epsilon.lower <= point["epsilon"] * (1 + REFERENCE_ERROR)
        assert epsilon.upper >= point["epsilon"] * (1 - REFERENCE_ERROR)
        assert epsilon.upper - epsilon.lower <= 1e-9 * point["epsilon"]
        threads = run.epsilon_bounds(delta=float(point["delta"]), direction="remove", threads=3)
        assert (threads.lower, threads.upper) == (epsilon.lower, epsilon.upper)


def test_gaussian_with_laplace_by_an_integral_over_the_laplace_loss():
    """delta = int delta_Gauss(epsilon - l) P_Laplace(dl): no contour, no transform, 30 digits."""
    mp = pytest.importorskip("mpmath")
    sys.path.insert(0, str(Path(__file__).parent))
    import rule_closed

    mu, top = mp.mpf(2), mp.mpf(1) / 2
    run = hs.Gaussian(noise_multiplier=0.5) + hs.Laplace(noise_multiplier=2.0)
    with mp.workdps(30):
        for epsilon in (0.5, 3.0, 8.0):

            def rest(loss, epsilon=epsilon):
                return rule_closed.gaussian_delta(mu, mp.mpf(epsilon) - loss)

            truth = rest(top) / 2 + mp.exp(-top) / 2 * rest(-top)
            truth += mp.quad(lambda l: mp.exp((l - top) / 2) / 4 * rest(l), [-top, 0, top])
            found = run.log_delta_bounds(epsilon=epsilon, method="contour")
            assert found.lower <= float(mp.log(truth)) <= found.upper
            assert found.upper - found.lower <= 1e-9 * max(1.0, abs(found.upper))


def test_approximate_dp_with_subsampled_gaussians_by_two_points_of_their_profile():
    run = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
    loss, infinite = 0.5, 1e-6
    both = 1000 * hs.Gaussian(noise_multiplier=1.0).poisson(0.01) + hs.ApproximateDP(epsilon=loss, delta=infinite)
    found = both.delta_bounds(epsilon=2.0, direction="remove", method="contour")
    above = run.delta_bounds(epsilon=2.0 - loss, direction="remove")
    below = run.delta_bounds(epsilon=2.0 + loss, direction="remove")
    up = (1.0 - infinite) / (1.0 + math.exp(-loss))
    down = 1.0 - infinite - up
    # (1 - e^(eps - l1 - l2))_+ averaged over both losses; the mass at infinity counts in full.
    assert found.lower <= (infinite + up * above.upper + down * below.upper) * (1 + 1e-14)
    assert found.upper >= (infinite + up * above.lower + down * below.lower) * (1 - 1e-14)
    assert found.upper - found.lower <= 1e-8 * found.upper
