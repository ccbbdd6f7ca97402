# SPDX-License-Identifier: Apache-2.0
"""60-digit profiles of composed mechanisms: inside every bracket, and how wide those are."""

import json
import math
from pathlib import Path

import pytest

import hockeystick as hs

ENTRIES = json.loads((Path(__file__).parent / "data" / "profiles.json").read_text())

MAKERS = {
    "laplace": lambda e: hs.Laplace(noise_multiplier=float(e["scale"])),
    "discrete_gaussian": lambda e: hs.DiscreteGaussian(sigma=float(e["sigma"]), sensitivity=e["sensitivity"]),
    "discrete_laplace": lambda e: hs.DiscreteLaplace(scale=1.0 / float(e["a"]), sensitivity=e["sensitivity"]),
    "randomized_response": lambda e: hs.RandomizedResponse(
        noise_probability=float(e["noise_probability"]), categories=e["categories"]
    ),
    "approximate_dp": lambda e: hs.ApproximateDP(epsilon=float(e["epsilon"]), delta=float(e["delta0"])),
    "gaussian": lambda e: hs.GaussianDP(mu=float(e["mu"])),
}
# Wider than this nothing may be, by default: the FFT engine's own aim, where no lattice is shared.
WIDEST = 1e-4
NARROW = 1e-9


def name_of(entry):
    return "-".join(str(value) for key, value in entry.items() if key != "profile")


def cases():
    return [(entry, point) for entry in ENTRIES for point in entry["profile"]]


def bracket(entry, epsilon, **options):
    mechanism = entry.get("steps", 1) * MAKERS[entry["mechanism"]](entry)
    return mechanism.delta_bounds(epsilon=epsilon, **options)


@pytest.mark.parametrize(
    ("entry", "point"), cases(), ids=[f"{name_of(entry)}@{point['epsilon']}" for entry, point in cases()]
)
def test_inside_and_narrow(entry, point):
    exact = float(point["delta"])
    found = bracket(entry, point["epsilon"])
    assert found.lower <= exact * (1.0 + 1e-15)
    assert found.upper >= exact * (1.0 - 1e-15)
    assert found.upper - found.lower <= WIDEST * exact + 1e-13


def test_most_are_within_a_billionth():
    widths = []
    for entry, point in cases():
        exact = float(point["delta"])
        if exact == 0.0:
            continue
        found = bracket(entry, point["epsilon"])
        widths.append((found.upper - found.lower) / exact)
    assert sum(width <= NARROW for width in widths) > 0.8 * len(widths)


def test_every_kind_is_there():
    assert {entry["mechanism"] for entry in ENTRIES} == set(MAKERS)
    assert all(math.isfinite(float(point["delta"])) for _, point in cases())
