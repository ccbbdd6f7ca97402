# SPDX-License-Identifier: Apache-2.0
"""Curves from points, tables, distributions and Gaussians; symmetrisation and hull; to (epsilon, delta) and back."""

import math

import numpy as np
import pytest
from closed_profiles import gaussian_delta, gaussian_f
from scipy import special

import hockeystick as hs
from hockeystick import TradeoffCurve, _core, fit_gdp
from hockeystick._adaptive import CertifiedCurve

ALPHA = np.concatenate([np.logspace(-12, -1, 100), np.linspace(0.1, 1.0, 91)])


def polygon(alpha, fpr, fnr):
    return np.interp(alpha, fpr, fnr)


def hull_of_minimum(alpha, fpr, fnr):
    """The definition: the largest convex function below the polygon and its mirror image, by all chords."""
    points = [(0.0, 1.0), (1.0, 0.0), *zip(fpr, fnr, strict=True), *zip(fnr, fpr, strict=True)]
    best = np.ones_like(alpha)
    for a, b in points:
        for c, d in points:
            if a <= c:
                inside = (alpha >= a) & (alpha <= c)
                line = b if a == c else b + (d - b) * (alpha - a) / (c - a)
                best = np.where(inside, np.minimum(best, line), best)
    return best


class TestPoints:
    FPR, FNR = [0.0, 0.05, 0.3, 1.0], [1.0, 0.55, 0.25, 0.0]

    def test_polygon_and_its_mirror_image(self):
        curve = TradeoffCurve.from_points(fpr=self.FPR, fnr=self.FNR)
        truth = hull_of_minimum(ALPHA, self.FPR, self.FNR)
        assert (truth < polygon(ALPHA, self.FPR, self.FNR) - 1e-3).any()  # it is not symmetric by itself
        assert (curve(ALPHA) <= truth * (1 + 1e-14)).all()
        assert (curve.upper(ALPHA) >= truth * (1 - 1e-14)).all()
        np.testing.assert_allclose(curve(ALPHA), truth, atol=1e-13)
        np.testing.assert_allclose(curve.upper(ALPHA), truth, atol=1e-13)
        for alpha in (0.01, 0.2, 0.6):
            assert curve(curve(alpha)) == pytest.approx(alpha, rel=1e-12)

    def test_the_maximum_with_the_mirror_image_would_be_wrong(self):
        """max(f, f^-1) claims the privacy of the better direction for both."""
        curve = TradeoffCurve.from_points(fpr=self.FPR, fnr=self.FNR)
        mirrored = np.interp(ALPHA, self.FNR[::-1], self.FPR[::-1])
        wrong = np.maximum(polygon(ALPHA, self.FPR, self.FNR), mirrored)
        assert (wrong > curve.upper(ALPHA) + 0.01).any()

    def test_points_above_the_hull_and_order_do_not_matter(self):
        plain = TradeoffCurve.from_points(fpr=self.FPR, fnr=self.FNR)
        more = TradeoffCurve.from_points(fpr=[0.3, 0.2, 1.0, 0.05, 0.0], fnr=[0.25, 0.7, 0.0, 0.55, 1.0])
        np.testing.assert_allclose(more(ALPHA), plain(ALPHA), atol=1e-14)

    def test_mu_of_one_direction_and_of_the_hull_are_one(self):
        """f_mu is its own inverse: the vertices of the one direction alone decide."""
        fit = fit_gdp(TradeoffCurve.from_points(fpr=self.FPR, fnr=self.FNR))
        inner = zip(self.FPR[1:-1], self.FNR[1:-1], strict=True)
        mu = max(special.ndtri(1 - b) - special.ndtri(a) for a, b in inner)
        assert fit.mu == pytest.approx(mu, rel=1e-12)
        assert fit.mu >= mu * (1 - 1e-15)
        assert fit.mu_lower == pytest.approx(mu, rel=1e-10)
        assert fit.fpr_at_mu == pytest.approx(0.05, rel=1e-10)

    def test_tpr_keeps_small_rates(self):
        fpr, tpr = np.array([1e-200, 1e-150, 0.5]), np.array([1e-190, 1e-143, 0.6])
        curve = TradeoffCurve.from_points(fpr=fpr, tpr=tpr)
        assert curve.log_tpr(log_fpr=math.log(1e-200)) == pytest.approx(math.log(1e-190), rel=1e-12)
        assert curve.tpr(1e-150) == pytest.approx(1e-143, rel=1e-9)

    def test_samples_bracket_every_convex_curve_through_them(self):
        fpr = np.concatenate([np.logspace(-12, -1, 200), np.linspace(0.11, 0.89, 200), 1 - np.logspace(-1, -12, 200)])
        curve = TradeoffCurve.from_points(fpr=fpr, tpr=special.ndtr(special.ndtri(fpr) + 1.3), meaning="samples")
        truth = gaussian_f(ALPHA, 1.3)
        assert (curve(ALPHA) <= truth * (1 + 1e-13)).all()
        assert (curve.upper(ALPHA) >= truth * (1 - 1e-13)).all()
        assert (curve.upper(ALPHA) - curve(ALPHA)).max() < 2e-3
        fit = fit_gdp(curve)
        assert fit.mu_lower * (1 - 1e-10) <= 1.3 <= fit.mu  # to the digits of the samples
        assert fit.mu == pytest.approx(1.3, rel=2e-2)

    def test_tests_bound_from_above_only(self):
        curve = TradeoffCurve.from_points(fpr=[0.1], tpr=[0.5], meaning="tests")
        assert curve(0.2) == 0.0
        assert curve.upper(0.1) == pytest.approx(0.5, rel=1e-13)
        assert curve.upper(0.05) == pytest.approx(0.75, rel=1e-13)
        assert curve.epsilon_bounds(delta=0.0).lower == pytest.approx(math.log(5.0), rel=1e-12)
        assert curve.epsilon(delta=0.5) == math.inf

    @pytest.mark.parametrize(
        ("arguments", "error", "message"),
        [
            ({"fpr": [0.1]}, ValueError, "one of fnr and tpr, got neither"),
            ({"fpr": [0.1], "fnr": [0.1], "tpr": [0.9]}, ValueError, "one of fnr and tpr, got both"),
            ({"fpr": [0.1, 0.2], "fnr": [0.1]}, ValueError, "fnr must have the length of fpr"),
            ({"fpr": [1.1], "fnr": [0.1]}, ValueError, r"fpr must be in \[0, 1\]"),
            ({"fpr": [0.1], "tpr": [math.nan]}, ValueError, "tpr must not hold nan"),
            ({"fpr": [0.1], "fnr": [0.1], "meaning": "curve"}, ValueError, "meaning must be one of"),
            ({"fpr": [0.1], "fnr": [0.1], "meaning": "samples"}, ValueError, "samples must be at least two"),
            ({"fpr": [0.1], "fnr": [0.1], "relation": "x"}, ValueError, "relation must be one of"),
        ],
    )
    def test_refuses(self, arguments, error, message):
        with pytest.raises(error, match=message):
            TradeoffCurve.from_points(**arguments)


class TestDistributions:
    def test_likelihood_ratio_tests_are_the_vertices(self):
        p, q = [0.05, 0.25, 0.3, 0.4], [0.4, 0.3, 0.25, 0.05]
        curve = TradeoffCurve.from_distributions(p=p, q=q)
        truth = np.interp(ALPHA, [0.0, 0.05, 0.3, 0.6, 1.0], [1.0, 0.6, 0.3, 0.05, 0.0])
        np.testing.assert_allclose(curve(ALPHA), truth, atol=1e-13)
        np.testing.assert_allclose(curve.upper(ALPHA), truth, atol=1e-13)
        assert curve.epsilon(delta=0.0) == pytest.approx(math.log(8.0), rel=1e-12)
        assert curve.gdp().literal < math.inf

    def test_outcomes_of_one_side_are_mass_at_infinity(self):
        curve = TradeoffCurve.from_distributions(p=[0.5, 0.5, 0.0], q=[0.5, 0.4, 0.1])
        assert curve(0.0) == pytest.approx(0.9, rel=1e-13)  # seen from Q
        assert curve.epsilon(delta=0.05) == math.inf
        assert curve.gdp().literal == math.inf

    def test_refuses(self):
        with pytest.raises(ValueError, match="p must add up to 1"):
            TradeoffCurve.from_distributions(p=[0.5], q=[1.0])
        with pytest.raises(ValueError, match="q must have the length of p"):
            TradeoffCurve.from_distributions(p=[0.5, 0.5], q=[1.0])


class TestTables:
    def test_response(self):
        table = (np.log([2 / 3, 3 / 2]), [0.4, 0.6], 0.0)
        exact = TradeoffCurve.from_pmfs(remove=table, pessimistic=False)
        for alpha, beta in [(0.05, 0.925), (0.1, 0.85), (0.2, 0.70), (0.5, 1 / 3), (0.9, 1 / 15)]:
            assert exact(alpha) == pytest.approx(beta, rel=1e-12)
            assert exact.upper(alpha) == pytest.approx(beta, rel=1e-12)
        bound = TradeoffCurve.from_pmfs(remove=table)
        assert bound(0.1) == exact(0.1)
        assert bound.upper(0.1) == pytest.approx(0.9, rel=1e-12)  # nothing is known from above
        assert bound.gdp().mu == pytest.approx(0.5067, abs=5e-5)
        assert bound.gdp().mu_lower == 0.0

    def test_both_directions_count(self):
        better = ([-0.2, 0.2], [0.45, 0.55], 0.0)
        worse = ([-0.7, 0.7], [0.3, 0.7], 0.0)
        mixed = TradeoffCurve.from_pmfs(remove=better, add=worse)
        assert mixed.gdp().mu == pytest.approx(TradeoffCurve.from_pmfs(remove=worse).gdp().mu, rel=1e-12)
        assert mixed.gdp().mu > 2 * TradeoffCurve.from_pmfs(remove=better).gdp().mu

    def test_approximate_dp_has_no_literal_mu(self):
        high = (1 - 1e-5) / (1 + math.exp(-1.0))
        table = ([-1.0, 1.0], [1 - 1e-5 - high, high], 1e-5)
        fit = TradeoffCurve.from_pmfs(remove=table).gdp(delta0=1e-5 * (1 + 1e-12))
        assert fit.literal == math.inf
        assert fit.mu_delta0 == pytest.approx(1.2320353853, rel=1e-7)

    def test_refuses(self):
        with pytest.raises(TypeError, match="remove must be"):
            TradeoffCurve.from_pmfs(remove=([0.0], [1.0]))
        with pytest.raises(ValueError, match="losses must be finite and increasing"):
            TradeoffCurve.from_pmfs(remove=([1.0, 0.0], [0.5, 0.5], 0.0))
        with pytest.raises(TypeError, match="pessimistic must be True or False"):
            TradeoffCurve.from_pmfs(remove=([0.0], [1.0], 0.0), pessimistic=1)


class TestGaussian:
    @pytest.mark.parametrize("mu", [1e-12, 1e-6, 1e-3, 0.05, 0.5, 1.0, 2.5, 14.1, 60.0, 100.0, 1000.0, 1e4])
    def test_mu_to_twelve_digits(self, mu):
        fit = TradeoffCurve.gaussian(mu=mu).gdp()
        assert fit.mu_lower <= mu <= fit.mu
        assert fit.mu == pytest.approx(mu, rel=1e-12)
        assert fit.mu_lower == pytest.approx(mu, rel=1e-12)
        assert fit.literal == pytest.approx(mu, rel=1e-12)
        assert fit.regret <= 1e-12 * mu
        through_mechanism = hs.Gaussian(noise_multiplier=1.0 / mu).gdp()
        assert through_mechanism.mu == pytest.approx(mu, rel=1e-12)
        assert through_mechanism.mu_lower <= mu * (1 + 1e-15)

    @pytest.mark.parametrize("mu", [1e-12, 1e-6, 1e-3, 1.0, 14.1, 100.0, 1e4])
    def test_mu_from_its_points_alone(self, mu):
        """No closed form of mu helps here: points of the profile, with log(1 - delta) beside them, placed by the fit."""

        def question(epsilon):
            lower, upper = _core.gaussian_log_delta_bounds(epsilon, mu)
            return upper, lower, *_core.gaussian_log_complement_bounds(epsilon, mu)

        grown = CertifiedCurve(question, relation="add_remove", fpr_floor=1e-10)
        fit = fit_gdp(grown.refined(_core.mu_refinement, 1e-7))
        # Every point of this curve decides mu alike, the worst case: all of it must be dense.
        assert mu <= fit.mu <= mu * (1 + 2e-5)
        assert mu * (1 - (2e-5 if mu < 1e3 else 2e-4)) <= fit.mu_lower <= mu
        assert len(grown.curve.profile.epsilon) <= 3000

    def test_tensor_product(self):
        """Composition: f_3 (x) f_4 = f_5, as the mechanisms say."""
        curve = TradeoffCurve.gaussian(mu=[0.3, 0.4])
        fit = curve.gdp()
        assert fit.mu_lower <= 0.5 <= fit.mu
        assert fit.mu == pytest.approx(0.5, rel=1e-14)
        both = hs.Gaussian(noise_multiplier=1 / 0.3) + hs.Gaussian(noise_multiplier=1 / 0.4)
        np.testing.assert_allclose(curve(ALPHA), both.tradeoff()(ALPHA), rtol=1e-3)
        assert TradeoffCurve.gaussian(mu=0.0)(0.3) == pytest.approx(0.7)
        assert TradeoffCurve.gaussian(mu=math.inf)(0.3) == 0.0

    def test_refuses(self):
        with pytest.raises(ValueError, match="mu must be at least 0"):
            TradeoffCurve.gaussian(mu=-1.0)
        with pytest.raises(ValueError, match="fpr_floor must be in"):
            TradeoffCurve.gaussian(mu=1.0, fpr_floor=0.7)


class TestProfileBackAndForth:
    EPSILON = np.linspace(0.0, 6.0, 61)

    def test_gaussian(self):
        curve = TradeoffCurve.gaussian(mu=1.3)
        truth = gaussian_delta(self.EPSILON, 1.3)
        bounds = curve.delta_bounds(epsilon=self.EPSILON)
        assert (bounds.lower <= truth + 1e-15).all()
        assert (truth <= bounds.upper + 1e-15).all()
        np.testing.assert_allclose(bounds.upper, bounds.lower, rtol=1e-2)
        mechanism = hs.Gaussian(noise_multiplier=1 / 1.3)
        for delta in (1e-3, 1e-6, 1e-9):
            there, known = curve.epsilon_bounds(delta=delta), mechanism.epsilon_bounds(delta=delta)
            assert there.lower <= known.lower <= known.upper <= there.upper
            assert there.upper == pytest.approx(known.upper, rel=1e-3)

    def test_laplace(self):
        """delta = 1 - e^{(eps - S)/2} up to S; the points are the truth, the chords between them lie above it."""
        epsilon = np.linspace(0.0, 2.0, 41)
        delta = -np.expm1((epsilon - 2.0) / 2.0)
        with np.errstate(divide="ignore"):
            curve = TradeoffCurve.from_profile(
                epsilon=epsilon,
                log_delta_upper=np.minimum(0.0, np.log(delta) + 1e-15),
                log_delta_lower=np.log(delta) - 1e-15,
            )
        fine = np.linspace(0.0, 2.0, 1001)
        truth = -np.expm1((fine - 2.0) / 2.0)
        assert (curve.delta(epsilon=fine) >= truth * (1 - 1e-14)).all()
        assert (curve.delta_bounds(epsilon=fine).lower <= truth * (1 + 1e-14)).all()
        assert curve.epsilon(delta=0.0) == pytest.approx(2.0)

    def test_there_and_back(self):
        """f -> delta -> f is f again: the conjugate of the conjugate of a convex function."""
        first = TradeoffCurve.from_distributions(p=[0.05, 0.25, 0.3, 0.4], q=[0.4, 0.3, 0.25, 0.05])
        epsilon, log_delta = first.supporting_lines
        second = TradeoffCurve.from_profile(epsilon=epsilon, log_delta_upper=log_delta)
        np.testing.assert_allclose(second(ALPHA), first(ALPHA), atol=1e-14)
        np.testing.assert_allclose(second.delta(epsilon=self.EPSILON), first.delta(epsilon=self.EPSILON), atol=1e-13)

    def test_ends(self):
        curve = TradeoffCurve.gaussian(mu=1.0)
        assert curve.epsilon(delta=1.0) == 0.0
        assert curve.epsilon(delta=0.5) == 0.0
        assert curve.epsilon(delta=0.0) == math.inf
        assert curve.delta(epsilon=0.0) == curve.advantage()
        assert type(curve.epsilon(delta=1e-3)) is float
        assert curve.log_delta(epsilon=[[0.1, 0.2]]).shape == (1, 2)
        with pytest.raises(ValueError, match=r"delta must be in \[0, 1\]"):
            curve.epsilon(delta=2.0)
        with pytest.raises(ValueError, match="epsilon must be at least 0"):
            curve.delta(epsilon=-1.0)


class TestCombinations:
    def test_worst_of_is_below_each_and_best_of_above(self):
        curves = [
            TradeoffCurve.gaussian(mu=0.6),
            TradeoffCurve.from_distributions(p=[0.63, 0.37], q=[0.37, 0.63]),
        ]
        worst, best = TradeoffCurve.worst_of(curves), TradeoffCurve.best_of(curves[:1] * 2)
        values = np.array([curve(ALPHA) for curve in curves])
        assert (worst(ALPHA) <= values.min(axis=0) + 1e-14).all()
        # The hull: both curves touch it somewhere, and it lies below their minimum in between.
        assert (worst(ALPHA) < values.min(axis=0) - 1e-4).any()
        delta = np.maximum(*(curve.delta(epsilon=[0.0, 0.2, 0.4]) for curve in curves))
        np.testing.assert_allclose(worst.delta(epsilon=[0.0, 0.2, 0.4]), delta, rtol=1e-3)
        np.testing.assert_allclose(best(ALPHA), curves[0](ALPHA), atol=1e-13)

    def test_best_of_two_bounds(self):
        """Two (epsilon, delta) statements about one mechanism: every line of each holds."""
        first = TradeoffCurve.from_profile(epsilon=[0.0, 1.0], log_delta_upper=[-1.0, -9.0])
        second = TradeoffCurve.from_profile(epsilon=[0.0, 2.0], log_delta_upper=[-0.9, -30.0])
        best = TradeoffCurve.best_of([first, second])
        assert (best(ALPHA) >= np.maximum(first(ALPHA), second(ALPHA)) - 1e-14).all()
        with pytest.raises(ValueError, match="contradict each other"):
            TradeoffCurve.best_of([TradeoffCurve.gaussian(mu=1.0), TradeoffCurve.gaussian(mu=0.5)])

    def test_refuses(self):
        with pytest.raises(ValueError, match="at least one curve"):
            TradeoffCurve.worst_of([])
        with pytest.raises(ValueError, match="share one relation"):
            TradeoffCurve.worst_of([TradeoffCurve.gaussian(mu=1.0), TradeoffCurve.gaussian(mu=1.0, relation="replace")])
