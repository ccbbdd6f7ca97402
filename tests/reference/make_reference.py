# SPDX-License-Identifier: Apache-2.0
"""Recompute a sample of the reference values by other rules than those that made them, and compare.

    python tests/reference/make_reference.py            # seconds: closed forms, Renyi, one composition
    python tests/reference/make_reference.py --full     # minutes: every file, compositions of up to ten million steps

Needs mpmath.  Exits with 1 and prints the entries if any disagrees by more than the tolerance of its file.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import mpmath as mp
import rule_closed
import rule_convolution
import rule_line

DATA = Path(__file__).parent / "data"
DIRECTIONS = ("remove", "add")
# What data/README.md promises for each file; the compositions by a coarser step have their own.
COMPOSITION_TOLERANCE = mp.mpf("1e-11")
SERIES_TOLERANCE = mp.mpf("1e-14")


@dataclass(frozen=True)
class Comparison:
    """One stored value beside one recomputed value."""

    what: str
    stored: mp.mpf
    recomputed: mp.mpf
    tolerance: mp.mpf

    @property
    def error(self) -> mp.mpf:
        """Relative, but absolute where the stored value is zero."""
        difference = abs(self.recomputed - self.stored)
        return difference / abs(self.stored) if self.stored else difference

    @property
    def agrees(self) -> bool:
        return self.error <= self.tolerance


def load(name: str) -> list:
    return json.loads((DATA / f"{name}.json").read_text())


def exact(text: str) -> mp.mpf:
    """The double that the package is given when it reads this decimal, exactly."""
    return mp.mpf(float(text))


def profile_of(entry: dict, epsilon) -> mp.mpf:
    """delta(epsilon) of one entry of profiles.json."""
    steps = entry.get("steps", 1)
    match entry["mechanism"]:
        case "gaussian":
            return rule_closed.gaussian_delta(entry["mu"], epsilon)
        case "laplace":
            return rule_closed.laplace_delta(entry["scale"], steps, epsilon)
        case "discrete_gaussian":
            return rule_closed.discrete_gaussian_delta(entry["sigma"], steps, epsilon)
        case "discrete_laplace":  # sensitivity 1: the loss is +-a
            return rule_closed.two_valued_delta(mp.mpf(entry["a"]), mp.mpf(0), steps, epsilon)
        case "approximate_dp":
            return rule_closed.two_valued_delta(mp.mpf(entry["epsilon"]), mp.mpf(entry["delta0"]), steps, epsilon)
        case "randomized_response":
            noise = mp.mpf(entry["noise_probability"])
            return rule_closed.randomized_response_delta(noise, entry["categories"], steps, epsilon)
    raise ValueError(f"no rule for {entry['mechanism']}")


def check_profiles(indices=None) -> Iterator[Comparison]:
    for number, entry in enumerate(load("profiles")):
        if indices is not None and number not in indices:
            continue
        name = " ".join(f"{key}={value}" for key, value in entry.items() if key != "profile")
        for point in entry["profile"]:
            epsilon = mp.mpf(str(point["epsilon"]))
            yield Comparison(
                f"{name} delta({point['epsilon']})",
                mp.mpf(point["delta"]),
                profile_of(entry, epsilon),
                SERIES_TOLERANCE,
            )


def check_renyi(indices=None) -> Iterator[Comparison]:
    for number, entry in enumerate(load("rdp")):
        if indices is not None and number not in indices:
            continue
        setting = entry["noise_multiplier"], entry["sampling_rate"], entry["alpha"]
        for direction in DIRECTIONS:
            stored = mp.mpf(entry[f"rdp_{direction}"])
            if direction == "remove" and isinstance(entry["alpha"], int):
                recomputed = rule_closed.renyi_by_binomial_sum(*setting)
            else:
                recomputed = rule_closed.renyi_by_quadrature(*setting, direction)
            yield Comparison(f"renyi {setting} {direction}", stored, recomputed, SERIES_TOLERANCE)


def check_plain_gaussian() -> Iterator[Comparison]:
    """The entry of rate 1 is one Gaussian of mu = sqrt(T) / sigma."""
    for entry in load("dpsgd"):
        if any(float(step["sampling_rate"]) != 1 for step in entry["steps"]):
            continue
        mu = mp.sqrt(sum(step["steps"] / exact(step["noise_multiplier"]) ** 2 for step in entry["steps"]))
        for direction in DIRECTIONS:
            yield from compare_composition(
                f"gaussian mu={mp.nstr(mu, 5)} {direction}",
                entry[direction],
                lambda epsilon, mu=mu: rule_closed.gaussian_delta(mu, epsilon),
                lambda loss, mu=mu: (mp.ncdf(-loss / mu - mu / 2), mp.ncdf(-loss / mu + mu / 2)),
                COMPOSITION_TOLERANCE,
            )


def check_by_convolution(number: int, step: str, tolerance: str) -> Iterator[Comparison]:
    """Every value of one homogeneous entry of dpsgd.json by fixed-point convolution."""
    entry = load("dpsgd")[number]
    (setting,) = entry["steps"]
    one = rule_convolution.sample_one_step(exact(setting["noise_multiplier"]), exact(setting["sampling_rate"]), step)
    law = rule_convolution.compose(one, setting["steps"])
    for direction in DIRECTIONS:
        yield from compare_composition(
            f"convolution, entry {number} {direction}",
            entry[direction],
            lambda epsilon, direction=direction: rule_convolution.delta(law, epsilon, direction),
            lambda loss, direction=direction: rule_convolution.tails(law, loss, direction),
            mp.mpf(tolerance),
        )


def compare_composition(name, stored, delta, tails, tolerance) -> Iterator[Comparison]:
    for point in stored["epsilon_at_delta"]:
        value = delta(mp.mpf(point["epsilon"]))
        yield Comparison(f"{name} delta({point['epsilon'][:9]})", mp.mpf(point["delta"]), value, tolerance)
    for point in stored["log_delta_at_epsilon"]:
        value = delta(mp.mpf(point["epsilon"]))
        yield Comparison(f"{name} delta({point['epsilon']})", mp.exp(mp.mpf(point["log_delta"])), value, tolerance * 10)
    for point in stored["tails"]:
        above_q, above_p = tails(mp.mpf(point["loss"]))
        yield Comparison(f"{name} Q[L > {point['loss']}]", mp.mpf(point["q_above"]), above_q, tolerance * 10)
        yield Comparison(f"{name} P[L > {point['loss']}]", mp.mpf(point["p_above"]), above_p, tolerance * 10)


def check_by_line(number: int, position: int) -> Iterator[Comparison]:
    """One epsilon, and the tails at loss 1, per direction of any entry by the line integral."""
    entry = load("dpsgd")[number]
    steps = [
        rule_line.Step(exact(step["noise_multiplier"]), exact(step["sampling_rate"]), step["steps"])
        for step in entry["steps"]
    ]
    for direction in DIRECTIONS:
        point = entry[direction]["epsilon_at_delta"][position]
        line = rule_line.Line(steps, direction, rule_line.saddle(steps, direction, mp.mpf(point["epsilon"])))
        name = f"line, entry {number} {direction}"
        yield Comparison(
            f"{name} delta({point['epsilon'][:9]})",
            mp.mpf(point["delta"]),
            line.delta(point["epsilon"]),
            COMPOSITION_TOLERANCE * 30,  # 1e-11 of epsilon is some 2e-10 of delta
        )


def comparisons(full: bool) -> Iterator[Comparison]:
    with mp.workdps(40):
        yield from check_profiles(None if full else {0, 1, 3, 6, 8, 9, 11, 12, 13, 14, 15})
        yield from check_renyi(None if full else {1, 2, 9})
        yield from check_plain_gaussian()
        yield from check_by_convolution(6, "0.005" if full else "0.01", "1e-13" if full else "1e-8")
        if full:
            yield from check_by_convolution(3, "0.00125", "1e-7")  # this step samples the law to 1e-8
    if full:
        with mp.workdps(25):
            for number in range(len(load("dpsgd"))):
                yield from check_by_line(number, 1)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--full", action="store_true", help="every file and the long compositions (minutes)")
    arguments = parser.parse_args()
    wrong = 0
    for comparison in comparisons(arguments.full):
        wrong += not comparison.agrees
        verdict = "ok   " if comparison.agrees else "WRONG"
        print(f"{verdict} {mp.nstr(comparison.error, 3):>10}  {comparison.what}", flush=True)
    print(f"{wrong} wrong" if wrong else "all agree")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
