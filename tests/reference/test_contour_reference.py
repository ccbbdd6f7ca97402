# SPDX-License-Identifier: Apache-2.0
"""The contour engine by itself, on the core's own functions: stored values inside, widths as documented."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from hockeystick import _core

ENTRIES = json.loads((Path(__file__).parent / "data" / "dpsgd.json").read_text())
REFERENCE_ERROR = 2e-11  # relative: one stored value of 1e7 steps is off by 1.4e-11, see docs/contour.md


def columns_of(entry):
    steps = entry["steps"]
    return (
        np.array([float(s["noise_multiplier"]) for s in steps]),
        np.array([float(s["sampling_rate"]) for s in steps]),
        np.array([int(s["steps"]) for s in steps], dtype=np.uint64),
    )


@pytest.mark.parametrize("direction", [0, 1], ids=["remove", "add"])
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: "+".join(str(s["steps"]) for s in e["steps"]))
def test_stored_values_lie_inside_narrow_brackets(entry, direction):
    columns = columns_of(entry)
    tolerance = 1e-9 if sum(columns[2]) < 10**6 else 1e-7
    stored = entry[["remove", "add"][direction]]
    for point in stored["epsilon_at_delta"]:
        lower, upper = _core.contour_epsilon_bounds(*columns, [direction], math.log(float(point["delta"])), tolerance)
        truth = float(point["epsilon"])
        assert lower <= truth * (1 + REFERENCE_ERROR)
        assert upper >= truth * (1 - REFERENCE_ERROR)
        assert upper - lower <= tolerance * truth
    epsilons = np.array([float(point["epsilon"]) for point in stored["log_delta_at_epsilon"]])
    truths = np.array([float(point["log_delta"]) for point in stored["log_delta_at_epsilon"]])
    lower, upper = _core.contour_log_delta_bounds(*columns, [direction], epsilons, tolerance)
    slack = REFERENCE_ERROR * np.abs(truths)
    assert np.all(lower <= truths + slack)
    assert np.all(upper >= truths - slack)
    assert np.all(upper - lower <= tolerance * np.maximum(1.0, np.abs(truths)))


def test_far_below_floating_point():
    columns = (np.array([1.0]), np.array([0.01]), np.array([1000], dtype=np.uint64))
    lower, upper = _core.contour_epsilon_bounds(*columns, [0], -5000.0, 1e-9)
    assert upper - lower <= 1e-9 * upper
    low, high = _core.contour_log_delta_bounds(*columns, [0], np.array([lower, upper]), 1e-9)
    assert high[0] >= -5000.0 >= low[1]


def test_refuses_what_it_cannot_certify():
    columns = (np.array([0.3]), np.array([1e-6]), np.array([20], dtype=np.uint64))
    with pytest.raises(_core.AccuracyError, match="contour"):
        _core.contour_epsilon_bounds(*columns, [0], math.log(1e-9), 1e-12)
