// SPDX-License-Identifier: Apache-2.0
#pragma once

// Renyi divergences of one Poisson-subsampled Gaussian release, certified from both sides at any order >= 1.
//
//   remove: D_a(P||Q),  add: D_a(Q||P),  P = (1-q) N(0, s^2) + q N(1, s^2),  Q = N(0, s^2),  a = 1 + t.
//
// With the loss L = log(P/Q) (or its negative, add), E_P[e^{-L}] = 1 turns the moment into an integral of positive
// terms,
//
//   D_{1+t} = log1p(t V) / t,   V = E[ g(tL)/t + g(-L) ],   g(y) = e^y - 1 - y >= 0,
//
// so that no digit is lost where the divergence is 1e-18, and t = 0 is the Kullback-Leibler divergence. V is a
// trapezoid sum in x of positive terms. Error terms, all inside the bracket:
//   rule       Trefethen and Weideman (2014), theorem 5.1, for the strip |Im x| <= d of the integrand. With r = e^L it
//   is
//              p(p-1) (r-1)^2 int_0^1 (1-v)(1+v(r-1))^{p-2} dv times the density (p = a for remove, -t for add), and
//              at height d = s^2 theta its mass is at most e^{d^2/(2s^2)} (1 + theta^2 (s^2 + k/4))
//              cos(theta/2)^{-k}, k = max(0, 2-p); docs/renyi.md has the proof. The step makes it 1e-16 of the sum.
//   tails      geometric bounds on what lies beyond the last nodes and on the valley between two bumps that is skipped,
//              below 1e-16 of the sum each.
//   rounding   counted node by node: losses, exponents, sums.
// Relative width of the bracket at most 1e-12 for noise multipliers in [0.05, 1e6] and orders up to 1000 (measured in
// tests/cpp/test_renyi.cpp); it grows with the exponents that cancel, about 1e-16 a^2 / s^2. Where more than 2^18 nodes
// would be needed (fractional orders with noise multipliers below 1e-3, "add" at orders above 1e8) the bracket comes
// from convexity in the order and from the largest loss, and is wide.
//
// Domain: noise_multiplier >= 0, 0 <= sampling_rate <= 1, order in [1, inf]; otherwise std::invalid_argument.
// Cost: 40 to 100 nodes an order for noise multipliers above 0.3. Pure; any thread.

#include <memory>
#include <span>
#include <vector>

#include "hockeystick/loss_law.hpp"

namespace hockeystick {

// One law at many orders: [lower, upper] each. The nodes are shared by the orders.
std::vector<Interval> renyi_bounds(const SubsampledGaussian& law, Direction direction, std::span<const double> orders);

// Many laws at the same orders, one row a law.
std::vector<Interval> renyi_bounds(std::span<const SubsampledGaussian> laws, Direction direction,
                                   std::span<const double> orders);

// Any law of finitely many losses: P(L = losses[j]) = masses[j], Q has e^{-losses[j]} masses[j] there, infinity_mass is
// P's where Q has none (then D is infinite), reverse_infinity_mass is Q's where P has none. Masses and losses may
// be off by 8 roundings each; rounding alone makes the bracket.
std::vector<Interval> renyi_bounds_of_atoms(std::span<const double> losses, std::span<const double> masses,
                                            double infinity_mass, double reverse_infinity_mass,
                                            std::span<const double> orders);

// Upper bounds for any law, by its tails alone: some thousands of atoms that dominate it, made once. The excess over
// the truth is about 1e-5 of it at moderate orders (tests/cpp/test_renyi.cpp). Infinite with mass at infinity; a law of
// atoms is taken as it is. Where losses have no upper end, orders so large that outcomes of probability below 1e-290
// decide are left to the law's own bound on its tail.
// `limit`: another law that dominates what `law` stands for. Its divergences are upper bounds too; and where `law` has
// put a small mass at infinity, Chernoff bounds of the limit say how far from there it can be, so that the curve is
// finite and as good as the law at orders to which that mass does not matter.
// Immutable. Cost: a few thousand tails, and as many exponentials an order.
class RenyiOfLaw {
public:
    explicit RenyiOfLaw(LawHandle law, LawHandle limit = nullptr);
    std::vector<double> upper(std::span<const double> orders) const;

private:
    struct Atoms;
    class Limit;
    double of_own(double order) const;

    LawHandle law_;
    std::shared_ptr<const Atoms> atoms_;
    std::shared_ptr<const Limit> limit_;
};

// Laplace of scale 1/separation and sensitivity 1, closed form (Mironov 2017, proposition 6); separation >= 0.
std::vector<Interval> laplace_renyi_bounds(double separation, std::span<const double> orders);

// Discrete Gaussian exp(-x^2 / (2 s^2)) on the integers against its shift by a whole number: a shift^2 / (2 s^2) less
// the logarithm of a ratio of theta functions, summed on the side on which it converges at once.
std::vector<Interval> discrete_gaussian_renyi_bounds(double sigma, double shift, std::span<const double> orders);

}  // namespace hockeystick
