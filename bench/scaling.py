# SPDX-License-Identifier: Apache-2.0
"""How the time grows, what Python adds, and how far it is from what the machine can do; processor time, tables.

python bench/scaling.py [--only steps]

In the number of steps, in the length of the grid, in the number of different mechanisms, in threads (wall time), the
share of Python in a question, and the ratio to the bare work: real transforms of the lengths that the FFT engine uses
(scipy.fft), and one sine and cosine by NumPy for each node and step of the contour.
"""

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # before any numerical library is imported

import argparse
import math
import time
from collections.abc import Callable, Sequence

import numpy as np

import hockeystick as hs
from hockeystick import _core

DELTA = 1e-5
# Of the contour of THOUSAND at its default tolerance: points of the line, nodes of the release (ContourTable).
LINE_POINTS, NODES = 41, 144
# That the package's transforms have for THOUSAND at grid step 1e-4.
GRID_LENGTHS = (81920, 41472)


def microseconds(
    work: Callable[[], object], seconds: float = 0.3, clock: Callable[[], float] = time.process_time
) -> float:
    """Least time of a call, of as many as fit into some time."""
    work()
    least, until = math.inf, clock() + seconds
    while True:
        start = clock()
        work()
        end = clock()
        least = min(least, end - start)
        if end >= until:
            return least * 1e6


def columns(noises: Sequence[float], rate: float, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    number = len(noises)
    return np.array(noises, dtype=np.float64), np.full(number, rate), np.full(number, count, dtype=np.uint64)


def in_steps() -> list[tuple[str, float]]:
    """One epsilon by either engine; the FFT's cost grows with the loss's spread, the contour's does not."""
    rows = []
    for steps in (100, 1000, 10**4, 10**5, 10**6, 10**9):
        run = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01 if steps <= 10**4 else 1e-3, steps=steps)
        rows.append((f"contour, T = {steps:g}", microseconds(lambda run=run: run.epsilon(delta=DELTA))))
        if steps <= 10**5:
            question = lambda run=run: run.epsilon(delta=DELTA, method="fft")
            rows.append((f"FFT, T = {steps:g}", microseconds(question)))
    return rows


def in_grid() -> list[tuple[str, float]]:
    """A given distribution composed 1000 times, at finer and finer steps."""
    run = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
    rows = []
    for step in (1e-3, 3e-4, 1e-4, 3e-5):
        law = run.pld(step=step)
        rows.append((f"grid step {step:g}", microseconds(lambda law=law: law.epsilon(delta=DELTA))))
    return rows


def in_mechanisms() -> list[tuple[str, float]]:
    """Different noise multipliers, 1000 steps in all."""
    rows = []
    for number in (1, 10, 100, 1000):
        arguments = columns([1.0 + i / number for i in range(number)], 0.01, 1000 // number)
        work = lambda arguments=arguments: _core.contour_epsilon_bounds(*arguments, [0, 1], math.log(DELTA), 1e-9, 1)
        rows.append((f"{number} different mechanisms", microseconds(work)))
    return rows


def in_threads() -> list[tuple[str, float]]:
    """1000 different mechanisms, wall time; every number of threads gives the same bits."""
    arguments = columns([1.0 + i / 1000 for i in range(1000)], 0.01, 1)
    ask = lambda threads: _core.contour_epsilon_bounds(*arguments, [0, 1], math.log(DELTA), 1e-9, threads)
    if ask(1) != ask(2):
        raise AssertionError("two threads give another answer than one")
    return [
        (f"{threads} threads (wall time)", microseconds(lambda: ask(threads), clock=time.perf_counter))  # noqa: B023
        for threads in (1, 2)
    ]


def python() -> list[tuple[str, float]]:
    """What the interface adds to the core's work."""
    run = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
    one = columns([1.0], 0.01, 1000)
    core = microseconds(lambda: _core.contour_epsilon_bounds(*one, [0, 1], math.log(DELTA), 1e-9, 1))
    whole = microseconds(lambda: run.epsilon(delta=DELTA))
    gaussian = hs.Gaussian(noise_multiplier=1.0)
    closed = microseconds(lambda: _core.gaussian_epsilon_bounds(math.log(DELTA), 1.0))
    plain = microseconds(lambda: gaussian.epsilon(delta=DELTA))
    return [
        ("epsilon of a run, core", core),
        ("epsilon of a run, what Python adds", whole - core),
        ("epsilon of a Gaussian, core", closed),
        ("epsilon of a Gaussian, what Python adds", plain - closed),
        ("making a run", microseconds(lambda: hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000))),
    ]


def limits() -> list[tuple[str, float]]:
    """The bare work beside the whole of it."""
    run = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
    angles = np.random.default_rng(1).uniform(-3.0, 3.0, LINE_POINTS * NODES)
    rows = [
        (f"{LINE_POINTS} x {NODES} sines and cosines by NumPy", microseconds(lambda: (np.sin(angles), np.cos(angles)))),
        ("as many exponentials by NumPy", microseconds(lambda: np.exp(angles))),
        ("epsilon by the contour", microseconds(lambda: run.epsilon(delta=DELTA))),
    ]
    law = run.pld(step=1e-4)
    rows.append(("epsilon of a given distribution, grid step 1e-4", microseconds(lambda: law.epsilon(delta=DELTA))))
    try:
        import scipy.fft
    except ImportError:
        return rows
    inputs = [np.random.default_rng(1).random(length) for length in GRID_LENGTHS]
    transforms = lambda: [scipy.fft.irfft(scipy.fft.rfft(x), len(x)) for x in inputs]
    return [*rows, ("its transforms by scipy.fft alone", microseconds(transforms))]


PARTS = {
    "steps": in_steps,
    "grid": in_grid,
    "mechanisms": in_mechanisms,
    "threads": in_threads,
    "python": python,
    "limits": limits,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=PARTS, help="one part")
    only = parser.parse_args().only
    for name, part in PARTS.items():
        if only not in (None, name):
            continue
        print(f"\n| {name} | µs |\n| --- | --- |")
        for label, time_of_it in part():
            print(f"| {label} | {time_of_it:.3g} |" if time_of_it < 1000 else f"| {label} | {time_of_it:.0f} |")


if __name__ == "__main__":
    main()
