# SPDX-License-Identifier: Apache-2.0
"""The command line: what it says, how it ends, and the installed script in a process of its own."""

import contextlib
import io
import json
import math
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import hockeystick as hs
from hockeystick.report import Report

pytest.importorskip("typer")

from hockeystick.cli.commands import run

SCRIPT = shutil.which("hockeystick", path=str(Path(sys.executable).parent))
RUN_OF_OPTIONS = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
RUN = {"--noise-multiplier": "1", "--sampling-rate": "0.01", "--steps": "1000", "--delta": "1e-5"}


def hockeystick(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command in this process, which is quick; :func:`script` is what a user runs."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(list(arguments))
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())


def script(*arguments: str) -> subprocess.CompletedProcess[str]:
    assert SCRIPT, "the console script is not installed beside this interpreter"
    return subprocess.run(
        [SCRIPT, *arguments], check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120
    )


def dpsgd(*flags: str, **changes: str) -> subprocess.CompletedProcess[str]:
    options = RUN | {f"--{name.replace('_', '-')}": value for name, value in changes.items()}
    return hockeystick("dpsgd", *(word for option in options.items() for word in option), *flags)


def answer(**changes: str) -> dict:
    result = dpsgd("--json", **changes)
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""

    def refuse(constant: str) -> None:
        pytest.fail(f"{constant} is not JSON")

    return json.loads(result.stdout, parse_constant=refuse)


@pytest.fixture(scope="module")
def stated() -> dict:
    return answer()


def test_no_answer_is_exit_code_one():
    assert dpsgd(at_most="1.83").returncode == 0
    refused = dpsgd(at_most="1.82")
    assert (refused.returncode, refused.stderr) == (1, "")
    assert "1.829" in refused.stdout


def test_a_page_for_the_browser(tmp_path):
    page = tmp_path / "privacy.html"
    result = dpsgd(html=str(page), dataset_size="60000")
    assert result.returncode == 0, result.stderr
    assert page.read_text(encoding="utf-8") == RUN_OF_OPTIONS.report(delta=1e-5, dataset_size=60_000).render("html")
    assert_one_sentence(dpsgd(html=str(tmp_path / "none" / "x.html")), "No such file")
    assert_one_sentence(dpsgd("--open"), "--html")
    assert_one_sentence(dpsgd(describe=str(tmp_path / "run.toml")), "--describe must end in .json")


def test_the_units_of_a_trainer():
    sizes = ["--batch-size", "256", "--dataset-size", "60000", "--epochs", "60"]
    result = hockeystick("dpsgd", "--noise-multiplier", "1.1", "--delta", "1e-5", *sizes, "--json")
    assert result.returncode == 0, result.stderr
    run_of_sizes = hs.dpsgd(noise_multiplier=1.1, dataset_size=60_000, batch_size=256, epochs=60)
    assert Report.from_json(result.stdout) == run_of_sizes.report(delta=1e-5)
    assert_one_sentence(dpsgd(batch_size="256"), "sampling_rate must be given, or dataset_size and batch_size")


PAGES = [Path(__file__).resolve().parents[2] / name for name in ("README.md", "docs/cli.md", "docs/quickstart.md")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_commands_of_the_documentation_run(page, tmp_path, monkeypatch):
    """The first five minutes: every command of a page, in its order and in one folder."""
    opened = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("webbrowser.open", opened.append)
    lines = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("hockeystick ")]
    assert lines
    for line in lines:
        result = hockeystick(*shlex.split(line)[1:])
        assert (result.returncode, result.stderr) == (0, ""), line
        assert result.stdout
    assert len(opened) == sum("--open" in line for line in lines)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_the_commands(shell):
    assert SCRIPT
    environment = {
        **os.environ,
        "_HOCKEYSTICK_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": "hockeystick dp",
        "COMP_CWORD": "1",
        "_TYPER_COMPLETE_ARGS": "hockeystick dp",
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    result = subprocess.run([SCRIPT], check=False, capture_output=True, text=True, env=environment, timeout=60)
    assert "dpsgd" in result.stdout


def assert_one_sentence(result: subprocess.CompletedProcess[str], *words: str) -> None:
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    for word in words:
        assert word in result.stderr


def test_json_is_the_report(stated):
    assert Report.from_json(json.dumps(stated)) == RUN_OF_OPTIONS.report(delta=1e-5)
    assert stated["format"] == "hockeystick.report/1"
    assert stated["versions"]["hockeystick"] == hs.__version__


def test_values_of_the_reference_run(stated):
    assert stated["epsilon"][0]["lower"] <= 1.8282366665 <= stated["epsilon"][0]["upper"]
    assert 0.5222005 <= stated["gdp"]["mu"] < 0.5227
    assert stated["gdp"]["literal"] == pytest.approx(math.sqrt(1000), rel=1e-9)
    assert stated["sampling"]["expected_participations"] == pytest.approx(10.0)
    assert (stated["sampling"]["assumed"], stated["relation"]) == ("poisson", "add_remove")


def test_text_states_every_number_with_its_assumptions():
    result = dpsgd()
    assert result.returncode == 0, result.stderr
    page = " ".join(result.stdout.split())
    for text in (
        "Poisson: every record joins every batch on its own with the same probability",
        "adding or removing one record",
        "each record is expected in 10 of 1000 steps",
        "epsilon at most 1.829, at delta = 1e-5",
        "The exact value lies in the bracket",
        "mu at most 0.5223, for false-positive rates of at least 1e-10",
        "state the curve or epsilon at several deltas, not mu alone",
        "1 false alarm in 100 finds at most 3 members in 100",
    ):
        assert text in page, text


def test_the_floor_is_the_users_choice():
    high, low = answer(fpr_floor="1e-3")["gdp"], answer(fpr_floor="1e-6")["gdp"]
    assert (high["fpr_floor"], low["fpr_floor"]) == (1e-3, 1e-6)
    assert 0.4438955 <= high["mu"] < 0.4443
    assert 0.4739675 <= low["mu"] < 0.4744


def test_small_regret_lets_mu_stand_for_the_curve():
    gentle = answer(noise_multiplier="20", sampling_rate="0.1", steps="1000")
    assert gentle["gdp"]["regret"] < 0.01
    assert gentle["gdp"]["regret"] < gentle["gdp"]["regret_limit"]
    page = dpsgd(noise_multiplier="20", sampling_rate="0.1", steps="1000").stdout
    assert "may stand for the curve" in " ".join(page.split())


def test_no_steps_give_epsilon_zero():
    assert answer(steps="0")["epsilon"][0]["upper"] == 0


def test_the_relation_is_the_users_choice():
    stated = answer(relation="replace", sampling_rate="1", steps="1")
    assert stated["relation"] == "replace"
    assert stated["epsilon"][0]["upper"] == pytest.approx(9.99726, abs=5e-6)


@pytest.mark.parametrize("change", [{"delta": "0"}, {"noise_multiplier": "0"}], ids=str)
def test_infinite_epsilon_is_said_not_printed_as_a_number(change):
    assert answer(**change)["epsilon"][0]["upper"] == "inf"
    result = dpsgd(**change)
    assert result.returncode == 0, result.stderr
    assert "no finite epsilon holds" in result.stdout


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"noise_multiplier": "-1"}, "noise_multiplier"),
        ({"noise_multiplier": "nan"}, "noise_multiplier"),
        ({"noise_multiplier": "lots"}, "--noise-multiplier"),
        ({"sampling_rate": "1.5"}, "sampling_rate"),
        ({"sampling_rate": "-0.1"}, "sampling_rate"),
        ({"sampling_rate": "nan"}, "sampling_rate"),
        ({"steps": "-1"}, "steps"),
        ({"steps": "2.5"}, "--steps"),
        ({"steps": ""}, "--steps"),
        ({"delta": "1.5"}, "delta must be in [0, 1], got 1.5"),
        ({"delta": "-1e-5"}, "delta"),
        ({"delta": "nan"}, "delta"),
        ({"delta": "inf"}, "delta"),
        ({"fpr_floor": "2"}, "fpr_floor"),
        ({"fpr_floor": "nan"}, "fpr_floor"),
        ({"relation": "neighbours"}, "relation"),
        ({"relation": ""}, "relation"),
        ({"sampling": "shuffle"}, "no tight bound is known for shuffled batches"),
        ({"noise_multiplier": "inf"}, "noise_multiplier"),
        ({"noise_multiplier": "true"}, "--noise-multiplier"),
        ({"noise_multiplier": ""}, "--noise-multiplier"),
        ({"sampling_rate": "inf"}, "sampling_rate"),
        ({"steps": "inf"}, "--steps"),
        ({"steps": "nan"}, "--steps"),
        ({"steps": "true"}, "--steps"),
        ({"delta": ""}, "--delta"),
        ({"delta": "true"}, "--delta"),
        ({"dataset_size": "0"}, "dataset_size must be at least 1, got 0"),
        ({"dataset_size": "1.5"}, "--dataset-size"),
        ({"audience": "everyone"}, "audience must be one of"),
        ({"unit": ""}, "unit must not be empty"),
        ({"flooor": "1"}, "--flooor"),
    ],
    ids=str,
)
def test_a_mistake_is_one_sentence(change, word):
    assert_one_sentence(dpsgd(**change), word)


def test_a_missing_option_is_one_sentence():
    assert_one_sentence(hockeystick("dpsgd", "--noise-multiplier", "1"), "--")
    assert_one_sentence(hockeystick("dpsdg"), "dpsdg")


COMMANDS = ["dpsgd", "audit", "compare", "epsilon", "explain", "report", "calibrate", "schema", "sweep"]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_help_has_an_example(command):
    page = hockeystick(command, "--help")
    assert page.returncode == 0
    assert f"Example: hockeystick {command}" in " ".join(page.stdout.split())
    assert command in hockeystick("--help").stdout


def test_the_installed_script():
    options = [word for option in RUN.items() for word in option]
    told = script("dpsgd", *options, "--json")
    assert (told.returncode, told.stderr) == (0, "")
    assert Report.from_json(told.stdout) == RUN_OF_OPTIONS.report(delta=1e-5)
    assert_one_sentence(script("dpsgd", *options, "--steps", "-1"), "steps must be")
    assert script("dpsgd", *options, "--at-most", "1").returncode == 1


def test_an_interruption_and_a_closed_pipe_are_no_errors(monkeypatch):
    def interrupted(**_):
        raise KeyboardInterrupt

    monkeypatch.setattr(hs, "dpsgd", interrupted)
    result = dpsgd()
    assert result.returncode == 130
    assert "Traceback" not in result.stderr
    assert SCRIPT
    command = f"{SCRIPT} schema report | head -n 1"
    piped = subprocess.run(["bash", "-c", command], check=False, capture_output=True, text=True)
    assert (piped.stdout, piped.stderr) == ("{\n", "")


def test_help_and_version():
    assert script("--version").stdout == f"hockeystick {hs.__version__}\n"
    page = hockeystick("dpsgd", "--help")
    assert page.returncode == 0
    for option in (*RUN, "--fpr-floor", "--json"):
        assert option in page.stdout


def test_without_typer_one_sentence_says_what_to_install():
    code = "import sys; sys.modules['typer'] = None; from hockeystick.cli import main; main()"
    result = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert_one_sentence(result, "typer", "pip install 'hockeystick[cli]'")
