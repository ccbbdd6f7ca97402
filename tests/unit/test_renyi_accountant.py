# SPDX-License-Identifier: Apache-2.0
"""The Renyi accountant, its orders, the filters and the table of all methods."""

import json
import math
import pickle

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.renyi import CLASSIC_GRIDS


def accountant_of(setting, **options):
    noise, rate, steps = setting
    accountant = hs.RDPAccountant(**options)
    accountant.step(noise_multiplier=noise, sampling_rate=rate, steps=steps)
    return accountant


def test_ledger():
    accountant = hs.RDPAccountant(orders=[2.0, 4.0])
    accountant.step(noise_multiplier=2.0, steps=3)
    accountant.compose(hs.ZCDP(rho=0.1), 2)
    assert len(accountant) == 5
    assert accountant.rdp == pytest.approx(accountant.orders * (3 / 8 + 0.2), rel=1e-13)
    assert dict(accountant.history) == {hs.Gaussian(noise_multiplier=2.0): 3, hs.ZCDP(rho=0.1): 2}
    with pytest.raises(ValueError, match="read-only"):
        accountant.orders[0] = 3.0
    before = accountant.rdp
    for wrong, error in [(hs.Gaussian(noise_multiplier=1.0, relation="replace"), ValueError), ("step", TypeError)]:
        with pytest.raises(error):
            accountant.compose(wrong)
    with pytest.raises(ValueError, match="noise_multiplier"):
        accountant.step(noise_multiplier=float("nan"))
    with pytest.raises(ValueError, match="delta"):
        accountant.get_epsilon(float("nan"))
    with pytest.raises(ValueError, match="count"):
        accountant.compose(hs.ZCDP(rho=0.1), -1)
    assert (accountant.rdp == before).all()
    assert len(accountant) == 5


@pytest.mark.parametrize(
    ("setting", "delta", "epsilon", "order"),
    [
        ((100.0, 1.0, 1), 1e-6, 0.03710, 397),  # .03847 on orders up to 512
        ((0.3, 1.0, 1000), 1e-6, 6105.6, 1.0496),  # 6245.9 at 1.1, the first order of classic grids
    ],
)
@pytest.mark.parametrize("orders", [None, [2.0, 3.0, 4.0], [1.1, 64.0], [1000.0, 1024.0]])
def test_the_grid_extends_itself(setting, delta, epsilon, order, orders):
    answer = accountant_of(setting, orders=orders).get_epsilon_and_order(delta)
    assert answer.value == pytest.approx(epsilon, rel=2e-4)
    assert answer.order == pytest.approx(order, rel=2e-2)


def test_an_edge_without_search_warns_and_names_the_way_out():
    accountant = accountant_of((20.0, 0.001, 1000), orders="dp_accounting")
    with pytest.warns(UserWarning, match=r"1024, is the last of `orders`: pass larger orders, or refine=True"):
        edge = accountant.get_epsilon(1e-6)
    low = accountant_of((0.3, 1.0, 1000), orders="opacus")
    with pytest.warns(UserWarning, match=r"1\.1, is the first of `orders`: pass orders nearer to 1, or refine=True"):
        low.get_epsilon(1e-6)
    refined = accountant_of((20.0, 0.001, 1000), orders="dp_accounting", refine=True).get_epsilon_and_order(1e-6)
    assert refined.order > 1500
    assert refined.value < edge
    with pytest.warns(UserWarning, match="last"):
        assert accountant.get_delta(5e-3) > 0


@pytest.mark.filterwarnings("ignore:the best order")
def test_floor_of_orders():
    """Orders up to 64 cannot reach epsilon .1 at delta 1/134698 with any noise; extended, sigma 6.78 is near enough."""
    delta = 1 / (2 * 67349)
    short = accountant_of((28_000.0, 1000 / 67349, 201), orders=range(2, 65), refine=False, conversion="improved")
    with pytest.warns(UserWarning, match="64, is the last"):
        answer = short.get_epsilon_and_order(delta)
    assert answer.floor == pytest.approx(0.106, abs=5e-4)
    assert answer.value == pytest.approx(answer.floor, rel=1e-6)
    # The optimal conversion has no such floor, but gains it only with noise beyond all use.
    optimal = accountant_of((28_000.0, 1000 / 67349, 201), orders=range(2, 65), refine=False)
    assert optimal.get_epsilon(delta) == 0.0
    assert accountant_of((8.0, 1000 / 67349, 201), orders=range(2, 65), refine=False).get_epsilon(delta) > 0.1
    long = accountant_of((8.0, 1000 / 67349, 201), orders=range(2, 65)).get_epsilon_and_order(delta)
    assert long.value < 0.1 < long.floor
    assert long.order > 64


def test_far_down_and_monotone():
    """sigma 4, rate .00033, 10 000 steps at delta 1e-18: at most .1457, and no jumps on the way."""
    accountant = accountant_of((4.0, 0.00033, 10_000))
    found = [accountant.get_epsilon(delta) for delta in (1e-6, 1e-10, 1e-14, 1e-16, 1e-18, 1e-20)]
    assert all(np.diff(found) > 0)
    assert 0.0673 < found[4] <= 0.1457


def test_refining_never_gives_more():
    for setting in [(1.0, 0.01, 1000), (0.7, 0.1, 30), (5.0, 1.0, 10)]:
        coarse = hs.RDPAccountant(orders="opacus", conversion="improved")
        fine = hs.RDPAccountant(orders="opacus", conversion="improved", refine=True)
        for accountant in (coarse, fine):
            accountant.step(noise_multiplier=setting[0], sampling_rate=setting[1], steps=setting[2])
        assert fine.get_epsilon(1e-5) <= coarse.get_epsilon(1e-5)
        assert fine.get_delta(1.0) <= coarse.get_delta(1.0)


def test_classic_grids():
    assert [len(grid) for grid in CLASSIC_GRIDS.values()] == [72, 151, 156]
    assert hs.RDPAccountant(orders="opacus").orders[-1] == 63.0
    assert hs.RDPAccountant(orders="tf_privacy").orders[0] == 1.25


def test_nothing_and_everything():
    accountant = hs.RDPAccountant()
    assert accountant.get_epsilon(0.0) == 0.0
    assert accountant.get_delta(0.0) == 0.0
    accountant.step(noise_multiplier=0.0)
    assert accountant.get_epsilon(0.1) == math.inf
    assert accountant.get_delta(100.0) == 1.0
    pure = hs.RDPAccountant()
    pure.compose(hs.RenyiCurve(orders=[math.inf], values=[0.5]), 3)
    assert pure.get_epsilon(0.0) == pytest.approx(1.5)
    assert pure.get_delta(1.6) == 0.0


def test_state():
    accountant = accountant_of((1.0, 0.01, 1000), orders="opacus", conversion="improved")
    accountant.compose(hs.ZCDP(rho=0.01))
    state = json.loads(json.dumps(accountant.state_dict()))
    other = hs.RDPAccountant()
    other.load_state_dict(state)
    assert other.get_epsilon(1e-5) == accountant.get_epsilon(1e-5)
    assert other.state_dict() == accountant.state_dict()
    assert pickle.loads(pickle.dumps(accountant)).get_epsilon(1e-5) == accountant.get_epsilon(1e-5)
    with pytest.raises(ValueError, match="version"):
        other.load_state_dict({**state, "version": 2})
    with pytest.raises((ValueError, KeyError, TypeError)):
        other.load_state_dict({**state, "history": [{"count": 1, "version": 1, "mechanism": {"kind": "unknown"}}]})
    assert other.state_dict() == accountant.state_dict()


def test_renyi_filter_holds_its_budget():
    allowed = hs.RenyiFilter.for_epsilon(epsilon=1.0, delta=1e-5)
    gaussian = hs.Gaussian(noise_multiplier=5.0)
    passed = 0
    while allowed.can_afford(gaussian):
        allowed.spend(gaussian)
        passed += 1
    assert passed == len(allowed) > 0
    assert allowed.guarantee(1e-5).value <= 1.0
    assert allowed.guarantee(1e-5).value == pytest.approx(1.0, rel=1e-6)
    assert allowed.spent[0] <= allowed.budgets[0] < allowed.spent[0] + gaussian.rdp(orders=allowed.orders)[0]
    with pytest.raises(ValueError, match="budget that is left"):
        allowed.spend(gaussian)
    assert len(allowed) == passed
    # What passed is below the budget that was promised.
    assert (passed * gaussian).epsilon(delta=1e-5) <= 1.0


def test_renyi_filter_of_several_orders_keeps_all_of_them():
    allowed = hs.RenyiFilter(orders=[2.0, 8.0], budgets=[1.0, 2.0])
    assert allowed.can_afford(hs.ZCDP(rho=0.25))
    assert not allowed.can_afford(hs.ZCDP(rho=0.26))  # 8 * .26 > 2
    allowed.spend(hs.ZCDP(rho=0.01), count=10)
    assert allowed.spent == pytest.approx([0.2, 0.8])
    assert allowed.can_afford(hs.ZCDP(rho=0.01), count=15)
    assert not allowed.can_afford(hs.ZCDP(rho=0.01), count=16)
    with pytest.raises(ValueError, match="relation"):
        allowed.can_afford(hs.ZCDP(rho=0.01, relation="replace"))
    with pytest.raises(ValueError, match="orders must be above 1"):
        hs.RenyiFilter(orders=[1.0], budgets=[1.0])
    with pytest.raises(ValueError, match="order must be above 1"):
        hs.RenyiFilter.for_epsilon(epsilon=0.01, delta=1e-9, order=1.0)


def test_gdp_filter():
    allowed = hs.GDPFilter(mu=1.0)
    allowed.spend(hs.Gaussian(noise_multiplier=2.0), count=3)
    assert allowed.spent == pytest.approx(math.sqrt(0.75))
    allowed.spend(hs.Gaussian(noise_multiplier=2.0))  # filled exactly
    assert not allowed.can_afford(hs.Gaussian(noise_multiplier=1000.0))
    assert len(allowed) == 4
    assert allowed.guarantee(1e-5) == pytest.approx(hs.Gaussian(noise_multiplier=1.0).epsilon(delta=1e-5), rel=1e-12)
    # No amplification: what is sampled counts as if it were not.
    sampled = hs.GDPFilter(mu=1.0)
    assert not sampled.can_afford(hs.Gaussian(noise_multiplier=0.9).poisson(0.001))
    with pytest.raises(ValueError, match="finite mu"):
        sampled.can_afford(hs.ZCDP(rho=1e-6))
    assert sampled.can_afford(hs.ZCDP(rho=1e-6), count=0)


def test_pld_filter_is_refused_with_the_reason():
    with pytest.raises(NotImplementedError, match="pairs of a composition must be fixed beforehand; use RenyiFilter"):
        hs.PLDFilter(epsilon=1.0, delta=1e-5)


def test_explain_of_a_setting_that_practitioners_quote():
    """Basic composition over 1000, Renyi below 10, the exact value lower still."""
    run = hs.dpsgd(noise_multiplier=0.8, sampling_rate=512 / 162770, steps=30_000)
    table = run.explain(delta=1e-6)
    assert table["basic_composition"].epsilon > 1000
    assert table["renyi_improved"].epsilon < 10
    order = [
        "basic_composition",
        "advanced_composition",
        "renyi_classic",
        "renyi_tf_privacy",
        "renyi_improved",
        "renyi_optimal",
        "fft",
        "exact",
        "exact_lower",
    ]
    found = [table[key].epsilon for key in order]
    assert all(np.diff(found) < 1e-9)
    assert {row.kind for row in table if row.key != "clt_gdp"} == {"upper bound", "lower bound"}
    assert table["clt_gdp"].kind == "estimate, no bound"
    assert table["clt_gdp"].epsilon < table["exact_lower"].epsilon
    text = str(table)
    assert len(text.splitlines()) == len(table.rows) + 2
    assert "estimate, no bound" in text
    assert json.loads(json.dumps(table.to_dict()))["rows"][0]["key"] == "basic_composition"


def test_explain_says_where_a_grid_ends():
    table = hs.dpsgd(noise_multiplier=20.0, sampling_rate=0.001, steps=1000).explain(delta=1e-6)
    assert table["renyi_opacus"].note == "its last order: a larger one is better"
    assert table["renyi_opacus"].epsilon > 5 * table["renyi_improved"].epsilon
    low = hs.dpsgd(noise_multiplier=0.3, sampling_rate=1.0, steps=1000).explain(delta=1e-6)
    assert low["renyi_dp_accounting"].note == "its first order: a smaller one is better"
    assert low["renyi_improved"].note == ""


def test_explain_of_what_is_known_by_its_curve():
    table = (hs.ZCDP(rho=0.02) + hs.Gaussian(noise_multiplier=3.0)).explain(delta=1e-5)
    assert table.loose == (repr(hs.ZCDP(rho=0.02)),)
    assert "ZCDP(rho=0.02" in str(table)
    assert table["zcdp_closed"].epsilon >= table["renyi_optimal"].epsilon
    assert table["exact_parts"].kind == "lower bound"
    assert table["exact_parts"].epsilon < table["mixed"].epsilon < table["renyi_optimal"].epsilon
    with pytest.raises(KeyError):
        table["exact"]
    with pytest.raises(ValueError, match="delta"):
        hs.ZCDP(rho=0.02).explain(delta=0.0)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda state: 3, TypeError, "state must be a mapping, got 3"),
        (lambda state: {}, ValueError, "state must have the entry version, got none"),
        (lambda state: {**state, "version": 99}, ValueError, "version must be in .* got 99"),
        (lambda state: {**state, "extra": 2}, ValueError, "got extra"),
        (lambda state: {**state, "history": [3]}, TypeError, "an entry of the history must be a mapping, got 3"),
        (lambda state: {**state, "history": [{}]}, ValueError, "must have a count"),
        (lambda state: {**state, "orders": [0.5]}, ValueError, "orders must be at least 1"),
        (lambda state: {**state, "relation": "replace"}, ValueError, "mechanism must be under"),
    ],
)
def test_a_broken_state_is_refused_and_nothing_changes(change, error, message):
    accountant = hs.RDPAccountant()
    accountant.compose(hs.Gaussian(noise_multiplier=2.0), 3)
    before = accountant.state_dict()
    with pytest.raises(error, match=message):
        accountant.load_state_dict(change(before))
    assert accountant.state_dict() == before
