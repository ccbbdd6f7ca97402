# SPDX-License-Identifier: Apache-2.0
"""Quantities and budgets as values."""

import json
import math
import pickle

import pytest

import hockeystick as hs

GAUSSIAN = hs.Gaussian(noise_multiplier=1.0)
RUN = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)

# quantity of one Gaussian of mu 1, and its value by the closed form
CLOSED = [
    (hs.Quantity.epsilon(delta=1e-5), 4.377178095681225),
    (hs.Quantity.delta(epsilon=0.0), 0.3829249225480262),
    (hs.Quantity.advantage(), 0.3829249225480262),
    (hs.Quantity.mu(), 1.0),
    (hs.Quantity.tpr(fpr=0.05), 1 - 0.7404889771615634),
    (hs.Quantity.fnr(fpr=0.05), 0.7404889771615634),
    (hs.Quantity.renyi(order=8), 4.0),
]


@pytest.mark.parametrize(("quantity", "value"), CLOSED, ids=[str(q) for q, _ in CLOSED])
def test_closed_forms_are_bracketed(quantity, value):
    bounds = quantity.bounds(GAUSSIAN)
    assert bounds.lower <= value * (1 + 1e-13)
    assert value * (1 - 1e-13) <= bounds.upper
    assert bounds.upper - bounds.lower <= (math.inf if quantity.name == "renyi" else 2e-3 * value)
    assert bounds.upper == pytest.approx(value, rel=2e-3)
    assert quantity.guarantee(bounds) == (bounds.lower if quantity.name == "fnr" else bounds.upper)


def test_the_floor_free_mu_is_a_guarantee():
    quantity = hs.Quantity.mu(delta0=1e-6)
    lower, mu = quantity.bounds(RUN)
    fit = RUN.gdp(delta0=1e-6)
    assert (lower, mu) == (fit.mu_delta0_lower, fit.mu_delta0)
    for epsilon in (0.0, 1.0, 2.0):
        gaussian = hs.Gaussian(noise_multiplier=1.0 / mu).delta(epsilon=epsilon)
        assert RUN.delta_bounds(epsilon=epsilon).lower <= 1e-6 + (1 - 1e-6) * gaussian


BUDGETS = [
    hs.Budget.epsilon(8, delta=1e-5),
    hs.Budget.delta(1e-5, epsilon=8),
    hs.Budget.mu(1.5),
    hs.Budget.mu(1.5, fpr_floor=1e-6),
    hs.Budget.mu(1.5, delta0=1e-8),
    hs.Budget.advantage(0.5),
    hs.Budget.tpr(0.2, fpr=0.01),
    hs.Budget.fnr(0.8, fpr=0.01),
    hs.Budget.renyi(2.0, order=8),
]


@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_values(budget):
    assert hs.Budget.from_dict(json.loads(json.dumps(budget.to_dict()))) == budget
    assert pickle.loads(pickle.dumps(budget)) == budget
    assert eval(repr(budget), {"Budget": hs.Budget}) == budget
    assert len({budget, hs.Budget.from_dict(budget.to_dict())}) == 1


@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_excess_agrees_with_the_limit(budget):
    safer, worse = (1.01, 0.99) if budget.quantity.larger_is_safer else (0.99, 1.01)
    limit = budget.limit
    assert budget.accepts(limit)
    assert budget.accepts(safer * limit)
    assert not budget.accepts(worse * limit)
    assert budget.excess(limit) == 0.0
    assert budget.excess(safer * limit) < 0.0 < budget.excess(worse * limit)
    # One unit in the last place over the limit is over it, however the coordinate rounds.
    over = math.nextafter(limit, 0.0 if budget.quantity.larger_is_safer else 1e9)
    assert budget.excess(over) > 0.0
    assert budget.window(0.01) == pytest.approx(-budget.excess(safer * limit))


def test_the_ends_of_the_scale():
    budget = hs.Budget.epsilon(1.0, delta=1e-5)
    assert budget.excess(0.0) == -math.inf
    assert budget.excess(math.inf) == math.inf
    assert hs.Budget.epsilon(0, delta=0.1).excess(0.0) == 0.0
    assert hs.Budget.epsilon(0, delta=0.1).excess(1e-300) == math.inf
    assert hs.Budget.delta(1e-5, epsilon=1).excess(0.0) == -math.inf
    assert hs.Budget.delta(1e-5, epsilon=1).excess(1.0) == math.inf


def test_allows():
    assert hs.Budget.epsilon(4.38, delta=1e-5).allows(GAUSSIAN)
    assert not hs.Budget.epsilon(4.37, delta=1e-5).allows(GAUSSIAN)
    assert hs.Budget.fnr(0.74, fpr=0.05).allows(GAUSSIAN)
    assert not hs.Budget.fnr(0.7405, fpr=0.05).allows(GAUSSIAN)
    assert not hs.Budget.epsilon(1e6, delta=1e-5).allows(hs.Gaussian(noise_multiplier=0.0))


class Uncertified:
    def epsilon_bounds(self, *, delta):
        raise hs.AccuracyError("no engine")


def test_what_cannot_be_certified_is_not_allowed():
    assert not hs.Budget.epsilon(8, delta=1e-5).allows(Uncertified())


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: hs.Budget.epsilon(-1, delta=1e-5), ValueError, "limit must be finite and at least 0, got -1"),
        (lambda: hs.Budget.epsilon(math.inf, delta=1e-5), ValueError, "limit must be finite"),
        (lambda: hs.Budget.epsilon(math.nan, delta=1e-5), ValueError, "limit must be a number, got nan"),
        (lambda: hs.Budget.epsilon(True, delta=1e-5), TypeError, "limit must be a real number, got True"),
        (lambda: hs.Budget.epsilon("8", delta=1e-5), TypeError, "limit must be a real number, got '8'"),
        (lambda: hs.Budget.epsilon(8, delta=1.5), ValueError, r"delta must be in \[0, 1\], got 1.5"),
        (lambda: hs.Budget.delta(1.5, epsilon=8), ValueError, r"limit must be in \[0, 1\], got 1.5"),
        (lambda: hs.Budget.mu(1, fpr_floor=0.0), ValueError, r"fpr_floor must be in \(0, 1\), got 0.0"),
        (lambda: hs.Budget.mu(1, fpr_floor=0.1, delta0=0.1), ValueError, "fpr_floor must be left out"),
        (lambda: hs.Budget.renyi(1, order=1.0), ValueError, "order must be above 1, got 1.0"),
        (lambda: hs.Quantity(name="sigma"), ValueError, "name must be one of"),
        (lambda: hs.Quantity(name="epsilon"), ValueError, "conditions must be delta for epsilon, got none"),
        (
            lambda: hs.Quantity(name="advantage", conditions=(("delta", 0.1),)),
            ValueError,
            "conditions must be none for advantage, got delta",
        ),
        (lambda: hs.Budget(quantity="epsilon", limit=1.0), TypeError, "quantity must be a Quantity, got 'epsilon'"),
        (lambda: hs.Budget.from_dict(3), TypeError, "budget must be a mapping, got 3"),
        (lambda: hs.Budget.from_dict({"quantity": "epsilon"}), ValueError, "budget must have the entry limit"),
        (lambda: hs.Budget.from_dict({"limit": 1}), ValueError, "quantity must have the entries quantity"),
        (
            lambda: hs.Budget.from_dict({"limit": 1, "quantity": "advantage", "sigma": 1}),
            ValueError,
            "got sigma",
        ),
        (lambda: hs.Quantity.from_dict(3), TypeError, "quantity must be a mapping, got 3"),
    ],
)
def test_what_is_refused(make, error, message):
    with pytest.raises(error, match=message):
        make()
