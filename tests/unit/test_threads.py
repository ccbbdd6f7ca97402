# SPDX-License-Identifier: Apache-2.0
"""Threads change the time and nothing else, also in a child that was forked after they had run."""

import multiprocessing
import sys

import numpy as np
import pytest

import hockeystick as hs

SEVERAL = hs.compose(10 * hs.Gaussian(noise_multiplier=1 + 0.05 * i).poisson(0.02) for i in range(40))


def bracket(threads):
    bounds = SEVERAL.epsilon_bounds(delta=1e-6, threads=threads)
    return bounds.lower, bounds.upper, bounds.method


def test_any_number_of_threads_gives_the_same_bracket():
    assert bracket(2) == bracket(3) == bracket(1)
    alone = SEVERAL.log_delta_bounds(epsilon=[0.5, 1.0])
    several = SEVERAL.log_delta_bounds(epsilon=[0.5, 1.0], threads=2)
    np.testing.assert_array_equal(alone.lower, several.lower)
    np.testing.assert_array_equal(alone.upper, several.upper)


@pytest.mark.skipif(sys.platform == "win32", reason="no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_answers_too():
    expected = bracket(2)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply_async(bracket, (2,)).get(timeout=30) == expected


@pytest.mark.parametrize("threads", [0, -1, 1.5, 10**6])
def test_a_number_that_makes_no_sense_is_refused(threads):
    with pytest.raises(ValueError, match="threads must be"):
        SEVERAL.epsilon_bounds(delta=1e-6, threads=threads)


def test_a_wrong_kind_is_refused():
    with pytest.raises(TypeError, match="threads must be"):
        SEVERAL.epsilon_bounds(delta=1e-6, threads="2")
