# SPDX-License-Identifier: Apache-2.0
"""mu, never without its floor, with its price and the verdict on it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hockeystick.report.document import Fact, Section, Table, say
from hockeystick.report.numbers import at_least, at_most, exactly

if TYPE_CHECKING:
    from hockeystick.report.model import Report

__all__ = ["one_number"]


def one_number(report: Report) -> Section:
    """State mu with its floor, residual, and price, and the verdict."""
    fit = report.gdp
    floor = exactly(fit.fpr_floor)
    title = "One number for the curve: mu"
    if math.isinf(fit.mu):
        verdict = say("No finite mu bounds the curve from the floor {floor} on.", floor=floor)
        facts = (_without_floor(report),) if math.isfinite(fit.mu_delta0) else ()
        return Section(key="mu", title=title, paragraphs=(verdict,), facts=facts)
    if fit.may_stand_for_the_curve:
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
        title=title,
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
        _without_floor(report),
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
                "at most {divergence}: the largest gap of the profiles over 1 + e^epsilon, the measure in the literature",
                divergence=at_most(fit.delta_divergence),
            ),
        ),
    )


def _without_floor(report: Report) -> Fact:
    return Fact(
        "without a floor",
        say(
            "delta(epsilon) is at most delta0 + (1 - delta0) times that of a Gaussian of mu = {mu}, for every epsilon, "
            "with delta0 = {delta0}",
            mu=at_most(report.gdp.mu_delta0),
            delta0=exactly(report.gdp.delta0),
        ),
    )
