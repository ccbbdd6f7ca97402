# SPDX-License-Identifier: Apache-2.0
"""Mechanisms as plain dictionaries: equal ones come back, and nothing that is not understood passes in silence."""

import json

import pytest

import hockeystick as hs
from hockeystick import description

# One example of every kind that can be described; a new kind adds its own.
EXAMPLES = {
    "gaussian": hs.Gaussian(noise_multiplier=1.0 / 3.0, relation="replace"),
    "poisson_sampled": hs.Gaussian(noise_multiplier=1.1, relation="zero_out").poisson(0.01),
    "composition": 3 * hs.Gaussian(noise_multiplier=4.0) + 1000 * hs.Gaussian(noise_multiplier=1.0).poisson(0.01),
    "laplace": hs.Laplace(noise_multiplier=0.7),
    "discrete_gaussian": hs.DiscreteGaussian(sigma=2.5, sensitivity=3),
    "discrete_laplace": hs.DiscreteLaplace(scale=2.5, sensitivity=3, relation="replace"),
    "randomized_response": hs.RandomizedResponse(noise_probability=0.3, categories=4),
    "exponential_mechanism": hs.ExponentialMechanism(epsilon=0.3),
    "pure_dp": hs.PureDP(epsilon=float("inf"), relation="zero_out"),
    "approximate_dp": hs.ApproximateDP(epsilon=0.3, delta=1e-7),
    "gaussian_dp": hs.GaussianDP(mu=0.3),
    "mixture_of_gaussians": hs.MixtureOfGaussians(noise_std=2.0, sensitivities=[0, 1], probabilities=[0.9, 0.1]),
    "tabulated_pair": hs.TabulatedPair(losses=[0.1, -0.1], masses=[0.524979187478940, 0.475020812521060]),
    "non_private": hs.NonPrivate(relation="replace"),
    "zcdp": hs.ZCDP(rho=0.1, xi=0.01, greatest_order=30.0, relation="replace"),
    "renyi_curve": hs.RenyiCurve(orders=[1.5, 8.0, float("inf")], values=[0.1, 0.2, 5.0]),
    "sampled_renyi": hs.ZCDP(rho=0.1).poisson(0.01),
    "without_replacement": hs.WithoutReplacement(
        base=hs.Gaussian(noise_multiplier=1.0, relation="replace"),
        batch_size=3,
        dataset_size=10,
        relation="add_remove",
    ),
    "with_replacement": hs.Gaussian(noise_multiplier=1.0, relation="replace").with_replacement(
        batch_size=3, dataset_size=10
    ),
    "truncated_poisson": hs.TruncatedPoisson(
        noise_multiplier=1.0, sampling_rate=0.1, dataset_size=100, truncated_batch_size=15, relation="replace"
    ),
    "random_allocation": hs.Gaussian(noise_multiplier=1.0).random_allocation(steps=100, participations=2),
    "poisson_group": hs.group(hs.Laplace(noise_multiplier=2.0).poisson(0.1), size=3),
    "group_bound": hs.group(hs.RandomizedResponse(noise_probability=0.4), size=2),
    "parallel": hs.parallel([hs.Gaussian(noise_multiplier=1.0), hs.Laplace(noise_multiplier=1.0)]),
    "dpsgd": hs.dpsgd(noise_multiplier=1.1, sampling_rate=256 / 60000, steps=14063),
}


def concrete_classes(base):
    for cls in base.__subclasses__():
        yield from concrete_classes(cls)
        if cls.__module__.startswith("hockeystick."):
            yield cls


def test_every_mechanism_has_a_description_and_an_example():
    registered = description.kinds()
    leaves = {cls for cls in concrete_classes(hs.Mechanism) if not cls.__subclasses__()}
    assert leaves <= set(registered.values()), "a new class needs its line @describable(kind)"
    assert registered.keys() == EXAMPLES.keys(), "a new kind needs an example here"


@pytest.mark.parametrize("kind", EXAMPLES)
def test_comes_back_equal_through_json(kind):
    mechanism = EXAMPLES[kind]
    text = json.dumps(hs.to_dict(mechanism), allow_nan=False)
    again = hs.from_dict(json.loads(text))
    assert again == mechanism
    assert type(again) is type(mechanism)
    assert hash(again) == hash(mechanism)
    assert json.loads(text)["mechanism"]["kind"] == kind


def test_a_composition_of_nothing_comes_back():
    nothing = 0 * hs.Gaussian(noise_multiplier=1.0, relation="replace")
    again = hs.from_dict(hs.to_dict(nothing))
    assert again == nothing
    assert again.relation == "replace"


def test_infinite_numbers_are_words():
    assert description._plain((float("inf"), -float("inf"))) == ["inf", "-inf"]
    assert description._made(["inf", "-inf"]) == (float("inf"), -float("inf"))


def test_what_has_a_default_may_be_left_out():
    written = {"version": 1, "mechanism": {"kind": "composition", "parts": [{"mechanism": {"kind": "gaussian"}}]}}
    written["mechanism"]["parts"][0]["mechanism"]["noise_multiplier"] = 2
    assert hs.from_dict(written) == hs.compose([hs.Gaussian(noise_multiplier=2.0)])


GAUSSIAN = {"kind": "gaussian", "noise_multiplier": 1.0}


@pytest.mark.parametrize(
    ("written", "error", "message"),
    [
        (None, TypeError, "description must be a mapping, got None"),
        ({"mechanism": GAUSSIAN}, ValueError, "description must have the entry version, got none"),
        ({"version": 2, "mechanism": GAUSSIAN}, ValueError, r"version must be in \[1, 1\] .* got 2"),
        ({"version": 0, "mechanism": GAUSSIAN}, ValueError, r"version must be in \[1, 1\] .* got 0"),
        ({"version": True, "mechanism": GAUSSIAN}, TypeError, "version must be a real number, got True"),
        ({"version": 1}, ValueError, "must have the entries version and mechanism"),
        ({"version": 1, "mechanism": GAUSSIAN, "delta": 1}, ValueError, "must have the entries version and mechanism"),
        ({"version": 1, "mechanism": 3}, TypeError, "mechanism must be a mapping with the entry kind, got 3"),
        ({"version": 1, "mechanism": {}}, TypeError, "mechanism must be a mapping with the entry kind"),
        ({"version": 1, "mechanism": {"kind": "gausian"}}, ValueError, "kind must be one of .*, got 'gausian'"),
        ({"version": 1, "mechanism": {"kind": 3}}, ValueError, "kind must be one of .*, got 3"),
        ({"version": 1, "mechanism": {"kind": "gaussian"}}, ValueError, "got none for noise_multiplier"),
        ({"version": 1, "mechanism": {**GAUSSIAN, "sigma": 1}}, ValueError, "no entries but .*, got sigma"),
        ({"version": 1, "mechanism": {**GAUSSIAN, "noise_multiplier": -1}}, ValueError, "noise_multiplier must be"),
        ({"version": 1, "mechanism": {"kind": "composition", "parts": 3}}, TypeError, "parts must be a list"),
        ({"version": 1, "mechanism": {"kind": "composition", "parts": [3]}}, TypeError, "parts must be a list"),
        (
            {"version": 1, "mechanism": {"kind": "composition", "parts": [{"mechanism": 3}]}},
            TypeError,
            "mechanism must be a mapping with the entry kind, got 3",
        ),
        (
            {"version": 1, "mechanism": {"kind": "composition", "parts": [{"count": 2}]}},
            ValueError,
            "got none for mechanism",
        ),
        (
            {
                "version": 1,
                "mechanism": {"kind": "composition", "relation": "replace", "parts": [{"mechanism": GAUSSIAN}]},
            },
            ValueError,
            "relation must be that of the parts, 'add_remove', got 'replace'",
        ),
    ],
)
def test_what_is_not_understood_is_refused(written, error, message):
    with pytest.raises(error, match=message):
        hs.from_dict(written)


def test_only_mechanisms_are_described():
    with pytest.raises(TypeError, match="mechanism must be a mechanism that has a description, got 3"):
        hs.to_dict(3)


def test_a_kind_is_taken_once():
    with pytest.raises(ValueError, match="kind must be new, got 'gaussian', which Gaussian has"):
        description.describable("gaussian")(dict)
