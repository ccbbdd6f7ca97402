# SPDX-License-Identifier: Apache-2.0
"""Threads, forks, copies and memory."""

import contextlib
import copy
import json
import multiprocessing
import pickle
import signal
import subprocess
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import hockeystick as hs

RUNS = [hs.dpsgd(noise_multiplier=1.0 + 0.1 * i, sampling_rate=0.01, steps=200 + 50 * i) for i in range(4)] + [
    hs.Gaussian(noise_multiplier=2.0) + 10 * hs.Gaussian(noise_multiplier=1.0).poisson(0.1)
]


def ask(run):
    return (
        run.epsilon(delta=1e-5, method="fft"),
        run.epsilon(delta=1e-5),
        run.delta(epsilon=1.0),
    )


def test_eight_threads_get_what_one_gets():
    alone = [ask(run) for run in RUNS]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(ask, RUNS * 8))
    assert together == alone * 8


@contextlib.contextmanager
def interrupted_after(seconds):
    """Ctrl-C after a while: the signal whose handler raises KeyboardInterrupt."""
    old = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, old)


LONG = [
    # Each would take several seconds, so that no machine is through before the signal comes.
    lambda: RUNS[0].log_delta_bounds(epsilon=np.linspace(0.0, 200.0, 5_000_000), method="fft"),
    lambda: hs.compose(
        hs.Gaussian(noise_multiplier=1.0 + 1e-3 * i).poisson(0.01 + 1e-5 * i) for i in range(2000)
    ).epsilon_bounds(delta=1e-5, method="fft"),
]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no interval timer here")
@pytest.mark.parametrize("question", LONG)
def test_a_long_call_is_interrupted_within_a_second(question):
    """In the middle of a call into the core; asked again afterwards, everything answers as before."""
    before = ask(RUNS[0])
    start = time.process_time()  # a busy machine may keep the process waiting
    with pytest.raises(KeyboardInterrupt), interrupted_after(0.3):
        question()
    assert time.process_time() - start < 1.3
    assert ask(RUNS[0]) == before


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
def test_a_forked_child_answers_after_the_parent_has():
    alone = [ask(run) for run in RUNS]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Python warns of any fork with threads about
        with multiprocessing.get_context("fork").Pool(2) as pool:
            assert pool.map_async(ask, RUNS).get(timeout=60) == alone


@pytest.mark.parametrize("run", [RUNS[0], RUNS[-1], hs.Gaussian(noise_multiplier=2.0), 3 * RUNS[1]])
def test_copies_are_equal_and_answer_alike(run):
    for other in (copy.copy(run), copy.deepcopy(run), pickle.loads(pickle.dumps(run))):
        assert other == run
        assert hash(other) == hash(run)
        assert repr(other) == repr(run)
        assert other.epsilon(delta=1e-5) == run.epsilon(delta=1e-5)


def test_mechanisms_are_frozen():
    with pytest.raises(AttributeError):
        RUNS[0].noise_multiplier = 2.0


# VmHWM, not ru_maxrss: the latter survives exec and would tell the size of the process that started this one.
MEMORY = """
import json, re, sys
import hockeystick as hs
run = hs.dpsgd(noise_multiplier=0.8, sampling_rate=0.001, steps=10**6)
answers = [run.epsilon(delta=delta, method=sys.argv[1]) for delta in (1e-5, 1e-20)]
peak = int(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1])
print(json.dumps({"peak": peak, "answers": answers}))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize("method", ["auto", "fft"])
def test_a_million_steps_fit_into_200_megabytes(method):
    """The whole process, interpreter and NumPy included."""
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, method], capture_output=True, text=True, check=True, timeout=300
    )
    told = json.loads(done.stdout)
    assert told["answers"] == [pytest.approx(9.69270718484, rel=1e-4), pytest.approx(19.8535603823, rel=1e-4)]
    assert told["peak"] < 200 * 1024


# Little noise, rare and certain sampling, one step and many: each is answered, or refused, in bounded memory.
EXTREMES = """
import itertools, re, sys
import hockeystick as hs
for noise, rate, steps in itertools.product((1e-3, 0.5), (1e-12, 1e-3, 1.0), (1, 10**6)):
    run = hs.dpsgd(noise_multiplier=noise, sampling_rate=rate, steps=steps)
    for delta in (1e-5, 1e-200):
        try:
            bounds = run.epsilon_bounds(delta=delta)
        except hs.AccuracyError:
            continue
        assert 0.0 <= bounds.lower <= bounds.upper, (run, bounds)
print(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1])
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_extremes_take_bounded_memory_and_time():
    done = subprocess.run([sys.executable, "-c", EXTREMES], capture_output=True, text=True, check=True, timeout=120)
    assert int(done.stdout) < 400 * 1024
