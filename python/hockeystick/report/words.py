# SPDX-License-Identifier: Apache-2.0
"""The sections of a report: which number stands in which sentence.

The words are held to rules that tests read off the generated text: a false-positive rate is the attacker's false
alarms, a true-positive rate what it finds; an upper bound is "at most"; mu is never without its floor; what is no bound
is called an approximation and never a guarantee.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from .document import Card, Fact, Figure, Section, Table, Text, say
from .numbers import Quantity, at_least, at_most, exactly, grouped, in_words, percent_at_most
from .sampling import SCHEMES

if TYPE_CHECKING:
    from collections.abc import Collection

    from .model import AccountantRow, EpsilonRow, Part, Report, TPRRow

__all__ = [
    "accounting",
    "assumptions",
    "cards",
    "comparison",
    "curves",
    "guarantee",
    "meaning",
    "mechanism",
    "one_number",
    "other_risks",
    "relation_text",
]

RELATIONS = {
    "add_remove": "adding or removing one {unit}",
    "replace": "replacing one {unit} by another",
    "zero_out": "blanking one {unit}",
}
LABELS = {
    "noise_multiplier": "noise multiplier",
    "sampling_rate": "sampling rate q",
    "steps": "steps T",
    "sampling": "sampling",
}


def relation_text(report: Report) -> str:
    """Say the relation in words."""
    return RELATIONS[report.relation].format(unit=report.unit)


def cards(report: Report) -> tuple[Card, ...]:
    """Return the numbers that stand out: epsilon with its delta, mu with its floor, the odds of an attacker."""
    row, fit = report.epsilon[0], report.gdp
    epsilon = Card(
        "epsilon",
        _at_most(row.upper),
        (at_most(row.upper),),
        say("at delta = {delta}, under {relation}", delta=exactly(row.delta), relation=relation_text(report)),
    )
    standing = "may stand for the curve" if fit.may_stand_for_the_curve else "is not to be quoted alone"
    mu = Card(
        "mu",
        _at_most(fit.mu),
        (at_most(fit.mu),),
        say(
            "for false-positive rates of at least {floor}; it {standing}",
            floor=exactly(fit.fpr_floor),
            standing=standing,
        ),
    )
    success = Card(
        "right guesses about membership",
        "at most",
        (percent_at_most(report.risks.success_upper),),
        ("where members and non-members are equally likely; a coin is right in 50\xa0%",),
    )
    return epsilon, mu, success


def _at_most(value: float) -> str:
    return "at most" if math.isfinite(value) else ""


def _attack(row: TPRRow) -> Text:
    guessed, found, people = in_words(row.tpr_upper, row.fpr)
    return say(
        "An attacker who accepts {false} in {people} finds at most {found} members in {people}; guessing finds {guessed}.",
        false="1 false alarm" if guessed == 1 else f"{grouped(guessed)} false alarms",
        found=found,
        people=grouped(people),
        guessed=grouped(guessed),
    )


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


def guarantee(report: Report) -> Section:
    """Tabulate epsilon at delta and below, with both sides of each bracket."""
    rows = tuple(_epsilon_cells(row) for row in report.epsilon)
    return Section(
        key="guarantee",
        title="Epsilon and delta",
        paragraphs=(
            say(
                "Each epsilon is an upper bound under {relation}: the guarantee. The exact value lies in the bracket.",
                relation=relation_text(report),
            ),
        ),
        table=Table(("delta", "epsilon at most", "bracket of the exact value", "engine"), rows, (0, 1, 2)),
    )


def _epsilon_cells(row: EpsilonRow) -> tuple[Text, ...]:
    if math.isinf(row.upper):
        return (exactly(row.delta),), (at_most(row.upper),), ("no finite epsilon holds",), (row.method,)
    digits = _telling_digits(row.lower, row.upper)
    bracket = say("[{lower}, {upper}]", lower=at_least(row.lower, digits), upper=at_most(row.upper, digits))
    return (exactly(row.delta),), (at_most(row.upper),), bracket, (row.method.replace("_", " "),)


def _telling_digits(lower: float, upper: float) -> int:
    """So many digits that the two ends of a bracket differ, at least 6 and at most 12."""
    if not 0.0 < lower < upper:
        return 6
    return min(12, max(6, 2 - math.floor(math.log10((upper - lower) / upper))))


def one_number(report: Report) -> Section:
    """State mu with its floor, residual, and price, and the verdict."""
    fit = report.gdp
    floor = exactly(fit.fpr_floor)
    if math.isinf(fit.mu):
        verdict = say("No finite mu bounds the curve from the floor {floor} on.", floor=floor)
    elif fit.may_stand_for_the_curve:
        verdict = say(
            "The regret is below {limit}: for false-positive rates of at least {floor}, mu = {mu} may stand for the curve.",
            limit=exactly(fit.regret_limit),
            floor=floor,
            mu=at_most(fit.mu),
        )
    else:
        verdict = say(
            "The regret is not below {limit}: state the curve or epsilon at several deltas, not mu alone.",
            limit=exactly(fit.regret_limit),
        )
    rows = tuple(
        ((exactly(row.fpr_floor),), (at_most(row.mu),), (at_most(row.residual, 3),), (at_most(row.regret),))
        for row in report.gdp_floors
    )
    head = ("for FPR from", "mu at most", "TPR below that at most", "regret at most")
    return Section(
        key="mu",
        title="One number for the curve: mu",
        paragraphs=(verdict,),
        facts=_mu_facts(report),
        table=Table(head, rows, (0, 1, 2, 3)),
    )


def _mu_facts(report: Report) -> tuple[Fact, ...]:
    fit = report.gdp
    floor = exactly(fit.fpr_floor)
    return (
        Fact(
            "mu",
            say(
                "{mu} for false-positive rates of at least {floor}; the least such mu lies in [{lower}, {upper}]",
                mu=at_most(fit.mu),
                floor=floor,
                lower=at_least(fit.mu_lower, 6),
                upper=at_most(fit.mu, 6),
            ),
        ),
        Fact(
            "below the floor",
            say(
                "at false-positive rates below {floor} the true-positive rate is at most {residual}",
                floor=floor,
                residual=at_most(fit.residual, 3),
            ),
        ),
        Fact(
            "without a floor",
            say(
                "delta(epsilon) is at most delta0 + (1 - delta0) times that of a Gaussian of mu = {mu}, for every epsilon, "
                "with delta0 = {delta0}",
                mu=at_most(fit.mu_delta0),
                delta0=exactly(fit.delta0),
            ),
        ),
        Fact(
            "literal mu",
            say(
                "{literal}, the floor at 0: for every false-positive rate and without slack",
                literal=at_most(fit.literal),
            ),
        ),
        Fact(
            "regret",
            say(
                "at most {regret}: the false-negative rate given away where mu is quoted in place of the curve, from the "
                "floor {floor} on; at least {lower}",
                regret=at_most(fit.regret),
                floor=floor,
                lower=at_least(fit.regret_lower),
            ),
        ),
        Fact(
            "delta-divergence",
            say(
                "at most {divergence}: the same gap over 1 + e^epsilon, the measure in the literature",
                divergence=at_most(fit.delta_divergence),
            ),
        ),
    )


def mechanism(report: Report) -> Section:
    """Say what was run and how batches are drawn."""
    sampling = report.sampling
    facts = [Fact("mechanism", (report.mechanism.name,))]
    facts += [
        Fact(
            LABELS.get(name, name.replace("_", " ")),
            (_parameter(value) + (_rounding(report) if name == "steps" else ""),),
        )
        for name, value in report.mechanism.parameters
        if name not in ("sampling", "dataset_size", "unit", "batch_size")
    ]
    if report.relation == "replace" and report.mechanism.parts:
        facts += [
            Fact("noise over sensitivity", (exactly(float(value)), " under this relation"))
            for name, value in report.mechanism.parts[0].parameters
            if name == "noise_multiplier" and report.mechanism.name == "DP-SGD"
        ]
    facts += [
        Fact("relation", (f"{relation_text(report)} ({report.relation})",)),
        Fact("unit of privacy", (f"one {report.unit}",)),
        Fact("sampling assumed", (SCHEMES.get(sampling.assumed, sampling.assumed.replace("_", " ")),)),
    ]
    if sampling.dataset_size is not None:
        facts.append(Fact(f"number of {report.unit}s N", (exactly(sampling.dataset_size),)))
    if sampling.expected_batch_size is not None and sampling.assumed != "full":
        facts.append(Fact("expected batch size q N", (_rounded(sampling.expected_batch_size),)))
    if sampling.expected_participations is not None:
        facts.append(
            Fact(
                "participations",
                say(
                    "each {unit} is expected in {number} of {steps} steps",
                    unit=report.unit,
                    number=_rounded(sampling.expected_participations),
                    steps=exactly(sampling.steps),
                ),
            )
        )
    return Section(
        key="mechanism", title="What was run", facts=tuple(facts), table=_parts_table(report.mechanism.parts)
    )


def _rounding(report: Report) -> str:
    sampling = report.sampling
    if sampling.exact_steps == sampling.steps:
        return ""
    return f" (rounded up from {exactly(float(f'{sampling.exact_steps:.12g}'))})"


def _parts_table(parts: tuple[Part, ...]) -> Table | None:
    if len(parts) < 2:
        return None
    rows = tuple(
        (
            (part.name,),
            (", ".join(f"{LABELS.get(name, name.replace('_', ' '))} {_parameter(v)}" for name, v in part.parameters),),
            (exactly(part.count),),
        )
        for part in parts
    )
    return Table(("release", "parameters", "times"), rows, (2,))


def _parameter(value: float | str) -> str:
    return value.replace("_", " ") if isinstance(value, str) else str(exactly(value))


def _rounded(value: float) -> str:
    return str(exactly(float(f"{value:.4g}")))


def assumptions(report: Report, *, codes: Collection[str] | None = None) -> Section:
    """List what no accountant can check (only some of it, if `codes` are given), and the remarks."""
    notes = [note for note in report.notes if note.level == "assumption"]
    told = [note for note in notes if codes is None or note.code in codes]
    remarks = tuple((note.text,) for note in report.notes if note.level == "remark")
    rest = "The numbers hold if all of this does; no accountant can check it."
    if len(told) < len(notes):
        rest = "The numbers hold if all of this does, and the technical points of the full report; no accountant can check it."
    return Section(
        key="assumptions",
        title="What the numbers rest on",
        paragraphs=(*remarks, (rest,)),
        bullets=tuple((note.text,) for note in told),
    )


def comparison(report: Report) -> Section | None:
    """Tabulate the ways of accounting; an approximation is called one."""
    if not report.comparison:
        return None
    rows = tuple(
        (
            (row.name,),
            _compared(row),
            ("",) if row.order is None else (_rounded(row.order),),
            (_KIND_WORDS[row.kind] + (f"; {row.note}" if row.note else ""),),
        )
        for row in report.comparison
    )
    return Section(
        key="comparison",
        title="By other ways of accounting",
        paragraphs=(
            say(
                "The same run at delta = {delta}: why two tools differ. Where a method's bound is larger, it is the "
                "method that gives away the difference.",
                delta=exactly(report.delta),
            ),
        ),
        table=Table(("method", "epsilon", "order", "what it is"), rows, (1, 2)),
    )


_KIND_WORDS = {
    "upper bound": "upper bound",
    "lower bound": "lower bound",
    "approximation": "approximation, no guarantee",
}


def _compared(row: AccountantRow) -> Text:
    if row.kind == "upper bound":
        return (at_most(row.epsilon),)
    if row.kind == "lower bound":
        return (at_least(row.epsilon),)
    return ("≈\N{NO-BREAK SPACE}", Quantity(f"{row.epsilon:.3g}", row.epsilon))


def curves(report: Report) -> Section:
    """Name the figures that the report has numbers for."""
    fit = report.gdp
    bound = f"mu = {at_most(fit.mu)}, a bound for false-positive rates of at least {exactly(fit.fpr_floor)}"
    figures = [
        Figure(
            "tradeoff",
            "Trade-off between false positives and false negatives. Every attack lies on or above the solid line, a "
            f"certified lower bound; a larger curve is more private. Dashed: the Gaussian curve of {bound}.",
        ),
        Figure(
            "small-rates",
            "The same as true-positive rates, at small false-positive rates: every attack lies on or below the solid "
            "line.",
        ),
    ]
    if report.series.profile is not None:
        figures.append(
            Figure(
                "profile",
                "Privacy profile: delta as a function of epsilon, with both sides of its bracket; the marks are the "
                "pairs of the table.",
            )
        )
    over = report.series.steps
    if over is not None:
        figures.append(Figure("steps", f"Epsilon at delta = {exactly(over.delta)} after each number of {over.each}."))
    if report.series.renyi is not None:
        figures += [
            Figure("renyi", "Rényi divergence over its order, an upper bound."),
            Figure(
                "renyi-order",
                f"The epsilon that each order gives by the improved conversion, an upper bound. {_beside_renyi(report)}",
            ),
        ]
    return Section(key="curves", title="Curves", figures=tuple(figures))


def _given(entries: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in entries.items() if value is not None}


def _beside_renyi(report: Report) -> str:
    if any("rdp" in method for method in report.engine.methods):
        return "The epsilon of this report is the least over all real orders, by the optimal conversion."
    return "The epsilon of this report is computed without it and is smaller."


def accounting(report: Report) -> Section:
    """Say who computed, how accurately, with which versions, and how to do it again."""
    versions, engine = report.versions, report.engine
    aim = "each engine's own aim" if engine.tolerance is None else f"a relative width of {exactly(engine.tolerance)}"
    facts = (
        Fact("engine", (", ".join(engine.methods).replace("_", " "),)),
        Fact("tolerance", (aim,)),
        Fact(
            "bracket",
            ("discretization, truncation, aliasing, quadrature and floating-point error are inside every bracket",),
        ),
        Fact(
            "versions",
            (f"hockeystick {versions.hockeystick}, NumPy {versions.numpy}, Python {versions.python}",),
        ),
    )
    description = report.mechanism.description
    code = report.mechanism.code
    if description is not None:
        # What is not given may be left out.
        code = json.dumps(json.loads(description, object_hook=_given), indent=2)
    return Section(key="accounting", title="How it was computed", facts=facts, code=code)
