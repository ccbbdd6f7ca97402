# SPDX-License-Identifier: Apache-2.0
"""The accountant on dp-accounting's hook, and events and loss distributions both ways."""

import math

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.interop.dp_event import mechanism_from_event
from hockeystick.interop.dp_pld import curve_from_pld, pld_from_dp_accounting, pld_to_dp_accounting

dp_accounting = pytest.importorskip("dp_accounting")
from dp_accounting.pld import privacy_loss_distribution

from hockeystick.interop.dp_accounting import Accountant, event_from_mechanism

Relation = dp_accounting.NeighboringRelation
GAUSSIAN = dp_accounting.GaussianDpEvent(1.0)
STEP = dp_accounting.PoissonSampledDpEvent(0.01, GAUSSIAN)
DPSGD = dp_accounting.SelfComposedDpEvent(STEP, 1000)

EVENTS = [
    GAUSSIAN,
    STEP,
    DPSGD,
    dp_accounting.ComposedDpEvent([DPSGD, dp_accounting.SelfComposedDpEvent(GAUSSIAN, 3)]),
    dp_accounting.SelfComposedDpEvent(dp_accounting.LaplaceDpEvent(3.0), 4),
    dp_accounting.dp_event.DiscreteLaplaceDpEvent(0.5, 2),
    dp_accounting.dp_event.MixtureOfGaussiansDpEvent(2.0, [0.0, 1.0, 2.0], [0.5, 0.25, 0.25]),
    dp_accounting.PoissonSampledDpEvent(0.1, dp_accounting.LaplaceDpEvent(2.0)),
    dp_accounting.ZCDpEvent(0.1, 0.01),
    dp_accounting.NonPrivateDpEvent(),
    dp_accounting.NoOpDpEvent(),
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_events_there_and_back(event):
    mechanism = mechanism_from_event(event)
    assert mechanism_from_event(event.to_named_tuple()) == mechanism
    assert event_from_mechanism(mechanism) == event


@pytest.mark.parametrize("relation", ["add_remove", "replace", "zero_out"])
def test_a_relation_survives_there_and_back(relation):
    mechanism = hs.Gaussian(noise_multiplier=1.5, relation=relation)
    assert mechanism_from_event(event_from_mechanism(mechanism), relation=relation) == mechanism


def test_a_run_is_its_steps():
    run = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
    assert event_from_mechanism(run) == DPSGD


def test_what_is_no_mechanism_is_refused():
    with pytest.raises(TypeError, match="mechanism"):
        event_from_mechanism(GAUSSIAN)


@pytest.mark.parametrize("event", EVENTS[:8], ids=lambda event: type(event).__name__)
def test_the_accountant_beside_theirs(event):
    """Theirs on its grid is above the truth, but for its rounding; ours is above the truth and below theirs."""
    ours = Accountant().compose(event)
    theirs = dp_accounting.pld.PLDAccountant(value_discretization_interval=1e-3).compose(event)
    assert ours.get_epsilon(1e-5) <= theirs.get_epsilon(1e-5) * (1 + 1e-12)
    assert ours.get_epsilon(1e-5) == pytest.approx(theirs.get_epsilon(1e-5), rel=3e-3)
    assert ours.get_delta(1.0) == pytest.approx(theirs.get_delta(1.0), rel=1e-2)


@pytest.mark.parametrize("event", [GAUSSIAN, STEP, dp_accounting.RandomizedResponseDpEvent(0.25, 4)])
def test_the_accountant_under_replace_beside_theirs(event):
    ours = Accountant(Relation.REPLACE_ONE).compose(event)
    theirs = dp_accounting.pld.PLDAccountant(Relation.REPLACE_ONE).compose(event)
    assert ours.get_epsilon(1e-5) == pytest.approx(theirs.get_epsilon(1e-5), rel=1e-3)
    assert event_from_mechanism(ours.mechanism) == event


@pytest.mark.parametrize(
    "event",
    [
        dp_accounting.SampledWithoutReplacementDpEvent(1000, 10, GAUSSIAN),
        dp_accounting.SampledWithReplacementDpEvent(1000, 10, GAUSSIAN),
        dp_accounting.TruncatedSubsampledGaussianDpEvent(1000, 0.01, 20, 1.0),
    ],
)
def test_batches_of_fixed_or_capped_size_there_and_back(event):
    mechanism = mechanism_from_event(event, relation="replace")
    assert mechanism.relation == "replace"
    assert event_from_mechanism(mechanism) == event
    assert 0.0 < mechanism.epsilon(delta=1e-5) < math.inf


def test_capped_batches_beside_theirs():
    event = dp_accounting.SelfComposedDpEvent(dp_accounting.TruncatedSubsampledGaussianDpEvent(1000, 0.01, 25, 1.0), 50)
    ours = Accountant().compose(event)
    theirs = dp_accounting.pld.PLDAccountant(value_discretization_interval=1e-3).compose(event)
    assert ours.get_epsilon(1e-5) == pytest.approx(theirs.get_epsilon(1e-5), rel=3e-3)


def test_one_gaussian_under_replace():
    ours = Accountant(Relation.REPLACE_ONE).compose(GAUSSIAN)
    assert ours.get_epsilon(1e-5) == pytest.approx(9.9972561464343, rel=1e-9)


def test_the_accountant_keeps_what_it_was_given():
    accountant = Accountant().compose(STEP, 600).compose(STEP, 400)
    assert accountant.mechanism == 1000 * hs.Gaussian(noise_multiplier=1.0).poisson(0.01)
    assert mechanism_from_event(accountant.ledger) == accountant.mechanism
    assert isinstance(Accountant().ledger, dp_accounting.NoOpDpEvent)
    assert Accountant().get_epsilon(0.0) == 0.0


def test_what_the_accountant_does_not_support():
    unknown = dp_accounting.SingleEpochTreeAggregationDpEvent(1.0, 8)
    accountant = Accountant()
    assert accountant.supports(STEP)
    assert not accountant.supports(dp_accounting.ComposedDpEvent([STEP, unknown]))
    with pytest.raises(dp_accounting.UnsupportedEventError, match="SingleEpochTreeAggregationDpEvent"):
        accountant.compose(dp_accounting.ComposedDpEvent([STEP, unknown]))
    with pytest.raises(dp_accounting.UnsupportedEventError, match="noise_multiplier must be a number, got nan"):
        accountant.compose(dp_accounting.GaussianDpEvent(float("nan")))
    assert accountant.get_epsilon(0.0) == 0.0


def test_their_calibration_drives_the_accountant():
    noise = dp_accounting.calibrate_dp_mechanism(
        Accountant,
        lambda sigma: dp_accounting.SelfComposedDpEvent(
            dp_accounting.PoissonSampledDpEvent(0.01, dp_accounting.GaussianDpEvent(sigma)), 10000
        ),
        target_epsilon=8.0,
        target_delta=1e-5,
    )
    assert noise == pytest.approx(0.8825285, abs=2e-6)
    assert hs.dpsgd(noise_multiplier=noise, sampling_rate=0.01, steps=10000).epsilon(delta=1e-5) <= 8.0
    steps = dp_accounting.calibrate_dp_mechanism(
        Accountant,
        lambda count: dp_accounting.SelfComposedDpEvent(STEP, count),
        target_epsilon=1.8282366665752,
        target_delta=1e-5,
        bracket_interval=dp_accounting.LowerEndpointAndGuess(1, 100),
        discrete=True,
    )
    assert steps == 1000


def profile_of(masses, first, infinity_mass, step, epsilon):
    """delta by its definition, in the order of the masses."""
    losses = step * (first + np.arange(len(masses)))
    above = losses > epsilon
    return infinity_mass + math.fsum(masses[above] * -np.expm1(epsilon - losses[above]))


def test_a_distribution_in():
    theirs = privacy_loss_distribution.from_gaussian_mechanism(
        1.0, sampling_prob=0.05, value_discretization_interval=1e-2
    ).self_compose(20)
    ours = pld_from_dp_accounting(theirs)
    for law in (ours.remove, ours.add):
        assert (law.masses >= 0.0).all()
        assert 1.0 - 1e-15 <= math.fsum(law.masses) + law.infinity_mass <= 1.0 + 1e-9
    assert ours.epsilon(delta=1e-5) == pytest.approx(theirs.get_epsilon_for_delta(1e-5), rel=1e-6)
    truth = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.05, steps=20)
    assert truth.epsilon_bounds(delta=1e-5).lower <= ours.epsilon(delta=1e-5)


@pytest.mark.parametrize("make", ["from_gaussian_mechanism", "from_laplace_mechanism"])
def test_the_curve_of_a_distribution(make):
    theirs = getattr(privacy_loss_distribution, make)(0.8, value_discretization_interval=0.05, sampling_prob=0.5)
    ours = pld_from_dp_accounting(theirs)
    curve = curve_from_pld(ours)
    for j in (0, 3, 17, len(curve.profile.epsilon) - 2):
        expected = max(
            profile_of(law.masses, law.first, law.infinity_mass, ours.step, ours.step * j)
            for law in (ours.remove, ours.add)
        )
        assert math.exp(curve.profile.log_delta_lower[j]) <= expected * (1 + 1e-12)
        assert expected * (1 - 1e-12) <= math.exp(curve.profile.log_delta_upper[j])
        assert math.exp(curve.profile.log_delta_upper[j]) == pytest.approx(expected, rel=1e-11)


def test_the_curve_of_losses_away_from_zero():
    """A grid that starts above 0 (randomized response of 2 buckets, one large loss) and mass at infinity."""
    law = hs.LossMasses(first=3, masses=np.array([0.25, 0.5]), infinity_mass=0.25)
    pld = hs.PLD(step=0.5, remove=law, add=law, count=1)
    curve = curve_from_pld(pld)
    expected = [profile_of(law.masses, 3, 0.25, 0.5, epsilon) for epsilon in (0.0, 0.5, 1.0, 1.5, 2.0)]
    assert np.exp(curve.profile.log_delta_upper) == pytest.approx(expected, rel=1e-13)
    assert (np.exp(curve.profile.log_delta_upper) >= expected).all()
    with pytest.raises(ValueError, match="single copy"):
        curve_from_pld(hs.PLD(step=0.5, remove=law, add=law, count=2))
    with pytest.raises(TypeError, match="pld"):
        curve_from_pld(object())


def test_a_distribution_out():
    run = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=100)
    pld = run.pld(step=1e-3)
    theirs = pld_to_dp_accounting(pld)
    assert theirs.get_epsilon_for_delta(1e-5) == pytest.approx(pld.epsilon(delta=1e-5), rel=1e-6)
    one = pld_to_dp_accounting(hs.Gaussian(noise_multiplier=1.0).pld(step=1e-3))
    back = pld_from_dp_accounting(one)
    assert back.remove.first == hs.Gaussian(noise_multiplier=1.0).pld(step=1e-3).remove.first
    assert one.compose(theirs).get_epsilon_for_delta(1e-5) > 4.377


def test_wrong_distributions_are_refused():
    optimistic = privacy_loss_distribution.from_gaussian_mechanism(
        1.0, pessimistic_estimate=False, use_connect_dots=False, value_discretization_interval=0.1
    )
    with pytest.raises(ValueError, match="optimistic"):
        pld_from_dp_accounting(optimistic)
    with pytest.raises(TypeError, match="PrivacyLossDistribution"):
        pld_from_dp_accounting(hs.Gaussian(noise_multiplier=1.0))
    with pytest.raises(TypeError, match="PLD"):
        pld_to_dp_accounting(optimistic)
