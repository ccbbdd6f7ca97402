# SPDX-License-Identifier: Apache-2.0
"""Renyi curves of every kind, against definitions that are summed or integrated in the open."""

import math

import numpy as np
import pytest

import hockeystick as hs
from hockeystick.renyi import amplification, curves

ORDERS = np.array([1.0, 1.0001, 1.5, 2.0, 3.7, 16.0, 100.0])


def both(curve, orders=ORDERS):
    return [curve.bounds(orders, direction) for direction in (0, 1)]


def divergence(p, q, order):
    """D_order of two vectors by its definition."""
    if order == 1.0:
        return float(np.sum(p * np.log(p / q)))
    return float(np.log(np.sum(p * (p / q) ** (order - 1.0))) / (order - 1.0))


@pytest.mark.parametrize("epsilon", [1e-3, 0.5, 3.0])
def test_pure(epsilon):
    p = np.array([1.0, math.exp(-epsilon)]) / (1.0 + math.exp(-epsilon))
    curve = curves.pure_curve(epsilon)
    for lower, upper in both(curve):
        truth = np.array([divergence(p, p[::-1], order) for order in ORDERS])
        slack = 1e-15 / epsilon**2 / np.maximum(ORDERS - 1.0, 1e-4)  # of the definition, which cancels
        assert (lower <= truth * (1 + 1e-12) + slack * epsilon**2).all()
        assert (truth * (1 - 1e-12) - slack * epsilon**2 <= upper).all()
        assert (upper - lower <= 1e-12 * upper).all()
    assert curve.bounds(np.array([np.inf]), 0)[1] == pytest.approx(epsilon, rel=1e-14)
    assert np.isinf(curves.pure_curve(epsilon, 1e-9).bounds(ORDERS, 0)[0]).all()


@pytest.mark.parametrize(("noise", "categories"), [(0.6, 2), (0.3, 5), (0.999, 3)])
def test_randomized_response(noise, categories):
    p = np.full(categories, noise / categories)
    p[0] += 1 - noise
    q = np.roll(p, 1)
    lower, upper = curves.randomized_response_curve(noise, categories).bounds(ORDERS, 0)
    truth = np.array([divergence(p, q, order) for order in ORDERS])
    assert upper == pytest.approx(truth, rel=1e-9)
    assert (upper - lower <= 1e-12 * upper).all()
    assert np.isinf(curves.randomized_response_curve(0.0).bounds(ORDERS, 0)[1]).all()


def test_laplace_and_discrete_gaussian():
    x = np.linspace(-60.0, 61.0, 4_000_001)
    step = x[1] - x[0]
    p, q = 0.5 * np.exp(-np.abs(x)) * step, 0.5 * np.exp(-np.abs(x - 1.0)) * step
    _, upper = curves.LaplaceCurve(1.0).bounds(ORDERS[2:5], 0)
    assert upper == pytest.approx([divergence(p, q, order) for order in ORDERS[2:5]], rel=1e-6)
    n = np.arange(-300, 301)
    p = np.exp(-(n**2) / (2 * 2.0**2))
    p /= p.sum()
    _, upper = curves.DiscreteGaussianCurve(2.0, 3).bounds(ORDERS[:5], 0)
    q = np.roll(p, 3)
    keep = (p > 0) & (q > 1e-290)
    assert upper == pytest.approx([divergence(p[keep], q[keep], order) for order in ORDERS[:5]], rel=1e-9)
    assert np.isinf(curves.LaplaceCurve(0.0).bounds(ORDERS, 0)[0]).all()


def test_concentrated_and_truncated():
    curve = curves.ConcentratedCurve(0.1, 0.01, greatest_order=10.0)
    lower, upper = curve.bounds(ORDERS, 0)
    assert (lower == 0).all()
    assert upper[:5] == pytest.approx(0.01 + 0.1 * ORDERS[:5], rel=1e-14)
    assert np.isinf(upper[5:]).all()
    nothing = curves.ConcentratedCurve(0.0, 0.2)
    assert nothing.bounds(np.array([2.0, np.inf]), 0)[1] == pytest.approx([0.2, 0.2])
    assert np.isinf(curves.ConcentratedCurve(0.1).bounds(np.array([np.inf]), 0)[1]).all()


def test_tabulated_is_above_any_curve_through_its_points():
    """Between the points chords of (a - 1) D_a; a Gaussian's and a two-point law's curve lie below."""
    given = np.array([1.5, 2.0, 8.0, 40.0])
    for exact in (curves.SubsampledGaussianCurve(1.0, 0.1), curves.pure_curve(1.0)):
        values = exact.bounds(given, 0)[1]
        table = curves.TabulatedCurve(tuple(given), tuple(values))
        between = np.array([1.0, 1.2, 1.5, 1.7, 3.0, 8.0, 20.0, 40.0])
        upper, truth = table.bounds(between, 0)[1], exact.bounds(between, 0)[1]
        assert (upper >= truth * (1 - 1e-15)).all()
        assert upper[[2, 5, 7]] == pytest.approx(values[[0, 2, 3]], rel=1e-14)
        assert np.isinf(table.bounds(np.array([40.1, np.inf]), 0)[1]).all()
    pure = curves.TabulatedCurve((2.0, np.inf), (0.5, 3.0))
    assert pure.bounds(np.array([1.0, 2.0, 5.0, np.inf]), 0)[1] == pytest.approx([0.5, 0.5, 3.0, 3.0])
    assert np.isinf(curves.TabulatedCurve((np.inf,), (np.inf,)).bounds(ORDERS, 0)[1]).all()


def test_generic_poisson_of_a_known_pair_is_exact_at_whole_orders():
    base, rate = curves.SubsampledGaussianCurve(1.3), 0.07
    whole = np.array([2.0, 3.0, 10.0, 64.0])
    upper = amplification.poisson_upper(base, rate, whole)
    truth = curves.SubsampledGaussianCurve(1.3, rate).bounds(whole, 0)[1]
    assert (upper >= truth).all()
    assert upper == pytest.approx(truth, rel=1e-10)
    between = np.array([1.0, 1.3, 2.5, 9.9])
    truth = curves.SubsampledGaussianCurve(1.3, rate).bounds(between, 0)[1]
    assert (amplification.poisson_upper(base, rate, between) >= truth).all()


def test_generic_poisson_of_a_curve_alone_is_above_every_such_pair():
    rate = 0.02
    loose = amplification.poisson_upper(curves.ConcentratedCurve(0.5), rate, ORDERS)
    for law in (curves.SubsampledGaussianCurve(1.0), curves.pure_curve(1.0)):
        assert (law.bounds(ORDERS, 0)[1] <= 0.5 * ORDERS * (1 + 1e-14)).all()
        exact = amplification.poisson_upper(law, rate, ORDERS)
        assert (loose >= exact * (1 - 1e-11)).all()
    # And below no sampling; far beyond the sums, equal to it.
    assert (loose <= 0.5 * ORDERS * (1 + 1e-14)).all()
    assert amplification.poisson_upper(curves.ConcentratedCurve(0.5), rate, np.array([1e4])) == pytest.approx([5e3])
    assert loose[3] < 0.01


def test_ends_of_the_sampling_rate():
    base = curves.ConcentratedCurve(0.5)
    assert (amplification.poisson_upper(base, 0.0, ORDERS) == 0).all()
    assert (amplification.poisson_upper(base, 1.0, ORDERS) == base.bounds(ORDERS, 0)[1]).all()
    assert (amplification.without_replacement_upper(base, 1.0, ORDERS) == base.bounds(ORDERS, 0)[1]).all()


def test_sampling_without_replacement():
    """The Gaussian's own bound is above the attained pair, below the generic one, and grows with the order."""
    rate, noise = 0.01, 1.0
    orders = np.array([1.0, 1.5, 2.0, 4.0, 8.0])
    remove, add = both(curves.SubsampledGaussianCurve(noise, rate), orders)
    tight = amplification.gaussian_without_replacement_upper(remove[1], add[1], orders)
    generic = amplification.without_replacement_upper(curves.SubsampledGaussianCurve(noise), rate, orders)
    # Attained: all other records at one end, so that one direction is the Poisson pair itself.
    assert (tight >= np.maximum(remove[0], add[0])).all()
    assert (tight <= generic * (1 + 1e-12)).all()
    assert (np.diff(tight) > 0).all()


def test_a_law_without_replacement_is_below_what_is_known_of_its_curve():
    orders = np.array([1.5, 2.0, 8.0])
    exact = hs.Gaussian(noise_multiplier=1.0, relation="replace").without_replacement(batch_size=10, dataset_size=1000)
    known = hs.ZCDP(rho=0.5, relation="replace").without_replacement(batch_size=10, dataset_size=1000)
    pair = [curves.SubsampledGaussianCurve(1.0, 0.01).bounds(orders, direction)[1] for direction in (0, 1)]
    tight = amplification.gaussian_without_replacement_upper(*pair, orders)
    assert (exact.rdp(orders=orders) <= tight).all()
    assert (tight <= known.rdp(orders=orders)).all()
    assert (known.rdp(orders=orders) < 0.5 * orders).all()
    for wrong in (hs.ZCDP(rho=0.5), hs.RenyiCurve(orders=[2.0], values=[0.5])):
        with pytest.raises(ValueError, match="relation must be 'replace'"):
            wrong.without_replacement(batch_size=10, dataset_size=1000)
    with pytest.raises(ValueError, match="relation must be 'add_remove'"):
        hs.ZCDP(rho=0.5, relation="replace").poisson(0.1)


def merged_moment(noise, rate, order):
    """E[...] of the pair of profile max(remove, add) on both sides of 0, from the hockey sticks: a fine sum in x."""
    x = np.linspace(0.5, 0.5 + 40.0 * noise, 400_001)
    r = 1.0 + rate * np.expm1((2 * x - 1) / (2 * noise**2))
    h = r**order - 1 - order * (r - 1) + r ** (1 - order) - 1 - (1 - order) * (r - 1)
    density = np.exp(-(x**2) / (2 * noise**2)) / (noise * math.sqrt(2 * math.pi))
    return float(np.sum(h * density) * (x[1] - x[0]))


@pytest.mark.parametrize("order", [1.5, 2.0, 6.0])
def test_gaussian_without_replacement_bounds_the_merged_pair(order):
    orders = np.array([order])
    remove, add = both(curves.SubsampledGaussianCurve(1.5, 0.2), orders)
    upper = amplification.gaussian_without_replacement_upper(remove[1], add[1], orders)[0]
    truth = math.log1p(merged_moment(1.5, 0.2, order)) / (order - 1)
    assert truth <= upper <= 2.0 * truth


def test_rdp_of_mechanisms():
    run = 10 * hs.Gaussian(noise_multiplier=2.0) + 3 * hs.ZCDP(rho=0.1)
    assert run.rdp(orders=[2.0, 4.0]) == pytest.approx([2 * (10 / 8 + 0.3), 4 * (10 / 8 + 0.3)], rel=1e-13)
    assert run.rdp(orders=2.0).shape == ()
    assert run.rdp(orders="opacus").shape == (151,)
    assert run.rdp().shape == hs.renyi.default_orders().shape
    assert (0 * run).rdp(orders=[2.0])[0] == 0.0
    assert np.isinf(hs.dpsgd(noise_multiplier=0.0, sampling_rate=0.1, steps=1).rdp(orders=[1.0, 2.0])).all()


def test_every_mechanism_of_the_catalogue_has_a_curve():
    """Above the definition where the law is short, and never below the exact epsilon."""
    orders = np.array([1.0, 1.5, 2.0, 8.0])
    p = np.array([0.6 + 0.4 / 3, 0.4 / 3, 0.4 / 3])
    response = hs.RandomizedResponse(noise_probability=0.4, categories=3)
    assert response.rdp(orders=orders) == pytest.approx([divergence(p, np.roll(p, 1), a) for a in orders], rel=1e-12)
    noise = np.exp(-np.abs(np.arange(-400, 401)) / 2.0)
    noise /= noise.sum()
    truth = [divergence(noise, np.roll(noise, 1), a) for a in orders]
    assert hs.DiscreteLaplace(scale=2.0).rdp(orders=orders) == pytest.approx(truth, rel=1e-9)
    catalogue = [
        hs.Laplace(noise_multiplier=2.0),
        hs.DiscreteGaussian(sigma=2.0),
        hs.ExponentialMechanism(epsilon=1.0),
        hs.PureDP(epsilon=1.0),
        hs.GaussianDP(mu=0.5),
        hs.MixtureOfGaussians(noise_std=2.0, sensitivities=[0.0, 1.0], probabilities=[0.7, 0.3]),
        hs.Laplace(noise_multiplier=2.0).poisson(0.1),
        hs.Gaussian(noise_multiplier=2.0, relation="replace").poisson(0.1),
    ]
    for mechanism in catalogue:
        found = mechanism.rdp(orders=orders)
        assert (np.diff(found) > 0).all(), mechanism
        assert mechanism.epsilon(delta=1e-3, method="rdp") >= mechanism.epsilon_bounds(delta=1e-3).lower * (1 - 1e-12)
    assert np.isinf(hs.ApproximateDP(epsilon=1.0, delta=1e-9).rdp(orders=orders)).all()


def test_poisson_laplace_by_its_binomial_sum():
    """At whole orders E_Q[(1 - q + q r)^a] is a sum over the moments of the base."""
    base, sampled = hs.Laplace(noise_multiplier=1.0), hs.Laplace(noise_multiplier=1.0).poisson(0.1)
    for order in (2, 3, 7):
        k = np.arange(2, order + 1)
        weights = np.array([math.comb(order, j) * 0.1**j * 0.9 ** (order - j) for j in k])
        excess = np.sum(weights * np.expm1((k - 1) * base.rdp(orders=k.astype(float))))
        assert sampled.rdp(orders=float(order)) == pytest.approx(math.log1p(excess) / (order - 1), rel=1e-5)


@pytest.mark.parametrize("orders", [0.999, [2.0, 0.5], float("nan"), [], -1.0])
def test_orders_below_one_are_refused(orders):
    with pytest.raises(ValueError, match="orders must"):
        hs.Gaussian(noise_multiplier=1.0).rdp(orders=orders)
    with pytest.raises(ValueError, match="orders must"):
        hs.RDPAccountant(orders=orders)


def test_order_one_is_the_limit():
    step = hs.Gaussian(noise_multiplier=1.2).poisson(0.05)
    at = step.rdp(orders=[1.0, 1.0 + 1e-9])
    assert at[0] == pytest.approx(at[1], rel=1e-7)


@pytest.mark.parametrize("orders", [True, "2", object(), "unknown_grid"])
def test_orders_of_another_kind_are_refused(orders):
    with pytest.raises((TypeError, ValueError), match="orders must"):
        hs.RDPAccountant(orders=orders)


def mean_divergence(order, sigma, steps, direction):
    """D_order of the mean of 1 or 2 Gaussian likelihood ratios against the law without the record, by quadrature."""
    x = np.linspace(-14.0 * sigma, 14.0 * sigma + order, 4001)
    ratio = np.exp((2.0 * x - 1.0) / (2.0 * sigma**2))
    weight = np.exp(-(x**2) / (2.0 * sigma**2)) * (x[1] - x[0]) / (sigma * math.sqrt(2.0 * math.pi))
    mean = ratio if steps == 1 else 0.5 * (ratio[:, None] + ratio)
    power = order if direction == 0 else 1.0 - order
    moment = np.sum((weight if steps == 1 else weight[:, None] * weight) * mean**power)
    return math.log(moment) / (order - 1.0)


@pytest.mark.parametrize("steps", [1, 2])
@pytest.mark.parametrize("sigma", [0.8, 3.0])
def test_random_allocation(steps, sigma):
    orders = np.array([1.5, 2.0, 3.7, 8.0])
    epoch = hs.Gaussian(noise_multiplier=sigma).random_allocation(steps=steps)
    for direction, (_, upper) in enumerate(both(epoch._renyi_curve(), orders)):
        truth = np.array([mean_divergence(order, sigma, steps, direction) for order in orders])
        assert (upper >= truth * (1 - 1e-9)).all()
        assert upper[:-1] == pytest.approx(truth[:-1], rel=2e-3)
        assert upper[-1] == pytest.approx(truth[-1], rel=0.05)


def test_random_allocation_is_finite_at_every_order():
    epoch = hs.Gaussian(noise_multiplier=1.0).random_allocation(steps=100)
    orders = np.array([1.0, 1.001, 2.0, 17.5, 200.0, 256.0, 1e4])
    upper = epoch.rdp(orders=orders)
    assert np.isfinite(upper).all()
    assert (np.diff(upper) > 0).all()
    assert (upper <= hs.Gaussian(noise_multiplier=1.0).rdp(orders=orders) * (1 + 1e-6)).all()
    # Order 2 in closed form: 1 + (e - 1) / 100.
    assert upper[2] == pytest.approx(math.log1p((math.e - 1) / 100), rel=1e-12)
    lower = epoch.epsilon_bounds(delta=1e-6).lower
    assert lower < epoch.epsilon(delta=1e-6, method="rdp") < 2 * lower


def test_random_allocation_of_a_bounded_release():
    epoch = hs.Laplace(noise_multiplier=1.0).random_allocation(steps=100)
    assert epoch.rdp(orders=[2.0, np.inf]) == pytest.approx([8.67e-3, 1.0], rel=1e-3)
