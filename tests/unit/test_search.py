# SPDX-License-Identifier: Apache-2.0
"""The search for the two sides of a root, on questions whose root is known."""

import math

import pytest

from hockeystick._search import Axis, Trial, search


def question_of(excess, width=0.0):
    tried = []

    def question(value):
        assert value not in tried, "a value is tried once"
        tried.append(value)
        return Trial(value, excess(value), width, None)

    return question


def bisection(excess, low, high):
    """The slow reference: the largest whole number in [low, high] with excess <= 0, one at a time."""
    return max((n for n in range(low, high + 1) if excess(n) <= 0.0), default=None)


REAL = {
    "proportional": lambda x: math.log(x / 3.7),
    "power": lambda x: 2.5 * math.log(x / 3.7),
    "root with a kink": lambda x: math.log(x / 3.7) * (1.0 if x < 3.7 else 20.0),
    "flat then steep": lambda x: math.expm1(5.0 * math.log(x / 3.7)),
    "infinite beyond": lambda x: math.inf if x > 4.0 else math.log(x / 3.7),
    "minus infinity below": lambda x: -math.inf if x < 3.0 else math.log(x / 3.7),
    "a jump": lambda x: -1.0 if x <= 3.7 else 1.0,
    "all infinite": lambda x: -math.inf if x <= 3.7 else math.inf,
}


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("start", [1e-6, 1.0, 3.7, 1e5])
@pytest.mark.parametrize("name", REAL)
def test_real_roots(name, start, sign):
    excess = REAL[name] if sign > 0 else lambda x: REAL[name](1.0 / x)
    root = 3.7 if sign > 0 else 1.0 / 3.7
    found = search(question_of(excess), Axis(1e-12, 1e12, sign, False), start=start, window=1e-8)
    assert found.safe.excess <= 0.0 < found.unsafe.excess
    within = found.safe.excess >= -1e-8 and found.unsafe.excess <= 1e-8
    assert within or abs(found.safe.value / found.unsafe.value - 1.0) <= 2e-13
    low, high = sorted([found.safe.value, found.unsafe.value])
    assert low * (1 - 1e-12) <= root <= high * (1 + 1e-12)


@pytest.mark.parametrize("name", ["proportional", "power", "flat then steep"])
def test_smooth_questions_take_few_trials(name):
    found = search(question_of(REAL[name]), Axis(1e-12, 1e12, 1, False), start=3.0, window=1e-8)
    assert len(found.trials) <= 9


def test_what_no_interpolation_helps_ends_by_bisection():
    found = search(question_of(REAL["all infinite"]), Axis(1e-12, 1e12, 1, False), start=1.0, window=1e-8)
    assert len(found.trials) <= 70


def test_brackets_wider_than_the_window_end_the_search_early():
    noisy = question_of(lambda x: math.log(x / 3.7) + 1e-4 * math.sin(1e9 * x), width=1e-3)
    found = search(noisy, Axis(1e-12, 1e12, 1, False), start=1.0, window=1e-8)
    assert found.safe.excess <= 0.0 < found.unsafe.excess
    assert len(found.trials) <= 40


def test_the_end_of_certification_is_not_resolved_as_a_root():
    def question(value):
        return Trial(value, -0.5, 1e-9, None) if value <= 3.7 else Trial(value, 20.0, math.inf, None)

    found = search(question, Axis(1e-12, 1e12, 1, False), start=1.0, window=1e-8)
    assert 3.7 * (1 - 1e-3) <= found.safe.value <= 3.7 < found.unsafe.value
    assert len(found.trials) <= 20


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("start", [1, 7, 400])
@pytest.mark.parametrize("limit", [0, 1, 2, 6, 7, 8, 123, 400])
def test_whole_numbers_are_exact(limit, start, sign):
    def excess(n):
        return (math.log(max(n, 0.1) / (limit + 0.5)) if n else -1.0) * sign

    found = search(question_of(excess), Axis(0, 400, sign, True), start=start, window=0.0)
    ordered = [bisection(excess, 0, 400)] if sign > 0 else [limit + 1 if limit < 400 else None]
    assert (found.safe and found.safe.value) == ordered[0]
    if found.safe and found.unsafe:
        assert abs(found.safe.value - found.unsafe.value) == 1
        assert isinstance(found.safe.value, int)


def test_a_range_on_one_side_says_so():
    axis = Axis(0.0, 1.0, 1, False)
    assert search(question_of(lambda x: -1.0), axis, start=0.5, window=1e-8).unsafe is None
    assert search(question_of(lambda x: -1.0), axis, start=0.5, window=1e-8).safe.value == 1.0
    assert search(question_of(lambda x: 1.0), axis, start=0.5, window=1e-8).safe is None
    assert search(question_of(lambda x: 1.0), axis, start=0.5, window=1e-8).unsafe.value == 0.0


def test_a_question_that_contradicts_its_slope_still_ends():
    """Rising slower and slower towards the root: the predictions fall short."""
    found = search(
        question_of(lambda x: math.copysign(abs(math.log(x / 3.7)) ** 9, x - 3.7)),
        Axis(1e-12, 1e12, 1, False),
        start=1.0,
        window=1e-30,
    )
    assert found.safe.value <= 3.7 <= found.unsafe.value
    assert len(found.trials) <= 120
