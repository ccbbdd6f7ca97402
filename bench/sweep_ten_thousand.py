# SPDX-License-Identifier: Apache-2.0
"""Sweep 10 000 settings: epsilon at three deltas and mu each, certified.

python bench/sweep_ten_thousand.py [--sample 300] [--workers 2] [--processes] [--resume FILE]

A grid of 20 noise multipliers (0.5 to 10), 20 sampling rates (2e-3 to 0.1) and 25 numbers of steps (1000 to 1e5), all
log-spaced: runs in which a record is expected in 2 to 10 000 batches. With --rare the rates begin at 1e-3 and the steps
at 100, where a record may be expected in a tenth of a batch, and the engine that serves such runs is slower. With --sample, that many of them, evenly picked, and the time of all of them by proportion. Wall time counts;
processor time is told beside it, for machines that are shared.
"""

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # before any numerical library is imported

import argparse
import itertools
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np

import hockeystick as hs

QUANTITIES = [hs.Quantity.epsilon(delta=delta) for delta in (1e-5, 1e-6, 1e-7)] + [hs.Quantity.mu()]


def grid(rare: bool) -> list[dict[str, float]]:
    noises = np.geomspace(0.5, 10.0, 20).tolist()
    rates = np.geomspace(1e-3 if rare else 2e-3, 0.1, 20).tolist()
    steps = np.geomspace(100 if rare else 1000, 1e5, 25).round().astype(int).tolist()
    names = ("noise_multiplier", "sampling_rate", "steps")
    return [dict(zip(names, values, strict=True)) for values in itertools.product(noises, rates, steps)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--processes", action="store_true", help="worker processes instead of threads")
    parser.add_argument("--rare", action="store_true", help="include runs in which records hardly take part")
    parser.add_argument("--resume")
    options = parser.parse_args()
    everything = settings = grid(options.rare)
    if options.sample:
        # A stride without common factor with the sides of the grid, so that every side is met evenly.
        settings = [everything[(7919 * i) % len(everything)] for i in range(options.sample)]
    begin, busy = time.perf_counter(), time.process_time() + sum(os.times()[2:4])
    if options.processes:
        with ProcessPoolExecutor(options.workers, mp_context=get_context("spawn")) as executor:
            table = hs.sweep(settings, QUANTITIES, executor=executor, resume=options.resume)
    else:
        table = hs.sweep(settings, QUANTITIES, threads=options.workers, resume=options.resume)
    wall, busy = time.perf_counter() - begin, time.process_time() + sum(os.times()[2:4]) - busy
    with np.errstate(invalid="ignore"):
        widths = np.where(table.upper > 0.0, (table.upper - table.lower) / table.upper, 0.0)
    share = len(everything) / len(settings)
    print(f"{len(settings)} settings on {options.workers} workers: {wall:.1f} s, {busy:.1f} s of processor time")
    print(f"all {len(everything)}, by proportion: {share * wall:.0f} s, {share * busy:.0f} s of processor time")
    print(f"not certified: {sum(error is not None for error in table.errors)}")
    for column, quantity in enumerate(QUANTITIES):
        marks = np.quantile(widths[:, column], [0.5, 0.9, 0.99, 1.0])
        print(f"relative width of {quantity}: median {marks[0]:.1e}, 90 % {marks[1]:.1e}, 99 % {marks[2]:.1e}, "
              f"worst {marks[3]:.1e}")  # fmt: skip


if __name__ == "__main__":
    main()
