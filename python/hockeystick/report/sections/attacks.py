# SPDX-License-Identifier: Apache-2.0
"""What an attacker can do: false alarms are false positives, members found are true positives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hockeystick.report.document import Section, Table, Text, say
from hockeystick.report.numbers import at_most, grouped, in_words, percent_at_most

if TYPE_CHECKING:
    from hockeystick.report.model import Report
    from hockeystick.report.parts import TPRRow

__all__ = ["meaning", "other_risks"]


def meaning(report: Report) -> Section:
    """Say what an attacker can do."""
    sentences = [_attack(row) for row in report.risks.tpr]
    rows = tuple(
        (
            (exactly_percent(row.fpr),),
            (percent_at_most(row.tpr_upper),),
            (at_most(row.likelihood_ratio_upper, 3),),
        )
        for row in report.risks.tpr
    )
    unit = report.unit
    return Section(
        key="meaning",
        title="What an attacker can learn",
        paragraphs=(
            say(
                "The attacker sees all that is released, knows every other {unit}, and decides whether one given {unit} "
                "is in the data. A false alarm is a non-member called a member.",
                unit=unit,
            ),
        ),
        bullets=tuple(sentences),
        table=Table(
            ("false-positive rate (FPR)", "true-positive rate (TPR) at most", "TPR over FPR at most"), rows, (0, 1, 2)
        ),
    )


def _attack(row: TPRRow) -> Text:
    guessed, found, people = in_words(row.tpr_upper, row.fpr)
    return say(
        "An attacker who accepts {false} in {people} finds at most {found} members in {people}; guessing finds {guessed}.",
        false="1 false alarm" if guessed == 1 else f"{grouped(guessed)} false alarms",
        found=found,
        people=grouped(people),
        guessed=grouped(guessed),
    )


def other_risks(report: Report) -> Section:
    """Say how often accusations and guesses about one record are right."""
    accusations = [
        say(
            "Where {prior} of the candidates are members, an accusation by a test with at least {floor} false positives "
            "is right in at most {precision} of cases.",
            prior=exactly_percent(row.prior),
            floor=exactly_percent(row.fpr_floor),
            precision=percent_at_most(row.precision_upper),
        )
        for row in report.risks.precision
    ]
    guesses = [
        say(
            "A guess about a {unit} (who, which value, what data) that is right in {baseline} of cases without the release "
            "is right in at most {success} with it.",
            unit=report.unit,
            baseline=exactly_percent(row.baseline),
            success=percent_at_most(row.success_upper),
        )
        for row in report.risks.guesses
    ]
    return Section(key="risks", title="Accusations and guesses", bullets=(*accusations, *guesses))


def exactly_percent(rate: float) -> str:
    """Write a round rate in percent."""
    return f"{100.0 * rate:.10g}\N{NO-BREAK SPACE}%"
