# SPDX-License-Identifier: Apache-2.0
"""Time the search for the noise of a target here and in dp-accounting, in one run, on one thread (processor time).

python bench/compare_calibration.py [--only N]

Every answer of this package is checked: the epsilon of the result is certified to be at most the target, and is at most
1e-6 of it below. dp-accounting runs its own search with its own accountant at their defaults (whose tolerance on the
noise is 1e-6, absolute), from a bracket given to it: the right answer times 1/2 and 2.
"""

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # before any numerical library is imported

import argparse
import statistics
import time
import warnings
from dataclasses import dataclass

import hockeystick as hs


@dataclass(frozen=True)
class Target:
    epsilon: float
    delta: float
    sampling_rate: float
    steps: int


TARGETS = (
    Target(8, 1e-5, 0.01, 10_000),
    Target(10, 1e-5, 0.01, 1000),
    Target(100, 1e-5, 0.01, 1000),
    Target(1000, 1e-5, 0.01, 1000),
    Target(0.01, 1e-5, 1.0, 1),
    Target(0.1, 1 / (2 * 67349), 1000 / 67349, 201),
    Target(1, 1e-6, 0.01, 1),
)


def ours(target: Target) -> float:
    return hs.noise_multiplier(
        epsilon=target.epsilon, delta=target.delta, sampling_rate=target.sampling_rate, steps=target.steps
    )


def theirs(target: Target, near: float) -> float:
    import dp_accounting
    from dp_accounting.pld.pld_privacy_accountant import PLDAccountant

    def make(noise: float) -> dp_accounting.DpEvent:
        event = dp_accounting.GaussianDpEvent(noise)
        if target.sampling_rate < 1.0:
            event = dp_accounting.PoissonSampledDpEvent(target.sampling_rate, event)
        return dp_accounting.SelfComposedDpEvent(event, target.steps)

    bracket = dp_accounting.ExplicitBracketInterval(0.5 * near, 2.0 * near)
    return dp_accounting.calibrate_dp_mechanism(PLDAccountant, make, target.epsilon, target.delta, bracket)


def seconds(function, *arguments):
    begin = time.process_time()
    answer = function(*arguments)
    return time.process_time() - begin, answer


def compare(target: Target) -> None:
    ours(target)
    times = [seconds(ours, target) for _ in range(5)]
    mine, noise = statistics.median(time for time, _ in times), times[0][1]
    run = hs.dpsgd(noise_multiplier=noise, sampling_rate=target.sampling_rate, steps=target.steps)
    achieved = run.epsilon(delta=target.delta)
    within = target.epsilon * (1 - 1e-6) <= achieved <= target.epsilon
    line = (
        f"{target}\n  here           {mine * 1e3:10.2f} ms  noise {noise:.9g}  epsilon {achieved:.12g} within: {within}"
    )
    print(line, flush=True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            peer, answer = seconds(theirs, target, noise)
    except ImportError:
        print("  dp-accounting is not installed")
    except (ArithmeticError, MemoryError, RuntimeError, ValueError) as error:
        print(f"  dp-accounting fails: {type(error).__name__}: {error}")
    else:
        print(f"  dp-accounting  {peer * 1e3:10.2f} ms  noise {answer:.9g}  ratio {peer / mine:.0f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", type=int, help="the number of one target, from 0")
    only = parser.parse_args().only
    for number, target in enumerate(TARGETS):
        if only in (None, number):
            compare(target)


if __name__ == "__main__":
    main()
