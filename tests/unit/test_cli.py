# SPDX-License-Identifier: Apache-2.0
"""The command line as a user meets it: the installed script in a process of its own."""

import json
import math
import re
import shutil
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hockeystick as hs

pytest.importorskip("typer")

SCRIPT = shutil.which("hockeystick", path=str(Path(sys.executable).parent))
RUN = {"--noise-multiplier": "1", "--sampling-rate": "0.01", "--steps": "1000", "--delta": "1e-5"}


def hockeystick(*arguments: str) -> subprocess.CompletedProcess[str]:
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


def assert_one_sentence(result: subprocess.CompletedProcess[str], *words: str) -> None:
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    for word in words:
        assert word in result.stderr


def test_json_keys_are_stable(stated):
    assert list(stated) == [
        "format",
        "hockeystick_version",
        "noise_multiplier",
        "sampling_rate",
        "steps",
        "sampling",
        "relation",
        "expected_participations",
        "delta",
        "epsilon",
        "epsilon_bounds",
        "method",
        "gdp",
        "tpr_upper",
    ]
    assert list(stated["gdp"]) == [
        "mu",
        "fpr_floor",
        "residual",
        "mu_literal",
        "regret",
        "delta_divergence",
        "mu_may_stand_for_the_curve",
    ]
    assert stated["format"] == "hockeystick.dpsgd/1"
    assert stated["hockeystick_version"] == hs.__version__


def test_json_says_what_the_interface_says(stated):
    run = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
    assert stated["epsilon"] == run.epsilon(delta=1e-5)
    assert stated["epsilon_bounds"] == {
        "lower": run.epsilon_bounds(delta=1e-5).lower,
        "upper": run.epsilon_bounds(delta=1e-5).upper,
    }
    fit = run.gdp()
    assert stated["gdp"]["mu"] == fit.mu
    assert stated["gdp"]["regret"] == fit.regret
    assert stated["gdp"]["residual"] == fit.residual


def test_values_of_the_reference_run(stated):
    assert stated["epsilon_bounds"]["lower"] <= 1.8282366665 <= stated["epsilon_bounds"]["upper"]
    assert 0.5222005 <= stated["gdp"]["mu"] < 0.5227
    assert stated["gdp"]["mu_literal"] == pytest.approx(math.sqrt(1000), rel=1e-9)
    assert stated["gdp"]["mu_may_stand_for_the_curve"] is False
    assert stated["expected_participations"] == 10.0
    assert (stated["sampling"], stated["relation"]) == ("poisson", "add_remove")


def test_true_positive_rates_are_upper_bounds(stated):
    curve = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000).tradeoff()
    assert [row["fpr"] for row in stated["tpr_upper"]] == [1e-3, 1e-2, 5e-2]
    for row in stated["tpr_upper"]:
        assert row["fpr"] < 1 - curve(row["fpr"]) <= row["tpr"] < 1 - curve(row["fpr"]) + 1e-12


def test_text_states_every_number_with_its_assumptions(stated):
    result = dpsgd()
    assert result.returncode == 0, result.stderr
    for text in (
        "Poisson: every record joins every batch independently with probability 0.01",
        "add or remove one record",
        "1000; each record is expected in 10 batches",
        "epsilon at delta = 1e-05",
        "an upper bound; the exact value lies in [",
        "for false-positive rates of at least 1e-10",
        "not below 0.01: state the curve, not mu alone",
        "at 0.1 % false positives",
        "at 1 % false positives",
        "at 5 % false positives",
    ):
        assert text in result.stdout
    mu = re.search(r"^mu +([\d.]+),", result.stdout, re.MULTILINE).group(1)
    assert 0 <= Decimal(mu) - Decimal(stated["gdp"]["mu"]) < Decimal("1e-3")


def test_the_floor_is_the_users_choice():
    high, low = answer(fpr_floor="1e-3")["gdp"], answer(fpr_floor="1e-6")["gdp"]
    assert (high["fpr_floor"], low["fpr_floor"]) == (1e-3, 1e-6)
    assert 0.4438955 <= high["mu"] < 0.4443
    assert 0.4739675 <= low["mu"] < 0.4744


def test_small_regret_lets_mu_stand_for_the_curve():
    gentle = answer(noise_multiplier="20", sampling_rate="0.1", steps="1000")
    assert gentle["gdp"]["regret"] < 0.01
    assert gentle["gdp"]["mu_may_stand_for_the_curve"] is True


def test_no_steps_give_epsilon_zero():
    assert answer(steps="0")["epsilon"] == 0


def test_the_relation_is_the_users_choice():
    stated = answer(relation="replace", sampling_rate="1", steps="1")
    assert stated["relation"] == "replace"
    assert stated["epsilon"] == pytest.approx(9.99726, abs=5e-6)


@pytest.mark.parametrize("change", [{"delta": "0"}, {"noise_multiplier": "0"}], ids=str)
def test_infinite_epsilon_is_said_not_printed_as_a_number(change):
    assert answer(**change)["epsilon"] == "inf"
    result = dpsgd(**change)
    assert result.returncode == 0, result.stderr
    assert "infinite: no finite epsilon holds at this delta" in result.stdout


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
        ({"flooor": "1"}, "--flooor"),
    ],
    ids=str,
)
def test_a_mistake_is_one_sentence(change, word):
    assert_one_sentence(dpsgd(**change), word)


def test_a_missing_option_is_one_sentence():
    assert_one_sentence(hockeystick("dpsgd", "--noise-multiplier", "1"), "--")
    assert_one_sentence(hockeystick("dpsdg"), "dpsdg")


def test_help_and_version():
    assert hockeystick("--version").stdout == f"hockeystick {hs.__version__}\n"
    page = hockeystick("dpsgd", "--help")
    assert page.returncode == 0
    for option in (*RUN, "--fpr-floor", "--json"):
        assert option in page.stdout


def test_without_typer_one_sentence_says_what_to_install():
    code = "import sys; sys.modules['typer'] = None; from hockeystick.cli import main; main()"
    result = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert_one_sentence(result, "typer", "pip install 'hockeystick[cli]'")


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(1, 12))
def test_shown_numbers_are_rounded_to_the_safe_side(value, digits):
    from hockeystick.cli.summary import round_down, round_up

    assert Decimal(round_down(value, digits)) <= Decimal(value) <= Decimal(round_up(value, digits))
    gap = Decimal(round_up(value, digits)) - Decimal(round_down(value, digits))
    if value and gap.is_finite():  # rounding the largest doubles outwards gives infinity
        assert gap <= abs(Decimal(value)) * Decimal(10) ** (1 - digits)
