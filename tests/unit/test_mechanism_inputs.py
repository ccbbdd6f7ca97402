# SPDX-License-Identifier: Apache-2.0
"""What mechanisms refuse, and how they say it; what they are beyond numbers: frozen, hashable, picklable values."""

import math
import pickle

import pytest

import hockeystick as hs

NAN, INF = math.nan, math.inf


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: hs.Laplace(noise_multiplier=NAN), ValueError, "noise_multiplier must be a number, got nan"),
        (
            lambda: hs.Laplace(noise_multiplier=-1.0),
            ValueError,
            "noise_multiplier must be finite and at least 0, got -1",
        ),
        (lambda: hs.Laplace(noise_multiplier=True), TypeError, "noise_multiplier must be a real number, got True"),
        (lambda: hs.Laplace(noise_multiplier="1"), TypeError, "noise_multiplier must be a real number"),
        (lambda: hs.Laplace(noise_multiplier=1.0, relation="swap"), ValueError, "relation must be one of"),
        (lambda: hs.DiscreteGaussian(sigma=0.0), ValueError, "sigma must be finite and above 0, got 0.0"),
        (lambda: hs.DiscreteGaussian(sigma=1.0, sensitivity=0), ValueError, "sensitivity must be"),
        (lambda: hs.DiscreteGaussian(sigma=1.0, sensitivity=1.5), ValueError, "sensitivity must be"),
        (lambda: hs.DiscreteGaussian(sigma=1.0, sensitivity=10**7), ValueError, "sensitivity must be"),
        (lambda: hs.DiscreteLaplace(scale=INF), ValueError, "scale must be finite and above 0, got inf"),
        (lambda: hs.RandomizedResponse(noise_probability=1.5), ValueError, r"noise_probability must be in \[0, 1\]"),
        (
            lambda: hs.RandomizedResponse(noise_probability=0.5, categories=1),
            ValueError,
            "categories must be at least 2",
        ),
        (
            lambda: hs.RandomizedResponse(noise_probability=0.5, relation="add_remove"),
            ValueError,
            "relation must be one of replace, zero_out, got 'add_remove'",
        ),
        (lambda: hs.ExponentialMechanism(epsilon=-0.1), ValueError, "epsilon must be finite and at least 0, got -0.1"),
        (lambda: hs.PureDP(epsilon=NAN), ValueError, "epsilon must be a number, got nan"),
        (lambda: hs.PureDP(1.0), TypeError, "positional"),
        (lambda: hs.ApproximateDP(epsilon=1.0, delta=1.1), ValueError, r"delta must be in \[0, 1\], got 1.1"),
        (lambda: hs.GaussianDP(mu=-1.0), ValueError, "mu must be at least 0, got -1.0"),
        (
            lambda: hs.MixtureOfGaussians(noise_std=1.0, sensitivities=[], probabilities=[]),
            ValueError,
            "sensitivities must not be empty",
        ),
        (
            lambda: hs.MixtureOfGaussians(noise_std=1.0, sensitivities=[1.0], probabilities=[0.5, 0.5]),
            ValueError,
            "probabilities must be as many as sensitivities, got 2 for 1",
        ),
        (
            lambda: hs.MixtureOfGaussians(noise_std=1.0, sensitivities=[1.0, 2.0], probabilities=[0.5, 0.4]),
            ValueError,
            "probabilities must sum to 1, got 0.9",
        ),
        (
            lambda: hs.MixtureOfGaussians(noise_std=1.0, sensitivities=[-1.0], probabilities=[1.0]),
            ValueError,
            "sensitivities must be at least 0, got -1.0",
        ),
        (
            lambda: hs.TabulatedPair(losses=[0.0], masses=[0.5]),
            ValueError,
            "masses with infinity_mass must sum to 1, got 0.5",
        ),
        (
            lambda: hs.TabulatedPair(losses=[-1.0], masses=[1.0]),
            ValueError,
            "losses must leave Q a mass of at most 1, got 2.71",
        ),
        (lambda: hs.TabulatedPair(losses=[NAN], masses=[1.0]), ValueError, "losses must not hold nan"),
        (lambda: hs.TabulatedPair(losses=[INF], masses=[1.0]), ValueError, "losses must be finite, got inf"),
        (lambda: hs.TabulatedPair.from_probabilities([1.0], [0.5, 0.5]), ValueError, "q must be as long as p"),
        (lambda: hs.TabulatedPair.from_probabilities([0.9], [1.0]), ValueError, "p must sum to 1, got 0.9"),
        (
            lambda: hs.TabulatedPair.from_density([1.0], [1.0], width=1.0, error=0.5),
            ValueError,
            r"error must be in \[0, 0.1\], got 0.5",
        ),
        (
            lambda: hs.Laplace(noise_multiplier=1.0).poisson(1.5),
            ValueError,
            r"sampling_rate must be in \[0, 1\], got 1.5",
        ),
        (
            lambda: hs.Laplace(noise_multiplier=1.0, relation="replace").poisson(0.1),
            ValueError,
            "a dominating pair is proved for the Gaussian alone, not for Laplace",
        ),
        (lambda: (2 * hs.Laplace(noise_multiplier=1.0)).poisson(0.1), ValueError, "base must be one release"),
        (
            lambda: hs.Laplace(noise_multiplier=1.0) + hs.RandomizedResponse(noise_probability=0.5),
            ValueError,
            "mechanisms must share one relation",
        ),
        (
            lambda: hs.MixtureOfGaussians(noise_std=1.0, sensitivities=[1.0, 2.0], probabilities=[0.5, 0.5]).epsilon(
                delta=0.1, method="contour"
            ),
            ValueError,
            "method must be 'auto', 'closed_form' or 'fft' for MixtureOfGaussians, got 'contour'",
        ),
    ],
)
def test_refusals_name_argument_rule_and_value(make, error, message):
    with pytest.raises(error, match=message):
        make()


EXAMPLES = [
    hs.Laplace(noise_multiplier=0.7),
    hs.DiscreteGaussian(sigma=2.5, sensitivity=3),
    hs.DiscreteLaplace(scale=2.5),
    hs.RandomizedResponse(noise_probability=0.3, categories=4),
    hs.ExponentialMechanism(epsilon=0.3),
    hs.PureDP(epsilon=0.3),
    hs.ApproximateDP(epsilon=0.3, delta=1e-7),
    hs.GaussianDP(mu=0.3),
    hs.MixtureOfGaussians(noise_std=2.0, sensitivities=[0, 1], probabilities=[0.9, 0.1]),
    hs.TabulatedPair.from_probabilities([0.6, 0.4], [0.3, 0.7]),
    hs.NonPrivate(),
    hs.Laplace(noise_multiplier=0.7).poisson(0.2),
]


@pytest.mark.parametrize("mechanism", EXAMPLES, ids=repr)
def test_values(mechanism):
    again = pickle.loads(pickle.dumps(mechanism))
    assert again == mechanism
    assert hash(again) == hash(mechanism)
    assert mechanism.relation in repr(mechanism)
    assert (mechanism + mechanism).parts == ((mechanism, 2),)
    with pytest.raises(AttributeError):
        mechanism.relation = "replace"


@pytest.mark.parametrize(
    "nothing",
    [
        hs.PureDP(epsilon=0.0),
        hs.GaussianDP(mu=0.0),
        hs.ExponentialMechanism(epsilon=0.0),
        hs.Laplace(noise_multiplier=1.0).poisson(0.0),
        0 * hs.Laplace(noise_multiplier=1.0),
        hs.MixtureOfGaussians(noise_std=1.0, sensitivities=[0.0, 2.0], probabilities=[1.0, 0.0]),
    ],
    ids=repr,
)
def test_nothing_released(nothing):
    assert nothing.epsilon(delta=0.0) == 0.0
    assert nothing.delta(epsilon=0.0) == 0.0


@pytest.mark.parametrize("mechanism", [m for m in EXAMPLES if m != hs.NonPrivate()], ids=repr)
def test_ends_of_delta(mechanism):
    total_variation = mechanism.delta(epsilon=0.0)
    assert mechanism.epsilon(delta=min(total_variation * (1 + 1e-9), 1.0)) <= 1e-6
    assert mechanism.epsilon(delta=1.0) == 0.0
    pure = mechanism.epsilon_bounds(delta=0.0)
    if pure.upper < INF:
        assert mechanism.delta(epsilon=pure.upper) <= 1e-13
        assert mechanism.delta_bounds(epsilon=0.99 * pure.lower).lower > 0.0
    else:
        assert pure.reason


def test_delta_zero_is_the_pure_epsilon():
    total = 3 * hs.Laplace(noise_multiplier=2.0)
    assert total.epsilon_bounds(delta=0.0).lower == pytest.approx(1.5, rel=1e-12)
    assert total.epsilon_bounds(delta=0.0).upper == pytest.approx(1.5, rel=1e-12)
    assert hs.Gaussian(noise_multiplier=1.0).epsilon_bounds(delta=0.0).reason.startswith("delta is 0")
