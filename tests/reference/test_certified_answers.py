# SPDX-License-Identifier: Apache-2.0
"""The answers of the public interface against ball arithmetic, on seeded settings: what test_certified.py is for engines.

As there, a comparison of balls holds only if it holds for all their points, and no tolerance is granted.
"""

import math
import sys
from pathlib import Path

import numpy as np
import pytest

flint = pytest.importorskip("flint")
sys.path.insert(0, str(Path(__file__).parent))  # the rule is a module beside this file

import rule_arb
from flint import arb, ctx
from rule_arb import Sampled, cdf, delta_of_two, gaussian_delta, line_integral, normal_density, quantile_above, spread

import hockeystick as hs
from hockeystick import _core


@pytest.fixture(autouse=True)
def precision():
    before, ctx.prec = ctx.prec, 300  # small differences of probabilities
    yield
    ctx.prec = before


def scale(random, low, high):
    return float(np.exp(random.uniform(math.log(low), math.log(high))))


def assert_delta(mechanism, epsilon, truth, **question):
    """delta and its logarithm, as brackets and as bounds."""
    bounds = mechanism.delta_bounds(epsilon=epsilon, **question)
    assert arb(bounds.lower) <= truth <= arb(bounds.upper), (bounds, truth)
    logs = mechanism.log_delta_bounds(epsilon=epsilon, **question)
    assert arb(logs.lower).exp() <= truth <= arb(logs.upper).exp(), (logs, truth)
    assert arb(mechanism.delta(epsilon=epsilon, **question)) >= truth
    assert bounds.upper - bounds.lower <= 2e-2 * bounds.upper + 1e-12, bounds


def assert_epsilon(mechanism, delta, delta_at):
    """delta is above the target at the lower side, if that is not 0, and at most the target at the upper one."""
    bounds = mechanism.epsilon_bounds(delta=delta)
    assert bounds.lower == 0.0 or delta_at(arb(bounds.lower)) >= arb(delta), bounds
    assert delta_at(arb(bounds.upper)) <= arb(delta), bounds
    assert delta_at(arb(mechanism.epsilon(delta=delta))) <= arb(delta)


@pytest.mark.parametrize("method", ["auto", "fft", "contour", "rdp"])
@pytest.mark.parametrize("seed", range(10))
def test_two_releases_by_every_method(seed, method):
    random = np.random.default_rng(seed)
    ctx.prec = rule_arb.PRECISION
    noises = [scale(random, 0.6, 3.0) for _ in range(2)]
    rate = scale(random, 0.05, 0.7)
    laws = [[Sampled(arb(noise), arb(rate), direction) for noise in noises] for direction in (0, 1)]

    def delta_at(epsilon):
        return delta_of_two(*laws[0], epsilon).max(delta_of_two(*laws[1], epsilon))

    release = hs.compose([hs.Gaussian(noise_multiplier=noise).poisson(rate) for noise in noises])
    epsilon = random.uniform(0.05, 1.5)
    truth = delta_at(arb(epsilon))
    try:
        bounds = release.delta_bounds(epsilon=epsilon, method=method)
    except hs.AccuracyError:
        assert method == "contour"
        return
    assert arb(bounds.lower) <= truth <= arb(bounds.upper)
    delta = scale(random, 1e-6, 1e-2)
    found = release.epsilon(delta=delta, method="auto" if method == "contour" else method)
    assert delta_at(arb(found)) <= arb(delta)


@pytest.mark.parametrize("seed", range(20))
def test_risks_of_a_gaussian(seed):
    random = np.random.default_rng(100 + seed)
    noise = scale(random, 0.3, 20.0)
    mechanism, mu = hs.Gaussian(noise_multiplier=noise), 1 / arb(noise)
    tight = 1 + arb(1e-3)

    def assert_upper(found, truth):
        assert truth <= arb(found) <= truth * tight

    assert_upper(mechanism.advantage(), 2 * cdf(mu / 2) - 1)
    rate = scale(random, 1e-9, 0.6)
    power = cdf(mu - quantile_above(arb(rate)))
    assert_upper(mechanism.tradeoff().tpr(rate), power)
    assert_upper(mechanism.likelihood_ratio(fpr=rate), power / arb(rate))
    assert_upper(mechanism.attribute_inference(baseline=rate), power)
    assert_upper(mechanism.reconstruction(baseline=rate), power)
    candidates = int(random.integers(2, 10**6))
    assert_upper(mechanism.reidentification(candidates=candidates), cdf(mu - quantile_above(1 / arb(candidates))))
    prior = random.uniform(0.01, 0.99)
    odds = arb(prior) * power / arb(rate)
    assert_upper(mechanism.ppv(prior=prior, fpr_floor=rate), odds / (odds + 1 - arb(prior)))
    # The best guess compares the likelihood ratio with the odds.
    edge = mu / 2 + ((1 - arb(prior)) / arb(prior)).log() / mu
    error = (1 - arb(prior)) * cdf(-edge) + arb(prior) * cdf(edge - mu)
    assert arb(mechanism.bayes_error(prior=prior)) <= error <= arb(mechanism.bayes_error(prior=prior)) * tight


@pytest.mark.parametrize("seed", range(8))
def test_logarithms_of_rates(seed):
    random = np.random.default_rng(200 + seed)
    mu = scale(random, 0.2, 4.0)
    curve = hs.GaussianDP(mu=mu).tradeoff()
    for log_rate in (-random.uniform(0.01, 1.0), -random.uniform(1.0, 20.0)):
        z = quantile_above(arb(log_rate).exp())
        miss, power = cdf(z - arb(mu)), cdf(arb(mu) - z)
        assert arb(curve.log_fnr(log_fpr=log_rate)) <= miss.log() <= arb(curve.log_fnr_upper(log_fpr=log_rate))
        assert arb(curve.log_tpr_lower(log_fpr=log_rate)) <= power.log() <= arb(curve.log_tpr(log_fpr=log_rate))
        # inverse: the least rate at which the miss is at most so much, from below; f is its own inverse.
        level = float(miss.mid())
        assert arb(float(curve.inverse(level))) <= cdf(quantile_above(arb(level)) - arb(mu))


@pytest.mark.parametrize("seed", range(10))
def test_profile_read_off_a_curve(seed):
    random = np.random.default_rng(300 + seed)
    mu = scale(random, 0.2, 4.0)
    curve = hs.GaussianDP(mu=mu).tradeoff()
    for epsilon in (0.0, random.uniform(0.0, 2.0 * mu)):
        bounds, truth = curve.delta_bounds(epsilon=epsilon), gaussian_delta(arb(mu), arb(epsilon))
        assert arb(float(bounds.lower)) <= truth <= arb(float(bounds.upper))
    delta = scale(random, 1e-8, 1e-2)
    bounds = curve.epsilon_bounds(delta=delta)
    assert float(bounds.lower) == 0.0 or gaussian_delta(arb(mu), arb(float(bounds.lower))) >= arb(delta)
    assert gaussian_delta(arb(mu), arb(float(bounds.upper))) <= arb(delta)


def delta_of_masses(losses, step, epsilon):
    """delta of one release of a law on a grid, as the law states it."""
    total = arb(losses.infinity_mass)
    for i, mass in enumerate(losses.masses):
        loss = arb(step) * (losses.first + i)
        if loss > epsilon:
            total += arb(mass) * (1 - (epsilon - loss).exp())
    return total


@pytest.mark.parametrize("seed", range(8))
def test_loss_masses_dominate(seed):
    random = np.random.default_rng(400 + seed)
    ctx.prec = rule_arb.PRECISION
    noise, rate = scale(random, 0.7, 3.0), scale(random, 0.02, 0.9)
    release = hs.Gaussian(noise_multiplier=noise).poisson(rate)
    pld = release.pld(step=2e-2)
    for direction, losses in enumerate((pld.remove, pld.add)):
        law = Sampled(arb(noise), arb(rate), direction)
        for epsilon in random.uniform(0.0, 1.5, 3):
            assert delta_of_masses(losses, pld.step, arb(epsilon)) >= law.delta(arb(epsilon))
    delta = scale(random, 1e-6, 1e-2)
    found = arb((2 * release).pld(step=2e-2).epsilon(delta=delta))
    for direction in (0, 1):
        law = Sampled(arb(noise), arb(rate), direction)
        assert delta_of_two(law, law, found) <= arb(delta)


@pytest.mark.parametrize("seed", range(8))
def test_renyi_of_a_composition(seed):
    random = np.random.default_rng(500 + seed)
    ctx.prec = rule_arb.PRECISION
    noise, rate, count = scale(random, 0.8, 4.0), scale(random, 1e-3, 0.9), int(random.integers(1, 50))
    order = random.uniform(1.1, 6.0)
    truth = max(
        (Sampled(arb(noise), arb(rate), direction).moment(arb(order) - 1).real.log() for direction in (0, 1)),
        key=lambda ball: float(ball.mid()),
    ) * (count / (arb(order) - 1))
    found = (count * hs.Gaussian(noise_multiplier=noise).poisson(rate)).rdp(orders=[order])
    assert truth <= arb(float(found[0])) <= truth * (1 + arb(1e-12))


def binomial_tail(successes, trials, p):
    """Pr[Bin(trials, p) >= successes]."""
    return sum((math.comb(trials, k) * p**k * (1 - p) ** (trials - k) for k in range(successes, trials + 1)), arb(0))


@pytest.mark.parametrize("seed", range(30))
def test_clopper_pearson(seed):
    """The chance of as many successes (misses) at the limit is at most the significance, and not far below."""
    random = np.random.default_rng(600 + seed)
    trials = int(random.integers(1, 400))
    successes = int(random.integers(0, trials + 1)) if seed % 5 else random.choice([0, trials])
    significance = scale(random, 1e-9, 0.5)
    lower, upper = _core.clopper_pearson(int(successes), trials, significance)
    level = arb(significance)
    if successes:
        assert binomial_tail(successes, trials, arb(lower)) <= level
        assert binomial_tail(successes, trials, arb(lower) * (1 + arb(1e-9))) > level * (1 - arb(1e-12))
    if successes < trials:
        assert binomial_tail(trials - successes, trials, 1 - arb(upper)) <= level
        assert binomial_tail(trials - successes, trials, (1 - arb(upper)) * (1 + arb(1e-9))) > level * (1 - arb(1e-12))
    assert lower == 0.0 or successes > 0
    assert upper == 1.0 or successes < trials


@pytest.mark.parametrize("seed", range(12))
def test_a_batch_of_fixed_size(seed):
    random = np.random.default_rng(700 + seed)
    noise, size = scale(random, 0.5, 4.0), int(random.integers(2, 50))
    batch = int(random.integers(1, size))
    sampled = hs.Gaussian(noise_multiplier=noise, relation="replace").without_replacement(
        batch_size=batch, dataset_size=size
    )
    laws = [Sampled(arb(noise), arb(batch) / size, direction) for direction in (0, 1)]

    def delta_at(epsilon):
        return laws[0].delta(epsilon).max(laws[1].delta(epsilon))

    # The rate enters as a double: the bounds are of that one.
    exact = [Sampled(arb(noise), arb(batch / size), direction) for direction in (0, 1)]
    epsilon = random.uniform(0.0, 2.0)
    assert_delta(sampled, epsilon, exact[0].delta(arb(epsilon)).max(exact[1].delta(arb(epsilon))))
    delta = scale(random, 1e-8, 1e-3)
    assert_epsilon(sampled, delta, lambda e: exact[0].delta(e).max(exact[1].delta(e)))
    assert (
        abs(float((delta_at(arb(epsilon)) - exact[0].delta(arb(epsilon)).max(exact[1].delta(arb(epsilon)))).mid()))
        < 1e-15
    )


def allocated_delta(noise, epsilon, direction):
    """Random allocation to one of two releases: e^L is the mean of two independent ratios r ~ N(0, s^2) under Q."""
    s, level = arb(noise), (arb(epsilon) if direction == 0 else -arb(epsilon)).exp()

    def ratio(x):
        return ((2 * x - 1) / (2 * s * s)).exp()

    # remove: E[(mean - e^eps)_+]; add: E[(1 - e^eps mean)_+] = E[(mean - e^-eps)_+] e^eps with the parity.
    end = (2 * level).log() * s * s + arb(1) / 2  # from here on the first ratio alone is enough
    low, high = -14 * s, 2 + 14 * s

    def inner(x, analytic):
        strike = 2 * level - ratio(x)
        at = s * s * rule_arb.logarithm(strike, analytic) + arb(1) / 2
        call = rule_arb.cdf((1 - at) / s) - strike * rule_arb.cdf(-at / s)
        return normal_density(x, 0, s) * call / 2

    def outer(x, _):
        return normal_density(x, 0, s) * (1 - 2 * level + ratio(x)) / 2

    gap = s * arb(2) ** -130
    end = end.min(high).max(low)
    total = line_integral(inner, spread(low, end - gap, (0, 1))).real + rule_arb.up_to(2 * gap / s)
    if end < high:
        total += line_integral(outer, spread(end, high, (0, 1))).real
    total += rule_arb.up_to(rule_arb.BEYOND)
    return total if direction == 0 else (total - 1 + level) / level


@pytest.mark.parametrize("seed", range(6))
def test_allocation_to_one_of_two(seed):
    random = np.random.default_rng(800 + seed)
    ctx.prec = rule_arb.PRECISION
    noise, epsilon = scale(random, 0.7, 3.0), random.uniform(0.0, 1.5)
    epoch = hs.Gaussian(noise_multiplier=noise).random_allocation(steps=2)
    for number, direction in enumerate(("remove", "add")):
        assert_delta(epoch, epsilon, allocated_delta(noise, epsilon, number), direction=direction)


@pytest.mark.parametrize("seed", range(8))
def test_a_capped_batch(seed):
    random = np.random.default_rng(900 + seed)
    noise, rate = scale(random, 0.5, 4.0), random.uniform(0.05, 0.9)
    size, cap = int(random.integers(3, 30)), int(random.integers(1, 12))
    capped = hs.TruncatedPoisson(
        noise_multiplier=noise, sampling_rate=rate, dataset_size=size, truncated_batch_size=cap
    )
    q, others = arb(rate), size - 1
    terms = [math.comb(others, k) * q**k * (1 - q) ** (others - k) for k in range(size)]
    full = sum(terms[cap:], arb(0))
    kept = sum((terms[k] * q * cap / (k + 1) for k in range(cap, size)), arb(0))
    epsilon = random.uniform(0.0, 2.0)
    for number, direction in enumerate(("remove", "add")):
        truth = (1 - full) * Sampled(arb(noise), q, number).delta(arb(epsilon))
        if full > 0:
            truth += full * Sampled(arb(noise) / 2, kept / full, number).delta(arb(epsilon))
        bounds = capped.delta_bounds(epsilon=epsilon, direction=direction)
        assert truth <= arb(bounds.upper) <= truth * (1 + arb(1e-3)) + arb(1e-12)
