# SPDX-License-Identifier: Apache-2.0
"""compare: orderings that are known, crossings at known places, what must not be told, input contract."""

import json
import math

import numpy as np
import pytest
from scipy import optimize, special

import hockeystick as hs
from hockeystick import TradeoffCurve

RUN = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)


def test_a_run_is_ordered_against_the_gaussian_of_its_own_mu():
    fit = RUN.gdp(fpr_floor=1e-10)
    result = hs.compare({"run": RUN, "gaussian": hs.Gaussian(noise_multiplier=1.0 / fit.mu)})
    assert result.ordering("run", "gaussian").verdict == "stronger"
    assert result.ordering("run", "gaussian").sentence == (
        "run is at least as private as gaussian at every false-positive rate from 1e-10 on, under add_remove."
    )
    # A floor farther down shows what a mu above a floor leaves out.
    deeper = hs.compare({"run": RUN, "gaussian": hs.Gaussian(noise_multiplier=1.0 / fit.mu)}, fpr_floor=1e-14)
    (rate,) = deeper.ordering("run", "gaussian").fpr_crossings
    assert rate[0] <= 1e-10 * (1 + 1e-6)
    assert rate[1] >= 1e-10 * (1 - 1e-6)


@pytest.mark.parametrize("mu", [0.43, 0.45, 0.48])
def test_crossing_of_a_run_and_a_gaussian(mu):
    """The implied mu of a subsampled run grows as the rate falls: it meets a Gaussian's where the two are equal."""
    result = hs.compare({"run": RUN, "gaussian": hs.Gaussian(noise_multiplier=1.0 / mu)})
    order = result.ordering("run", "gaussian")
    assert order.verdict == "crossing"
    ((low, high),) = order.fpr_crossings
    assert high / low < 1.005
    # At the crossing the run's mu above that floor is the Gaussian's.
    assert RUN.gdp(fpr_floor=high).mu_lower <= mu * (1 + 1e-5)
    assert RUN.gdp(fpr_floor=low).mu >= mu * (1 - 1e-5)
    ((below, above),) = order.epsilon_crossings
    assert above - below < 1e-3
    gaussian = hs.Gaussian(noise_multiplier=1.0 / mu)
    assert RUN.log_delta(epsilon=below * 0.999) < gaussian.log_delta(epsilon=below * 0.999)
    assert RUN.log_delta(epsilon=above * 1.001) > gaussian.log_delta(epsilon=above * 1.001)


def test_crossing_in_closed_form():
    """Randomized response with 0.6 against a Gaussian of mu 0.49: the line and the curve meet where they are equal."""
    mu, slope = 0.49, 1.5
    response = TradeoffCurve.from_distributions(p=[0.6, 0.4], q=[0.4, 0.6])
    order = hs.compare({"response": response, "gaussian": TradeoffCurve.gaussian(mu=mu)}).orderings[0]
    assert order.verdict == "crossing"
    rate = optimize.brentq(lambda a: 1 - slope * a - special.ndtr(-special.ndtri(a) - mu), 0.2, 0.4, xtol=1e-14)
    ((low, high),) = order.fpr_crossings
    assert low <= rate <= high
    assert high - low < 1e-3

    def delta(e):
        return special.ndtr(mu / 2 - e / mu) - math.exp(e) * special.ndtr(-mu / 2 - e / mu)

    epsilon = optimize.brentq(lambda e: delta(e) - (1.5 - math.exp(e)) / 2.5, 0.05, 0.3, xtol=1e-14)
    ((low, high),) = order.epsilon_crossings
    assert low <= epsilon <= high
    assert high - low < 1e-3


def test_equal_ones_are_not_ordered():
    result = hs.compare({"a": RUN, "b": hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)})
    order = result.orderings[0]
    assert order.verdict == "not resolved"
    assert "equal up to 0.001" in order.sentence


def test_wide_brackets_are_not_ordered():
    """Curves known from above only, or at two points, do not claim an order."""
    loose = TradeoffCurve.from_profile(epsilon=[0.0, 1.0], log_delta_upper=[-1.0, -8.0])
    order = hs.compare({"run": RUN, "loose": loose}).orderings[0]
    assert order.verdict == "not resolved"
    assert "not resolved" in order.sentence


def test_orders_are_consistent():
    guarantees = {f"sigma {s}": hs.Gaussian(noise_multiplier=s) for s in (3.0, 2.0, 1.0)}
    result = hs.compare(guarantees, deltas=(1e-3, 1e-9))
    assert [each.verdict for each in result.orderings] == ["stronger"] * 3
    back = hs.compare(dict(reversed(list(guarantees.items()))))
    assert [each.verdict for each in back.orderings] == ["weaker"] * 3
    assert [len(row.epsilons) for row in result.rows] == [2, 2, 2]
    for row, (name, mechanism) in zip(result.rows, guarantees.items(), strict=True):
        assert row.name == name
        assert row.epsilons == tuple(mechanism.epsilon(delta=d) for d in (1e-3, 1e-9))
        assert row.advantage == mechanism.advantage()
        assert row.fit.mu == pytest.approx(1.0 / mechanism.noise_multiplier, rel=1e-14)
    with pytest.raises(KeyError):
        result.ordering("sigma 1.0", "sigma 3.0")


def test_curves_are_compared_like_mechanisms():
    strong, weak = TradeoffCurve.gaussian(mu=1.0), TradeoffCurve.gaussian(mu=1.002)
    assert hs.compare({"a": strong, "b": weak}).orderings[0].verdict == "stronger"
    wrong = hs.compare({"a": strong, "b": TradeoffCurve.gaussian(mu=1.0001)}).orderings[0]
    assert wrong.verdict in ("stronger", "not resolved")


def test_text_and_dict():
    result = hs.compare({"run": RUN, "release": hs.Gaussian(noise_multiplier=1.0)})
    text = str(result)
    assert "run is at least as private as release" in text
    assert "Upper bounds under add_remove" in text
    data = json.loads(json.dumps(result.to_dict()))
    assert data["orderings"][0]["verdict"] == "stronger"
    assert data["guarantees"][0]["mu"] == result.rows[0].fit.mu
    assert data["format"] == "hockeystick.comparison/1"


@pytest.mark.parametrize(
    ("guarantees", "options", "error", "message"),
    [
        ({"a": RUN}, {}, ValueError, "at least two, got 1"),
        ([RUN, RUN], {}, TypeError, "mapping of names"),
        ({"a": RUN, "b": 3.0}, {}, ValueError, "share one relation"),
        ({"a": RUN, "b": hs.Gaussian(noise_multiplier=1.0, relation="replace")}, {}, ValueError, "share one relation"),
        ({"a": RUN, "b": RUN}, {"fpr_floor": 0.0}, ValueError, "fpr_floor must be in"),
        ({"a": RUN, "b": RUN}, {"tolerance": 0.0}, ValueError, "tolerance must be finite and above 0"),
        ({"a": RUN, "b": RUN}, {"deltas": [2.0]}, ValueError, "deltas must be in"),
        ({"a": RUN, "b": RUN}, {"deltas": [np.nan]}, ValueError, "deltas must be a number"),
    ],
)
def test_refuses(guarantees, options, error, message):
    with pytest.raises(error, match=message):
        hs.compare(guarantees, **options)
