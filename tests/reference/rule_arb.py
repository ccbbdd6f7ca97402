# SPDX-License-Identifier: Apache-2.0
"""Ball arithmetic (python-flint, that is Arb): every value comes with a proven radius, whatever the package says.

A comparison of balls is true only if it holds for all their points, so `arb(lower) <= truth <= arb(upper)` is a proof.
Three kinds of truth: closed forms; integrals along the real line, enclosed by `acb.integral`; and for many steps the
integral of the transform along a vertical line by Gauss-Legendre panels with the error bound of analytic integrands.
Nothing is shared with the package but the definitions.
"""

from dataclasses import dataclass
from itertools import pairwise

from flint import acb, arb

PRECISION = 160  # bits
NORMAL_REACH = 14  # standard deviations; what lies beyond is below 2^-140, and added to the ball
BEYOND = arb(2) ** -140
PANEL_NODES = 20
ELLIPSE = 5  # the sum of the half-axes of the Bernstein ellipse, for panels of half-width 1


def cdf(x):
    """P(N(0, 1) <= x), for a ball or a complex ball."""
    return (-x / arb(2).sqrt()).erfc() / 2


def halved(falls, low, high):
    """A ball that holds where a monotone comparison changes; falls(x) is True below it, False above, None if unsure."""
    for _ in range(PRECISION):
        middle = ((low + high) / 2).mid()
        verdict = falls(middle)
        if verdict is None:
            break
        low, high = (middle, high) if verdict else (low, middle)
    return low.union(high)


def above(value, level):
    """Whether value > level: True, False, or None where the balls do not tell."""
    return True if value > level else False if value < level else None


def quantile_above(probability):
    """z with P(N(0, 1) > z) = probability."""
    return halved(lambda z: above(cdf(-z), probability), arb(-40), arb(40))


def up_to(bound):
    """The ball [0, bound]."""
    return arb(0).union(bound)


def logarithm(x, analytic):
    """log; where acb.integral asks whether the function is analytic, not a number across the branch cut."""
    return x.log(analytic) if isinstance(x, acb) else x.log()


def normal_density(x, mean, std):
    """The density of N(mean, std^2)."""
    return (-(((x - mean) / std) ** 2) / 2).exp() / (std * (2 * arb.pi()).sqrt())


def spread(low, high, centres):
    """Both ends and the centres between them, as complex balls."""
    return [acb(low), *(acb(centre) for centre in centres if low < centre < high), acb(high)]


def line_integral(function, points):
    """Integral of function(x, analytic) over the consecutive intervals between the points."""
    return sum((acb.integral(function, left, right) for left, right in pairwise(points)), acb(0))


def gaussian_delta(mu, epsilon):
    """Hockey-stick divergence of N(mu, 1) from N(0, 1)."""
    return cdf(mu / 2 - epsilon / mu) - epsilon.exp() * cdf(-mu / 2 - epsilon / mu)


@dataclass(frozen=True)
class Sampled:
    """One Poisson-subsampled Gaussian, from the definition: P and Q with the record and without, or the reverse."""

    noise: arb
    rate: arb
    direction: int  # 0: remove, 1: add

    def ratio(self, x):
        """The density with the record over that without it: of P over Q (remove), of Q over P (add)."""
        return 1 - self.rate + self.rate * ((2 * x - 1) / (2 * self.noise**2)).exp()

    def threshold(self, ratio, analytic=False):
        """x at which the ratio has this value, for values above 1 - rate."""
        return self.noise**2 * logarithm((ratio - 1 + self.rate) / self.rate, analytic) + arb(1) / 2

    def density(self, x):
        """The density of P."""
        plain = normal_density(x, 0, self.noise)
        return plain * self.ratio(x) if self.direction == 0 else plain

    def test(self, x):
        """P and Q of the outcomes above x (remove) or below x (add): the most powerful test."""
        side = -1 if self.direction == 0 else 1
        plain, shifted = cdf(side * x / self.noise), cdf(side * (x - 1) / self.noise)
        mixed = (1 - self.rate) * plain + self.rate * shifted
        return (mixed, plain) if self.direction == 0 else (plain, mixed)

    def threshold_of(self, alpha):
        """x at which that test has Q = alpha."""
        reach = 60 * self.noise
        if self.direction == 0:
            return halved(lambda x: above(self.test(x)[1], alpha), -reach, 1 + reach)
        return halved(lambda x: above(alpha, self.test(x)[1]), -reach, 1 + reach)

    def beta(self, alpha):
        """f(alpha), the least false-negative rate of this direction."""
        return 1 - self.test(self.threshold_of(alpha))[0]

    def delta_at(self, x, scale):
        """P - scale * Q of that test."""
        p, q = self.test(x)
        return p - scale * q

    def delta(self, epsilon):
        """delta of one release at any real epsilon."""
        scale = epsilon.exp()
        edge = scale if self.direction == 0 else 1 / scale
        if edge <= 1 - self.rate:
            return 1 - scale if self.direction == 0 else arb(0)
        return self.delta_at(self.threshold(edge), scale)

    def moment(self, z):
        """E_P[e^{z L}] for a real or complex ball z of any real part between -8 and 8 or so."""
        power = 1 + z if self.direction == 0 else -z
        centre = float(power.real if isinstance(power, acb) else power)
        reach = NORMAL_REACH * float(self.noise)
        low, high = arb(min(0.0, centre) - reach), arb(max(1.0, centre) + reach)

        def integrand(x, analytic):
            return normal_density(x, 0, self.noise) * (acb(power) * logarithm(self.ratio(x), analytic)).exp()

        # What lies beyond: the ratio is at most e^{|2 x - 1| / (2 s^2)} + 1, and at least 1 - rate.
        return line_integral(integrand, spread(low, high, (0, centre))) + self.beyond(centre, low, high)

    def beyond(self, power, low, high):
        """A complex ball about 0 that holds E[ratio^power; x < low or x > high]."""
        below = cdf(low / self.noise) * max(arb(1), (1 - self.rate) ** arb(power) if power < 0 else arb(1))
        if power <= 0:
            above = cdf(-high / self.noise)
        else:  # ratio <= e^{(2 x - 1) / (2 s^2)} above 1/2, and that is a Gaussian of another centre
            gain = (arb(power) * (arb(power) - 1) / (2 * self.noise**2)).exp()
            above = gain * cdf((arb(power) - high) / self.noise)
        size = below + above
        ball = (-size).union(size)
        return acb(ball, ball)


def delta_of_two(first, second, epsilon):
    """delta of two releases, in one direction: the mean over the first of the second's delta at what is left."""
    s, scale = first.noise, epsilon.exp()
    low, high = -NORMAL_REACH * s, 1 + NORMAL_REACH * s
    # x at which what is left leaves the second's support: from there on its delta is 1 - e^rest (remove) or 0 (add).
    end = high
    if second.rate < 1:
        edge = scale / (1 - second.rate) if first.direction == 0 else 1 / (scale * (1 - second.rate))
        end = first.threshold(edge) if edge > 1 - first.rate else low
    end = end.min(high).max(low)

    def inner(x, analytic):
        ratio = first.ratio(x)
        edge = scale / ratio if first.direction == 0 else 1 / (scale * ratio)
        left = scale / ratio if first.direction == 0 else scale * ratio
        return first.density(x) * second.delta_at(second.threshold(edge, analytic), left)

    def outer(x, _):
        return first.density(x) * (1 - scale / first.ratio(x))

    total = up_to(BEYOND)
    gap = s * arb(2) ** -130  # next to the end the integrand is not analytic, but between 0 and the density
    if end > low:
        total += line_integral(inner, spread(low, end - gap, (0, 1))).real + up_to(2 * gap / s)
    if first.direction == 0 and end < high:
        total += line_integral(outer, spread(end, high, (0, 1))).real
    return total


class Line:
    """The transform of the composed loss on Re z = tilt: `count` releases each of some laws, and one Gaussian of mu.

    delta(eps) = (1/pi) Re int_0^inf e^{Lambda(z) - z eps} / (z (z + 1)) dt.  With it go a bound beyond the last panel,
    where |M_i| is at most its value on the axis and the Gaussian's is known, and the error of Gauss-Legendre: at most
    64/15 B r / ((1 - rho^-2) rho^(2 n - 2)) for n nodes on a panel of half-width r, B a bound of the integrand in the
    ellipse. There |M(z)| <= M(Re z), and Lambda(x) - x eps is convex, so that B is its larger value at the edges.
    """

    def __init__(self, laws, mu, tilt, spread_of_loss):
        self.laws, self.mu, self.tilt = laws, mu, tilt
        axis = (arb(ELLIPSE) - arb(1) / ELLIPSE) / 2
        self.half = (4 / spread_of_loss).min(arb("0.9") * tilt) / axis
        self.edge = axis * self.half
        self.reach = 11 / mu
        self.panels = int(float(self.reach / (2 * self.half))) + 1
        self.on_axis = [self.log_moment(arb(at)) for at in (tilt - self.edge, tilt, tilt + self.edge)]
        nodes = [arb.legendre_p_root(PANEL_NODES, k, weight=True) for k in range(PANEL_NODES)]
        self.points = []
        for panel in range(self.panels):
            for node, weight in nodes:
                z = acb(tilt, self.half * (2 * panel + 1 + node))
                self.points.append((z, weight * self.half, self.transform(z)))

    def log_moment(self, x):
        return sum(count * law.moment(x).real.log() for law, count in self.laws) + self.mu**2 / 2 * x * (x + 1)

    def transform(self, z):
        product = (self.mu**2 / 2 * z * (z + 1)).exp()
        for law, count in self.laws:
            product *= law.moment(z) ** count
        return product

    def delta(self, epsilon):
        total = sum((w * (m * (-z * epsilon).exp() / (z * (z + 1))).real for z, w, m in self.points), arb(0))
        below, here, above = self.on_axis
        low = self.tilt - self.edge
        largest = (below - low * epsilon).exp().max((above - (self.tilt + self.edge) * epsilon).exp()) / (
            low * (low + 1)
        )
        rho = arb(ELLIPSE)
        panel = arb(64) / 15 * largest * self.half / ((1 - rho**-2) * rho ** (2 * PANEL_NODES - 2))
        last = 2 * self.half * self.panels
        tail = (here - self.tilt * epsilon - (self.mu * last) ** 2 / 2).exp() / last
        error = panel * self.panels + tail
        return (total + (-error).union(error)) / arb.pi()
