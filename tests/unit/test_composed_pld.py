# SPDX-License-Identifier: Apache-2.0
"""The composed law on a grid dominates, and its error is that of the grid, paid once."""

import math

import numpy as np
import pytest

import hockeystick as hs

RUN = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)


def profile(law, step, epsilon):
    """delta(epsilon) of one direction by its definition."""
    losses = step * (law.first + np.arange(law.masses.size))
    above = losses > epsilon
    return law.infinity_mass + float(np.sum(-np.expm1(epsilon - losses[above]) * law.masses[above]))


@pytest.mark.parametrize("direction", ["remove", "add"])
@pytest.mark.parametrize("step", [1e-3, 1e-2])
def test_the_law_dominates_the_composition_closely(direction, step):
    law = getattr(RUN.pld(step=step, composed=True), direction)
    for epsilon in (-1.2345, -0.2003, 0.0, 0.33337, 1.0, 2.7182, 4.4449):
        if epsilon < 0:  # through the other direction: delta(eps) = 1 - e^eps + e^eps delta'(-eps)
            other = "add" if direction == "remove" else "remove"
            truth = -math.expm1(epsilon) + math.exp(epsilon) * RUN.delta_bounds(epsilon=-epsilon, direction=other).lower
        else:
            truth = RUN.delta_bounds(epsilon=epsilon, direction=direction).lower
        found = profile(law, step, epsilon)
        assert truth * (1 - 1e-14) <= found
        assert found <= truth * (1 + 200 * step**2) + 1e-13
    assert 1 - 1e-13 <= law.masses.sum() + law.infinity_mass <= 1 + 1e-10
    assert (law.masses >= 0).all()


def test_the_error_of_the_grid_is_paid_once():
    truth = 1.82823666651657573
    composed = RUN.pld(step=1e-3, composed=True).epsilon(delta=1e-5)
    one_by_one = RUN.pld(step=1e-3).epsilon(delta=1e-5)
    assert truth <= composed <= truth * (1 + 1e-6)
    assert composed - truth < 0.01 * (one_by_one - truth)


def test_different_releases_are_composed():
    several = RUN + 5 * hs.Gaussian(noise_multiplier=3.0)
    epsilon = several.pld(step=1e-3, composed=True).epsilon(delta=1e-6)
    bounds = several.epsilon_bounds(delta=1e-6)
    assert bounds.lower <= epsilon <= bounds.upper * (1 + 1e-5)


def test_what_cannot_be_composed_is_refused():
    with pytest.raises(ValueError, match="composed PLD needs Gaussian"):
        (RUN + hs.Laplace(noise_multiplier=2.0)).pld(composed=True)
    with pytest.raises(hs.AccuracyError, match="too long"):
        RUN.pld(step=1e-9, composed=True)
