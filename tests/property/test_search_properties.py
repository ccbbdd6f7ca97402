# SPDX-License-Identifier: Apache-2.0
"""The search against one value after another, on arbitrary monotone questions."""

import math

from hypothesis import given
from hypothesis import strategies as st

from hockeystick._search import Axis, Trial, search

excesses = st.lists(
    st.one_of(st.floats(-50.0, 50.0), st.sampled_from([-math.inf, math.inf])), min_size=2, max_size=60
).map(sorted)


def table_question(table, sign):
    values = table if sign > 0 else table[::-1]
    return lambda n: Trial(n, values[n], 0.0, None)


@given(excesses, st.sampled_from([1, -1]), st.data())
def test_whole_numbers_as_one_after_another(table, sign, data):
    question = table_question(table, sign)
    start = data.draw(st.integers(1, len(table) - 1))
    found = search(question, Axis(0, len(table) - 1, sign, True), start=start, window=0.0)
    ordered = range(len(table)) if sign > 0 else range(len(table) - 1, -1, -1)
    safe = [n for n in ordered if question(n).excess <= 0.0]
    unsafe = [n for n in ordered if question(n).excess > 0.0]
    assert (found.safe and found.safe.value) == (safe[-1] if safe else None)
    assert (found.unsafe and found.unsafe.value) == (unsafe[0] if unsafe else None)


@given(
    st.floats(-20.0, 20.0),
    st.floats(0.05, 20.0),
    st.floats(-1.0, 1.0),
    st.floats(-20.0, 20.0),
    st.sampled_from([1, -1]),
    st.booleans(),
)
def test_smooth_roots_are_met_within_the_window(log_root, slope, bend, log_start, sign, safe_side_only):
    """Excess = slope (u + bend tanh u), u = sign log(x / root): monotone for a bend above -1."""

    def question(value):
        distance = sign * (math.log(value) - log_root)
        return Trial(value, slope * (distance + 0.99 * bend * math.tanh(distance)), 0.0, None)

    found = search(
        question,
        Axis(1e-12, 1e12, sign, False),
        start=math.exp(log_start),
        window=1e-8,
        slope=slope,
        safe_side_only=safe_side_only,
    )
    assert -1e-8 <= found.safe.excess <= 0.0 or found.unsafe is not None
    if not safe_side_only:
        assert found.unsafe.excess > 0.0
        resolved = abs(math.log(found.safe.value / found.unsafe.value)) <= 2e-13
        assert resolved or (found.safe.excess >= -1e-8 and found.unsafe.excess <= 1e-8)
    assert len(found.trials) <= 40
