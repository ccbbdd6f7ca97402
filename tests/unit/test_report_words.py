# SPDX-License-Identifier: Apache-2.0
"""The words are right: rates are not swapped, mu has its floor, an approximation is no guarantee, warnings come."""

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hockeystick as hs
from hockeystick.report import AccountantRow
from hockeystick.report.audience import AUDIENCES
from hockeystick.report.numbers import at_least, at_most, exactly, in_words, percent_at_most, round_down, round_up

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")

RUN = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
REPORTS = {
    "readme": RUN.report(delta=1e-5),
    "gentle": hs.dpsgd(noise_multiplier=20.0, sampling_rate=0.1, steps=1000).report(delta=1e-5),
    "no noise": hs.dpsgd(noise_multiplier=0.0, sampling_rate=0.01, steps=10).report(delta=1e-5),
    "strong noise": hs.Gaussian(noise_multiplier=1000.0).report(delta=1e-5),
}
TEXTS = [
    pytest.param(report.render(form, audience=audience), id=f"{name}-{form}-{audience}")
    for name, report in REPORTS.items()
    for form in ("txt", "md", "tex")
    for audience in AUDIENCES
]


def flat(text: str) -> str:
    return " ".join(text.split())


def page(report, form: str) -> str:
    """The rendered words, without the data that an HTML page carries."""
    return report.render(form).partition("<script")[0]


def codes(**options) -> dict[str, str]:
    return {note.code: note.level for note in RUN.report(**{"delta": 1e-5, **options}).notes}


@pytest.mark.parametrize("text", TEXTS)
def test_mu_is_never_without_its_floor(text):
    text = flat(text)
    for found in re.finditer(r"\bmu (?:=|at most) (?:[\d.]+|infinite)", text):
        near = text[max(0, found.start() - 200) : found.end() + 200]
        assert re.search(r"false-positive rates of at least|from the floor|delta0", near), near


@pytest.mark.parametrize("text", TEXTS)
def test_bounds_are_called_by_their_side(text):
    text = flat(text)
    assert not re.search(r"true-positive rate[^.|]{0,60}at least", text)
    assert not re.search(r"false-negative rate[^.|]{0,30}at most (?!0\.\d+: )", text)
    assert not re.search(r"epsilon[^.|]{0,30}at least \d", text)
    assert "finds at least" not in text
    assert not re.search(r"smaller (?:f|curve)|larger (?:f|curve)[^.]{0,30}less private", text)


@pytest.mark.parametrize("text", TEXTS)
def test_nothing_is_promised_that_is_not_proved(text):
    text = flat(text).lower()
    for word in ("anonym", "safe to", "private data set", "cannot be identified", "perfectly", "nan", "none"):
        assert not re.search(rf"\b{word}", text.replace("none of", "")), word
    assert "at most infinite" not in text
    assert (
        "{" not in re.sub(r"```.*?```|\{\s*\"mechanism\".*?\}\s*,?\s*\"version\": 1\s*\}|\\\w+\{[^}]*\}|\^\{", "", text)
        or "tabular" in text
    )


def test_false_alarms_are_false_positives_and_members_found_are_true_positives():
    report = REPORTS["readme"]
    text = flat(report.render("txt"))
    sentences = re.findall(
        r"accepts (\d+) false alarms? in (\d+) finds at most (\d+) members in (\d+); guessing finds (\d+)", text
    )
    assert len(sentences) == len(report.risks.tpr)
    curve = RUN.tradeoff()
    for row, (false, people, found, again, guessed) in zip(report.risks.tpr, sentences, strict=True):
        assert people == again
        assert false == guessed
        assert int(false) / int(people) == pytest.approx(row.fpr)
        assert int(found) / int(people) >= 1.0 - curve(row.fpr)
        assert int(found) > int(guessed)


def test_guesses_and_accusations_are_at_most():
    text = flat(REPORTS["readme"].render("txt"))
    guesses = re.findall(r"right in ([\d.]+) % of cases without the release is right in at most ([\d.]+) % with", text)
    assert [float(baseline) for baseline, _ in guesses] == [1.0, 10.0, 50.0]
    assert all(float(success) > float(baseline) for baseline, success in guesses)
    accusations = re.findall(
        r"Where ([\d.]+) % of the candidates .*? false positives is right in at most ([\d.]+) %", text
    )
    assert [float(prior) for prior, _ in accusations] == [1.0, 10.0]
    assert all(float(precision) > float(prior) for prior, precision in accusations)


def test_the_verdict_on_mu():
    assert "may stand for the curve" in flat(REPORTS["gentle"].render("txt"))
    loose = flat(REPORTS["readme"].render("txt"))
    assert "may stand" not in loose
    assert "not to be quoted alone" in loose
    assert "state the curve or epsilon at several deltas, not mu alone" in loose
    assert "No finite mu" in flat(hs.Gaussian(noise_multiplier=0.0).report(delta=1e-5).render("txt"))


def test_an_approximation_is_never_called_a_guarantee():
    import dataclasses

    rows = (
        AccountantRow(key="clt", name="central limit", kind="approximation", epsilon=1.6, order=None, note="too low"),
        AccountantRow(key="rdp", name="moments", kind="upper bound", epsilon=2.123456, order=8.0, note="loose"),
        AccountantRow(key="low", name="from below", kind="lower bound", epsilon=1.823456, order=None, note=""),
    )
    report = dataclasses.replace(REPORTS["readme"], comparison=rows)
    for form in ("txt", "md", "html"):
        lines = [line for line in page(report, form).splitlines() if "central limit" in line]
        assert lines
        for line in lines:
            assert "approximation, no guarantee" in line
            assert "upper" not in line
            assert "at most" not in line
    assert "2.124" in report.render("txt")
    assert "1.823" in report.render("txt")
    assert "~ 1.6" in report.render("txt")


def test_warnings_come_when_they_should():
    assert codes()["delta_unchecked"] == "assumption"
    assert "delta_unchecked" not in codes(dataset_size=10_000)
    assert "delta_not_below_one_over_n" not in codes(dataset_size=99_999)
    assert codes(dataset_size=100_000)["delta_not_below_one_over_n"] == "warning"
    assert codes()["sampling_assumed"] == "assumption"
    assert codes(sampling_in_practice="shuffle")["sampling_mismatch"] == "warning"
    epochs = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=100, sampling="fixed_order")
    drawn = {note.code for note in epochs.report(delta=1e-5, sampling_in_practice="shuffle").notes}
    assert not {"sampling_mismatch", "sampling_assumed"} & drawn
    assert not {"sampling_mismatch", "sampling_assumed"} & codes(sampling_in_practice="poisson").keys()
    # A release on all records leaves nothing to the loader.
    both = RUN + hs.Gaussian(noise_multiplier=20.0)
    notes = both.report(delta=1e-5, sampling_in_practice="poisson").warnings
    assert "sampling_mismatch" not in {note.code for note in notes}
    assert codes()["tuning_not_included"] == "assumption"
    assert "tuning_not_included" not in codes(tuning_included=True)
    assert codes()["normaliser_public"] == "assumption"
    silent = {note.code for note in REPORTS["no noise"].warnings}
    assert "epsilon_infinite" in silent
    weak = hs.dpsgd(noise_multiplier=0.5, sampling_rate=0.1, steps=1000).report(delta=1e-5)
    assert "guarantee_weak" in {note.code for note in weak.warnings}


def test_infinite_epsilon_names_the_release_that_is_to_blame():
    total = hs.Gaussian(noise_multiplier=1.0) + 3 * hs.Gaussian(noise_multiplier=0.0)
    [note] = [note for note in total.report(delta=1e-5).warnings if note.code == "epsilon_infinite"]
    assert "Gaussian(noise_multiplier=0.0, relation='add_remove')" in note.text
    assert "noise_multiplier=1.0" not in note.text
    [note] = [note for note in RUN.report(delta=0.0).warnings if note.code == "epsilon_infinite"]
    assert "the loss of this mechanism has no bound" in note.text


def test_nothing_released_is_said():
    report = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.01, steps=0).report(delta=1e-5)
    assert [note.code for note in report.notes if note.level == "remark"] == ["nothing_released"]


def test_the_units_are_told():
    run = hs.dpsgd(noise_multiplier=1.1, dataset_size=60_000, batch_size=256, epochs=60)
    text = flat(run.report(delta=1e-5).render("txt"))
    assert "14 063 (rounded up from 14062.5)" in text
    assert "expected batch size q N 256" in text
    assert "each record is expected in 60 of 14 063 steps" in text


def test_epsilon_zero_is_explained():
    report = hs.dpsgd(noise_multiplier=1.0, sampling_rate=0.00105, steps=1).report(delta=1e-3)
    assert report.epsilon[0].upper == 0.0
    text = flat(report.render("txt"))
    assert "epsilon is exactly 0, because delta = 0.001 is at least the total variation distance" in text
    assert "0.0004021" in text


def test_the_relation_and_the_sampling_are_named_everywhere():
    for audience in AUDIENCES:
        text = flat(REPORTS["readme"].render("txt" if audience != "paper" else "tex", audience=audience))
        assert "adding or removing one record" in text
        assert re.search("Poisson|poisson", text)


rates = st.floats(0.0, 1.0, allow_nan=False)


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(1, 12))
def test_shown_numbers_are_rounded_to_the_safe_side(value, digits):
    from decimal import Decimal

    assert Decimal(round_down(value, digits)) <= Decimal(value) <= Decimal(round_up(value, digits))
    gap = Decimal(round_up(value, digits)) - Decimal(round_down(value, digits))
    if value and gap.is_finite():  # rounding the largest doubles outwards gives infinity
        assert gap <= abs(Decimal(value)) * Decimal(10) ** (1 - digits)


@given(rates, st.sampled_from([1e-3, 1e-2, 5e-2, 0.1]))
def test_counts_of_people_are_upper_bounds(rate, baseline):
    guessed, found, people = in_words(rate, baseline)
    count = int(str(found).replace("\u202f", ""))
    assert guessed / people == pytest.approx(baseline)
    assert rate * people <= count <= people
    assert count <= 1.25 * rate * people + 1e-9 or people == 10**12


@given(rates)
def test_percentages_are_upper_bounds(rate):
    from decimal import Decimal

    shown = Decimal(str(percent_at_most(rate)).removesuffix("\u00a0%"))
    assert Decimal(rate) * 100 <= shown <= 100


def test_infinity_is_a_word():
    assert str(at_most(math.inf)) == str(at_least(math.inf)) == str(exactly(math.inf)) == "infinite"
