# SPDX-License-Identifier: Apache-2.0
"""Senseless arguments, everywhere: TypeError or ValueError with argument, rule and value; NaN never passes."""

import math

import numpy as np
import pytest

import hockeystick as hs

RUN = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=10)
WRONG_KINDS = [True, np.True_, "1", b"1", None, [], {}, 1j, object()]
DELTA_QUESTIONS = [RUN.epsilon, RUN.epsilon_bounds]
EPSILON_QUESTIONS = [RUN.delta, RUN.delta_bounds, RUN.log_delta, RUN.log_delta_bounds]


def describe(value):
    return f"{type(value).__name__}-{value!r}"[:30]


def dpsgd(**changed):
    return hs.dpsgd(**{"noise_multiplier": 1.0, "sampling_rate": 0.01, "steps": 10, **changed})


@pytest.mark.parametrize("value", WRONG_KINDS, ids=describe)
@pytest.mark.parametrize("name", ["noise_multiplier", "sampling_rate", "steps"])
def test_dpsgd_refuses_wrong_kinds(name, value):
    with pytest.raises(TypeError, match=name):
        dpsgd(**{name: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("noise_multiplier", math.nan),
        ("noise_multiplier", math.inf),
        ("noise_multiplier", -1.0),
        ("sampling_rate", math.nan),
        ("sampling_rate", -0.01),
        ("sampling_rate", 1.0000001),
        ("sampling_rate", math.inf),
        ("steps", math.nan),
        ("steps", math.inf),
        ("steps", -1),
        ("steps", 10.5),
        ("sampling", "shuffled"),
        ("sampling", "fixed"),
        ("relation", "replace_one"),
    ],
)
def test_dpsgd_names_argument_and_value(name, value):
    with pytest.raises(ValueError, match=name) as caught:
        dpsgd(**{name: value})
    said = str(caught.value)
    assert "must" in said
    assert "got" in said
    assert (value if isinstance(value, str) else f"{value:g}").rstrip("d") in said or repr(value) in said


def test_arguments_are_keyword_only():
    with pytest.raises(TypeError):
        hs.dpsgd(1.0, 0.01, 10)
    with pytest.raises(TypeError):
        hs.Gaussian(1.0)
    with pytest.raises(TypeError):
        RUN.epsilon(1e-5)


@pytest.mark.parametrize("value", WRONG_KINDS, ids=describe)
def test_gaussian_refuses_wrong_kinds(value):
    with pytest.raises(TypeError, match="noise_multiplier"):
        hs.Gaussian(noise_multiplier=value)
    with pytest.raises(TypeError, match="sampling_rate"):
        hs.Gaussian(noise_multiplier=1.0).poisson(value)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, -1.0])
def test_gaussian_refuses_wrong_values(value):
    with pytest.raises(ValueError, match="noise_multiplier must"):
        hs.Gaussian(noise_multiplier=value)
    with pytest.raises(ValueError, match="sampling_rate must"):
        hs.Gaussian(noise_multiplier=1.0).poisson(value)


@pytest.mark.parametrize("ask", DELTA_QUESTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize(
    "value", [math.nan, -1e-5, 1.5, math.inf, np.array([1e-5, np.nan]), [], [1e-5, 2.0]], ids=describe
)
def test_delta_out_of_range(ask, value):
    with pytest.raises(ValueError, match="delta must"):
        ask(delta=value)


@pytest.mark.parametrize("ask", EPSILON_QUESTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("value", [math.nan, -0.5, -math.inf, np.array([1.0, np.nan]), [], [1.0, -2.0]], ids=describe)
def test_epsilon_out_of_range(ask, value):
    with pytest.raises(ValueError, match="epsilon must"):
        ask(epsilon=value)


@pytest.mark.parametrize("value", [True, "1e-5", None, 1j, [True], ["x"], [None], {}], ids=describe)
def test_questions_refuse_wrong_kinds(value):
    for ask in DELTA_QUESTIONS:
        with pytest.raises(TypeError, match="delta must"):
            ask(delta=value)
    for ask in EPSILON_QUESTIONS:
        with pytest.raises(TypeError, match="epsilon must"):
            ask(epsilon=value)


@pytest.mark.parametrize("ask", DELTA_QUESTIONS, ids=lambda f: f.__name__)
def test_options(ask):
    with pytest.raises(ValueError, match=r"method must be one of .*got 'magic'"):
        ask(delta=1e-5, method="magic")
    with pytest.raises(ValueError, match=r"direction must be one of .*got 'both'"):
        ask(delta=1e-5, direction="both")
    for tolerance in (0.0, -1e-3, math.nan, math.inf):
        with pytest.raises(ValueError, match="tolerance must"):
            ask(delta=1e-5, tolerance=tolerance)
    for tolerance in (True, "tight"):
        with pytest.raises(TypeError, match="tolerance must"):
            ask(delta=1e-5, tolerance=tolerance)
    with pytest.raises(TypeError, match="method must"):
        ask(delta=1e-5, method=None)


def test_closed_form_is_refused_where_there_is_none():
    with pytest.raises(ValueError, match="closed_form"):
        RUN.epsilon(delta=1e-5, method="closed_form")


def test_compose_refuses_what_is_no_mechanism():
    with pytest.raises(TypeError, match="mechanism"):
        hs.compose([RUN, 3])
    with pytest.raises(ValueError, match="at least one"):
        hs.compose([])
    with pytest.raises(TypeError):
        RUN + 1
    with pytest.raises(TypeError):
        RUN * RUN


@pytest.mark.parametrize("value", [True, "2", None, 1j], ids=describe)
def test_multiples_refuse_wrong_kinds(value):
    with pytest.raises(TypeError):
        value * RUN


@pytest.mark.parametrize("value", [-1, 1.5, math.nan, math.inf])
def test_multiples_are_whole_numbers(value):
    with pytest.raises(ValueError, match=r"whole number|must be a number"):
        value * RUN


@pytest.mark.parametrize("value", [math.nan, 0.0, -1e-3, 0.5, 1.0])
def test_gdp_floor(value):
    with pytest.raises(ValueError, match="fpr_floor must"):
        RUN.gdp(fpr_floor=value)


@pytest.mark.parametrize("value", [math.nan, -0.1, 1.1, np.array([0.1, np.nan]), []], ids=describe)
def test_curve_arguments(value):
    with pytest.raises(ValueError, match="alpha must"):
        RUN.tradeoff()(value)


def test_asking_never_changes_a_thing():
    before = repr(RUN), hash(RUN)
    with pytest.raises(ValueError, match="delta"):
        RUN.epsilon(delta=2.0)
    RUN.epsilon(delta=1e-5)
    assert (repr(RUN), hash(RUN)) == before


@pytest.mark.parametrize("number", [np.float32(0.25), np.float64(0.25), np.int64(1), 1, 0.25])
def test_numbers_of_other_types_are_taken(number):
    assert hs.dpsgd(noise_multiplier=1.0, sampling_rate=number, steps=10).epsilon(delta=1e-5) > 0
