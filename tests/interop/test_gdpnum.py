# SPDX-License-Identifier: Apache-2.0
"""The calls of gdpnum, beside gdpnum where it is right."""

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.interop.gdpnum import PLDConverter, get_mu_and_regret_for_dpsgd


def test_mu_and_regret_are_those_of_the_run():
    fit = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000).gdp(fpr_floor=1e-6)
    assert get_mu_and_regret_for_dpsgd(1.0, 0.01, 1000, err=1e-6) == (fit.mu, fit.delta_divergence)


def test_beside_gdpnum_where_it_is_right():
    """At a floor of 1e-4 its noise in the tails does not show."""
    gdpnum = pytest.importorskip("gdpnum")
    theirs = gdpnum.dpsgd.get_mu_and_regret_for_dpsgd(1.0, 0.01, 1000, grid_step=1e-3, err=1e-4)
    ours = get_mu_and_regret_for_dpsgd(1.0, 0.01, 1000, err=1e-4)
    assert ours == pytest.approx(theirs, abs=2e-3)


def test_a_converter_beside_theirs():
    converter = pytest.importorskip("gdpnum").PLDConverter
    make = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution").from_gaussian_mechanism
    pld = make(1.0, sampling_prob=0.1, value_discretization_interval=1e-2).self_compose(10)
    ours, theirs = PLDConverter(pld), converter(pld)
    alphas = np.array([1e-3, 1e-2, 0.1, 0.3])
    assert ours.get_beta(alphas) == pytest.approx(theirs.get_beta(alphas), abs=1e-5)
    assert (
        ours.get_beta(alphas) <= hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.1, steps=10).tradeoff()(alphas) + 1e-9
    ).all()
    assert ours.get_advantage() == pytest.approx(theirs.get_advantage(), abs=1e-12)
    assert ours.get_beta().shape == theirs.get_beta().shape
    assert ours.get_mu_and_regret(1e-4) == pytest.approx(theirs.get_mu_and_regret(1e-4), abs=1e-3)
    assert ours.get_mu(1e-4) == ours.get_mu_and_regret(1e-4)[0]


def test_a_number_for_a_number():
    make = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution").from_gaussian_mechanism
    converter = PLDConverter(make(1.0, value_discretization_interval=1e-3))
    assert isinstance(converter.get_beta(0.05), float)
    assert converter.get_mu(1e-6) == pytest.approx(1.0, abs=1e-2)
    assert converter.get_mu(1e-6) >= 1.0
