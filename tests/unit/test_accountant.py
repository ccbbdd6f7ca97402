# SPDX-License-Identifier: Apache-2.0
"""An accountant over a run's life."""

import copy
import json
import math
import pickle
import time
from pathlib import Path

import numpy as np
import pytest

import hockeystick as hs
from hockeystick import accountant as module

STATES = Path(__file__).parent / "data"
STEP = hs.Gaussian(noise_multiplier=1.0).poisson(0.01)
EIGHT = hs.Budget.epsilon(8, delta=1e-5)


def recorded():
    """The ledger that the kept state file holds."""
    accountant = hs.Accountant(budget=[hs.Budget.epsilon(8, delta=1e-5), hs.Budget.tpr(0.5, fpr=0.01)])
    accountant.step(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
    accountant.step(noise_multiplier=1.0, sampling_rate=0.01)
    accountant.compose(hs.Gaussian(noise_multiplier=4.0), 50)
    accountant.compose(hs.Gaussian(noise_multiplier=8.0) + STEP, 3)
    return accountant


def test_a_loop_and_a_plan_agree():
    accountant = hs.Accountant()
    for _ in range(100):
        accountant.step(noise_multiplier=1.0, sampling_rate=0.01)
    plan = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=100)
    assert len(accountant) == 100
    assert accountant.history == ((STEP, 100),)
    assert accountant.get_epsilon(1e-5) == plan.epsilon(delta=1e-5)
    assert accountant.get_delta(1.0) == plan.delta(epsilon=1.0)
    assert accountant.gdp() == plan.gdp()
    assert accountant.tradeoff()(0.05) == plan.tradeoff()(0.05)
    # One step more than the plan is no error.
    accountant.step(noise_multiplier=1.0, sampling_rate=0.01)
    assert accountant.get_epsilon(1e-5) > plan.epsilon(delta=1e-5)


def test_history_compresses_and_length_counts_steps():
    accountant = recorded()
    assert [count for _, count in accountant.history] == [1001, 50, 3]
    assert len(accountant) == 1001 + 50 + 6
    assert accountant.mechanism == hs.compose([1004 * STEP, 50 * hs.Gaussian(noise_multiplier=4.0)]) + 3 * hs.Gaussian(
        noise_multiplier=8.0
    )


def test_nothing_recorded_is_free():
    accountant = hs.Accountant(budget=EIGHT)
    assert accountant.get_epsilon(1e-5) == 0.0
    assert accountant.get_delta(0.0) == 0.0
    accountant.step(noise_multiplier=0.0, sampling_rate=0.5, steps=0)
    accountant.compose(STEP, 0)
    assert (len(accountant), accountant.history) == (0, ())
    steps, epsilons = accountant.epsilon_history(1e-5)
    assert steps.shape == epsilons.shape == (0,)


def test_asking_changes_nothing():
    accountant = recorded()
    before = accountant.state_dict()
    accountant.get_epsilon(1e-5)
    accountant.get_delta(1.0)
    accountant.gdp()
    accountant.tradeoff()
    accountant.epsilon_history(1e-5, points=5)
    accountant.can_afford(STEP)
    accountant.remaining(STEP)
    repr(accountant)
    accountant.history[0][0]
    assert accountant.state_dict() == before


BAD_CALLS = [
    (lambda a: a.step(noise_multiplier=-1.0), ValueError, "noise_multiplier must be finite and at least 0, got -1.0"),
    (lambda a: a.step(noise_multiplier=math.nan), ValueError, "noise_multiplier must be a number, got nan"),
    (
        lambda a: a.step(noise_multiplier=1.0, sampling_rate=1.5),
        ValueError,
        r"sampling_rate must be in \[0, 1\], got 1.5",
    ),
    (lambda a: a.step(noise_multiplier=1.0, steps=-1), ValueError, "steps must be a whole number"),
    (lambda a: a.step(noise_multiplier=1.0, steps=1.5), ValueError, "steps must be a whole number"),
    (lambda a: a.step(noise_multiplier=1.0, steps=math.inf), ValueError, "steps must be a whole number"),
    (lambda a: a.step(noise_multiplier=True), TypeError, "noise_multiplier must be a real number, got True"),
    (lambda a: a.step(noise_multiplier="1"), TypeError, "noise_multiplier must be a real number, got '1'"),
    (lambda a: a.compose(3), TypeError, "mechanism must be a Mechanism, got 3"),
    (lambda a: a.compose(STEP, 0.5), ValueError, "count must be a whole number"),
    (
        lambda a: a.compose(hs.Gaussian(noise_multiplier=1.0, relation="replace")),
        ValueError,
        "mechanism must be under the relation 'add_remove', got 'replace'",
    ),
    (lambda a: a.merge(3), TypeError, "other must be an Accountant, got 3"),
    (lambda a: a.merge(hs.Accountant(relation="replace")), ValueError, "other must be under the relation"),
    (lambda a: a.get_epsilon(1.5), ValueError, r"delta must be in \[0, 1\], got 1.5"),
    (lambda a: a.get_epsilon(math.nan), ValueError, "delta must be a number, got nan"),
    (lambda a: a.get_delta(-1.0), ValueError, "epsilon must be at least 0, got -1.0"),
    (lambda a: a.get_delta([1.0]), TypeError, "epsilon must be a real number"),
    (lambda a: a.epsilon_history(1e-5, points=0), ValueError, "points must be at least 1, got 0"),
    (lambda a: a.can_afford(3), TypeError, "next must be a Mechanism, got 3"),
    (lambda a: a.can_afford(STEP, count=-1), ValueError, "count must be a whole number"),
    (lambda a: a.remaining(hs.Gaussian(noise_multiplier=1.0, relation="replace")), ValueError, "next must be under"),
    (lambda a: a.load_state_dict(3), TypeError, "state must be a mapping, got 3"),
    (lambda a: a.load_state_dict({}), ValueError, "state must have the entry version, got none"),
    (lambda a: a.load_state_dict({**a.state_dict(), "version": 2}), ValueError, "version must be in .* got 2"),
    (lambda a: a.load_state_dict({**a.state_dict(), "extra": 2}), ValueError, "no entries but .*, got extra"),
    (lambda a: a.load_state_dict({**a.state_dict(), "history": [{"count": 1}]}), ValueError, "got none for mechanism"),
    (lambda a: a.load_state_dict({**a.state_dict(), "relation": "replace"}), ValueError, "mechanism must be under"),
]


@pytest.mark.parametrize(("call", "error", "message"), BAD_CALLS)
def test_a_failed_call_leaves_no_trace(call, error, message):
    accountant = recorded()
    before = accountant.state_dict()
    with pytest.raises(error, match=message):
        call(accountant)
    assert accountant.state_dict() == before


def test_a_state_that_breaks_half_way_changes_nothing():
    accountant, other = recorded(), recorded()
    broken = other.state_dict()
    broken["history"].append({"count": 1, "mechanism": {"kind": "unknown"}})
    accountant.step(noise_multiplier=9.0)
    before = accountant.state_dict()
    with pytest.raises(ValueError, match="kind must be one of"):
        accountant.load_state_dict(broken)
    assert accountant.state_dict() == before


def test_state_round_trip():
    accountant = recorded()
    again = hs.Accountant(relation="replace")
    again.load_state_dict(json.loads(json.dumps(accountant.state_dict(), allow_nan=False)))
    assert again.history == accountant.history
    assert again.budgets == accountant.budgets
    assert again.relation == "add_remove"
    assert again.get_epsilon(1e-5) == accountant.get_epsilon(1e-5)


@pytest.mark.parametrize("path", sorted(STATES.glob("accountant_state_*.json")), ids=lambda path: path.stem)
def test_states_of_every_released_version_are_read(path):
    """The files are kept as they were written by the version that their name says."""
    accountant = hs.Accountant()
    accountant.load_state_dict(json.loads(path.read_text()))
    assert accountant.history == recorded().history
    assert accountant.budgets == recorded().budgets
    assert accountant.get_epsilon(1e-5) == pytest.approx(8.96724, abs=1e-5)


def test_a_state_of_this_version_is_kept():
    assert (STATES / f"accountant_state_{module.STATE_VERSION}.json").exists()


@pytest.mark.parametrize("duplicate", [copy.deepcopy, hs.Accountant.copy, lambda a: pickle.loads(pickle.dumps(a))])
def test_copies_are_independent(duplicate):
    accountant = recorded()
    other = duplicate(accountant)
    assert other.state_dict() == accountant.state_dict()
    other.step(noise_multiplier=1.0)
    assert len(accountant) == len(other) - 1


def test_merging_adds_up():
    accountant, other = recorded(), hs.Accountant()
    other.step(noise_multiplier=3.0, sampling_rate=0.1, steps=10)
    expected = (accountant.mechanism + other.mechanism).epsilon(delta=1e-5)
    accountant.merge(other)
    assert accountant.get_epsilon(1e-5) == expected
    twice = len(accountant) * 2
    accountant.merge(accountant)
    assert len(accountant) == twice


def test_stops_before_the_step_that_would_exceed_the_budget():
    accountant = hs.Accountant(budget=hs.Budget.epsilon(1, delta=1e-5))
    accountant.compose(STEP, 250)
    taken = 250
    while taken < 1000 and accountant.can_afford(STEP):
        accountant.compose(STEP)
        taken += 1
    assert accountant.get_epsilon(1e-5) <= 1.0 < (accountant.mechanism + STEP).epsilon(delta=1e-5)
    assert accountant.remaining(STEP) == 0
    assert taken == hs.max_steps(epsilon=1, delta=1e-5, noise_multiplier=1.0, sampling_rate=0.01)


@pytest.mark.parametrize("budget", [EIGHT, hs.Budget.mu(2.0), hs.Budget.tpr(0.3, fpr=0.01), hs.Budget.advantage(0.4)])
@pytest.mark.parametrize("next", [STEP, hs.Gaussian(noise_multiplier=20.0), 10 * STEP])
def test_remaining_is_exact(budget, next):
    accountant = hs.Accountant(budget=budget)
    accountant.step(noise_multiplier=1.0, sampling_rate=0.01, steps=500)
    remaining = accountant.remaining(next)
    assert remaining > 0
    assert accountant.can_afford(next, count=remaining)
    assert not accountant.can_afford(next, count=remaining + 1)


def test_remaining_at_the_ends():
    accountant = hs.Accountant(budget=EIGHT)
    assert accountant.remaining(hs.Gaussian(noise_multiplier=1.0).poisson(0.0)) == 2**53
    assert accountant.remaining(hs.Gaussian(noise_multiplier=0.0)) == 0
    assert accountant.can_afford(hs.Gaussian(noise_multiplier=0.0), count=0)
    accountant.step(noise_multiplier=0.1)
    assert accountant.remaining(STEP) == 0
    assert not accountant.can_afford(STEP, count=0)


def test_a_run_may_release_more_than_updates():
    accountant = hs.Accountant(budget=hs.Budget.epsilon(3, delta=1e-6))
    accountant.step(noise_multiplier=1.0, sampling_rate=0.01, steps=500)
    query = hs.Laplace(noise_multiplier=5.0)
    remaining = accountant.remaining(query)
    accountant.compose(query, remaining)
    assert remaining > 0
    assert accountant.get_epsilon(1e-6) <= 3 < (accountant.mechanism + query).epsilon(delta=1e-6)
    again = hs.Accountant()
    again.load_state_dict(json.loads(json.dumps(accountant.state_dict())))
    assert again.get_epsilon(1e-6) == accountant.get_epsilon(1e-6)


def test_all_budgets_have_to_hold():
    tight = hs.Budget.advantage(0.1)
    both = hs.Accountant(budget=[EIGHT, tight])
    assert (
        both.remaining(STEP)
        == hs.Accountant(budget=tight).remaining(STEP)
        < hs.Accountant(budget=EIGHT).remaining(STEP)
    )
    assert not both.can_afford(STEP, count=both.remaining(STEP) + 1)


def test_a_budget_that_was_not_given_is_not_guessed():
    with pytest.raises(ValueError, match="budget must be given"):
        hs.Accountant().can_afford(STEP)
    with pytest.raises(ValueError, match="budget must be given"):
        hs.Accountant().remaining(STEP)
    with pytest.raises(TypeError, match="budget must be a Budget or several, got 8"):
        hs.Accountant(budget=8)
    with pytest.raises(TypeError, match="budget must be a Budget or several, got 8"):
        hs.Accountant(budget=[8])


def test_epsilon_history_is_what_was_known_then():
    accountant = recorded()
    steps, epsilons = accountant.epsilon_history(1e-5, points=12)
    assert steps[-1] == len(accountant)
    assert (np.diff(steps) > 0).all()
    assert (np.diff(epsilons) >= 0).all()
    at = int(np.searchsorted(steps, 500))
    assert epsilons[at] == (int(steps[at]) * STEP).epsilon(delta=1e-5)
    assert epsilons[-1] == accountant.get_epsilon(1e-5)


def test_epsilon_history_takes_every_step_of_a_short_run():
    accountant = hs.Accountant()
    accountant.compose(hs.Gaussian(noise_multiplier=10.0), 7)
    steps, epsilons = accountant.epsilon_history(1e-5)
    assert steps.tolist() == list(range(1, 8))
    assert epsilons.tolist() == [(n * hs.Gaussian(noise_multiplier=10.0)).epsilon(delta=1e-5) for n in range(1, 8)]


def test_a_step_and_its_question_cost_milliseconds_whatever_went_before():
    accountant = hs.Accountant()
    accountant.step(noise_multiplier=1.0, sampling_rate=0.01, steps=9_000)
    accountant.get_epsilon(1e-5)
    begin = time.process_time()
    for _ in range(100):
        accountant.step(noise_multiplier=1.0, sampling_rate=0.01)
        accountant.get_epsilon(1e-5)
    # 0.3 ms each of processor time.
    assert time.process_time() - begin < 0.5


def test_says_what_adaptivity_it_allows():
    assert "fixed beforehand" in recorded().adaptivity
    assert "filter" in recorded().adaptivity


def test_under_replace_a_clipped_sum_moves_twice_as_far():
    accountant = hs.Accountant(relation="replace")
    accountant.step(noise_multiplier=1.0)
    assert accountant.get_epsilon(1e-5) == pytest.approx(9.99725614643, rel=1e-11)
    assert accountant.relation == "replace"
