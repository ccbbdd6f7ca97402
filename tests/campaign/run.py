# SPDX-License-Identifier: Apache-2.0
"""Random settings of every kind through every engine that takes them: no NaN, no crash, no bracket violated.

    python tests/campaign/run.py --state campaign.json --seconds 3600
    python tests/campaign/run.py --number 123456        # one setting again, with its traceback

Setting number n is the same on every machine. The state file holds the next number and everything found; the script goes
on from there, and finds there what crashed the interpreter. Ends with 1 if anything was found.
"""

import argparse
import json
import os
import signal
import sys
import time
import warnings
from pathlib import Path

from checks import check
from settings import draw

# A number is asked one question, by every engine; some are asked all there are, and some of those for their curve.
THOROUGH_EVERY = 200
CURVE_EVERY = 1000


class Late(Exception):
    """A setting that took longer than it may."""


def late(*_):
    raise Late


def examine(number, limit):
    """None, or what was found about that setting."""
    kind, mechanism = "?", None
    signal.setitimer(signal.ITIMER_PROF, limit)  # of processor time: a busy machine is no finding
    try:
        kind, mechanism, random = draw(number)
        check(mechanism, random, thorough=number % THOROUGH_EVERY == 0, curve=number % CURVE_EVERY == 0)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the finding
        return {
            "number": number,
            "kind": kind,
            "mechanism": repr(mechanism),
            "error": f"{type(error).__name__}: {error}",
        }
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
    return None


def load(path):
    state = {"next": 0, "seconds": 0.0, "found": []}
    if path and path.exists():
        state = json.loads(path.read_text())
        started = path.with_suffix(".now")
        if started.exists() and (number := int(started.read_text() or 0)) >= state["next"]:
            # The interpreter ended within a setting: by a signal, or a crash.
            state["found"].append({"number": number, "kind": "?", "error": "the interpreter ended"})
            state["next"] = number + 1
    return state


def save(path, state):
    if path:
        fresh = path.with_suffix(".new")
        fresh.write_text(json.dumps(state, indent=1))
        fresh.replace(path)
        path.with_suffix(".now").unlink(missing_ok=True)


def campaign(arguments):
    state = load(arguments.state)
    begin, saved = time.monotonic(), time.monotonic()
    known = state["seconds"]
    last = state["next"] + arguments.count if arguments.count else None
    started = os.open(arguments.state.with_suffix(".now"), os.O_CREAT | os.O_WRONLY) if arguments.state else None
    try:
        while time.monotonic() - begin < arguments.seconds and state["next"] != last:
            if started is not None:
                os.pwrite(started, f"{state['next']:20d}".encode(), 0)
            found = examine(state["next"], arguments.limit)
            if found:
                state["found"].append(found)
                print(json.dumps(found), flush=True)
            state["next"] += 1
            state["seconds"] = known + time.monotonic() - begin
            if found or time.monotonic() - saved > 20.0:
                save(arguments.state, state)
                saved = time.monotonic()
                started = (
                    os.open(arguments.state.with_suffix(".now"), os.O_CREAT | os.O_WRONLY) if arguments.state else None
                )
    except KeyboardInterrupt:
        pass
    save(arguments.state, state)
    print(f"{state['next']} settings in {state['seconds']:.0f} s, {len(state['found'])} found")
    return 1 if state["found"] else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--state", type=Path, help="file to go on from and to write to")
    parser.add_argument("--seconds", type=float, default=60.0, help="stop after that long")
    parser.add_argument("--count", type=int, help="stop after that many settings")
    parser.add_argument("--limit", type=float, default=30.0, help="processor seconds that one setting may take")
    parser.add_argument("--number", type=int, help="examine that setting alone")
    arguments = parser.parse_args()
    if arguments.number is not None:
        kind, mechanism, random = draw(arguments.number)
        print(kind, mechanism)
        check(mechanism, random, thorough=False, curve=False)
        check(mechanism, random, thorough=True, curve=True)
        return 0
    signal.signal(signal.SIGPROF, late)
    warnings.simplefilter("error")
    return campaign(arguments)


if __name__ == "__main__":
    sys.exit(main())
