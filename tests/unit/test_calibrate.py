# SPDX-License-Identifier: Apache-2.0
"""Calibration: the safe side of the root, checked by evaluating the result."""

import math

import pytest

import hockeystick as hs


def noise_run(rate, steps):
    return lambda noise: hs.dpsgd(noise_multiplier=noise, sampling_rate=rate, steps=steps)


@pytest.mark.parametrize(
    ("epsilon", "delta", "rate", "steps", "noise"),
    [
        (8, 1e-5, 0.01, 10_000, 0.8825285),
        (10, 1e-5, 0.01, 1000, 0.5467758),
        (100, 1e-5, 0.01, 1000, 0.2669245),
        (1000, 1e-5, 0.01, 1000, 0.1084764),
        (0.01, 1e-5, 1.0, 1, 243.785438),
        (0.1, 1 / (2 * 67349), 1000 / 67349, 201, 6.77621),
        (1, 1e-6, 0.01, 1, 0.7764364),
        (4, 2e-5, 1024 / 14732, 42, 0.9009964),
    ],
)
def test_noise_multiplier(epsilon, delta, rate, steps, noise):
    found = hs.noise_multiplier(epsilon=epsilon, delta=delta, sampling_rate=rate, steps=steps)
    assert found == pytest.approx(noise, rel=5e-7)
    achieved = hs.dpsgd(noise_multiplier=found, sampling_rate=rate, steps=steps).epsilon(delta=delta)
    assert epsilon * (1 - 1e-6) <= achieved <= epsilon
    # A little less noise is proved to be too little.
    below = hs.dpsgd(noise_multiplier=found * (1 - 1e-6), sampling_rate=rate, steps=steps)
    assert below.epsilon_bounds(delta=delta).lower > epsilon


def test_noise_under_the_replace_relation_is_twice_that_of_add_remove():
    one = hs.noise_multiplier(epsilon=1, delta=1e-5, steps=10)
    assert hs.noise_multiplier(epsilon=1, delta=1e-5, steps=10, relation="replace") == pytest.approx(2 * one, rel=1e-7)


def test_sizes_and_epochs_are_taken_as_in_a_run():
    run = hs.dpsgd(noise_multiplier=1.0, dataset_size=60_000, batch_size=256, epochs=60)
    sizes = {"dataset_size": 60_000, "batch_size": 256}
    found = hs.noise_multiplier(epsilon=3, delta=1e-5, epochs=60, **sizes)
    again = hs.noise_multiplier(epsilon=3, delta=1e-5, sampling_rate=run.sampling_rate, steps=run.steps)
    assert found == pytest.approx(again, rel=1e-7)
    assert hs.max_steps(epsilon=3, delta=1e-5, noise_multiplier=again, **sizes) == run.steps
    with pytest.raises(TypeError, match="steps or epochs must be given"):
        hs.noise_multiplier(epsilon=3, delta=1e-5, sampling_rate=0.01)


@pytest.mark.parametrize(
    "scheme",
    [
        {"sampling": "fixed_order"},
        {"sampling": "without_replacement", "relation": "replace"},
        {"sampling": "truncated_poisson", "truncated_batch_size": 400},
    ],
    ids=lambda scheme: scheme["sampling"],
)
def test_every_scheme_has_its_noise(scheme):
    run = {"dataset_size": 60_000, "batch_size": 256, **scheme}
    noise = hs.noise_multiplier(epsilon=3, delta=1e-5, epochs=5, **run)
    achieved = hs.dpsgd(noise_multiplier=noise, epochs=5, **run).epsilon(delta=1e-5)
    assert 3 * (1 - 1e-6) <= achieved <= 3
    # The updates of five epochs fit, and those of a sixth do not.
    assert 1172 <= hs.max_steps(epsilon=3, delta=1e-5, noise_multiplier=noise, **run) < 1172 * 6 / 5


@pytest.mark.parametrize(("rate", "steps"), [(0.0, 100), (0.5, 0)])
def test_no_noise_is_needed_where_nothing_can_be_seen(rate, steps):
    assert hs.noise_multiplier(epsilon=1, delta=1e-5, sampling_rate=rate, steps=steps) == 0.0


@pytest.mark.parametrize(
    ("noise", "rate", "epsilon"), [(1.0, 0.01, 2.0), (1.0, 1.0, 17.9), (5.0, 0.001, 0.01), (0.5, 1.0, 1.0)]
)
def test_max_steps_is_exact(noise, rate, epsilon):
    steps = hs.max_steps(epsilon=epsilon, delta=1e-5, noise_multiplier=noise, sampling_rate=rate)

    def achieved(number):
        return hs.dpsgd(noise_multiplier=noise, sampling_rate=rate, steps=number).epsilon(delta=1e-5)

    assert achieved(steps) <= epsilon < achieved(steps + 1)


def test_max_steps_at_the_ends():
    assert hs.max_steps(epsilon=1, delta=1e-5, noise_multiplier=0.0, sampling_rate=0.5) == 0
    assert hs.max_steps(epsilon=1, delta=1e-5, noise_multiplier=0.0, sampling_rate=0.0) == 2**53


def test_max_sampling_rate():
    rate = hs.max_sampling_rate(epsilon=2, delta=1e-5, noise_multiplier=1.0, steps=1000)
    achieved = hs.dpsgd(noise_multiplier=1.0, sampling_rate=rate, steps=1000).epsilon(delta=1e-5)
    assert 2 * (1 - 1e-6) <= achieved <= 2
    assert hs.max_sampling_rate(epsilon=20, delta=1e-5, noise_multiplier=1.0, steps=10) == 1.0
    assert hs.max_sampling_rate(epsilon=1, delta=1e-5, noise_multiplier=0.0, steps=10) <= 1.1e-6


TARGETS = [
    hs.Budget.epsilon(2, delta=1e-5),
    hs.Budget.delta(1e-6, epsilon=2),
    hs.Budget.delta(1e-20, epsilon=2),
    hs.Budget.mu(0.5),
    hs.Budget.mu(0.5, fpr_floor=1e-6),
    hs.Budget.mu(0.5, delta0=1e-8),
    hs.Budget.advantage(0.1),
    hs.Budget.tpr(0.05, fpr=0.01),
    hs.Budget.tpr(1e-4, fpr=1e-6),
    hs.Budget.fnr(0.95, fpr=0.01),
    hs.Budget.renyi(1.0, order=8),
]


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_any_target_is_met_from_the_safe_side(target):
    found = hs.calibrate(noise_run(0.01, 1000), target)
    again = target.quantity.bounds(noise_run(0.01, 1000)(found.value))
    guarantee = target.quantity.guarantee(again)
    assert target.accepts(guarantee)
    assert guarantee == target.quantity.guarantee(found.achieved)
    assert guarantee == pytest.approx(target.limit, rel=1e-6)
    assert found.mechanism == noise_run(0.01, 1000)(found.value)
    assert found.unsafe_value < found.value < found.unsafe_value * (1 + 1e-5)
    assert not target.accepts(target.quantity.guarantee(found.unsafe_achieved))
    assert found.trials <= 12


@pytest.mark.parametrize(
    ("name", "make", "options", "larger_is_worse"),
    [
        ("rate", lambda x: hs.dpsgd(noise_multiplier=1.0, sampling_rate=x, steps=1000), {"upper": 1}, True),
        ("steps", lambda n: hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=n), {"integer": True}, True),
        (
            "batch size",
            lambda n: hs.dpsgd(noise_multiplier=1.0, sampling_rate=n / 60_000, steps=1000),
            {"integer": True, "upper": 60_000},
            True,
        ),
        (
            "size of the data set",
            lambda n: hs.dpsgd(noise_multiplier=1.0, sampling_rate=256 / n, steps=1000),
            {"integer": True, "lower": 256, "start": 30_000},
            False,
        ),
        ("noise", noise_run(0.01, 1000), {}, False),
        ("releases", lambda n: n * hs.Gaussian(noise_multiplier=20.0), {"integer": True}, True),
        ("releases of Laplace noise", lambda n: n * hs.Laplace(noise_multiplier=10.0), {"integer": True}, True),
        ("lies", lambda p: 10 * hs.RandomizedResponse(noise_probability=p), {"upper": 1, "start": 0.5}, False),
        ("concentrated", lambda rho: hs.ZCDP(rho=rho), {}, True),
    ],
)
def test_any_parameter(name, make, options, larger_is_worse):
    target = hs.Budget.epsilon(2, delta=1e-5)
    found = hs.calibrate(make, target, **options)
    assert target.allows(make(found.value))
    assert not target.allows(make(found.unsafe_value))
    assert (found.unsafe_value > found.value) == larger_is_worse
    if options.get("integer"):
        assert abs(found.unsafe_value - found.value) == 1
        assert isinstance(found.value, int)


def test_a_start_near_by_saves_trials():
    target = hs.Budget.epsilon(8, delta=1e-5)
    cold = hs.calibrate(noise_run(0.01, 10_000), target, increasing=False)
    warm = hs.calibrate(noise_run(0.01, 10_100), target, increasing=False, start=cold.value)
    assert warm.trials < cold.trials


@pytest.mark.parametrize("start", [1e-2, 1.0, 1e6])
def test_a_bracket_is_found_from_far_away(start):
    found = hs.calibrate(
        lambda s: hs.Gaussian(noise_multiplier=s), hs.Budget.epsilon(0.01, delta=1e-5), start=start, increasing=False
    )
    assert found.value == pytest.approx(243.785438, rel=1e-7)


def test_trials_that_fail_count_as_not_allowed():
    def make(noise):
        if noise < 0.5:
            raise hs.AccuracyError("too little noise for this engine")
        return hs.Gaussian(noise_multiplier=noise)

    found = hs.calibrate(make, hs.Budget.epsilon(100, delta=1e-5), increasing=False)
    assert found.value == pytest.approx(0.5, rel=2e-4)
    assert found.value >= 0.5
    assert found.unsafe_achieved is None


def test_a_range_that_always_meets_the_target():
    found = hs.calibrate(
        lambda q: hs.Gaussian(noise_multiplier=5.0).poisson(q), hs.Budget.epsilon(5, delta=1e-5), upper=1
    )
    assert found.value == 1.0
    assert found.unsafe_value is None
    assert found.unsafe_achieved is None


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((noise_run(1.0, 1), 8.0), {}, TypeError, "target must be a Budget, got 8.0"),
        ((3, TARGETS[0]), {}, TypeError, "make must be callable, got 3"),
        ((noise_run(1.0, 1), TARGETS[0]), {"increasing": 1}, TypeError, "increasing must be a bool or None, got 1"),
        ((noise_run(1.0, 1), TARGETS[0]), {"tolerance": 0.0}, ValueError, "tolerance must be finite and above 0"),
        ((noise_run(1.0, 1), TARGETS[0]), {"lower": 2.0, "upper": 1.0}, ValueError, "lower must be below upper"),
        ((noise_run(1.0, 1), TARGETS[0]), {"start": 2.0, "upper": 1.5}, ValueError, "start must be in"),
        ((noise_run(1.0, 1), TARGETS[0]), {"start": math.nan}, ValueError, "start must be a number, got nan"),
        ((noise_run(1.0, 1), TARGETS[0]), {"upper": 0.1}, ValueError, "must be met somewhere in the range"),
        (
            (lambda s: hs.Gaussian(noise_multiplier=1.0), TARGETS[0]),
            {},
            ValueError,
            "make must depend on its parameter",
        ),
        (
            (lambda s: hs.Gaussian(noise_multiplier=1.0 + (s - 2.0) ** 2), hs.Budget.epsilon(5, delta=1e-5)),
            {"upper": 8.0},
            ValueError,
            "make must be monotone",
        ),
        (
            (lambda q: hs.Gaussian(noise_multiplier=9.0).poisson(q), hs.Budget.epsilon(5, delta=1e-5)),
            {},
            ValueError,
            r"sampling_rate must be in \[0, 1\], got 2.0",
        ),
    ],
)
def test_what_is_refused(arguments, options, error, message):
    with pytest.raises(error, match=message):
        hs.calibrate(*arguments, **options)


def test_a_trial_out_of_the_domain_says_how_to_declare_it():
    with pytest.raises(ValueError, match="sampling_rate") as caught:
        hs.calibrate(lambda q: hs.Gaussian(noise_multiplier=9.0).poisson(q), hs.Budget.epsilon(5, delta=1e-5))
    assert "declare the range" in caught.value.__notes__[0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epsilon": 0.0}, "epsilon must be finite and above 0"),
        ({"epsilon": math.nan}, "epsilon must be a number"),
        ({"delta": 0.0}, "delta must be finite and above 0"),
        ({"delta": 1.0}, r"delta must be in \(0, 1\), got 1.0"),
        ({"sampling_rate": 1.5}, r"sampling_rate must be in \[0, 1\], got 1.5"),
        ({"steps": 1.5}, "steps must be a whole number"),
        ({"sampling": "shuffle"}, "sampling must be .*, got 'shuffle'"),
    ],
)
def test_noise_multiplier_refuses(options, message):
    with pytest.raises(ValueError, match=message):
        hs.noise_multiplier(**({"epsilon": 1.0, "delta": 1e-5, "sampling_rate": 0.01, "steps": 10} | options))
