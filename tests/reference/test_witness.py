# SPDX-License-Identifier: Apache-2.0
"""The double-precision witness against the stored values, and the true values that other tests quote."""

import json
import math
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import rule_line_float as witness
from rule_line_float import Step

ENTRIES = json.loads((Path(__file__).parent / "data" / "dpsgd.json").read_text())
# (steps, delta, epsilon): quoted in tests/unit/test_cases.py and tests/peers/test_peer_errors.py.
QUOTED = [
    ([Step(1.0, 0.01, 1000)], 1e-16, 5.16180064857),
    ([Step(0.8, 0.125, 1000)], 1e-6, 56.7259499777),
    ([Step(3.0, 0.2, 50)], 1 / 48000, 1.96081133902),
    ([Step(0.6, 0.01, 1000)], 1e-5, 7.43361382104),
    ([Step(1.1, 256 / 60000, 14063)], 1e-7, 2.98428829184),
    ([Step(4.0, 0.00033, 10000)], 1e-18, 0.0673133035776),
    ([Step(6.78, 1000 / 67349, 201)], 1 / (2 * 67349), 0.0999372727765),
    ([Step(0.901, 1024 / 14732, 42)], 2e-5, 3.99996549817),
    ([Step(1.0, 0.08, 100)], 1e-5, 5.61341862585),
]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: str(e["steps"][0]["steps"]))
def test_stored_deltas(entry):
    steps = [Step(float(s["noise_multiplier"]), float(s["sampling_rate"]), s["steps"]) for s in entry["steps"]]
    tolerance = 1e-9 if sum(s.count for s in steps) < 10**6 else 1e-6  # the losses of a step are rounded, T times
    for direction in ("remove", "add"):
        point = entry[direction]["epsilon_at_delta"][1]
        found = witness.log_delta(steps, direction, float(point["epsilon"]))
        assert found == pytest.approx(math.log(float(point["delta"])), abs=tolerance)


@pytest.mark.parametrize(("steps", "delta", "epsilon"), QUOTED)
def test_quoted_values(steps, delta, epsilon):
    found = max(witness.epsilon(steps, direction, delta) for direction in ("remove", "add"))
    assert found == pytest.approx(epsilon, rel=1e-9)


def test_refuses_what_it_cannot_do():
    with pytest.raises(ArithmeticError, match="too few steps"):
        witness.log_delta([Step(1.0, 0.001, 2)], "remove", 0.5)
