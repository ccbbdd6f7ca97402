# SPDX-License-Identifier: Apache-2.0
"""Renyi divergences against 60-digit values, and the order of all conversions on every stored composition."""

import json
from pathlib import Path

import numpy as np
import pytest

import hockeystick as hs
from hockeystick import _core
from hockeystick.renyi.answers import ledger_epsilon

DATA = Path(__file__).parent / "data"
DIVERGENCES = json.loads((DATA / "rdp.json").read_text())
COMPOSITIONS = json.loads((DATA / "dpsgd.json").read_text())


@pytest.mark.parametrize(("direction", "key"), [(0, "rdp_remove"), (1, "rdp_add")])
@pytest.mark.parametrize(
    "entry", DIVERGENCES, ids=lambda e: f"{e['noise_multiplier']}-{e['sampling_rate']}-{e['alpha']}"
)
def test_divergence(entry, direction, key):
    truth = float(entry[key])
    noise, rate = np.array([float(entry["noise_multiplier"])]), np.array([float(entry["sampling_rate"])])
    lower, upper = _core.renyi_bounds(noise, rate, np.array([float(entry["alpha"])]), direction)
    # The stored values are good to 1e-15, and so is their nearest double.
    assert lower[0] <= truth * (1 + 4e-16)
    assert truth * (1 - 4e-16) <= upper[0]
    assert upper[0] - lower[0] <= 1e-12 * truth


@pytest.mark.parametrize(
    "entry", DIVERGENCES, ids=lambda e: f"{e['noise_multiplier']}-{e['sampling_rate']}-{e['alpha']}"
)
def test_rdp_is_the_larger_direction(entry):
    step = hs.Gaussian(noise_multiplier=float(entry["noise_multiplier"])).poisson(float(entry["sampling_rate"]))
    truth = max(float(entry["rdp_remove"]), float(entry["rdp_add"]))
    assert truth * (1 - 4e-16) <= step.rdp(orders=entry["alpha"]) <= truth * (1 + 1e-10)


def mechanism_of(entry):
    return hs.compose(
        s["steps"] * hs.Gaussian(noise_multiplier=float(s["noise_multiplier"])).poisson(float(s["sampling_rate"]))
        for s in entry["steps"]
    )


@pytest.mark.parametrize("entry", COMPOSITIONS, ids=lambda e: str(e["steps"][0]))
def test_conversions_are_ordered_and_above_the_truth(entry):
    ledger, orders = mechanism_of(entry)._renyi_ledger(), hs.renyi.default_orders()
    for remove, add in zip(entry["remove"]["epsilon_at_delta"], entry["add"]["epsilon_at_delta"], strict=True):
        truth, delta = max(float(remove["epsilon"]), float(add["epsilon"])), float(remove["delta"])
        found = {name: ledger_epsilon(ledger, delta, orders, conversion=name).value for name in hs.renyi.CONVERSIONS}
        assert truth * (1 - 1e-11) <= found["optimal"] <= found["improved"] * (1 + 1e-12)
        assert found["improved"] <= found["classic"] * (1 + 1e-12)
        # No engine of its own, but never absurd either: within a factor of 2.2 here.
        assert found["optimal"] <= 2.2 * truth + 0.01


@pytest.mark.parametrize("entry", COMPOSITIONS[:6], ids=lambda e: str(e["steps"][0]))
def test_delta_is_above_the_truth(entry):
    mechanism = mechanism_of(entry)
    others = {each["epsilon"]: float(each["log_delta"]) for each in entry["add"]["log_delta_at_epsilon"]}
    for each in entry["remove"]["log_delta_at_epsilon"]:
        # Adding has no loss beyond steps * log(1/(1-q)), and no entry there.
        truth = max(float(each["log_delta"]), others.get(each["epsilon"], -np.inf))
        found = mechanism.log_delta(epsilon=float(each["epsilon"]), method="rdp")
        assert truth - 1e-9 * abs(truth) <= found <= 0.6 * truth + 1.0
