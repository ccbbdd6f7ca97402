# SPDX-License-Identifier: Apache-2.0
"""The stored values, by independent rules: a few here, every file by `make_reference.py --full`."""

import sys
from pathlib import Path

import pytest

mp = pytest.importorskip("mpmath")
sys.path.insert(0, str(Path(__file__).parent))  # the rules are modules beside this file

import make_reference
import rule_convolution


def assert_all_agree(comparisons, at_least):
    comparisons = list(comparisons)
    assert len(comparisons) >= at_least
    assert [f"{c.what}: off by {mp.nstr(c.error, 3)}" for c in comparisons if not c.agrees] == []


@pytest.fixture(autouse=True)
def forty_digits():
    with mp.workdps(40):
        yield


@pytest.mark.parametrize("number", [0, 1, 3, 6, 8, 9, 11, 12, 13, 14, 15])
def test_profiles(number):
    assert_all_agree(make_reference.check_profiles({number}), 6)


@pytest.mark.parametrize("number", [1, 2, 9])
def test_renyi(number):
    assert_all_agree(make_reference.check_renyi({number}), 2)


def test_rate_one_is_a_plain_gaussian():
    assert_all_agree(make_reference.check_plain_gaussian(), 30)


def test_fifty_steps_by_convolution():
    assert_all_agree(make_reference.check_by_convolution(6, "0.01", "1e-8"), 30)


def test_fifty_steps_by_line_integral():
    with mp.workdps(18):
        assert_all_agree(make_reference.check_by_line(6, 1), 2)


def test_a_wrong_value_is_noticed():
    """The comparison is not vacuous: a relative change of 1e-10 in a stored value fails it."""
    (first, *_) = make_reference.check_plain_gaussian()
    wrong = make_reference.Comparison(
        first.what, first.stored * (1 + mp.mpf("1e-10")), first.recomputed, first.tolerance
    )
    assert first.agrees
    assert not wrong.agrees


def test_convolution_counts_its_own_sampling_error():
    coarse = rule_convolution.sample_one_step("3", "0.2", "0.02")
    fine = rule_convolution.sample_one_step("3", "0.2", "0.01")
    assert rule_convolution.total_mass_defect(fine) < 1e-12 < rule_convolution.total_mass_defect(coarse)
