# SPDX-License-Identifier: Apache-2.0
"""Time this package and the published accountants on the same questions, in one run, on one thread.

python bench/compare_peers.py [--repetitions 5] [--only compose] [--json FILE] [--write]

Processor time counts: machines are shared. In every round each contestant is asked in turn, so that a change of the
machine's clock hits all alike. Its first call, after the others' work has emptied the caches, is told apart from the
repeated ones, as many as fit in some milliseconds. --write puts the table of peers into the documents that quote it.
"""

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"  # before any numerical library is imported

import argparse
import datetime
import importlib.util
import json
import platform
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import compare_calibration
import numpy as np
import peer_table
from settings import MU_AT_1E_10, NOISE_FOR_8, THOUSAND, TWENTY, Setting

import hockeystick as hs

PEERS = ("dp-accounting", "gdpnum", "prv-accountant", "scipy")
GRID_STEP = 1e-4
BURST = 0.02  # seconds that the repeated calls of a round take, or one call
OUR_LENGTHS = (81920, 41472)  # that the package's own transforms have at this step (q=.01, sigma=1, T=1000)


@dataclass(frozen=True)
class Contestant:
    """Someone's answer to a case: `ask` is timed, `read` turns its result into (value, error bound of its own)."""

    name: str
    ask: Callable[[], Any]
    read: Callable[[Any], float]
    slow: bool = False  # asked once, not in every round


@dataclass(frozen=True)
class Case:
    name: str
    truth: float
    tolerance: float  # by which this package's own answer may be off, relative
    contestants: list[Contestant]


@dataclass(frozen=True)
class Row:
    case: str
    contestant: str
    milliseconds: float  # repeated
    first: float  # milliseconds of the first call of a round
    ratio: float
    first_ratio: float
    value: float
    relative_error: float


def installed(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


def peer_law(noise_multiplier: float, sampling_rate: float, step: float = GRID_STEP) -> Any:
    from dp_accounting.pld import privacy_loss_distribution

    return privacy_loss_distribution.from_gaussian_mechanism(
        standard_deviation=noise_multiplier,
        sampling_prob=sampling_rate,
        use_connect_dots=True,
        value_discretization_interval=step,
    )


def peer_epsilon(setting: Setting) -> float:
    """dp-accounting's accountant at its defaults."""
    import dp_accounting
    from dp_accounting.pld.pld_privacy_accountant import PLDAccountant

    accountant = PLDAccountant()
    for noise_multiplier, sampling_rate, count in setting.steps:
        event = dp_accounting.PoissonSampledDpEvent(sampling_rate, dp_accounting.GaussianDpEvent(noise_multiplier))
        accountant.compose(event, count)
    return accountant.get_epsilon(setting.delta)


def prv_epsilon(setting: Setting, error: float) -> tuple[float, float, float]:
    from prv_accountant import PoissonSubsampledGaussianMechanism, PRVAccountant

    accountant = PRVAccountant(
        prvs=[
            PoissonSubsampledGaussianMechanism(noise_multiplier=s, sampling_probability=q) for s, q, _ in setting.steps
        ],
        max_self_compositions=[count for _, _, count in setting.steps],
        eps_error=error,
        delta_error=setting.delta / 1000,
    )
    return accountant.compute_epsilon(setting.delta, [count for _, _, count in setting.steps])


def bare_transforms(law: Any, steps: int) -> Callable[[], None]:
    """The forward and backward transforms of the lengths that dp-accounting uses, both directions, nothing else."""
    import scipy.fft
    from dp_accounting.pld import common

    lengths = []
    for direction in (law._pmf_remove, law._pmf_add):
        masses = direction.to_dense_pmf()._probs
        low, high = common.compute_self_convolve_bounds(masses, steps, 1e-15)
        lengths.append(scipy.fft.next_fast_len(max(high - low + 1, len(masses)), real=True))
    return bare(lengths)


def bare(lengths: Sequence[int]) -> Callable[[], None]:
    """One real transform there and back for each length."""
    import scipy.fft

    inputs = [np.random.default_rng(1).random(length) for length in lengths]

    def transform() -> None:
        for values in inputs:
            scipy.fft.irfft(scipy.fft.rfft(values), len(values))

    return transform


def ours(setting: Setting, method: str, tolerance: float | None = None) -> Contestant:
    mechanism = setting.build()
    name = f"hockeystick {method}" + (f", tolerance {tolerance:g}" if tolerance else "")
    return Contestant(
        name,
        lambda: mechanism.epsilon_bounds(delta=setting.delta, method=method, tolerance=tolerance),
        lambda bounds: bounds.upper,
    )


def compose_case() -> Case:
    setting = THOUSAND
    noise_multiplier, sampling_rate, steps = setting.steps[0]
    law_of_ours = setting.build().pld(step=GRID_STEP)
    contestants = [
        Contestant("hockeystick, given pmf, step 1e-4", lambda: law_of_ours.epsilon(delta=setting.delta), float),
        Contestant("bare scipy.fft, lengths of the above", bare(OUR_LENGTHS), lambda _: float("nan")),
        ours(setting, "fft"),
        ours(setting, "fft", 5e-6),  # errs no more than the peer
    ]
    if installed("dp_accounting"):
        law = peer_law(noise_multiplier, sampling_rate)
        contestants += [
            Contestant(
                "dp-accounting, given pmf, step 1e-4",
                lambda: law.self_compose(steps).get_epsilon_for_delta(setting.delta),
                float,
            ),
            Contestant("bare scipy.fft, lengths of dp-accounting", bare_transforms(law, steps), lambda _: float("nan")),
        ]
    return Case("compose: " + setting.name, setting.epsilon, 1e-4, contestants)


def epsilon_case(setting: Setting, tolerance: float) -> Case:
    contestants = [ours(setting, "auto"), ours(setting, "fft")]
    if installed("dp_accounting"):
        contestants.append(Contestant("dp-accounting, defaults", lambda: peer_epsilon(setting), float))
    if installed("prv_accountant"):
        contestants.append(
            Contestant("prv-accountant, error .01", lambda: prv_epsilon(setting, 0.01), lambda answer: answer[2])
        )
    return Case("epsilon: " + setting.name, setting.epsilon, tolerance, contestants)


def whole_case() -> Case:
    """Epsilon, 1000 points of the curve, mu at floor 1e-10 and regret."""
    setting, alpha = THOUSAND, np.geomspace(1e-9, 0.5, 1000)
    mechanism = setting.build()

    def all_of_ours() -> float:
        mechanism.epsilon(delta=setting.delta)
        curve = mechanism.tradeoff(fpr_floor=1e-10)
        curve(alpha)
        return hs.fit_gdp(curve, fpr_floor=1e-10).mu

    contestants = [
        Contestant("hockeystick, curve to 1e-10", all_of_ours, float),
        Contestant(
            "hockeystick, curve to 1e-300",
            lambda: mechanism.tradeoff(fpr_floor=1e-300)(alpha)[0],
            lambda _: float("nan"),
        ),
        Contestant("hockeystick, mu and regret alone", lambda: mechanism.gdp(fpr_floor=1e-10).mu, float),
    ]
    if installed("gdpnum"):
        from gdpnum import PLDConverter

        noise_multiplier, sampling_rate, steps = setting.steps[0]

        def all_of_theirs() -> float:
            composed = peer_law(noise_multiplier, sampling_rate).self_compose(steps)
            composed.get_epsilon_for_delta(setting.delta)
            converter = PLDConverter(composed)
            converter.get_beta(alpha)
            return float(converter.get_mu_and_regret(1e-10)[0])

        contestants.append(Contestant("gdpnum, step 1e-4", all_of_theirs, float))
    return Case("whole: " + setting.name, MU_AT_1E_10, 1e-3 / MU_AT_1E_10, contestants)


def timed(contestant: Contestant) -> tuple[float, float, Any]:
    """Processor seconds of the first call and, the median, of those that follow."""
    times: list[float] = []
    answer: Any = None
    while not times or (sum(times) < BURST and not contestant.slow):
        start = time.process_time()
        answer = contestant.ask()
        times.append(time.process_time() - start)
    return times[0], statistics.median(times[1:] or times), answer


def noise_case() -> Case:
    """The noise for epsilon 8 at delta 1e-5 over 10 000 steps of rate .01, as compare_calibration asks for it."""
    target = compare_calibration.TARGETS[0]
    contestants = [Contestant("hockeystick", lambda: compare_calibration.ours(target), float)]
    if installed("dp_accounting"):
        near = compare_calibration.ours(target)
        contestants.append(
            Contestant("dp-accounting", lambda: compare_calibration.theirs(target, near), float, slow=True)
        )
    return Case("noise: epsilon 8, q=.01 T=10000", NOISE_FOR_8, 1e-6, contestants)


def run(case: Case, repetitions: int) -> list[Row]:
    """Warm up once, then take turns."""
    for contestant in case.contestants:
        if not contestant.slow:
            contestant.ask()
    rounds = [[timed(each) for each in case.contestants if turn == 0 or not each.slow] for turn in range(repetitions)]
    rows: list[Row] = []
    for number, contestant in enumerate(case.contestants):
        asked = rounds[:1] if contestant.slow else rounds
        first, again = (statistics.median(turn[number][kind] for turn in asked) * 1e3 for kind in (0, 1))
        value = contestant.read(asked[-1][number][2])
        error = (value - case.truth) / case.truth
        best, best_first = (rows[0].milliseconds, rows[0].first) if rows else (again, first)
        rows.append(Row(case.name, contestant.name, again, first, again / best, first / best_first, value, error))
        if contestant.name.startswith("hockeystick") and not np.isnan(value) and not -1e-10 <= error <= case.tolerance:
            raise AssertionError(f"{case.name}: {contestant.name} is off by {error:.2g}")
    return rows


# The questions of the table, each with the case it is read from, and the contestants whose names begin so.
TABLE = (
    ("epsilon of 1000 steps", "epsilon: q=.01", "hockeystick auto", "dp-accounting"),
    ("the same", "epsilon: q=.01", "hockeystick auto", "prv-accountant"),
    ("epsilon of 20 noise levels, 20 steps each", "epsilon: 20", "hockeystick auto", "dp-accounting"),
    ("the same", "epsilon: 20", "hockeystick auto", "prv-accountant"),
    ("epsilon, 1000 points of the curve, mu and regret", "whole", "hockeystick, curve to 1e-10", "gdpnum"),
    ("the noise for epsilon 8 over 10 000 steps", "noise", "hockeystick", "dp-accounting"),
    ("epsilon of a given distribution at its grid", "compose", "hockeystick, given pmf", "dp-accounting, given"),
)


def digit(error: float) -> str:
    return f"{error:.0e}".replace("e-0", "e-")


def table_of(rows: Sequence[Row]) -> str:
    """The table of peers, of the questions that were asked and whose peer is installed."""
    lines = []
    for question, case, name, peer_name in TABLE:
        found = [
            [row for row in rows if row.case.startswith(case) and row.contestant.startswith(each)]
            for each in (name, peer_name)
        ]
        if not all(found):
            continue
        here, peer = found[0][0], found[1][0]
        lines.append(
            peer_table.Line(
                question,
                f"error {digit(here.relative_error)}",
                f"{peer_name.split(',')[0]}, {digit(peer.relative_error)}",
                peer.milliseconds / here.milliseconds,
                peer.first / here.first,
            )
        )
    return peer_table.table(lines, datetime.date.today().isoformat())


def describe_machine() -> str:
    known = []
    for name in ("hockeystick", "numpy", *PEERS):
        try:
            known.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            known.append(f"{name} absent")
    return f"{platform.machine()}, Python {platform.python_version()}, one thread; {', '.join(known)}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=5, help="timed rounds; the median is printed")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--json", metavar="FILE", help="write the rows here too")
    parser.add_argument("--write", action="store_true", help="put the table of peers into the documents")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # the peers' own
    print(describe_machine())
    cases = {
        "compose": compose_case,
        "epsilon": lambda: epsilon_case(THOUSAND, 1e-4),
        "twenty": lambda: epsilon_case(TWENTY, 1e-4),
        "whole": whole_case,
        "noise": noise_case,
    }
    rows: list[Row] = []
    for name, make in cases.items():
        if arguments.only not in name:
            continue
        case = make()
        print(f"\n{case.name} (truth {case.truth:.10g})")
        print(f"  {'':38} {'ms':>10} {'ratio':>9} {'first ms':>10} {'ratio':>9} {'value':>14} {'error':>10}")
        for row in run(case, arguments.repetitions):
            rows.append(row)
            times = f"{row.milliseconds:10.3f} {row.ratio:9.1f} {row.first:10.3f} {row.first_ratio:9.1f}"
            print(f"  {row.contestant:38} {times} {row.value:14.10g} {row.relative_error:10.1e}")
    table = table_of(rows)
    print(f"\n{table}")
    if arguments.write:
        peer_table.write(f"{table}\n\n{describe_machine()}.")
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({"machine": describe_machine(), "rows": [asdict(row) for row in rows]}, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
