# SPDX-License-Identifier: Apache-2.0
"""A slice of the campaign over random settings; `tests/campaign/run.py` goes on from there for hours."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "campaign"))  # scripts, not a package

import checks
import settings

import hockeystick as hs
from hockeystick import Bounds


@pytest.mark.parametrize("first", range(1, 200, 20))
def test_every_engine_agrees(first):
    for number in range(first, first + 20):
        _, mechanism, random = settings.draw(number)
        checks.check(mechanism, random, thorough=False, curve=False)


@pytest.mark.parametrize("kind", [settings.short_run, settings.plain_releases, settings.beside])
def test_every_answer_agrees_with_the_others(kind):
    random = settings.Random(7)
    checks.check(kind(random), random, thorough=True, curve=kind is settings.beside)


def test_every_kind_can_be_drawn():
    for kind in settings.KINDS:
        for seed in range(20):
            kind(settings.Random(seed))._terms()


def test_a_wrong_bracket_is_a_violation():
    with pytest.raises(checks.Violation):
        checks.overlap("", Bounds(0.0, 1.0, "fft"), Bounds(2.0, 3.0, "contour"))
    with pytest.raises(checks.Violation):
        checks.asked(lambda: Bounds(float("nan"), 1.0, "fft"))
    assert checks.asked(lambda: hs.Gaussian(noise_multiplier=1.0).epsilon_bounds(delta=0.1)) is not None
