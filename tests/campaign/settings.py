# SPDX-License-Identifier: Apache-2.0
"""Random settings of every kind, one a number: `draw(number)` is the same on every machine."""

import math
from random import Random

import hockeystick as hs

SCHEMES = ("poisson", "without_replacement", "random_allocation", "fixed_order", "truncated_poisson")
RELATIONS = ("add_remove", "zero_out", "replace")


def scale(random, low, high):
    """Log-uniform."""
    return math.exp(random.uniform(math.log(low), math.log(high)))


def count(random, most):
    return int(scale(random, 1.0, most + 1.0))


def run_of_any_size(random):
    """Extremes: everything that a double allows, within reason."""
    return hs.dpsgd(
        noise_multiplier=scale(random, 1e-3, 1e6),
        sampling_rate=1.0 if random.random() < 0.1 else scale(random, 1e-12, 1.0),
        steps=count(random, 10**12),
        relation=random.choice(("add_remove", "zero_out")),
    )


def ordinary_run(random):
    """What is trained in practice."""
    return hs.dpsgd(
        noise_multiplier=scale(random, 0.4, 10.0),
        sampling_rate=scale(random, 1e-4, 1.0),
        steps=count(random, 10**5),
        relation=random.choice(("add_remove", "zero_out")),
    )


def short_run(random):
    """Few expected participations, where jumps are rare."""
    steps = count(random, 300)
    return hs.dpsgd(
        noise_multiplier=scale(random, 0.3, 4.0), sampling_rate=min(1.0, scale(random, 0.01, 10.0) / steps), steps=steps
    )


def run_by_scheme(random):
    scheme, relation = random.choice(SCHEMES), random.choice(RELATIONS)
    if scheme == "random_allocation":
        relation = random.choice(RELATIONS[:2])
    elif scheme == "without_replacement":
        relation = random.choice(("add_remove", "replace"))
    size = count(random, 10**4)
    batch = min(size, count(random, size))
    sizes = {"dataset_size": size, "batch_size": batch}
    if scheme == "truncated_poisson":
        sizes = {"dataset_size": size, "sampling_rate": batch / size, "truncated_batch_size": count(random, size)}
    return hs.dpsgd(
        noise_multiplier=scale(random, 0.3, 8.0), steps=count(random, 1000), sampling=scheme, relation=relation, **sizes
    )


def drawn_with_replacement(random):
    base = hs.Gaussian(noise_multiplier=scale(random, 0.5, 8.0), relation="replace")
    size = count(random, 1000)
    return count(random, 20) * base.with_replacement(batch_size=min(size, count(random, 12)), dataset_size=size)


def allocated(random):
    base = hs.Gaussian(noise_multiplier=scale(random, 0.4, 5.0))
    if random.random() < 0.3:
        base = hs.Laplace(noise_multiplier=scale(random, 0.6, 5.0))
    steps = count(random, 200)
    return count(random, 10) * base.random_allocation(steps=steps, participations=min(steps, count(random, 3)))


def plain(random, relation="add_remove"):
    """One release of a law that is not sampled."""
    width = scale(random, 0.2, 20.0)
    makers = (
        lambda: hs.Laplace(noise_multiplier=width, relation=relation),
        lambda: hs.DiscreteLaplace(scale=width, sensitivity=random.randint(1, 3), relation=relation),
        lambda: hs.DiscreteGaussian(sigma=width, sensitivity=random.randint(1, 3), relation=relation),
        lambda: hs.RandomizedResponse(
            noise_probability=random.uniform(0.02, 0.98),
            categories=random.randint(2, 9),
            relation="zero_out" if relation == "add_remove" else relation,
        ),
        lambda: hs.Gaussian(noise_multiplier=width, relation=relation),
        lambda: hs.GaussianDP(mu=1.0 / width, relation=relation),
        lambda: hs.PureDP(epsilon=1.0 / width, relation=relation),
        lambda: hs.ApproximateDP(epsilon=1.0 / width, delta=scale(random, 1e-12, 0.1), relation=relation),
        lambda: hs.ExponentialMechanism(epsilon=1.0 / width, relation=relation),
        lambda: tabulated(random, relation),
    )
    return random.choice(makers)()


def tabulated(random, relation="add_remove"):
    size = random.randint(1, 6)
    p, q = ([random.random() ** 4 for _ in range(size)] for _ in range(2))
    if random.random() < 0.2:
        q[0] = 0.0  # an outcome that gives the record away
    if sum(p) <= 0.0 or sum(q) <= 0.0:
        p = q = [1.0] * size
    return hs.TabulatedPair.from_probabilities(
        [x / math.fsum(p) for x in p], [x / math.fsum(q) for x in q], relation=relation
    )


def plain_release(random):
    return plain(random, random.choice(RELATIONS))


def plain_releases(random):
    return count(random, 60) * plain(random, random.choice(RELATIONS))


def sampled_releases(random):
    return count(random, 60) * plain(random).poisson(scale(random, 1e-4, 1.0))


def mixture(random):
    size = random.randint(1, 4)
    weights = [scale(random, 1e-4, 1.0) for _ in range(size)]
    return count(random, 40) * hs.MixtureOfGaussians(
        noise_std=scale(random, 0.5, 10.0),
        sensitivities=[random.choice((0.0, 1.0, random.uniform(0.0, 4.0))) for _ in range(size)],
        probabilities=[w / math.fsum(weights) for w in weights],
    )


def grouped(random):
    base = random.choice(
        (plain(random), hs.Gaussian(noise_multiplier=scale(random, 0.5, 9.0)).poisson(random.random()))
    )
    if isinstance(base, hs.TabulatedPair | hs.RandomizedResponse):
        return hs.GroupBound(base=base, size=random.randint(2, 3))
    return hs.group(count(random, 8) * base, size=random.randint(2, 4))


def beside(random):
    return hs.parallel([plain(random, "zero_out") for _ in range(random.randint(1, 3))])


def heterogeneous(random):
    """Gaussians at different rates, and now and then another law among them."""
    parts = [
        count(random, 10**4)
        * hs.Gaussian(noise_multiplier=scale(random, 0.5, 20.0)).poisson(random.choice((1.0, scale(random, 1e-4, 1.0))))
        for _ in range(random.randint(2, 4))
    ]
    if random.random() < 0.2:
        parts.append(hs.Laplace(noise_multiplier=scale(random, 0.5, 20.0)))
    return hs.compose(parts)


# How often each kind is drawn: the dearer a question, the more rarely.
KINDS = {
    ordinary_run: 400,
    heterogeneous: 150,
    plain_release: 150,
    plain_releases: 60,
    sampled_releases: 30,
    short_run: 100,
    run_of_any_size: 40,
    run_by_scheme: 30,
    beside: 20,
    mixture: 10,
    grouped: 5,
    drawn_with_replacement: 3,
    allocated: 2,
}


def draw(number):
    """The setting of that number: its kind, the mechanism and the generator to draw questions from."""
    random = Random(number)
    [kind] = random.choices(list(KINDS), weights=list(KINDS.values()))
    return kind.__name__, kind(random), random
