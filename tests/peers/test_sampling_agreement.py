# SPDX-License-Identifier: Apache-2.0
"""dp-accounting on the sampling schemes that both have: inside both brackets, or below where its pair is a wider one."""

import pytest

import hockeystick as hs

dp_accounting = pytest.importorskip("dp_accounting")
pld_privacy_accountant = pytest.importorskip("dp_accounting.pld.pld_privacy_accountant")

RELATIONS = {
    "add_remove": dp_accounting.NeighboringRelation.ADD_OR_REMOVE_ONE,
    "replace": dp_accounting.NeighboringRelation.REPLACE_ONE,
}
# Its grid rounds losses up, by 1e-4 a step at the very most.
WIDTH = 5e-3


def peer_epsilon(event, count, relation, delta):
    accountant = pld_privacy_accountant.PLDAccountant(RELATIONS[relation], value_discretization_interval=1e-3)
    accountant.compose(event, count)
    return accountant.get_epsilon(delta)


@pytest.mark.parametrize(("sigma", "rate", "steps"), [(1.0, 0.01, 100), (2.0, 0.1, 50), (0.7, 0.5, 3)])
def test_poisson_sampling_under_replace(sigma, rate, steps):
    event = dp_accounting.PoissonSampledDpEvent(rate, dp_accounting.GaussianDpEvent(sigma))
    peer = peer_epsilon(event, steps, "replace", 1e-5)
    bounds = hs.dpsgd(noise_multiplier=sigma, sampling_rate=rate, steps=steps, relation="replace").epsilon_bounds(
        delta=1e-5
    )
    assert bounds.lower <= peer
    assert bounds.upper <= peer * (1 + WIDTH)
    assert peer <= bounds.upper * (1 + WIDTH)


def truncated(cap, relation):
    event = dp_accounting.TruncatedSubsampledGaussianDpEvent(
        dataset_size=1000, sampling_probability=0.05, truncated_batch_size=cap, noise_multiplier=1.0
    )
    ours = hs.dpsgd(
        noise_multiplier=1.0,
        sampling_rate=0.05,
        steps=20,
        sampling="truncated_poisson",
        dataset_size=1000,
        truncated_batch_size=cap,
        relation=relation,
    )
    return ours.epsilon_bounds(delta=1e-5), peer_epsilon(event, 20, relation, 1e-5)


@pytest.mark.parametrize("relation", ["add_remove", "replace"])
def test_a_cap_that_is_hardly_met(relation):
    bounds, peer = truncated(110, relation)
    assert bounds.lower <= peer
    assert abs(bounds.upper - peer) <= WIDTH * peer


@pytest.mark.parametrize("relation", ["add_remove", "replace"])
def test_a_cap_that_is_met_has_a_wider_pair_there(relation):
    """For full batches it takes the record to be at +2 in one batch and at -2 in the other, four norms apart."""
    bounds, peer = truncated(60, relation)
    assert bounds.lower < bounds.upper < peer
