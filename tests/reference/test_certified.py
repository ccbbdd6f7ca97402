# SPDX-License-Identifier: Apache-2.0
"""Each kind of bound against values with a proof of their own: ball arithmetic, on seeded settings.

A comparison of balls holds only if it holds for all their points: no tolerance is granted anywhere in this file.
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
from rule_arb import Line, Sampled, cdf, delta_of_two, gaussian_delta, quantile_above

import hockeystick as hs
from hockeystick import _core, renyi


@pytest.fixture(autouse=True)
def precision():
    before, ctx.prec = ctx.prec, rule_arb.PRECISION
    yield
    ctx.prec = before


def scale(random, low, high):
    return float(np.exp(random.uniform(math.log(low), math.log(high))))


def assert_inside(bounds, truth):
    """lower <= truth <= upper; bounds may be arrays of one number."""
    lower, upper = (float(np.ravel(side)[0]) for side in bounds)
    assert arb(lower) <= truth <= arb(upper), (lower, truth, upper)


def assert_inverse(bounds, log_delta, delta_at):
    """delta(lower) >= delta >= delta(upper), and epsilon 0 where delta(0) is no larger."""
    lower, upper = bounds
    delta = arb(log_delta).exp()
    assert lower == 0.0 or delta_at(arb(lower)) >= delta, (lower, log_delta)
    assert upper == math.inf or delta_at(arb(upper)) <= delta, (upper, log_delta)


@pytest.mark.parametrize("seed", range(60))
def test_gaussian_closed_form(seed):
    random = np.random.default_rng(seed)
    mu = scale(random, 1e-3, 20.0)
    epsilon = mu * (random.uniform(-2.0, 8.0) + 0.5 * mu)
    ctx.prec = 400  # the two terms cancel
    truth = gaussian_delta(arb(mu), arb(epsilon))
    assert_inside(_core.gaussian_log_delta_bounds(np.array([epsilon]), mu), truth.log())
    assert_inside(_core.gaussian_log_complement_bounds(np.array([epsilon]), mu), (1 - truth).log())
    log_delta = -scale(random, 0.1, 200.0)
    bounds = _core.gaussian_epsilon_bounds(log_delta, mu)
    assert_inverse(bounds, log_delta, lambda e: gaussian_delta(arb(mu), e))


@pytest.mark.parametrize("seed", range(60))
def test_one_sampled_release(seed):
    random = np.random.default_rng(1000 + seed)
    noise, rate, direction = scale(random, 0.2, 10.0), scale(random, 1e-4, 1.0), seed % 2
    law = Sampled(arb(noise), arb(rate), direction)
    ctx.prec = 400
    greatest = -math.log1p(-rate) if direction else math.log1p(rate * math.expm1(3.0 / noise))
    epsilon = greatest * random.uniform(0.0, 0.99)
    bounds = _core.subsampled_log_delta_bounds(np.array([epsilon]), noise, rate, direction)
    assert_inside(bounds, law.delta(arb(epsilon)).log())
    log_delta = math.log(rate) - scale(random, 1.0, 100.0)
    assert_inverse(_core.subsampled_epsilon_bounds(log_delta, noise, rate, direction), log_delta, law.delta)


def engines_inside(noises, rates, counts, direction, delta_at, epsilons):
    """Both engines, both questions."""
    columns = (np.array(noises), np.array(rates), np.array(counts, dtype=np.uint64))
    laws = [[_core.gaussian_law(noise, rate, direction) for noise, rate in zip(noises, rates, strict=True)]]
    for epsilon in epsilons:
        at, truth = np.array([epsilon]), delta_at(arb(epsilon))
        log_truth = truth.log() if truth > 0 else arb("-inf")
        contour = _core.contour_log_delta_bounds(*columns, [direction], at, 1e-9)
        fft = _core.fft_log_delta_bounds(laws, columns[2], at, 1e-4)
        for lower, upper in (contour, fft):
            assert lower[0] == -math.inf or arb(lower[0]) <= log_truth, (lower, log_truth)
            assert log_truth <= arb(upper[0]) if truth > 0 else truth < arb(2) ** -100, (log_truth, upper)
        assert not truth > arb(2) ** -60 or fft[1][0] - fft[0][0] <= 1e-3
    for log_delta in (-1.5, -5.0, -12.0):
        assert_inverse(_core.fft_epsilon_bounds(laws, columns[2], log_delta, 1e-4), log_delta, delta_at)
        try:
            bounds = _core.contour_epsilon_bounds(*columns, [direction], log_delta, 1e-9)
        except hs.AccuracyError:
            continue  # near-atoms are the other engine's
        assert_inverse(bounds, log_delta, delta_at)


@pytest.mark.parametrize("seed", range(8))
def test_two_releases(seed):
    random = np.random.default_rng(2000 + seed)
    direction = seed % 2
    noises = [scale(random, 0.6, 3.0) for _ in range(2)]
    rates = [1.0 if seed % 4 < 2 else scale(random, 0.05, 0.7), scale(random, 0.01, 0.7)]
    laws = [Sampled(arb(noise), arb(rate), direction) for noise, rate in zip(noises, rates, strict=True)]
    epsilons = [0.0, random.uniform(0.05, 0.5), random.uniform(0.5, 2.0)]
    engines_inside(noises, rates, [1, 1], direction, lambda e: delta_of_two(*laws, e), epsilons)


@pytest.mark.parametrize("direction", [0, 1])
@pytest.mark.parametrize(
    ("noise", "rate", "count", "mu", "tilt"),
    [(1.0, 0.01, 1000, 0.4, 3), (2.0, 0.05, 100, 0.3, 4), (0.8, 1e-3, 10**6, 0.5, 2)],
)
def test_many_releases(noise, rate, count, mu, tilt, direction):
    ctx.prec = 110
    standard = 1.0 / mu
    exact_mu = 1 / arb(standard)
    spread = (count * arb(rate) ** 2 * ((1 / arb(noise) ** 2).exp() - 1) + exact_mu**2).sqrt()
    line = Line([(Sampled(arb(noise), arb(rate), direction), count)], exact_mu, arb(tilt), spread * arb("1.5"))
    engines_inside([noise, standard], [rate, 1.0], [count, 1], direction, line.delta, [0.1, 0.8, 2.0, 3.0])


@pytest.mark.parametrize("seed", range(12))
def test_randomized_response_by_the_trinomial(seed):
    random = np.random.default_rng(3000 + seed)
    noise, categories, count = random.uniform(0.2, 0.9), int(random.integers(2, 9)), int(random.integers(1, 30))
    other = arb(noise) / categories
    truthful, neutral = 1 - arb(noise) + other, (categories - 2) * other
    unit = (truthful / other).log()

    def delta_at(epsilon):
        total = arb(0)
        for up in range(count + 1):
            for down in range(count + 1 - up):
                ways = math.comb(count, up) * math.comb(count - up, down)
                gain = 1 - (epsilon - (up - down) * unit).exp()
                if gain > 0:
                    total += ways * truthful**up * other**down * neutral ** (count - up - down) * gain
        return total

    release = hs.RandomizedResponse(noise_probability=noise, categories=categories)
    composed = hs.compose([release] * count)
    for epsilon in (0.0, 0.7, 2.0):
        bounds = composed.log_delta_bounds(epsilon=epsilon)
        truth = delta_at(arb(epsilon))
        if truth > 0:
            assert_inside((bounds.lower, bounds.upper), truth.log())
        else:
            assert bounds.lower == -math.inf
    for delta in (1e-2, 1e-6):
        bounds = composed.epsilon_bounds(delta=delta)
        lower, upper = float(bounds.lower), float(bounds.upper)
        assert lower == 0.0 or delta_at(arb(lower)) >= arb(delta)
        assert delta_at(arb(upper)) <= arb(delta)


def sampled_pair(noise, rate):
    return [Sampled(arb(noise), arb(rate), direction) for direction in (0, 1)]


def lines_at(laws, alpha, epsilons):
    """The greatest of the lines below f that these epsilons give, and of their mirror images: at most f(alpha)."""
    best = arb(0)
    for epsilon in epsilons:
        rest = 1 - laws[0].delta(epsilon).max(laws[1].delta(epsilon))
        best = best.max(rest - epsilon.exp() * alpha).max((-epsilon).exp() * (rest - alpha))
    return best


def slopes_at(laws, alpha):
    """Where these lines touch: the log of the slope of each direction's f at alpha."""
    return [abs(law.ratio(law.threshold_of(alpha)).log()).mid() for law in laws]


@pytest.mark.parametrize("seed", range(6))
def test_tradeoff_curve_and_mu_and_regret_of_one_release(seed):
    random = np.random.default_rng(4000 + seed)
    noise, rate = scale(random, 0.6, 2.0), scale(random, 0.05, 0.9)
    laws = sampled_pair(noise, rate)
    curve = hs.Gaussian(noise_multiplier=noise).poisson(rate).tradeoff()
    floor = 1e-6
    fit = curve.gdp(fpr_floor=floor)
    mu, mu_lower = arb(fit.mu), arb(fit.mu_lower)
    reached = []
    for alpha in [floor, float(fit.fpr_at_mu), *(scale(random, floor, 0.5) for _ in range(8))]:
        at = arb(alpha)
        truth_upper = laws[0].beta(at).min(laws[1].beta(at))
        truth_lower = lines_at(laws, at, slopes_at(laws, at))
        assert arb(float(curve(alpha))) <= truth_upper
        assert arb(float(curve.upper(alpha))) >= truth_lower
        if alpha >= floor and truth_lower > arb(floor):
            z = quantile_above(at)
            assert cdf(z - mu) <= truth_lower
            reached.append(cdf(z - mu_lower) >= truth_upper)
    assert any(reached)  # the least mu is at least mu_lower

    def given_away(epsilon):
        return gaussian_delta(mu, epsilon) - laws[0].delta(epsilon).max(laws[1].delta(epsilon))

    for epsilon in [arb(fit.epsilon_at_regret), *(arb(random.uniform(0.0, 4.0)) for _ in range(10))]:
        assert given_away(epsilon) <= arb(fit.regret)
        assert given_away(epsilon) / (1 + epsilon.exp()) <= arb(fit.delta_divergence)
    assert given_away(arb(fit.epsilon_at_regret)) >= arb(fit.regret_lower)
    at = arb(fit.epsilon_at_delta_divergence)
    assert given_away(at) / (1 + at.exp()) >= arb(fit.delta_divergence_lower)


@pytest.mark.parametrize("seed", range(6))
def test_tradeoff_curve_and_mu_of_gaussians(seed):
    random = np.random.default_rng(5000 + seed)
    noises, counts = [scale(random, 1.0, 20.0) for _ in range(3)], [int(random.integers(1, 20)) for _ in range(3)]
    mu = sum((count / arb(noise) ** 2 for noise, count in zip(noises, counts, strict=True)), arb(0)).sqrt()
    releases = [hs.Gaussian(noise_multiplier=n) for n, count in zip(noises, counts, strict=True) for _ in range(count)]
    curve = hs.compose(releases).tradeoff()
    for alpha in (scale(random, 1e-9, 0.999) for _ in range(12)):
        assert_inside((curve(alpha), curve.upper(alpha)), cdf(quantile_above(arb(alpha)) - mu))
    assert_inside(curve.gdp().mu_bounds, mu)


@pytest.mark.parametrize("seed", range(20))
def test_tradeoff_curve_and_mu_of_pure_privacy(seed):
    """Two lines and their corner, that the curve and mu are to touch: nothing but outward rounding keeps them apart."""
    random = np.random.default_rng(10000 + seed)
    epsilon = scale(random, 0.05, 6.0)
    curve, factor = hs.PureDP(epsilon=epsilon).tradeoff(), arb(epsilon).exp()
    for alpha in (scale(random, 1e-9, 0.999) for _ in range(60)):
        truth = (1 - factor * alpha).max((1 - arb(alpha)) / factor)
        assert_inside((curve(alpha), curve.upper(alpha)), truth)
    assert_inside(curve.gdp().mu_bounds, 2 * quantile_above(1 / (1 + factor)))


@pytest.mark.parametrize("seed", range(40))
def test_renyi_of_sampled_gaussians(seed):
    random = np.random.default_rng(6000 + seed)
    noise, rate, direction = scale(random, 0.7, 5.0), scale(random, 1e-3, 1.0), seed % 2
    order = float(random.integers(2, 7)) if seed % 3 == 0 else random.uniform(1.05, 6.5)
    law = Sampled(arb(noise), arb(rate), direction)
    truth = law.moment(arb(order) - 1).real.log() / (arb(order) - 1)
    assert_inside(_core.renyi_bounds(np.array([noise]), np.array([rate]), np.array([order]), direction), truth)


@pytest.mark.parametrize("seed", range(20))
def test_renyi_of_laplace_and_discrete_gaussian(seed):
    random = np.random.default_rng(7000 + seed)
    order, separation = 1.0 + scale(random, 0.01, 60.0), scale(random, 0.01, 5.0)
    a, s = arb(order), arb(separation)
    truth = (a / (2 * a - 1) * ((a - 1) * s).exp() + (a - 1) / (2 * a - 1) * (-a * s).exp()).log() / (a - 1)
    assert_inside(_core.laplace_renyi_bounds(separation, np.array([order])), truth)
    sigma, shift = scale(random, 0.4, 6.0), float(random.integers(1, 4))
    width = 2 * arb(sigma) ** 2

    def mass(centre):  # the sum over the integers but for less than 2^-140 of it
        middle = int(float(centre))
        reach = int(15 * sigma) + 3
        return sum((-((arb(x) - centre) ** 2) / width).exp() for x in range(middle - reach, middle + reach + 1))

    beyond = arb(1, 2.0**-135)
    gain = a * (a - 1) * arb(shift) ** 2 / width
    truth = (gain + (mass(a * arb(shift)) / mass(arb(0)) * beyond).log()) / (a - 1)
    assert_inside(_core.discrete_gaussian_renyi_bounds(sigma, shift, np.array([order])), truth)


@pytest.mark.parametrize("conversion", ["optimal", "improved", "classic"])
@pytest.mark.parametrize("seed", range(15))
def test_conversions_cover_every_pair_of_that_divergence(seed, conversion):
    """Two outcomes are the worst case of the optimal conversion: any such pair lies below."""
    random = np.random.default_rng(8000 + seed)
    order, p = 1.0 + scale(random, 0.1, 30.0), scale(random, 1e-6, 0.9)
    q = p * math.exp(-random.uniform(0.1, 4.0))
    a, up, down = arb(order), arb(p), arb(q)

    def divergence(x, y):
        return (x**a * y ** (1 - a) + (1 - x) ** a * (1 - y) ** (1 - a)).log() / (a - 1)

    rdp = math.nextafter(float(divergence(up, down).max(divergence(down, up)).upper()), math.inf)
    for epsilon in random.uniform(0.0, math.log(p / q), 4):
        delta = up - arb(epsilon).exp() * down
        answer = renyi.delta_from_renyi(orders=[order], rdp=[rdp], epsilon=epsilon, conversion=conversion)
        assert arb(answer.value) >= delta
        target = float(delta.lower())
        answer = renyi.epsilon_from_renyi(orders=[order], rdp=[rdp], delta=target, conversion=conversion)
        assert up - arb(answer.value).exp() * down <= arb(target)


@pytest.mark.parametrize("seed", range(15))
def test_conversions_cover_the_gaussian(seed):
    random = np.random.default_rng(9000 + seed)
    mu, log_delta = scale(random, 0.05, 5.0), -scale(random, 1.0, 60.0)
    delta = math.exp(log_delta)
    rho = math.nextafter(0.5 * mu * mu, math.inf)
    exact = arb(mu)
    found = [renyi.zcdp_epsilon(rho=rho, delta=delta, conversion=c).value for c in renyi.CONVERSIONS]
    orders = 1.0 + np.exp(random.uniform(-2.0, 4.0, 6))
    rdp = np.nextafter(rho * orders, math.inf)
    found += [
        renyi.epsilon_from_renyi(orders=orders, rdp=rdp, delta=delta, conversion=c).value for c in renyi.CONVERSIONS
    ]
    for epsilon in found:
        assert gaussian_delta(exact, arb(epsilon)) <= arb(delta)
    epsilon = mu * random.uniform(0.0, 6.0)
    assert arb(renyi.zcdp_delta(rho=rho, epsilon=epsilon).value) >= gaussian_delta(exact, arb(epsilon))
