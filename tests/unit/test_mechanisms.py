# SPDX-License-Identifier: Apache-2.0
"""Closed-form curves of every mechanism against direct integration or enumeration, in both directions."""

import math

import numpy as np
import pytest
from slow_pairs import (
    composed_vectors,
    hockey_stick_of_densities,
    hockey_stick_of_vectors,
    laplace,
    mixed,
    normal,
)

import hockeystick as hs

RANDOM = np.random.default_rng(20240611)


def log_uniform(low, high):
    return float(math.exp(RANDOM.uniform(math.log(low), math.log(high))))


def check(mechanism, direction, epsilon, exact, *, relative=1e-9, absolute=1e-13):
    """The exact value, right to the tolerances given, lies in the bracket, which is narrow."""
    bounds = mechanism.delta_bounds(epsilon=epsilon, direction=direction, method="closed_form")
    slack = relative * exact + absolute
    assert bounds.lower <= exact + slack, (mechanism, direction, epsilon)
    assert bounds.upper >= exact - slack, (mechanism, direction, epsilon)
    assert bounds.upper - bounds.lower <= 2.0 * slack + 1e-11 * exact


def both_ways(p, q, epsilon, **options):
    return {
        "remove": hockey_stick_of_densities(p, q, epsilon, **options),
        "add": hockey_stick_of_densities(q, p, epsilon, **options),
    }


@pytest.mark.parametrize("setting", range(40))
def test_laplace(setting):
    scale = log_uniform(0.05, 30.0)
    epsilon = RANDOM.uniform(0.0, 1.2) / scale
    exact = both_ways(
        laplace(0.0, scale), laplace(1.0, scale), epsilon, low=-45 * scale, high=1 + 45 * scale, kinks=(0.0, 1.0)
    )
    for direction, value in exact.items():
        check(hs.Laplace(noise_multiplier=scale), direction, epsilon, value)


@pytest.mark.parametrize("setting", range(40))
def test_gaussian_on_a_poisson_sample(setting):
    sigma, rate = log_uniform(0.3, 10.0), log_uniform(1e-3, 1.0)
    epsilon = RANDOM.uniform(0.0, 2.0)
    p, q = mixed([(1 - rate, normal(0, sigma)), (rate, normal(1, sigma))]), normal(0, sigma)
    exact = both_ways(p, q, epsilon, low=-10 * sigma, high=1 + 10 * sigma)
    for direction, value in exact.items():
        check(hs.Gaussian(noise_multiplier=sigma).poisson(rate), direction, epsilon, value)


@pytest.mark.parametrize("setting", range(40))
def test_laplace_on_a_poisson_sample(setting):
    scale, rate = log_uniform(0.2, 10.0), log_uniform(1e-3, 0.999)
    epsilon = RANDOM.uniform(0.0, 1.0) * math.log1p(rate * math.expm1(1 / scale))
    p, q = mixed([(1 - rate, laplace(1.0, scale)), (rate, laplace(0.0, scale))]), laplace(1.0, scale)
    exact = both_ways(p, q, epsilon, low=-45 * scale, high=1 + 45 * scale, kinks=(0.0, 1.0))
    for direction, value in exact.items():
        check(hs.Laplace(noise_multiplier=scale).poisson(rate), direction, epsilon, value)


@pytest.mark.parametrize("setting", range(40))
def test_gaussian_on_a_poisson_sample_under_replace(setting):
    std, rate = log_uniform(0.4, 10.0), log_uniform(1e-3, 0.999)
    epsilon = RANDOM.uniform(0.0, 2.0)
    p = mixed([(1 - rate, normal(0, std)), (rate, normal(1, std))])
    q = mixed([(1 - rate, normal(0, std)), (rate, normal(-1, std))])
    exact = both_ways(p, q, epsilon, low=-1 - 10 * std, high=1 + 10 * std)
    for direction, value in exact.items():
        # The sensitivity under replace is 2, that of one clipped record 1.
        check(hs.Gaussian(noise_multiplier=std / 2, relation="replace").poisson(rate), direction, epsilon, value)


@pytest.mark.parametrize("setting", range(40))
def test_mixture_of_gaussians(setting):
    std, parts = log_uniform(0.4, 5.0), int(RANDOM.integers(1, 6))
    shifts = RANDOM.uniform(0.0, 3.0, parts).tolist()
    if setting % 2:
        shifts[0] = 0.0
    weights = RANDOM.dirichlet(np.ones(parts)).tolist()
    epsilon = RANDOM.uniform(0.0, 2.0)
    p, q = mixed([(w, normal(c, std)) for w, c in zip(weights, shifts, strict=True)]), normal(0, std)
    exact = both_ways(p, q, epsilon, low=-10 * std, high=3 + 10 * std)
    for direction, value in exact.items():
        mechanism = hs.MixtureOfGaussians(noise_std=std, sensitivities=shifts, probabilities=weights)
        check(mechanism, direction, epsilon, value)


def test_mixture_with_two_parts_is_the_sampled_gaussian():
    mixture = hs.MixtureOfGaussians(noise_std=3.0, sensitivities=[0.0, 2.0], probabilities=[0.9, 0.1])
    sampled = hs.Gaussian(noise_multiplier=1.5).poisson(0.1)
    for direction in ("remove", "add"):
        ours = mixture.delta_bounds(epsilon=0.3, direction=direction)
        theirs = sampled.delta_bounds(epsilon=0.3, direction=direction)
        assert ours.lower <= theirs.upper
        assert theirs.lower <= ours.upper


@pytest.mark.parametrize("setting", range(40))
def test_exponential_mechanism_is_the_worst_of_its_range(setting):
    range_ = log_uniform(0.01, 20.0)
    epsilon = RANDOM.uniform(0.0, 1.0) * range_
    # For every t in [0, R]: P(L = t) = (e^R - e^t) / (e^R - 1), the rest at t - R.
    t = np.linspace(0.0, range_, 200001)
    up = np.exp(range_) * -np.expm1(t - range_) / np.expm1(range_)
    worst = float(np.max(up * np.maximum(-np.expm1(epsilon - t), 0.0)))
    check(hs.ExponentialMechanism(epsilon=range_), "remove", epsilon, worst, relative=1e-7, absolute=1e-9)


@pytest.mark.parametrize("setting", range(40))
def test_discrete_gaussian(setting):
    sigma, shift = log_uniform(0.2, 60.0), int(RANDOM.integers(1, 4))
    epsilon = RANDOM.uniform(0.0, 3.0) * shift / sigma
    x = np.arange(-int(40 * sigma) - 40, int(40 * sigma) + 40 + shift)
    weights = np.exp(-0.5 * (x / sigma) ** 2)
    p = weights / weights.sum()
    q = np.exp(-0.5 * ((x - shift) / sigma) ** 2) / weights.sum()
    exact = hockey_stick_of_vectors(p, q, epsilon)
    check(hs.DiscreteGaussian(sigma=sigma, sensitivity=shift), "remove", epsilon, exact)
    check(hs.DiscreteGaussian(sigma=sigma, sensitivity=shift), "add", epsilon, exact)


@pytest.mark.parametrize("sigma", [2500.0, 3500.0, 2e4])
def test_discrete_gaussian_with_wide_noise(sigma):
    shift = int(sigma)
    x = np.arange(-int(12 * sigma), int(13 * sigma)).astype(float)
    weights = np.exp(-0.5 * (x / sigma) ** 2)
    shifted = np.exp(-0.5 * ((x - shift) / sigma) ** 2)
    for epsilon in (0.0, 0.3, 2.0, 6.0):
        exact = hockey_stick_of_vectors(weights / weights.sum(), shifted / weights.sum(), epsilon)
        check(hs.DiscreteGaussian(sigma=sigma, sensitivity=shift), "remove", epsilon, exact, relative=1e-10)


@pytest.mark.parametrize("setting", range(40))
def test_discrete_laplace(setting):
    scale, shift = log_uniform(0.2, 30.0), int(RANDOM.integers(1, 6))
    epsilon = RANDOM.uniform(0.0, 1.1) * shift / scale
    x = np.arange(-int(40 * scale) - 40, int(40 * scale) + 40 + shift)
    weights = np.exp(-np.abs(x) / scale)
    p, q = weights / weights.sum(), np.exp(-np.abs(x - shift) / scale) / weights.sum()
    check(hs.DiscreteLaplace(scale=scale, sensitivity=shift), "remove", epsilon, hockey_stick_of_vectors(p, q, epsilon))


@pytest.mark.parametrize("setting", range(40))
def test_randomized_response(setting):
    noise, k = RANDOM.uniform(0.01, 0.99), int(RANDOM.integers(2, 12))
    epsilon = RANDOM.uniform(0.0, 1.2) * math.log1p((1 - noise) * k / noise)
    p = np.full(k, noise / k)
    p[0] += 1 - noise
    q = np.roll(p, 1)
    uniform = np.full(k, 1 / k)
    response = hs.RandomizedResponse(noise_probability=noise, categories=k)
    check(response, "remove", epsilon, hockey_stick_of_vectors(p, q, epsilon))
    zero_out = hs.RandomizedResponse(noise_probability=noise, categories=k, relation="zero_out")
    check(zero_out, "remove", epsilon, hockey_stick_of_vectors(p, uniform, epsilon))
    check(zero_out, "add", epsilon, hockey_stick_of_vectors(uniform, p, epsilon))


@pytest.mark.parametrize("setting", range(40))
def test_tabulated_pair(setting):
    size = int(RANDOM.integers(2, 30))
    p, q = RANDOM.dirichlet(np.ones(size)), RANDOM.dirichlet(np.ones(size))
    if setting % 2:
        p[0], q[-1] = 0.0, 0.0
        p, q = p / p.sum(), q / q.sum()
    epsilon = RANDOM.uniform(0.0, 3.0)
    pair = hs.TabulatedPair.from_probabilities(p, q)
    check(pair, "remove", epsilon, hockey_stick_of_vectors(p, q, epsilon))
    check(pair, "add", epsilon, hockey_stick_of_vectors(q, p, epsilon))


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 0.0), (1.0, 1e-6), (5.0, 0.3), (0.0, 0.2)])
def test_approximate_dp(epsilon, delta):
    for at in (0.0, 0.05, 0.9, 4.0):
        share = max(math.exp(epsilon) - math.exp(at), 0.0) / (1.0 + math.exp(epsilon))
        check(hs.ApproximateDP(epsilon=epsilon, delta=delta), "remove", at, delta + (1 - delta) * share)
        if not delta:
            check(hs.PureDP(epsilon=epsilon), "add", at, share)


MECHANISMS = [
    hs.Gaussian(noise_multiplier=0.8),
    hs.Gaussian(noise_multiplier=0.8).poisson(0.05),
    hs.Gaussian(noise_multiplier=0.8, relation="replace").poisson(0.05),
    hs.Laplace(noise_multiplier=0.7),
    hs.Laplace(noise_multiplier=0.7).poisson(0.2),
    hs.DiscreteGaussian(sigma=1.3, sensitivity=2),
    hs.DiscreteGaussian(sigma=4e3, sensitivity=3000),
    hs.DiscreteLaplace(scale=1.5, sensitivity=3),
    hs.DiscreteLaplace(scale=1.5, sensitivity=3).poisson(0.3),
    hs.RandomizedResponse(noise_probability=0.3, categories=5),
    hs.RandomizedResponse(noise_probability=0.3, categories=5, relation="zero_out").poisson(0.4),
    hs.ExponentialMechanism(epsilon=1.5),
    hs.ExponentialMechanism(epsilon=1.5).poisson(0.1),
    hs.PureDP(epsilon=2.0),
    hs.ApproximateDP(epsilon=2.0, delta=0.01),
    hs.ApproximateDP(epsilon=2.0, delta=0.01).poisson(0.2),
    hs.NonPrivate(),
    hs.NonPrivate().poisson(0.2),
    hs.GaussianDP(mu=1.2),
    hs.MixtureOfGaussians(noise_std=1.1, sensitivities=[0.0, 1.0, 2.5], probabilities=[0.5, 0.3, 0.2]),
    hs.MixtureOfGaussians(noise_std=1.1, sensitivities=[1.0, 2.5], probabilities=[0.6, 0.4]).poisson(0.1),
    hs.TabulatedPair.from_probabilities([0.5, 0.3, 0.2, 0.0], [0.1, 0.2, 0.3, 0.4]),
]


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
def test_masses_are_conserved_and_directions_mirror(mechanism):
    remove, add = mechanism._laws()
    for law in (remove, add):
        for loss in (-3.0, -0.4, -1e-9, 0.0, 0.2, 1.0, 4.0):
            p_below, p_above, q_below, q_above, relative_error = law.tails(loss)
            assert p_below + p_above + law.infinity_mass[1] == pytest.approx(1.0, abs=1e-13)
            assert q_below + q_above + law.vanishing_mass[1] == pytest.approx(1.0, abs=1e-13)
            assert relative_error < 1e-10
            # P beyond l is at least e^l times Q there, and below at most.
            assert p_above >= math.exp(loss) * q_above * (1.0 - 1e-12)
            assert p_below <= math.exp(loss) * q_below * (1.0 + 1e-12)
    for loss in (0.13, 0.77, 2.9):  # no atom of any of them
        p_below, p_above, q_below, q_above, _ = remove.tails(loss)
        mirrored = add.tails(-loss)
        assert mirrored[:4] == pytest.approx((q_above, q_below, p_above, p_below), rel=1e-11)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
def test_tilted_tails_are_bounds(mechanism):
    for law in mechanism._laws():
        edges = np.linspace(-12.0, 12.0, 1201)
        above = np.array([law.tails(float(edge))[1] for edge in edges])
        for loss, theta in ((-0.3, 0.0), (0.1, 1.0), (1.0, 5.0)):
            start = int(np.searchsorted(edges, loss))
            masses = above[start:-1] - above[start + 1 :]
            least = float(np.sum(masses * np.exp(theta * edges[start:-1])))
            if least > 1e-200:
                assert law.log_tilted_mass_above_upper(float(edges[start]), theta) >= math.log(least) - 1e-9


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
def test_the_fft_engine_agrees_with_the_closed_form(mechanism):
    for direction in ("remove", "add"):
        for epsilon in (0.0, 0.35, 1.2):
            closed = mechanism.delta_bounds(epsilon=epsilon, direction=direction, method="closed_form")
            found = mechanism.delta_bounds(epsilon=epsilon, direction=direction, method="fft")
            assert found.lower <= closed.upper * (1.0 + 1e-13)
            assert closed.lower <= found.upper * (1.0 + 1e-13)
            assert found.upper - found.lower <= 2e-2 * closed.upper + 1e-12


def test_laplace_where_adding_beats_removing():
    run = 2 * hs.Laplace(noise_multiplier=1.0).poisson(0.7)
    add, remove = (run.delta_bounds(epsilon=0.21, direction=direction) for direction in ("add", "remove"))
    assert add.lower == pytest.approx(0.2797, abs=6e-5)
    assert add.upper == pytest.approx(0.2797, abs=6e-5)
    assert remove.upper == pytest.approx(0.2506, abs=6e-5)
    assert run.delta(epsilon=0.21) == add.upper


@pytest.mark.parametrize("setting", range(10))
def test_composed_tables_against_enumeration(setting):
    size, times = int(RANDOM.integers(2, 5)), int(RANDOM.integers(2, 5))
    p, q = RANDOM.dirichlet(np.ones(size)), RANDOM.dirichlet(np.ones(size))
    run = times * hs.TabulatedPair.from_probabilities(p, q)
    epsilon = RANDOM.uniform(0.0, 1.0)
    exact = hockey_stick_of_vectors(*composed_vectors(p, q, times), epsilon)
    found = run.delta_bounds(epsilon=epsilon, direction="remove")
    assert found.lower <= exact * (1 + 1e-12) + 1e-15
    assert found.upper >= exact * (1 - 1e-12) - 1e-15
    assert found.upper - found.lower <= 5e-3 * exact + 1e-12


def test_composed_different_laws_against_enumeration():
    p1, q1 = np.array([0.6, 0.3, 0.1]), np.array([0.2, 0.3, 0.5])
    p2, q2 = np.array([0.75, 0.25]), np.array([0.25, 0.75])
    total = 2 * hs.TabulatedPair.from_probabilities(p1, q1) + 3 * hs.TabulatedPair.from_probabilities(p2, q2)
    first, second = composed_vectors(p1, q1, 2), composed_vectors(p2, q2, 3)
    p, q = (np.outer(a, b).ravel() for a, b in zip(first, second, strict=True))
    for epsilon in (0.0, 0.4, 1.3, 3.0):
        exact = hockey_stick_of_vectors(p, q, epsilon)
        found = total.delta_bounds(epsilon=epsilon, direction="remove")
        assert found.lower <= exact * (1 + 1e-12)
        assert found.upper >= exact * (1 - 1e-12)
        assert found.upper - found.lower <= 5e-3 * exact


def test_mass_at_infinity_is_in_every_answer():
    run = 10 * hs.ApproximateDP(epsilon=0.1, delta=1e-3)
    mass = -math.expm1(10 * math.log1p(-1e-3))
    assert run.delta_bounds(epsilon=math.inf).lower == pytest.approx(mass, rel=1e-12)
    bounds = run.epsilon_bounds(delta=mass * (1 - 1e-9))
    assert bounds.lower == bounds.upper == math.inf
    assert "ApproximateDP(epsilon=0.1, delta=0.001" in bounds.reason
    finite = run.epsilon_bounds(delta=mass * (1 + 1e-6))
    assert finite.upper <= 1.0 + 1e-9
    assert finite.reason == ""
    mixed_run = 100 * hs.Gaussian(noise_multiplier=2.0).poisson(0.01) + hs.ApproximateDP(epsilon=0.1, delta=1e-7)
    assert mixed_run.delta_bounds(epsilon=40.0).lower >= 1e-7 * (1 - 1e-12)
    assert mixed_run.delta(epsilon=40.0) == pytest.approx(1e-7, rel=1e-3)
    assert mixed_run.epsilon(delta=1e-8) == math.inf


def test_a_sampled_release_without_noise():
    run = 3 * hs.NonPrivate().poisson(0.1)
    assert run.delta_bounds(epsilon=5.0, direction="remove").lower == pytest.approx(1 - 0.9**3, rel=1e-12)
    assert run.epsilon(delta=0.2) == math.inf
    assert run.epsilon(delta=0.3) == 0.0  # above the total variation
    assert run.epsilon(delta=0.1, direction="add") == pytest.approx(math.log(0.9) - 3 * math.log(0.9), rel=1e-9)
    zero = hs.Gaussian(noise_multiplier=0.0).poisson(0.1)
    assert zero.delta(epsilon=1.0) == pytest.approx(0.1, rel=1e-12)


def test_stated_error_of_a_density_is_inside():
    edges = np.linspace(-9.0, 9.0, 1801)
    centres = 0.5 * (edges[1:] + edges[:-1])
    p, q = normal(0.5, 1.0)(centres), normal(-0.5, 1.0)(centres)
    # Within a cell of width .01 the log of a density moves by at most .005 * 9.5.
    pair = hs.TabulatedPair.from_density(p, q, width=0.01, error=0.05)
    truth = hs.Gaussian(noise_multiplier=1.0)
    for epsilon in (0.0, 0.5, 2.0):
        bounds = pair.delta_bounds(epsilon=epsilon)
        assert bounds.lower < truth.delta(epsilon=epsilon) < bounds.upper
    composed = (3 * pair).delta_bounds(epsilon=1.0)
    assert composed.lower < (3 * truth).delta(epsilon=1.0) < composed.upper
