# SPDX-License-Identifier: Apache-2.0
"""Events of dp-accounting by their names and fields, without dp-accounting."""

import subprocess
import sys
from collections import namedtuple
from types import SimpleNamespace

import pytest

import hockeystick as hs
from hockeystick.interop.dp_event import UnsupportedEvent, mechanism_from_event


def event(name, **fields):
    """What ``DpEvent.to_named_tuple`` gives."""
    kind = namedtuple(name, ["module_name", "class_name", *fields])
    return kind("dp_accounting.dp_event", name, **fields)


GAUSSIAN = event("GaussianDpEvent", noise_multiplier=2.0)


def test_nothing_is_imported():
    """In a process of its own: other tests may have imported the peers."""
    script = (
        "import sys, hockeystick.interop.dp_event, hockeystick.interop.dp_pld, hockeystick.interop.gdpnum\n"
        "print(*{name.partition('.')[0] for name in sys.modules} & {'dp_accounting', 'gdpnum', 'scipy', 'attr'})"
    )
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "\n"


def test_objects_are_read_by_the_name_of_their_class():
    class GaussianDpEvent(SimpleNamespace):
        pass

    assert mechanism_from_event(GaussianDpEvent(noise_multiplier=2.0)) == hs.Gaussian(noise_multiplier=2.0)


def test_names_may_be_bytes():
    kind = namedtuple("Kind", ["class_name", "noise_multiplier"])
    assert mechanism_from_event(kind(b"GaussianDpEvent", 2.0)) == hs.Gaussian(noise_multiplier=2.0)


def test_composition_and_sampling():
    step = event("PoissonSampledDpEvent", sampling_probability=0.01, event=GAUSSIAN)
    run = event("ComposedDpEvent", events=[event("SelfComposedDpEvent", event=step, count=100), GAUSSIAN])
    expected = 100 * hs.Gaussian(noise_multiplier=2.0).poisson(0.01) + hs.Gaussian(noise_multiplier=2.0)
    assert mechanism_from_event(run) == expected


@pytest.mark.parametrize("nothing", [event("NoOpDpEvent"), event("ComposedDpEvent", events=[])])
def test_nothing_costs_nothing(nothing):
    assert mechanism_from_event(nothing).epsilon(delta=0.0) == 0.0


def test_no_privacy():
    assert mechanism_from_event(event("NonPrivateDpEvent")).epsilon(delta=0.5) == float("inf")


def test_replacing_a_record_exchanges_two_contributions():
    mechanism = mechanism_from_event(GAUSSIAN, relation="replace")
    assert mechanism == hs.Gaussian(noise_multiplier=1.0, relation="replace")
    run = hs.dpsgd(noise_multiplier=2.0, sampling_rate=1.0, steps=1, relation="replace")
    assert mechanism.epsilon(delta=1e-5) == run.epsilon(delta=1e-5)


@pytest.mark.parametrize(
    ("given", "relation", "expected"),
    [
        (event("LaplaceDpEvent", noise_multiplier=3.0), "add_remove", hs.Laplace(noise_multiplier=3.0)),
        (
            event("LaplaceDpEvent", noise_multiplier=3.0),
            "replace",
            hs.Laplace(noise_multiplier=1.5, relation="replace"),
        ),
        (
            event("DiscreteLaplaceDpEvent", noise_parameter=0.5, sensitivity=2),
            "zero_out",
            hs.DiscreteLaplace(scale=2.0, sensitivity=2, relation="zero_out"),
        ),
        (
            event("DiscreteLaplaceDpEvent", noise_parameter=0.5, sensitivity=2),
            "replace",
            hs.DiscreteLaplace(scale=2.0, sensitivity=4, relation="replace"),
        ),
        (event("DiscreteLaplaceDpEvent", noise_parameter=0.0, sensitivity=2), "add_remove", hs.NonPrivate()),
        (
            event("RandomizedResponseDpEvent", noise_parameter=0.25, num_buckets=4),
            "replace",
            hs.RandomizedResponse(noise_probability=0.25, categories=4),
        ),
        (
            event(
                "MixtureOfGaussiansDpEvent", standard_deviation=2.0, sensitivities=[0.0, 1.0], sampling_probs=[0.5, 0.5]
            ),
            "add_remove",
            hs.MixtureOfGaussians(noise_std=2.0, sensitivities=(0.0, 1.0), probabilities=(0.5, 0.5)),
        ),
    ],
)
def test_the_catalogue(given, relation, expected):
    assert mechanism_from_event(given, relation=relation) == expected


def test_a_response_of_one_bucket_tells_nothing():
    response = event("RandomizedResponseDpEvent", noise_parameter=0.0, num_buckets=1)
    assert mechanism_from_event(response).epsilon(delta=0.0) == 0.0


def test_a_relation_without_a_pair_is_refused():
    with pytest.raises(UnsupportedEvent, match="relation"):
        mechanism_from_event(event("RandomizedResponseDpEvent", noise_parameter=0.25, num_buckets=4))


def test_concentrated_privacy():
    concentrated = event("ZCDpEvent", rho=0.1, xi=0.01)
    assert mechanism_from_event(concentrated) == hs.ZCDP(rho=0.1, xi=0.01)
    sampled = event("PoissonSampledDpEvent", sampling_probability=0.1, event=concentrated)
    assert mechanism_from_event(sampled) == hs.ZCDP(rho=0.1, xi=0.01).poisson(0.1)


def test_sampling_takes_one_release():
    twice = event("SelfComposedDpEvent", event=GAUSSIAN, count=2)
    with pytest.raises(UnsupportedEvent, match="must be one release"):
        mechanism_from_event(event("PoissonSampledDpEvent", sampling_probability=0.1, event=twice))


def test_an_unknown_event_is_named_where_it_stands():
    unknown = event("RepeatAndSelectDpEvent", event=GAUSSIAN, mean=1.0, shape=1.0)
    with pytest.raises(UnsupportedEvent, match="RepeatAndSelectDpEvent") as raised:
        mechanism_from_event(event("ComposedDpEvent", events=[GAUSSIAN, unknown]))
    assert raised.value.event is unknown


@pytest.mark.parametrize("noise_multiplier", [-1.0, float("nan"), float("inf")])
@pytest.mark.parametrize("relation", ["add_remove", "replace"])
def test_wrong_values_are_refused(noise_multiplier, relation):
    with pytest.raises(UnsupportedEvent, match="noise_multiplier"):
        mechanism_from_event(event("GaussianDpEvent", noise_multiplier=noise_multiplier), relation=relation)


def test_wrong_relation():
    with pytest.raises(ValueError, match="relation must be one of"):
        mechanism_from_event(GAUSSIAN, relation="other")
